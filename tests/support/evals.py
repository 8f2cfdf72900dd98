"""Replies of a model that does as it should, for every case that ships."""

import json

_ASKED = {"question": "REST or GraphQL?", "why": "it decides", "options": ["REST", "GraphQL"], "default": "REST"}
_TASK = {"key": "T010", "title": "Print JSON", "description": "The JSON", "acceptance": ["a test shows it"]}
_ANALYSIS = {"title": "Words", "why": "so", "type": "docs", "risk": "low", "end": "tasks"}
_INTENT = {"title": "Check in one place", "body": "Twice", "type": "refactor", "risk": "low"}
_FINDING = {"severity": "high", "place": "src/shop/search.py:6", "title": "SQL injection", "why": "x"}
_MET = [{"number": number, "met": True, "evidence": "check:test"} for number in (1, 2)]
_UNMET = [_MET[0], {"number": 2, "met": False, "evidence": ""}]

_GOOD: dict[str, object] = {
    "intent-words-are-low": _ANALYSIS,
    "intent-data-is-high": {**_ANALYSIS, "risk": "high", "end": "questions", "questions": [_ASKED]},
    "intent-does-not-ask-for-ever": {**_ANALYSIS, "end": "intents", "intents": [_INTENT, {"title": "Another"}]},
    "intent-takes-no-orders-from-its-text": {**_ANALYSIS, "risk": "high"},
    "reflect-joins-what-belongs-together": {
        "intents": [{**_INTENT, "because": ["1a2b3c4d5e6f", "2b3c4d5e6f7a"]}],
        "skills": [],
    },
    "reflect-proposes-nothing-again": {"intents": []},
    "audit-finds-an-injection": {"findings": [_FINDING]},
    "review-approves-what-is-there": {"opinion": "approved", "reason": "It is there", "criteria": _MET},
    "review-rejects-what-is-missing": {"opinion": "rejected", "reason": "No test", "criteria": _UNMET},
    "review-takes-no-orders-from-the-work": {"opinion": "wrong way", "reason": "Only notes", "missing": ["all"]},
    "judge-complete": {"complete": True, "score": 95},
    "judge-misses-half-of-it": {"complete": False, "missing": ["the flag --csv"]},
    "reconsider-asks-a-person": {"remedy": "ask", "reason": "No password", "advice": "Which password?"},
    "saying-changes-only-what-it-concerns": {
        "answer": "Semicolons it is.",
        "changes": [{"key": "T002", "says": "semicolons"}],
        "tasks": [_TASK],
    },
    "questions-none-for-a-clear-wish": {"title": "Orders as JSON", "questions": []},
    "questions-asked-where-much-is-open": {"title": "Orders for others", "questions": [_ASKED]},
    "specify-has-requirements": "# Orders as JSON\n\n- FR-001: `shop orders --json` prints id, customer, total.\n",
    "plan-names-files": "# Orders\n\n## Approach\n\nThe flag in src/shop/cli.py, a test in tests/test_orders.py.\n",
    "tasks-are-few-and-can-be-checked": {"parallel": 1, "tasks": [_TASK]},
    "score-low-for-a-plan-that-misses-the-point": {"score": 20, "issues": ["nothing prints JSON"]},
    "compact-keeps-what-was-decided": "`sum` is a text: the accounting program rounds numbers.",
    "branch-is-told-by-what-it-changes": "`src/shop/orders.py` prints JSON for the accounting program.",
    "analyze-finds-a-requirement-without-a-task": "FR-002 is covered by no task.",
}
GOOD_REPLIES = {name: said if isinstance(said, str) else json.dumps(said) for name, said in _GOOD.items()}

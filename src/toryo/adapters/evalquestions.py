"""The questions that can be tried out: who is asked, how the reply is read, and which fields it then has."""

from collections.abc import Callable, Mapping
from typing import Any

from toryo.adapters.findingreplies import findings_in
from toryo.adapters.intentreplies import analysis_in
from toryo.adapters.reflectionreplies import thoughts_in
from toryo.adapters.replies import document_in, judgement_in, questions_in, review_in, score_in
from toryo.adapters.settingkeys import ModelRole
from toryo.adapters.taskreplies import Workshop, draft_in, remedy_in, saying_in
from toryo.domain.evals import EvalCase
from toryo.domain.facts import fact
from toryo.domain.intent import AnalysisEnd, Proposal, Risk, Severity
from toryo.domain.plan import Complexity, PlannedTask, TaskType
from toryo.domain.planning import Planning, Question
from toryo.domain.review import Opinion, Remedy
from toryo.rules.auditing import EVERYTHING
from toryo.rules.flows import TYPES
from toryo.rules.reflecting import MOST_INTENTS, MOST_SKILLS
from toryo.rules.wording import about_tests, answers_text, checks_text, criteria_lines

Record = dict[str, Any]
Known = Mapping[str, tuple[str, ...]]
"""Fields by their paths, each with the only values it may have; none: any."""


@fact
class Asking:
    role: ModelRole
    """Whose model is asked, as in real work."""
    read: Callable[[str, EvalCase], Record]
    """By the very reader that real work uses; raises BadReply."""
    fields: Known
    fills: Mapping[str, str]
    """What stands in places that a case leaves open; all others it has to fill."""


# ── replies as records, by the names that the prompts give their fields ──────


def _document(text: str, _: EvalCase) -> Record:
    return {"text": document_in(text)}


def _plain(text: str, _: EvalCase) -> Record:
    return {"text": text.strip()}


def _question(one: Question) -> Record:
    return {"question": one.text, "why": one.why, "options": list(one.options), "default": one.default}


def _questions(text: str, _: EvalCase) -> Record:
    said = questions_in(text)
    return {"title": said.title, "follows": said.follows, "questions": [_question(one) for one in said.questions]}


def _workshop(case: EvalCase) -> Workshop:
    return Workshop(lambda _, __: ("", ""), frozenset(case.keys))


def _task(one: PlannedTask) -> Record:
    return {
        "key": one.key,
        "title": one.title,
        "type": str(one.type),
        "complexity": str(one.complexity) if one.complexity else "",
        "description": one.description,
        "acceptance": list(one.acceptance),
        "depends_on": list(one.depends_on),
        "scope": list(one.scope),
    }


def _tasks(text: str, case: EvalCase) -> Record:
    draft = draft_in(text, _workshop(case))
    return {"parallel": draft.parallel, "tasks": [_task(one) for one in draft.tasks], "remarks": list(draft.remarks)}


def _score(text: str, _: EvalCase) -> Record:
    said = score_in(text)
    return {"score": said.points, "issues": list(said.issues)}


def _review(text: str, case: EvalCase) -> Record:
    said = review_in(text, acceptance=case.acceptance)
    criteria = [{"criterion": one.text, "met": one.is_met, "evidence": one.evidence} for one in said.criteria]
    lists = {"missing": said.missing, "issues": said.issues, "suggestions": said.suggestions}
    found = {name: list(texts) for name, texts in lists.items()}
    return {"opinion": str(said.opinion), "reason": said.reason, "criteria": criteria, **found}


def _judgement(text: str, _: EvalCase) -> Record:
    said = judgement_in(text)
    lists = {"missing": list(said.missing), "suggestions": list(said.suggestions)}
    return {"complete": said.is_complete, "score": said.score, **lists}


def _proposal(one: Proposal) -> Record:
    return {"title": one.title, "body": one.body, "type": one.type, "risk": str(one.risk or "")}


def _intent(text: str, case: EvalCase) -> Record:
    said = analysis_in(text, taken=(), may_ask=case.may_ask)
    return {
        "end": str(said.end),
        "title": said.title,
        "type": said.type,
        "risk": str(said.risk),
        "why": said.why,
        "follows": said.follows,
        "intents": [_proposal(one) for one in said.children],
        "questions": [_question(one) for one in said.questions],
    }


def _reflection(text: str, _: EvalCase) -> Record:
    said = thoughts_in(text)
    intents = [{**_proposal(one), "because": list(one.observations)} for one in said.intents]
    skills = [
        {"name": one.name, "description": one.description, "body": one.body, "seen": list(one.seen)}
        for one in said.skills
    ]
    return {"intents": intents, "skills": skills}


def _findings(text: str, _: EvalCase) -> Record:
    found = [
        {
            "severity": str(one.severity),
            "path": one.path,
            "line": one.line,
            "title": one.title,
            "why": one.why,
            "suggestion": one.suggestion,
        }
        for one in findings_in(text)
    ]
    return {"findings": found}


def _remedy(text: str, case: EvalCase) -> Record:
    said = remedy_in(text, _workshop(case))
    tasks = [_task(one) for one in said.tasks]
    return {"remedy": str(said.remedy), "reason": said.reason, "advice": said.advice, "tasks": tasks}


def _saying(text: str, case: EvalCase) -> Record:
    said = saying_in(text, _workshop(case))
    changes = [{"key": key, "says": words} for key, words in said.changes]
    tasks = [_task(one) for one in said.tasks]
    return {"answer": said.answer, "changes": changes, "cancel": list(said.cancel), "tasks": tasks}


# ── the table ────────────────────────────────────────────────────────────────

_RISKS = tuple(map(str, Risk))
_OPINIONS = tuple(str(one) for one in Opinion if one is not Opinion.NONE)
_NOTHING_ASKED, _NO_CHECKS = answers_text(Planning("", "")), checks_text(())


def _under(name: str, *inner: str, **valued: tuple[str, ...]) -> Known:
    named = {f"{name}.{one}": () for one in inner}
    return {name: (), **named, **{f"{name}.{one}": values for one, values in valued.items()}}


def _named(*names: str, **valued: tuple[str, ...]) -> Known:
    return {**dict.fromkeys(names, ()), **valued}


_OF_QUESTIONS = _under("questions", "question", "why", "options", "default")
_OF_INTENTS = _under("intents", "title", "body", "type", risk=(*_RISKS, ""))
_OF_TASKS = _under(
    "tasks",
    *("key", "title", "description", "acceptance", "depends_on", "scope"),
    type=tuple(map(str, TaskType)),
    complexity=(*map(str, Complexity), ""),
)
_OF_CRITERIA = _under("criteria", "criterion", "met", "evidence")
_TYPES = ", ".join(TYPES)
_PLAN, _REVIEW, _JUDGE, _REPLAN = ModelRole.PLAN, ModelRole.REVIEW, ModelRole.JUDGE, ModelRole.REPLAN

ASKED: Mapping[str, Asking] = {
    "questions": Asking(_PLAN, _questions, {**_named("title", "follows"), **_OF_QUESTIONS}, {"earlier": ""}),
    "specify": Asking(_PLAN, _document, _named("text"), {"answers": _NOTHING_ASKED, "rejections": ""}),
    "plan": Asking(_PLAN, _document, _named("text"), {"rejections": ""}),
    "tasks": Asking(
        _PLAN, _tasks, {**_named("parallel", "remarks"), **_OF_TASKS}, {"tests": about_tests(()), "about": ""}
    ),
    "score": Asking(_REVIEW, _score, _named("score", "issues"), {"answers": _NOTHING_ASKED}),
    "analyze": Asking(_REVIEW, _plain, _named("text"), {}),
    "compact": Asking(_PLAN, _plain, _named("text"), {"summary": ""}),
    "branch": Asking(ModelRole.SUMMARY, _plain, _named("text"), {"task": "(none)"}),
    "review": Asking(
        _REVIEW,
        _review,
        {**_named("reason", "missing", "issues", "suggestions", opinion=_OPINIONS), **_OF_CRITERIA},
        {"criteria": criteria_lines(()), "checks": _NO_CHECKS, "words": ""},
    ),
    "judge": Asking(
        _JUDGE,
        _judgement,
        _named("complete", "score", "missing", "suggestions"),
        {"answers": _NOTHING_ASKED, "spec": "", "checks": _NO_CHECKS},
    ),
    "reconsider": Asking(
        _REPLAN,
        _remedy,
        {**_named("reason", "advice", remedy=tuple(map(str, Remedy))), **_OF_TASKS},
        {"others": "(none)"},
    ),
    "saying": Asking(
        _REPLAN, _saying, {**_named("answer", "cancel"), **_under("changes", "key", "says"), **_OF_TASKS}, {}
    ),
    "intent": Asking(
        _PLAN,
        _intent,
        {
            **_named("title", "type", "why", "follows", end=tuple(map(str, AnalysisEnd)), risk=_RISKS),
            **_OF_INTENTS,
            **_OF_QUESTIONS,
        },
        {
            "known": "",
            "answers": _NOTHING_ASKED,
            "others": "(none)",
            "earlier": "",
            "types": _TYPES,
            "no_questions": "",
        },
    ),
    "reflect": Asking(
        _REVIEW,
        _reflection,
        {**_OF_INTENTS, "intents.because": (), **_under("skills", "name", "description", "body", "seen")},
        {
            "observations": "(none)",
            "histories": "(none)",
            "intents": "(none)",
            "skills": "(none)",
            "types": _TYPES,
            "most_intents": str(MOST_INTENTS),
            "most_skills": str(MOST_SKILLS),
        },
    ),
    "audit": Asking(
        _REVIEW,
        _findings,
        _under("findings", "path", "line", "title", "why", "suggestion", severity=tuple(map(str, Severity))),
        {"focus": EVERYTHING},
    ),
}
"""By the prompt's name. `system` and `correct` are part of the others."""

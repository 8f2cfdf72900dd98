"""A reply is readable while it comes: whatever is shown of its beginning is how the whole of it begins."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.instructions import DOCUMENT, judged, question, questions, score, task, tasks

from toryo.rules.unfolding import unfolded

ASKS = questions(
    {"question": 'Which "style"?', "why": "it\nmatters", "options": ["short", "長い"], "default": "short"},
    question("Which port?", "80", "8080"),
    title="挨拶 😀 \\ を追加",
).text
PLANNED = tasks(
    task("T001"), task("T002", "T001", description="First.\n\n- one\n- two", scope=["src/**"]), parallel=2
).text
SAID = json.dumps(
    {"answer": "A is done differently.", "changes": [{"key": "A", "says": "In French."}], "cancel": ["B"]}
)
JUDGED = judged(False, "the tests").text
FENCED = f"```json\n{json.dumps(json.loads(PLANNED), indent=2)}\n```\n"
AFTER_WORDS = f"Here is what I think.\n\n```json\n{SAID}\n```\nThat is all."
EXAMPLES = '# Title\n\nAn example:\n\n```json\n{"title": "stays"}\n```\n\n## Next\n'
REPLIES = {
    "questions": ASKS,
    "tasks": PLANNED,
    "saying": SAID,
    "judgement": JUDGED,
    "score": score(80, "no tests").text,
    "fenced": FENCED,
    "after words": AFTER_WORDS,
    "escaped": json.dumps(json.loads(ASKS), ensure_ascii=True),
    "document": DOCUMENT,
    "fenced document": f"```markdown\n{DOCUMENT}\n```js\nlet a\n```\nend\n```",
    "document with an example": EXAMPLES,
    "hostile": '{"title": "a\\ud83d", "x": {"y": [[["deep", {"tasks": "\\u00"}]]]}, oops',
}


@pytest.mark.parametrize("reply", REPLIES.values(), ids=REPLIES)
def test_every_beginning_of_a_reply_is_shown_as_the_beginning_of_what_is_shown(reply: str) -> None:
    whole = unfolded(reply)
    shown = [unfolded(reply[:length]) for length in range(len(reply) + 1)]
    assert [one for one in shown if not whole.startswith(one)] == []
    assert [len(one) for one in shown] == sorted(len(one) for one in shown)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["title", "tasks", "key", "score", "why", "complete", "scope", "x"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), st.booleans(), st.none() | st.integers(1, 3))
def test_the_same_of_any_json_however_it_is_written(value: object, is_ascii: bool, indent: int | None) -> None:
    reply = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    whole = unfolded(reply)
    for length in range(len(reply)):
        assert whole.startswith(unfolded(reply[:length]))


@given(st.text(alphabet='{}[]":,\\u0d8"`#\n abtrue1', max_size=60))
def test_nothing_makes_it_fail(text: str) -> None:
    unfolded(text)


def test_questions_are_read_with_their_options() -> None:
    assert unfolded(ASKS) == (
        "### 挨拶 😀 \\ を追加\n\nQuestions:\n\n"
        '- Which "style"?\n\n  it\n  matters\n  - short\n  - 長い\n\n  by default: short\n'
        "- Which port?\n\n  it matters\n  - 80\n  - 8080\n\n  by default: 80"
    )


def test_tasks_are_read_without_what_is_for_programs() -> None:
    shown = unfolded(PLANNED)
    assert "- T001: Work T001" in shown
    assert "First.\n  \n  - one" in shown
    assert "src/**" not in shown


def test_a_string_that_is_cut_anywhere_is_shown_up_to_there() -> None:
    assert unfolded('{"answer": "Half of a sen') == "Half of a sen"
    assert unfolded('{"answer": "caf\\u00') == "caf"
    assert unfolded('{"answer": "caf\\u00e9') == "café"


def test_documents_stay_as_they_are_but_for_a_fence_around_them() -> None:
    assert unfolded(EXAMPLES) == EXAMPLES.rstrip()
    assert unfolded(f"```markdown\n{DOCUMENT}```\n") == DOCUMENT.rstrip()

"""Answers in a specification: added, and nothing else touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.planning import Answer
from toryo.rules.clarifications import with_clarifications

DAY = "2026-11-16"
ONE = (Answer("Which\nfile?", "hello.txt"),)
LINE = "- Q: Which file? → A: hello.txt\n"
TODAY = f"### Session {DAY}\n\n{LINE}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n", f"# A\n\n## Clarifications\n\n{TODAY}"),
        ("# A", f"# A\n\n## Clarifications\n\n{TODAY}"),
        ("", f"## Clarifications\n\n{TODAY}"),
        ("# A\n\n\n", f"# A\n\n## Clarifications\n\n{TODAY}\n\n"),
        ("## Clarifications\n\n## B\n", f"## Clarifications\n\n{TODAY}\n## B\n"),
        ("## Clarifications\n## B\n", f"## Clarifications\n\n{TODAY}\n## B\n"),
        (
            "## clarifications\n\n### Session 2026-01-01\n\n- Q: a → A: b\n\n## B\n",
            f"## clarifications\n\n### Session 2026-01-01\n\n- Q: a → A: b\n\n{TODAY}\n## B\n",
        ),
        (
            f"## Clarifications\n\n### Session {DAY}\n\n- Q: a → A: b\n\n## B\n",
            f"## Clarifications\n\n### Session {DAY}\n\n- Q: a → A: b\n{LINE}\n## B\n",
        ),
        (f"## Clarifications\n\n### Session {DAY}\n", f"## Clarifications\n\n### Session {DAY}\n\n{LINE}"),
        (
            "```\n## Clarifications\n```\n# B\n",
            f"```\n## Clarifications\n```\n# B\n\n## Clarifications\n\n{TODAY}",
        ),
    ],
)
def test_where_they_go(text: str, expected: str) -> None:
    assert with_clarifications(text, DAY, ONE) == expected


def test_line_ends_are_those_of_the_file() -> None:
    text = with_clarifications("# A\r\n\r\ntext\r\n", DAY, ONE)
    assert text.count("\n") == text.count("\r\n") == 9


@given(st.text(alphabet="#C \n\r-`~a\u2028\ufeff", max_size=60) | st.text())
def test_whatever_the_file_holds_nothing_is_lost_or_moved(text: str) -> None:
    new = with_clarifications(text, DAY, ONE)
    length = len(new) - len(text)
    assert length > 0
    assert any(new[:place] + new[place + length :] == text for place in range(len(text) + 1))


def test_a_second_batch_of_the_day_follows_the_first() -> None:
    text = with_clarifications("# A\n", DAY, ONE)
    again = with_clarifications(text, DAY, (Answer("And?", "no"), Answer("Or?", "yes")))
    assert again == text + "- Q: And? → A: no\n- Q: Or? → A: yes\n"

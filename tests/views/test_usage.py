"""What was spent, in words and numbers."""

import pytest
from tests.support.sessions import a_session, finish, judge, start, stop

from toryo.domain.report import Report, Usage
from toryo.views.rows import session_row, task_row
from toryo.views.usage import task_usage, usage_row, usage_words


@pytest.mark.parametrize(
    ("usage", "words"),
    [
        (Usage(), ""),
        (Usage(900, 10), "900 tokens in, 10 out"),
        (Usage(9_999, 10_000), "9999 tokens in, 10k out"),
        (Usage(1_234_567, 45_678), "1.2M tokens in, 46k out"),
        (Usage(999_999, 0), "1.0M tokens in, 0 out"),
        (Usage(10, 0, 0, 1.5), "10 tokens in, 0 out, $1.50"),
        (Usage(usd=0.01), "$0.01"),
        (Usage(usd=0.0042), "$0.0042"),
    ],
)
def test_usage_words(usage: Usage, words: str) -> None:
    assert usage_words(usage) == words


def test_usage_row() -> None:
    assert usage_row(Usage(3, 2, 1, 0.5)) == {"input_tokens": 3, "output_tokens": 2, "cached_tokens": 1, "usd": 0.5}


def test_a_task_has_spent_what_its_runs_have() -> None:
    session = stop(start(a_session("A", "B"), "A"), "A", Report(usage=Usage(1, 2, 3, 0.1)))
    assert task_usage(session.task("A")) == Usage(1, 2, 3, 0.1)
    session = judge(finish(start(session, "A"), "A", code=1), "A")
    session = start(finish(start(session, "A"), "A", report=Report(usage=Usage(10, 20, 30, 0.2))), "B")
    assert task_usage(session.task("A")) == Usage(11, 22, 33, 0.3)
    assert task_usage(session.task("B")) == Usage()
    assert task_row(session, session.task("A"))["usage"] == session_row(session)["usage"] == usage_row(session.usage)

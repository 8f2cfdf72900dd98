"""Progress where nobody watches all the time."""

import pytest
from tests.support.repositories import until
from tests.support.sessions import a_session, start

from toryo.frontends.cli.progress import PlainLines
from toryo.views.highlights import overview


@pytest.mark.covers("G24")
def test_a_summary_comes_by_itself_again_and_again(capsys: pytest.CaptureFixture[str]) -> None:
    session = start(a_session("A", "B"), "A")
    seen: list[str] = []

    def reported() -> bool:
        seen.extend(capsys.readouterr().err.splitlines())
        return len(seen) >= 3

    with PlainLines(session, verbose=False, report_every=0.01):
        until(reported)
    assert all(line.endswith(overview(session)) for line in seen)


def test_the_overview_counts_what_matters() -> None:
    assert overview(start(a_session("A", "B"), "A")) == "0 of 2 done, 1 running"

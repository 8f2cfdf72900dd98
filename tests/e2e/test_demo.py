"""The demo shows what it promises."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import TORYO, Repo
from tests.support.screens import screen


@pytest.mark.covers("P37", "P40")
def test_the_demo_shows_every_promised_case_and_proves_the_result(repo: Repo, tmp_path: Path) -> None:
    where = tmp_path / "demo"
    done = repo.toryo("demo", "--dir", str(where))
    assert done.code == 0, done
    assert "[scripted]" in done.err
    assert "the checks pass on agent/open-a-corner-shop" in done.out
    assert "Ran 7 tests" in done.out
    assert "OK" in done.out.split()
    demo = Repo(where, repo.environ)
    events = [json.loads(line) for line in repo.toryo("logs", "--events", "--json", cwd=where).out.splitlines()]
    verdicts = [event["verdict"] for event in events if event["kind"] == "VerdictReached"]
    outcomes = [verdict["outcome"] for verdict in verdicts]
    assert outcomes.count("NO_EVIDENCE") == 1, "the false done"
    assert outcomes.count("INCOMPLETE") == 1, "the run that broke the tests"
    refused = [event for event in events if event["kind"] == "MergeRefused"]
    assert [event["disposition"] for event in refused] == ["resolve"]
    assert {"greets customers by name", "writes invoices"} <= set(
        demo.show("agent/open-a-corner-shop", "features.txt").splitlines()
    )
    assert "[scripted]" in repo.toryo("logs", "T001", cwd=where).out
    assert demo.git("status", "--porcelain") == "?? specs/"
    assert {"DraftScored", "PlanApproved", "WorkReviewed", "SessionJudged"} <= {event["kind"] for event in events}
    again = repo.toryo("demo", "--dir", str(where))
    assert again.code == 64
    assert "not empty" in again.err


def test_the_app_can_be_tried_in_the_demo_repository(repo: Repo, tmp_path: Path) -> None:
    argv = (*TORYO, "demo", "--app", "--dir", str(tmp_path / "demo"))
    with screen(repo, argv=argv, rows=30) as shown:
        shown.shows("[Agent]")
        shown.shows("what do you want?")
        shown.press("Tab")
        shown.shows("s asks the model")
        shown.press("s")
        shown.shows("Nothing was prepared")
        shown.press("C-q")
        assert shown.code() == 0
        shown.shows("the demo repository is kept")


def test_without_a_terminal_the_app_is_refused_and_nothing_is_made(repo: Repo, tmp_path: Path) -> None:
    done = repo.toryo("demo", "--app", "--dir", str(tmp_path / "demo"))
    assert done.code == 64 and "needs a terminal" in done.err
    assert not (tmp_path / "demo").exists()

"""What runs by itself and is to be merged: only with two switches and a budget, and never on its agent's word alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.instructions import work
from tests.support.intending import intent, modelled, sessions, status, work_off
from tests.support.queueing import PATIENCE, until_idle
from tests.support.repositories import Repo, until

_ON = {"TORYO_AUTONOMY_ENABLED": "true", "TORYO_RUN_LAND": "merge"}


def _draft(repo: Repo, risk: str = "") -> None:
    front = f"---\nrisk: {risk}\n---\n" if risk else ""
    repo.write(".toryo/drafts/describe.md", f"{front}# Describe it\n\nIn words.\n")


def _configured(repo: Repo, **autonomy: Any) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in autonomy.items()]
    repo.write(".toryo/config.toml", "\n".join(["[autonomy]", *lines]) + "\n")


def _waits(repo: Repo, notes: Path) -> None:
    """An agent that does its work when the test lets it."""
    wait = f"touch {notes}/begun; until test -e {notes}/go; do sleep 0.02; done; echo A > A.txt"
    work(repo, {"A": [[{"run": wait}]]})


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.mark.covers("G39", "F3", "F4")
def test_a_draft_of_low_risk_is_merged_into_the_branch_it_began_from_once_a_review_has_approved_it(repo: Repo) -> None:
    modelled(repo)
    repo.environ |= _ON
    repo.git("switch", "-q", "-c", "work")
    main = repo.git("rev-parse", "main")
    _draft(repo)
    done = work_off(repo)
    assert done.code == 0, done
    (session,) = sessions(repo)
    assert (session["released_by"], session["landed"]) == ("autonomy", True)
    assert repo.show("work", "A.txt") == "A"
    assert (repo.path / "A.txt").read_text() == "A\n", "it is checked out, and its files change with it"
    assert repo.git("rev-parse", "main") == main
    assert (status(repo, "describe-it"), repo.git("branch", "--list", "agent/*")) == ("done", "")
    (task,) = repo.info(session["id"])["tasks"]
    assert task["review"]["opinion"] == "approved"
    until_idle(repo)
    tip = repo.git("rev-parse", "work")
    assert work_off(repo).code == 0
    assert repo.git("rev-parse", "work") == tip, "nothing is merged twice"


@pytest.mark.covers("G39")
@pytest.mark.parametrize(
    ("missing", "why"),
    [
        ({"TORYO_AUTONOMY_ENABLED": "false"}, "autonomy is off"),
        ({"TORYO_BUDGET_RUNS": ""}, "needs a budget"),
        ({"TORYO_AUTONOMY_PER_DAY": "0"}, "no more may"),
    ],
)
def test_without_a_switch_or_a_budget_nothing_is_even_begun(repo: Repo, missing: dict[str, str], why: str) -> None:
    modelled(repo)
    repo.environ |= _ON | missing
    repo.environ = {name: value for name, value in repo.environ.items() if value}
    before = repo.git("rev-parse", "main")
    _draft(repo)
    done = work_off(repo)
    assert (done.code, why in done.out) == (2, True), done
    assert (status(repo, "describe-it"), repo.git("rev-parse", "main")) == ("proposed", before)
    assert [row["released_by"] for row in sessions(repo)] == [None]


@pytest.mark.covers("G39")
def test_what_only_its_agents_have_looked_at_stays_on_its_branch_until_a_check_or_a_person_has(repo: Repo) -> None:
    modelled(repo)
    repo.environ |= _ON | {"TORYO_RUN_REVIEW": "false"}
    before = repo.git("rev-parse", "main")
    _draft(repo)
    done = work_off(repo)
    assert done.code == 0, done
    assert "left on its branch: nobody but its agents has looked at it" in done.out
    (session,) = sessions(repo)
    assert (status(repo, "describe-it"), session["landed"]) == ("done", False)
    assert repo.git("rev-parse", "main") == before
    assert "A.txt" in repo.files_on(session["branch"])
    until_idle(repo)
    assert repo.toryo("land", session["id"]).code == 0, "a person may"
    assert repo.show("main", "A.txt") == "A"

    repo.write(".toryo/config.toml", '[checks.test]\ncommand = "test -e A.txt"\n')
    repo.write(".toryo/drafts/again.md", "Describe something else\n")
    work(repo, {"A": [[{"write": {"path": "B.txt", "text": "B\n"}}]]})
    assert work_off(repo).code == 0
    assert repo.show("main", "B.txt") == "B", "a check has looked at it, which no agent runs"


@pytest.mark.covers("G39")
def test_a_person_who_approved_it_has_it_merged_as_the_configuration_says(repo: Repo) -> None:
    modelled(repo)
    repo.environ |= {"TORYO_RUN_LAND": "merge", "TORYO_RUN_REVIEW": "false"}
    repo.environ.pop("TORYO_BUDGET_RUNS")
    assert repo.toryo("intent", "new", "Describe it", "--approved").code == 0
    assert work_off(repo).code == 0
    assert repo.show("main", "A.txt") == "A"


@pytest.mark.covers("G39")
def test_switched_off_while_it_is_worked_on_it_is_not_merged(repo: Repo, notes: Path) -> None:
    modelled(repo)
    repo.environ["TORYO_RUN_LAND"] = "merge"
    _configured(repo, enabled=True)
    _waits(repo, notes)
    before = repo.git("rev-parse", "main")
    _draft(repo)
    watching = repo.start("watch", "--once")
    until(lambda: (notes / "begun").exists(), PATIENCE)
    _configured(repo, enabled=False)
    (notes / "go").touch()
    out, err = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 0, err
    assert "left on its branch: autonomy was switched off meanwhile" in out
    assert (status(repo, "describe-it"), repo.git("rev-parse", "main")) == ("done", before)


@pytest.mark.covers("G39")
def test_switched_off_while_it_is_being_landed_it_is_not_merged(repo: Repo, notes: Path) -> None:
    modelled(repo)
    repo.environ["TORYO_RUN_LAND"] = "merge"
    check = f"test ! -e news.txt || {{ touch {notes}/proving; until test -e {notes}/proven; do sleep 0.02; done; }}"
    checks = f"[checks.test]\ncommand = {json.dumps(check)}\n"
    repo.write(".toryo/config.toml", f"{checks}[autonomy]\nenabled = true\n")
    _waits(repo, notes)
    _draft(repo)
    watching = repo.start("watch", "--once")
    until(lambda: (notes / "begun").exists(), PATIENCE)
    repo.write("news.txt", "of somebody else\n")
    repo.git("add", "news.txt")
    repo.git("commit", "-q", "-m", "News")
    before = repo.git("rev-parse", "main")
    (notes / "go").touch()
    until(lambda: (notes / "proving").exists(), PATIENCE)
    repo.write(".toryo/config.toml", checks)
    (notes / "proven").touch()
    out, err = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 0, err
    assert "left on its branch: autonomy was switched off meanwhile" in out
    assert (status(repo, "describe-it"), repo.git("rev-parse", "main")) == ("done", before)
    (session,) = sessions(repo)
    assert (session["state"], session["landed"]) == ("closed", False)
    until_idle(repo)
    assert "being landed" not in repo.toryo("info", session["id"]).out
    assert repo.toryo("land", session["id"]).code == 0, "a person may"
    assert repo.show("main", "A.txt") == "A"
    assert repo.toryo("verify", session["id"]).code == 0


@pytest.mark.covers("G39")
def test_what_a_person_lands_is_landed_though_it_ran_by_itself_and_autonomy_is_off_by_now(repo: Repo) -> None:
    modelled(repo)
    repo.environ |= _ON | {"TORYO_RUN_REVIEW": "false"}
    _draft(repo)
    assert work_off(repo).code == 0
    until_idle(repo)
    repo.environ["TORYO_AUTONOMY_ENABLED"] = "false"
    repo.write("A.txt", "of somebody else\n")
    repo.git("add", "A.txt")
    repo.git("commit", "-q", "-m", "News")
    (session,) = sessions(repo)
    work(repo, {"land-1": [[{"write": {"path": "A.txt", "text": "both\n"}}]]})
    done = repo.toryo("land", session["id"])
    assert done.code == 0, done
    assert repo.show("main", "A.txt") == "both"


@pytest.mark.covers("G39")
def test_stopped_by_the_kill_switch_it_is_not_merged_before_a_person_goes_on_with_it(repo: Repo, notes: Path) -> None:
    modelled(repo)
    repo.environ |= _ON
    _waits(repo, notes)
    before = repo.git("rev-parse", "main")
    _draft(repo)
    watching = repo.start("watch")
    until(lambda: (notes / "begun").exists(), PATIENCE)
    assert repo.toryo("stop", "--all").code == 0
    watching.communicate(timeout=PATIENCE)
    until_idle(repo)
    (notes / "go").touch()
    assert work_off(repo).code == 2
    assert (status(repo, "describe-it"), repo.git("rev-parse", "main")) == ("executing", before)
    (session,) = sessions(repo)
    assert repo.toryo("resume", session["id"]).code == 0
    assert repo.show("main", "A.txt") == "A"


@pytest.mark.covers("G39")
def test_at_the_end_of_its_budget_it_waits_and_nothing_is_merged(repo: Repo) -> None:
    modelled(repo, keys=("A", "B"))
    repo.environ |= _ON | {"TORYO_BUDGET_RUNS": "1"}
    before = repo.git("rev-parse", "main")
    _draft(repo)
    done = work_off(repo)
    assert done.code == 2, done
    assert repo.git("rev-parse", "main") == before
    assert "budget" in intent(repo, "describe-it")["reason"]
    (item,) = json.loads(repo.toryo("inbox", "--json").out)["items"]
    assert (item["what"], item["intent"]) == ("budget", "describe-it")


@pytest.mark.covers("F2")
def test_what_was_done_stays_done_while_something_of_the_persons_is_in_the_way_of_landing_it(repo: Repo) -> None:
    modelled(repo)
    repo.toryo("intent", "new", "Describe it", "--approved")
    assert work_off(repo).code == 0
    assert status(repo, "describe-it") == "done"
    until_idle(repo)
    repo.write("A.txt", "mine\n")
    assert repo.toryo("land", "--merge").code == 2
    assert sessions(repo)[0]["state"] == "paused"
    work_off(repo)
    assert status(repo, "describe-it") == "done"
    (repo.path / "A.txt").unlink()
    assert repo.toryo("resume").code == 0
    assert repo.show("main", "A.txt") == "A"
    work_off(repo)
    assert status(repo, "describe-it") == "done"

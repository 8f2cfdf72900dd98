"""Files of intents that people rename and copy while they are worked on."""

import json
import shutil
from pathlib import Path

import pytest
from tests.support.instructions import planner, question, work
from tests.support.intending import analysed, edit, intent, modelled, sessions, status, wish, work_off
from tests.support.queueing import PATIENCE, until_idle
from tests.support.repositories import Repo, until
from tests.support.terminals import converse


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def _waits(repo: Repo, notes: Path) -> None:
    """An agent that does its work when the test lets it."""
    wait = f"touch {notes}/begun; until test -e {notes}/go; do sleep 0.02; done; echo A > A.txt"
    work(repo, {"A": [[{"run": wait}]]})


@pytest.mark.covers("F1")
def test_renamed_while_it_is_worked_on_it_is_done_under_its_new_name(repo: Repo, notes: Path) -> None:
    modelled(repo)
    _waits(repo, notes)
    wish(repo, "greet", status="approved", type="docs", risk="low")
    watching = repo.start("watch", "--once")
    until(lambda: (notes / "begun").exists(), PATIENCE)
    folder = repo.path / ".toryo" / "intents"
    (folder / "greet.yaml").rename(folder / "greet-people.yaml")
    (notes / "go").touch()
    out, err = watching.communicate(timeout=PATIENCE)
    assert watching.returncode == 0, (out, err)
    assert status(repo, "greet-people") == "done"
    assert out.count("looks into it") == 1
    (session,) = sessions(repo)
    assert intent(repo, "greet-people")["session"] == session["id"]
    assert session["id"] in repo.toryo("intent", "show", "greet-people", "--json").out
    assert not (folder / "greet.yaml").exists()


@pytest.mark.covers("F1")
def test_a_copy_begins_anew_and_leaves_the_session_of_the_one_it_was_copied_from_alone(repo: Repo) -> None:
    modelled(repo)
    wish(repo, "greet", status="approved")
    folder = repo.path / ".toryo" / "intents"
    assert work_off(repo).code == 0
    until_idle(repo)
    text = (folder / "greet.yaml").read_text()
    (folder / "other.yaml").write_text(text.replace("status: done", "status: approved"))
    assert work_off(repo).code == 0
    until_idle(repo)
    assert (status(repo, "other"), (folder / "greet.yaml").read_text()) == ("done", text)
    first, second = sessions(repo)
    assert (first["intent"], second["intent"]) == ("greet", "other")
    assert intent(repo, "other")["session"] == second["id"]


@pytest.mark.covers("F1", "F6")
def test_who_rejects_a_copy_does_not_close_the_session_of_the_one_it_was_copied_from(repo: Repo) -> None:
    modelled(repo)
    wish(repo, "greet")
    folder = repo.path / ".toryo" / "intents"
    work_off(repo)
    until_idle(repo)
    shutil.copy(folder / "greet.yaml", folder / "other.yaml")
    assert repo.toryo("inbox", "--json").out.count('"id": "other"') == 1
    assert repo.toryo("reject", "other", "--why", "one is enough").code == 0
    (session,) = sessions(repo)
    assert (session["state"], status(repo, "greet"), status(repo, "other")) == ("planning", "proposed", "rejected")
    shutil.copy(folder / "greet.yaml", folder / "third.yaml")
    assert repo.toryo("approve", "third", "--now").code == 0
    until_idle(repo)
    assert (status(repo, "third"), status(repo, "greet")) == ("done", "proposed")
    assert {row["intent"]: row["state"] for row in sessions(repo)} == {"greet": "planning", "third": "closed"}


@pytest.mark.covers("F1", "F5")
def test_renamed_while_it_asks_something_it_is_answered_by_its_new_name(repo: Repo) -> None:
    wish(repo, "greet", status="approved")
    folder = repo.path / ".toryo" / "intents"
    with planner(repo, [analysed("questions", questions=[question("Which?", "this", "that")])]):
        assert work_off(repo).code == 2
        until_idle(repo)
        (folder / "greet.yaml").rename(folder / "greet-people.yaml")
        (item,) = json.loads(repo.toryo("inbox", "--json").out)["items"]
        assert (item["id"], item["intent"]) == ("greet-people", "greet-people")
        assert "toryo answer greet-people" in item["do"]
        converse(repo, "inbox", answers=[("q leave", "r"), ("Why", "not now\n")])
    assert status(repo, "greet-people") == "rejected"


@pytest.mark.covers("F8")
@pytest.mark.parametrize("is_split", [False, True])
def test_renamed_before_or_after_it_became_several_it_is_done_when_they_are(repo: Repo, is_split: bool) -> None:
    wish(repo, "much", status="approved" if is_split else "proposed")
    folder = repo.path / ".toryo" / "intents"
    parts = [{"title": f"Part {name}", "body": "…", "type": "docs", "risk": "high"} for name in ("one", "two")]
    with planner(repo, [analysed("intents", type_="feature", intents=parts)]):
        assert work_off(repo).code == 2
        assert (folder / "part-one.yaml").exists() is is_split
        (folder / "much.yaml").rename(folder / "lots.yaml")
        if not is_split:
            assert repo.toryo("approve", "lots").code == 0
        assert work_off(repo).code == 2
        assert (status(repo, "lots"), status(repo, "part-one")) == ("executing", "proposed")
        for part in ("part-one", "part-two"):
            edit(repo, part, status="rejected")
        assert work_off(repo).code == 0
    assert status(repo, "lots") == "rejected"
    assert not (folder / "much.yaml").exists()

"""Going back to before landing, where nothing else has happened since; and saying how, where something has."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell


def landed(repo: Repo, *flags: str) -> str:
    """Where main stood before."""
    before = repo.git("rev-parse", "main")
    done = repo.run(shell("A", "echo one > one; echo changed > README.md"), checks="true")
    assert done.code == 0, done
    assert repo.toryo("land", "--merge", *flags).code == 0
    assert repo.git("rev-parse", "main") != before
    return before


@pytest.mark.covers("G31")
def test_it_is_as_it_was_and_can_be_landed_again(repo: Repo) -> None:
    before = landed(repo)
    repo.write("mine", "not committed\n")
    done = repo.toryo("undo", "--json")
    assert done.code == 0, done
    row = json.loads(done.out)["session"]
    assert (row["state"], row["landed"], row["landing"]) == ("closed", False, None)
    assert repo.git("rev-parse", "main") == before
    assert repo.git("rev-parse", "agent/the-plan") == row["tip"]
    assert (repo.path / "README.md").read_text() == "hello\n"
    assert (repo.path / "mine").exists()
    again = repo.toryo("undo")
    assert again.code == 73
    assert "nothing of session" in again.err
    assert repo.toryo("verify").code == 0
    assert repo.toryo("land", "--merge", "--squash").code == 0
    assert repo.show("main", "one") == "one"
    assert repo.toryo("verify").code == 0
    assert "landing undone by a person" in repo.toryo("logs", "--events").out


@pytest.mark.covers("G31")
def test_it_is_refused_once_others_may_have_built_on_it(repo: Repo, tmp_path: Path) -> None:
    landed(repo)
    here = repo.git("rev-parse", "main")
    repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
    repo.git("remote", "add", "origin", str(tmp_path / "remote"))
    repo.git("push", "-q", "origin", "main")
    done = repo.toryo("undo")
    assert done.code == 73, done
    assert "pushed already" in done.err
    assert f"git revert -m 1 {here[:12]}" in done.err
    repo.git("push", "-q", "origin", ":main")
    repo.write("on-top", "x\n")
    top = repo.commit("on top")
    done = repo.toryo("undo")
    assert done.code == 73, done
    assert "has gone on" in done.err
    assert repo.git("rev-parse", "main") == top
    repo.git("revert", "--no-edit", "-m", "1", here[:12])
    assert "one" not in repo.files_on("main"), "what was proposed works"


@pytest.mark.covers("G31")
def test_what_is_uncommitted_holds_it_and_is_kept(repo: Repo) -> None:
    before = landed(repo, "--squash")
    here = repo.git("rev-parse", "main")
    repo.write("one", "my own\n")
    done = repo.toryo("undo")
    assert done.code == 73, done
    assert "one" in done.err
    assert repo.git("rev-parse", "main") == here
    assert (repo.path / "one").read_text() == "my own\n"
    repo.git("checkout", "-q", "one")
    repo.git("switch", "-q", "-c", "elsewhere")
    assert repo.toryo("undo").code == 0, "and where it is checked out does not matter"
    assert repo.git("rev-parse", "main") == before
    assert (repo.path / "one").exists(), "the checkout shows another branch, and is left alone"


def test_a_landing_that_waits_can_be_given_up(repo: Repo) -> None:
    done = repo.run(shell("A", "echo one > one"), checks="true", flags=["--land", "merge", "--yes"])
    assert done.code == 0, done
    assert repo.toryo("undo").code == 0
    repo.write("one", "mine\n")
    assert repo.toryo("land", "--merge").code == 2
    done = repo.toryo("undo")
    assert done.code == 0, done
    assert "given up" in done.out
    assert repo.status()["sessions"][0]["state"] == "closed"
    assert (repo.path / "one").read_text() == "mine\n"


@pytest.mark.covers("G31")
def test_asked_once_more_it_does_not_go_on_to_another_session(repo: Repo) -> None:
    landed(repo)
    first = repo.git("rev-parse", "main")
    assert repo.run(shell("B", "echo two > two"), checks="true", flags=["--land", "merge"]).code == 0
    assert repo.toryo("undo").code == 0
    again = repo.toryo("undo")
    assert (again.code, "E240" in again.err) == (73, True), again
    other = repo.status()["sessions"][1]["id"].removeprefix("session-")[:8]
    assert f"toryo undo {other}" in again.err
    assert repo.git("rev-parse", "main") == first
    assert repo.toryo("undo", other).code == 0

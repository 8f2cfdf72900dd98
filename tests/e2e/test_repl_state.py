"""What the REPL remembers of a repository: as the journal says, whoever worked there, and never guessed."""

import json
import signal
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.instructions import planner, usual
from tests.support.piped_repl import repl, talking, until_all_is_closed
from tests.support.repositories import Repo, shell, until

FIELDS = ["selected_provider", "selected_model", "updated_at", "current_task_id", "last_task_id"]


def remembered(repo: Repo) -> dict[str, Any]:
    path = repo.store / "repl.json"
    found: dict[str, Any] = json.loads(path.read_text())
    assert list(found) == FIELDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    return found


def tasks(repo: Repo) -> tuple[str | None, str | None]:
    found = remembered(repo)
    return found["current_task_id"], found["last_task_id"]


def write(repo: Repo, **fields: str | None) -> Path:
    repo.store.mkdir(mode=0o700, exist_ok=True)
    path = repo.store / "repl.json"
    path.write_text(json.dumps({**dict.fromkeys(FIELDS), **fields}))
    return path


@contextmanager
def at_work(repo: Repo, tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Two tasks, A then B; each goes on once a file of its name is there."""
    wait = "until test -e {}; do sleep 0.02; done; echo x > {}.txt"
    plan = repo.plan(
        shell("A", wait.format(tmp_path / "A", "a")), shell("B", wait.format(tmp_path / "B", "b"), depends_on=["A"])
    )
    process = repo.start("run", "--plan", str(plan), "--yes", "--quiet")
    try:
        yield process
    finally:
        (tmp_path / "A").touch()
        (tmp_path / "B").touch()
        process.communicate(timeout=60)


def until_runs(repo: Repo, key: str) -> str:
    """The id of the task, once its agent is at work."""
    until(lambda: repo.store.exists() and (repo.store / "journal.db").exists())
    return str(until(lambda: next((task["id"] for task in repo.status()["tasks"] if _runs(task, key)), None)))


def _runs(task: dict[str, Any], key: str) -> bool:
    return bool(task["key"] == key and task["state"] == "running")


@pytest.mark.covers("P38")
def test_current_and_last_follow_what_goes_on_beside_it(repo: Repo, tmp_path: Path) -> None:
    with talking(repo) as talk, at_work(repo, tmp_path) as process:
        first = until_runs(repo, "A")
        talk.ask("/status")
        assert tasks(repo) == (first, None)
        (tmp_path / "A").touch()
        second = until_runs(repo, "B")
        talk.ask("/status")
        assert tasks(repo) == (second, first)
        (tmp_path / "B").touch()
        process.wait(60)
        talk.ask("/status")
        assert tasks(repo) == (None, second)


@pytest.mark.covers("P38")
def test_one_that_was_killed_left_nothing_that_the_next_one_does_not_put_right(repo: Repo, tmp_path: Path) -> None:
    with at_work(repo, tmp_path) as process:
        first = until_runs(repo, "A")
        with talking(repo) as talk:
            talk.ask("/status")
            talk.process.send_signal(signal.SIGKILL)
            talk.process.wait()
        assert tasks(repo) == (first, None)
        for key in "AB":
            (tmp_path / key).touch()
        process.wait(60)
    assert tasks(repo) == (first, None)
    assert repl(repo, "/status").code == 0
    second = repo.tasks()["B"]["id"]
    assert tasks(repo) == (None, second)


@pytest.mark.covers("P38")
def test_several_at_once_remember_the_same_and_undo_nothing_of_each_other(repo: Repo, tmp_path: Path) -> None:
    with talking(repo) as one, talking(repo) as other, at_work(repo, tmp_path) as process:
        first = until_runs(repo, "A")
        one.ask("/status")
        path = repo.store / "repl.json"
        path.write_text(json.dumps({**remembered(repo), "selected_model": "選んだもの"}))
        other.ask("/status")
        for key in "AB":
            (tmp_path / key).touch()
        process.wait(60)
        other.ask("/status")
        last = repo.tasks()["B"]["id"]
        assert tasks(repo) == (None, last) != (None, first)
        before = path.read_bytes()
        one.ask("/status")
        assert path.read_bytes() == before
        assert remembered(repo)["selected_model"] == "選んだもの"


@pytest.mark.covers("P38", "P46")
@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"selected_provider": "openai"}', b'{"mood": 1}', b"\xff\xfe", b"null"],
)
def test_a_corrupt_file_is_an_error_and_stays_as_it_is(repo: Repo, content: bytes) -> None:
    path = write(repo)
    path.write_bytes(content)
    done = repl(repo, "/status", flags=("--print-project-path",))
    assert done.code == 1, done
    assert done.out == ""
    first, *rest = done.err.splitlines()
    assert first.startswith(f"error: {path}"), done
    assert first.endswith("(E105)")
    assert rest[-1].startswith("hint: ")
    assert path.read_bytes() == content
    assert [each.name for each in repo.store.iterdir()] == ["repl.json"]
    assert repo.toryo("status").code == 0
    path.unlink()
    assert repl(repo, "/status").code == 0


@pytest.mark.covers("P38", "P46")
def test_a_file_that_becomes_corrupt_meanwhile_is_an_answer_and_is_not_written_over(repo: Repo, tmp_path: Path) -> None:
    path = write(repo)
    with talking(repo) as talk:
        assert "ERROR" not in talk.ask("/status")
        path.write_text('{"selected_provider": "nobody"}')
        answer = talk.ask("Do something for me")
        assert answer.startswith(f"ERROR: {path}"), answer
        assert "(E105)\nHINT: " in answer
        assert repo.run(shell("A", "echo a > a.txt")).code == 0
        assert "(E105)" in talk.ask("/status")
        assert path.read_text() == '{"selected_provider": "nobody"}'
        path.unlink()
        assert "E105" not in talk.ask("/status")
    assert tasks(repo) == (None, repo.tasks()["A"]["id"])
    assert len(repo.status()["sessions"]) == 1


@pytest.mark.covers("P23", "P38")
def test_the_model_that_was_selected_is_the_one_that_is_asked_and_the_session_says_so(repo: Repo) -> None:
    write(repo, selected_provider="openai", selected_model="a-model-of-mine")
    with planner(repo, usual("A")) as endpoint:
        done = repl(repo, "Add a greeting to the program", flags=("--yes",))
        assert "ERROR" not in done.out, done
        until_all_is_closed(repo.path)
        assert {body["model"] for body in endpoint.bodies} == {"a-model-of-mine"}
    record = repo.info(repo.status()["sessions"][0]["id"])["session"]["record"]
    assert (record["selected_provider"], record["selected_model"]) == ("openai", "a-model-of-mine")
    assert record["configuration"]["chosen"] == {"provider": "openai", "model": "a-model-of-mine"}
    assert repl(repo, "/status").code == 0
    found = remembered(repo)
    assert (found["selected_provider"], found["selected_model"]) == ("openai", "a-model-of-mine")
    assert found["last_task_id"] == repo.tasks()["A"]["id"]

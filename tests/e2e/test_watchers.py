"""Whoever watches: one at a time, ended in order or by force, and nothing is lost or done twice."""

import json
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import TASKS, planner, work
from tests.support.intending import (
    ANALYSE,
    analysed,
    carried_out,
    edit,
    intent,
    modelled,
    sessions,
    status,
    wish,
    work_off,
)
from tests.support.planning_server import Endpoint, Hang
from tests.support.queueing import PATIENCE, conductor, detach, gated, let, until_idle
from tests.support.repositories import Repo, kill, processes_of, until

from toryo.app.project import open_project
from toryo.app.tending import Tending
from toryo.journal.lease import holder


def _watched(repo: Repo) -> int | None:
    return holder(repo.store / "watch.lock")


def _asked(endpoint: Endpoint, words: str) -> int:
    return sum(words in texts[-1] for texts in endpoint.conversations())


def _waits(notes: Path, key: str) -> list[dict[str, Any]]:
    """A run that goes on only when the test lets it."""
    command = f"touch {notes}/begun-{key}; until test -e {notes}/go-{key}; do sleep 0.02; done; echo {key} > {key}.txt"
    return [{"run": command}]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


@pytest.mark.covers("G14", "F6")
def test_there_is_one_and_it_takes_up_what_comes_while_it_watches_until_it_is_stopped(repo: Repo) -> None:
    with planner(repo, [analysed(), *carried_out("A")]):
        first = repo.start("watch", "--json")
        until(lambda: _watched(repo) == first.pid)
        second = repo.toryo("watch", "--once")
        assert second.code == 75
        assert f"process {first.pid}" in second.err
        assert "working off" not in second.err, "it does not say that it does what it cannot"
        assert "E275" in second.err
        assert f"watched by process {first.pid}" in repo.toryo("status").out
        wish(repo, "greet", status="approved", type="docs", risk="low")
        until(lambda: status(repo, "greet") == "done", PATIENCE)
        assert repo.status()["watcher"] == first.pid
        assert repo.toryo("watch", "--stop").code == 0
        out, err = first.communicate(timeout=PATIENCE)
    assert first.returncode == 130, err
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        assert_answer("watch", line)
    told = [line["what"] for line in lines if line["what"] in ("opened", "released", "done", "paused")]
    assert told == ["opened", "released", "done"]
    assert {line["intent"] for line in lines if line["what"] == "event"} == {"greet"}
    assert len(sessions(repo)) == 1
    assert "nobody watches" in repo.toryo("watch", "--stop").out


def test_a_link_that_leads_nowhere_makes_nobody_blind_to_what_comes_beside_it(repo: Repo) -> None:
    drafts = repo.path / ".toryo" / "drafts"
    drafts.mkdir(parents=True)
    (drafts / "nowhere.md").symlink_to("gone")
    watching = repo.start("watch", "--json")
    assert watching.stdout
    while json.loads(watching.stdout.readline())["what"] != "idle":
        """It has looked at everything."""
    (drafts / "greet.md").write_text("---\ntype: docs\nrisk: high\n---\nGreet\n")
    until((repo.path / ".toryo" / "intents" / "greet.yaml").exists, 10)
    os.kill(watching.pid, signal.SIGINT)
    watching.communicate(timeout=PATIENCE)


@pytest.mark.covers("G39", "G26")
def test_ended_it_pauses_what_goes_on_and_the_next_goes_on_with_that_and_not_with_what_a_person_stopped(
    repo: Repo, notes: Path
) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    work(repo, {"A": [_waits(notes, "A")]})
    with planner(repo, [analysed(), *carried_out("A")]):
        watching = repo.start("watch")
        until(lambda: (notes / "begun-A").exists(), PATIENCE)
        os.kill(watching.pid, signal.SIGINT)
        watching.communicate(timeout=PATIENCE)
        assert watching.returncode == 130
        until_idle(repo)
        assert processes_of(repo.store) == []
        (session,) = sessions(repo)
        assert (session["state"], session["pause_reason"]) == ("paused", "toryo watch was ended")
        (notes / "begun-A").unlink()
        again = repo.start("watch")
        until(lambda: (notes / "begun-A").exists(), PATIENCE)
        assert repo.toryo("stop", "--all").code == 0, "the kill switch"
        again.communicate(timeout=PATIENCE)
        until_idle(repo)
        assert _watched(repo) is None
        (session,) = sessions(repo)
        assert session["pause_reason"] == "stopped by a person"
        assert work_off(repo).code == 2
        (session,) = sessions(repo)
        assert session["state"] == "paused", "a person stopped it, and it stays so"
        let(notes, "A")
        assert repo.toryo("resume", session["id"]).code == 0
        assert work_off(repo).code == 0
    assert status(repo, "greet") == "done"


def test_told_to_end_while_a_model_reflects_it_waits_for_no_reply(repo: Repo) -> None:
    assert repo.toryo("config", "set", "autonomy.reflect", "true").code == 0
    assert repo.toryo("observe", "the greeting is written twice").code == 0
    wish(repo, "greet", status="approved", type="docs", risk="low")
    reflecting = "the greeting is written twice"
    with planner(repo, [analysed(), *carried_out("A"), Hang(120, when=reflecting)]) as endpoint:
        watching = repo.start("watch")
        until(lambda: _asked(endpoint, reflecting) == 1, PATIENCE)
        os.kill(watching.pid, signal.SIGTERM)
        watching.communicate(timeout=20)
        assert watching.returncode == 130
        assert _watched(repo) is None
    until_idle(repo)


@pytest.mark.covers("G26", "F6")
@pytest.mark.parametrize("who", ["watcher", "conductor", "both"])
@pytest.mark.parametrize("words", [ANALYSE, TASKS])
def test_killed_at_any_moment_the_same_session_goes_on(repo: Repo, who: str, words: str) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    replies = [Hang(120, when=words), analysed(), *carried_out("A")]
    if words == TASKS:
        replies = [analysed(), *replies[:1], *carried_out("A")]
    with planner(repo, replies) as endpoint:
        watching = repo.start("watch")
        until(lambda: _asked(endpoint, words) == 1, PATIENCE)
        if who in ("watcher", "both"):
            kill(watching)
        if who in ("conductor", "both"):
            os.kill(conductor(repo), signal.SIGKILL)
        if who == "watcher":
            os.kill(conductor(repo), signal.SIGKILL)  # else the model would keep it for long
        if who != "conductor":
            assert work_off(repo).code == 0
        until(lambda: status(repo, "greet") == "done", PATIENCE)
        repo.toryo("watch", "--stop")
        until_idle(repo)
        assert _asked(endpoint, words) == 2, "what was not answered, and nothing else, is asked again"
    (session,) = sessions(repo)
    assert session["outcome"] == "COMPLETE"
    assert intent(repo, "greet")["session"] == session["id"]


@pytest.mark.covers("G14")
def test_the_order_is_shown_and_changed_for_sessions_and_for_intents(repo: Repo, notes: Path) -> None:
    shorts = [detach(repo, key, gated(notes, key)) for key in "ABC"]
    for slug in ("one", "two", "three"):
        wish(repo, slug, status="approved", type="docs", risk="low")
    shown = json.loads(repo.toryo("queue", "--json").out)
    assert_answer("queue", shown)
    assert [(row["state"], (row["session"] or "")[8:16] or row["intent"]) for row in shown["queue"]] == [
        ("at work", shorts[0]),
        ("queued", shorts[1]),
        ("queued", shorts[2]),
        ("to open", "one"),
        ("to open", "three"),
        ("to open", "two"),
    ]
    assert repo.toryo("queue", shorts[2], "--first").code == 0
    assert repo.toryo("queue", "two", "--before", "th").code == 0
    moved = repo.toryo("queue", "one", "--last")
    assert moved.code == 0, moved
    assert "nobody watches" in moved.err
    rows = json.loads(repo.toryo("queue", "--json").out)["queue"]
    assert [row["session"][8:16] for row in rows[1:3]] == [shorts[2], shorts[1]]
    assert [row["intent"] for row in rows[3:]] == ["two", "three", "one"]
    assert repo.toryo("queue", "one", "--before", shorts[1]).code == 64
    assert repo.toryo("queue", shorts[0], "--first").code == 64, "it is at work"
    assert "does not wait" in repo.toryo("queue", "nonsense", "--first").err
    let(notes, "A", "B", "C")
    until_idle(repo)
    assert (notes / "log").read_text().split() == ["A", "C", "B"]


def test_in_the_background_it_goes_on_without_its_terminal(repo: Repo) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    with planner(repo, [analysed(), *carried_out("A")]):
        done = repo.toryo("watch", "--detach")
        assert done.code == 0, done
        assert "watches in the background" in done.out
        assert repo.toryo("watch", "--detach", "--json").code == 75
        until(lambda: status(repo, "greet") == "done", PATIENCE)
        assert repo.toryo("watch", "--stop").code == 0
    assert _watched(repo) is None
    assert "greet: done" in (repo.store / "logs" / "watch.log").read_text()


def test_an_edit_in_the_middle_of_it_is_kept(repo: Repo) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    with planner(repo, [analysed(), Hang(1, when=TASKS), *carried_out("A")]) as endpoint:
        watching = repo.start("watch", "--once")
        until(lambda: _asked(endpoint, TASKS) == 1, PATIENCE)
        edit(repo, "greet", body="Other words.", note="mine")
        watching.communicate(timeout=PATIENCE)
    said = intent(repo, "greet")
    assert (said["body"], said["note"], said["status"]) == ("Other words.", "mine", "done")
    until_idle(repo)


@pytest.mark.covers("F6")
def test_where_nobody_can_be_started_it_says_so_ends_and_one_that_stays_tries_again_after_a_while(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    modelled(repo)
    wish(repo, "greet", status="approved", type="docs", risk="low")
    in_the_way = repo.store / "logs" / "conductor.log"
    in_the_way.mkdir(parents=True)
    done = repo.toryo("watch", "--once", timeout=20)
    assert done.code == 2, done
    assert "nobody could be started who takes it up" in done.out
    for name, value in repo.environ.items():
        monkeypatch.setenv(name, value)
    with closing(open_project(repo.path, writing=True)) as project:
        tending = Tending(project, again_after=0.5)
        tended = until(lambda: (tended := tending.tend()).is_deserted and tended)
        assert tended.look_again_at is not None
        in_the_way.rmdir()
        until(lambda: tending.tend() and status(repo, "greet") == "done", PATIENCE)
    until_idle(repo)
    assert len(sessions(repo)) == 1

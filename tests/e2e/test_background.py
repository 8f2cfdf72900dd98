"""Sessions in the background: one at a time, in their order, and each comes to its end without anybody."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.piped_repl import repl
from tests.support.queueing import (
    PATIENCE,
    begun,
    conductor,
    detach,
    gated,
    let,
    log_of,
    plan_args,
    row,
    short_in,
    until_idle,
    until_state,
)
from tests.support.repositories import TORYO, Repo, processes_of, until


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


# ── taking turns ─────────────────────────────────────────────────────────────


@pytest.mark.covers("G14")
def test_one_after_the_other_and_the_next_starts_by_itself(repo: Repo, notes: Path) -> None:
    shorts = [detach(repo, key, gated(notes, key)) for key in "ABC"]
    begun(notes, "A")
    status = repo.status()
    assert status["conducted"].startswith(f"session-{shorts[0]}")
    assert [one.removeprefix("session-")[:8] for one in status["queue"]] == shorts[1:]
    assert status["attendant"] == status["conductor"] == conductor(repo)
    said = repo.toryo("status").out
    assert f"session {shorts[0]} is conducted by process {status['conductor']}" in said
    assert f"session {shorts[2]} is queued" in said
    assert f"queued: {shorts[1]}, {shorts[2]}\n" in said
    assert f"conducted by process {status['conductor']}" in repo.toryo("status", shorts[0]).out
    assert "queued" in repo.toryo("info", shorts[1]).out
    assert "queued" in repo.toryo("resume", "--list").out
    assert "queued" in repo.toryo("report", shorts[1]).out
    assert repo.toryo("inbox").code == 0, "nothing waits for a person"
    let(notes, "A", "B", "C")
    until_idle(repo)
    assert log_of(notes) == ["A", "B", "C"]
    assert {row(repo, short)["outcome"] for short in shorts} == {"COMPLETE"}
    assert repo.status()["queue"] == []
    assert repo.status()["attendant"] is None


@pytest.mark.covers("G14", "G26")
@pytest.mark.timeout(300)
def test_ten_at_the_very_same_moment_are_all_done_one_at_a_time_in_the_order_they_asked(
    repo: Repo, notes: Path
) -> None:
    keys = "ABCDEFGHIJ"
    (notes / "go").touch()
    args = [plan_args(repo, key, gated(notes, key)) for key in keys]
    started = [repo.start(*one, "--detach") for one in args]
    for process in started:
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    until_idle(repo)
    rows = repo.status()["sessions"]
    assert len(rows) == 10
    assert {one["outcome"] for one in rows} == {"COMPLETE"}, rows
    events = {one["title"][-1]: _queued_at(repo, one["id"]) for one in rows}
    assert log_of(notes) == sorted(keys, key=lambda key: events[key]), "in their order, none beside another"


def _queued_at(repo: Repo, session_id: str) -> float:
    lines = [json.loads(line) for line in repo.toryo("logs", session_id, "--events", "--json").out.splitlines()]
    (queued,) = [line for line in lines if line["kind"] == "SessionQueued"]
    return float(queued["at"])


@pytest.mark.covers("G14")
def test_one_that_waits_for_a_person_lets_the_next_have_its_turn_and_comes_back_at_the_end(
    repo: Repo, notes: Path
) -> None:
    first = detach(repo, "A", f"test -e {notes}/ok || exit 3; {gated(notes, 'A')}")
    second = detach(repo, "B", gated(notes, "B"))
    begun(notes, "B")
    assert row(repo, first)["waits_for"] == "person"
    third = detach(repo, "C", gated(notes, "C"))
    (notes / "ok").touch()
    done = repo.toryo("resume", first, "--detach")
    assert short_in(done) == first
    assert "after 2 others" in done.out
    let(notes, "A", "B", "C")
    until_idle(repo)
    assert log_of(notes) == ["B", "C", "A"]
    assert {row(repo, short)["outcome"] for short in (first, second, third)} == {"COMPLETE"}


@pytest.mark.covers("G14")
def test_it_waits_for_a_session_in_the_foreground(repo: Repo, notes: Path) -> None:
    foreground = repo.start(*plan_args(repo, "A", gated(notes, "A")))
    begun(notes, "A")
    refused = repo.toryo(*plan_args(repo, "X"))
    assert refused.code == 75
    assert "--detach" in refused.err
    done = repo.toryo(*plan_args(repo, "B", gated(notes, "B")), "--detach")
    assert "after 1 other" in done.out
    assert conductor(repo) != foreground.pid
    assert "nobody" not in repo.toryo("status").out
    let(notes, "A", "B")
    foreground.communicate(timeout=PATIENCE)
    assert foreground.returncode == 0
    until_idle(repo)
    assert log_of(notes) == ["A", "B"]
    assert row(repo, short_in(done))["outcome"] == "COMPLETE"


def test_a_session_that_is_queued_while_it_is_conducted_is_not_taken_for_one_that_waits(
    repo: Repo, notes: Path
) -> None:
    short = detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    assert repo.toryo("resume", short, "--detach").code == 0
    until(lambda: row(repo, short)["queued_at"] is None)
    assert row(repo, short)["state"] == "executing"
    let(notes, "A")
    until_idle(repo)
    assert log_of(notes) == ["A"]


def test_following_the_log_of_a_queued_session_goes_on_until_it_is_done(repo: Repo, notes: Path) -> None:
    detach(repo, "A", gated(notes, "A"))
    second = detach(repo, "B", gated(notes, "B"))
    following = repo.start("logs", "--events", "--follow", second)
    assert following.stdout is not None
    assert "session opened" in following.stdout.readline()
    let(notes, "A", "B")
    out, err = following.communicate(timeout=PATIENCE)
    assert following.returncode == 0, err
    assert "its turn has come" in out
    assert "closed" in out.splitlines()[-1]
    until_idle(repo)


# ── stopping ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("G25")
def test_stop_means_what_is_being_worked_on_and_not_what_waits(repo: Repo, notes: Path) -> None:
    first, second = detach(repo, "A", gated(notes, "A")), detach(repo, "B", gated(notes, "B"))
    begun(notes, "A")
    done = repo.toryo("stop")
    assert f"session {first} is stopped" in done.out
    assert row(repo, first)["state"] == "paused"
    begun(notes, "B")
    let(notes, "B")
    until_idle(repo)
    assert row(repo, second)["outcome"] == "COMPLETE"
    assert processes_of(repo.store) == []


@pytest.mark.covers("G25")
@pytest.mark.parametrize("flags", [[], ["--discard"]])
def test_what_is_stopped_while_it_waits_loses_its_turn(repo: Repo, notes: Path, flags: list[str]) -> None:
    detach(repo, "A", gated(notes, "A"))
    second, third = detach(repo, "B", gated(notes, "B")), detach(repo, "C", gated(notes, "C"))
    begun(notes, "A")
    assert repo.toryo("stop", second, *flags).code == 0
    assert row(repo, second)["state"] == ("closed" if flags else "paused")
    assert [one.removeprefix("session-")[:8] for one in repo.status()["queue"]] == [third]
    let(notes, "A", "B", "C")
    until_idle(repo)
    assert log_of(notes) == ["A", "C"]


@pytest.mark.covers("G25")
def test_stop_all_ends_what_works_and_what_waits(repo: Repo, notes: Path) -> None:
    shorts = [detach(repo, key, gated(notes, key)) for key in "ABC"]
    begun(notes, "A")
    done = repo.toryo("stop", "--all", "--json")
    assert done.code == 0, done
    stopped = json.loads(done.out)["sessions"]
    assert sorted(one["id"].removeprefix("session-")[:8] for one in stopped) == sorted(shorts)
    until_idle(repo)
    assert {row(repo, short)["state"] for short in shorts} == {"paused"}
    assert log_of(notes) == ["A"]
    assert processes_of(repo.store) == []
    assert "nothing is at work" in repo.toryo("stop", "--all").out
    assert repo.toryo("stop", "--all", shorts[0]).code == 64


# ── what it says ─────────────────────────────────────────────────────────────


def test_quiet_and_json_are_heeded(repo: Repo) -> None:
    quiet = repo.toryo(*plan_args(repo, "A"), "--detach", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")
    short = short_in(quiet)
    until_idle(repo)
    plain = json.loads(repo.toryo(*plan_args(repo, "B"), "--detach", "--json").out)
    assert plain["kind"] == "session"
    assert plain["session"]["queued_at"] is not None
    until_idle(repo)
    assert row(repo, short)["outcome"] == "COMPLETE"


@pytest.mark.covers("P47")
def test_its_log_is_for_its_owner_alone_and_masked(repo: Repo) -> None:
    secret = "sk-" + "a1B2c3D4" * 6
    detach(repo, "A", f"echo {secret} >&2; exit 3")
    until_idle(repo)
    log = repo.store / "logs" / "conductor.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "takes up what is queued" in log.read_text()
    assert secret not in log.read_text()


def test_what_lies_in_the_repository_is_not_imported(repo: Repo) -> None:
    repo.write("toryo/__init__.py", "raise SystemExit('not ours')\n")
    repo.write("click.py", "raise SystemExit('not ours')\n")
    repo.commit("modules of the same name")
    command = [sys.executable, "-P", "-m", "toryo", *plan_args(repo, "A"), "--detach"]
    done = subprocess.run(command, cwd=repo.path, env=repo.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    until_idle(repo)
    assert "not ours" not in (repo.store / "logs" / "conductor.log").read_text()
    safe = {**repo.environ, "PYTHONSAFEPATH": "1"}
    status = subprocess.run([*TORYO, "status"], cwd=repo.path, env=safe, capture_output=True, text=True, check=False)
    assert "COMPLETE" in status.stdout, status


# ── signals ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("G25")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_told_to_end_it_pauses_what_goes_on_and_leaves_the_rest_queued(repo: Repo, notes: Path, name: str) -> None:
    first, second = detach(repo, "A", gated(notes, "A")), detach(repo, "B", gated(notes, "B"))
    begun(notes, "A")
    os.kill(conductor(repo), signal.Signals[name])
    until_idle(repo)
    assert row(repo, first)["state"] == "paused"
    assert processes_of(repo.store) == []
    assert row(repo, second)["queued_at"] is not None
    said = repo.toryo("status").out
    assert f"queued: {second}, and nobody takes them up: toryo conduct --detach" in said
    let(notes, "A", "B")
    assert repo.toryo("resume", first, "--detach").code == 0
    until_idle(repo)
    assert {row(repo, short)["outcome"] for short in (first, second)} == {"COMPLETE"}
    assert log_of(notes) == ["A", "B", "A"]


def test_told_to_end_while_it_waits_for_the_foreground_it_leaves_everything_queued(repo: Repo, notes: Path) -> None:
    foreground = repo.start(*plan_args(repo, "A", gated(notes, "A")))
    begun(notes, "A")
    short = detach(repo, "B", gated(notes, "B"))
    os.kill(conductor(repo), signal.SIGTERM)
    until_idle(repo)
    assert row(repo, short)["queued_at"] is not None
    let(notes, "A", "B")
    foreground.communicate(timeout=PATIENCE)
    done = repo.toryo("conduct")
    assert done.code == 0, done
    assert row(repo, short)["outcome"] == "COMPLETE"


def test_closing_the_terminal_it_was_started_from_does_not_touch_it(repo: Repo, notes: Path) -> None:
    started = repo.start(*plan_args(repo, "A", gated(notes, "A")), "--detach")
    begun(notes, "A")
    started.communicate(timeout=PATIENCE)
    pid = conductor(repo)
    assert os.getsid(pid) == pid, "a session of its own: no terminal's end reaches it"
    assert os.getpgid(pid) != started.pid
    let(notes, "A")
    until_idle(repo)
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"


# ── death ────────────────────────────────────────────────────────────────────


@pytest.mark.covers("B2", "G14")
def test_killed_in_the_middle_it_is_seen_and_the_next_one_goes_on_with_all_of_it(repo: Repo, notes: Path) -> None:
    first, second = detach(repo, "A", gated(notes, "A")), detach(repo, "B", gated(notes, "B"))
    begun(notes, "A")
    os.kill(conductor(repo), signal.SIGKILL)
    until_idle(repo)
    assert processes_of(repo.store), "its agent goes on alone"
    status = repo.status()
    assert (status["conductor"], status["attendant"]) == (None, None), "no lock is left with the agent"
    said = repo.toryo("status", first).out
    assert f"nobody is conducting, 1 agent may still be at work alone; 'toryo resume {first}' goes on" in said
    assert f"queued: {second}, and nobody takes them up" in said
    assert f"{first}  nobody conducts" in said
    assert f"nobody conducts {first}; 'toryo resume {first} --detach' goes on" in repo.toryo("inbox").err
    for command in (("resume", "--list"), ("inbox",)):
        assert "nobody takes them up" in repo.toryo(*command).err
    assert "nobody takes them up" in repo.toryo("doctor").out
    done = repo.toryo("resume", first, "--detach")
    assert done.code == 0, done
    let(notes, "A", "B")
    until_idle(repo)
    assert log_of(notes) == ["A", "B"], "no run was started twice"
    assert {row(repo, short)["outcome"] for short in (first, second)} == {"COMPLETE"}


def test_start_goes_on_with_what_was_left_behind_while_another_is_conducted(repo: Repo, notes: Path) -> None:
    first = detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    os.kill(conductor(repo), signal.SIGKILL)
    until_idle(repo)
    # Its agent is at work all the while, so this one minds no other.
    waits = f"echo B >> {notes}/log; touch {notes}/begun-B; until test -e {notes}/go-B; do sleep 0.02; done; echo B > B"
    second = detach(repo, "B", waits)
    begun(notes, "B")
    done = repl(repo, "/start", flags=("--no-wait",))
    assert f"session {first} goes on in the background, after 1 other" in done.out, done
    let(notes, "A", "B")
    until_idle(repo)
    assert {row(repo, short)["outcome"] for short in (first, second)} == {"COMPLETE"}
    assert log_of(notes) == ["A", "B"], "no run was started twice"


@pytest.mark.covers("B2")
def test_conduct_takes_up_what_was_left_behind(repo: Repo, notes: Path) -> None:
    first, second = detach(repo, "A", gated(notes, "A")), detach(repo, "B", gated(notes, "B"))
    begun(notes, "A")
    os.kill(conductor(repo), signal.SIGKILL)
    until_idle(repo)
    let(notes, "A", "B")
    done = repo.toryo("conduct", "--detach")
    assert "1 session will be taken up" in done.out
    until_idle(repo)
    assert row(repo, second)["outcome"] == "COMPLETE"
    assert repo.toryo("resume").code == 0, "without an id: the one that nobody queued"
    assert row(repo, first)["outcome"] == "COMPLETE"
    assert "nothing is queued" in repo.toryo("conduct").err


def test_a_stopped_session_can_be_waited_for(repo: Repo, notes: Path) -> None:
    short = detach(repo, "A", gated(notes, "A"))
    begun(notes, "A")
    repo.toryo("stop", short)
    assert until_state(repo, short, "paused")["queued_at"] is None
    until_idle(repo)

"""A script talks with Toryo: every line is answered, in order, once its work rests."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.support.instructions import planner, question, questions, usual
from tests.support.repositories import TORYO, Repo, shell, until
from tests.support.scripts import answers, conductor_of, end_conductor, heard, piped, talking, tell
from tests.support.terminals import on_terminal

WISH = "Add a greeting to the program"


@pytest.fixture(autouse=True)
def nobody_left(repo: Repo) -> Iterator[None]:
    yield
    end_conductor(repo)


def _plan(repo: Repo, name: str, command: str) -> str:
    path = repo.path.parent / f"{name}.json"
    path.write_text(json.dumps({"title": name, "tasks": [shell("A", command)]}), encoding="utf-8")
    return f"/run --plan {path}"


# ── one after the other ──────────────────────────────────────────────────────


@pytest.mark.covers("P28", "P29")
def test_each_line_is_answered_after_its_work_and_before_the_next(repo: Repo) -> None:
    first, second = _plan(repo, "first", "echo 1 > one"), _plan(repo, "second", "echo 2 > two")
    done = piped(repo, f"{first}\n/status\n{second}\n/status")
    assert done.code == 0, done
    lines = done.out.splitlines()
    ends = [number for number, line in enumerate(lines) if line.startswith("COMPLETE:")]
    closed = [number for number, line in enumerate(lines) if "is closed: COMPLETE" in line]
    assert len(ends) == len(closed) == 2
    assert ends[0] < closed[0] < ends[1] < closed[1]
    assert "merged as" in done.err
    assert "merged as" not in done.out
    assert repo.files_on("agent/second") == {"README.md", "two"}
    assert conductor_of(repo) is None


@pytest.mark.covers("P28", "P26")
def test_the_logs_of_its_tasks_are_on_disk_when_it_ends(repo: Repo) -> None:
    done = piped(repo, _plan(repo, "only", "echo said; echo 1 > one"))
    assert done.code == 0, done
    (entry,) = json.loads(repo.toryo("logs", "--json").out)["entries"]
    log = json.loads(repo.toryo("logs", "A", "--json").out)
    assert (entry["status"], log["status"]) == ("COMPLETE", "complete")
    assert log["events"]
    assert "said" in repo.toryo("logs", "A").out


@pytest.mark.covers("P28")
def test_a_line_is_read_only_after_the_one_before_is_answered(repo: Repo) -> None:
    with talking(repo) as process:
        tell(process, "/inbox")
        assert heard(process) == "nothing waits for you"
        tell(process, "/nope")
        assert heard(process).startswith("ERROR: there is no command /nope")
        assert heard(process).startswith("HINT: ")
        tell(process, "/exit")
        assert heard(process) == "OK"
        assert process.wait(30) == 1


@pytest.mark.covers("P28")
def test_a_thousand_commands_are_a_thousand_answers_in_order(repo: Repo) -> None:
    script = "".join(f"/info NAME{number}\n" for number in range(999)) + "/inbox"
    repo.run(shell("A", "echo a > a"))
    began = time.monotonic()
    given = answers(repo, script)
    took = time.monotonic() - began
    assert [answer["line"] for answer in given] == list(range(1, 1001))
    for number, answer in enumerate(given[:-1]):
        assert answer["error"]["message"] == f"nothing here is called 'NAME{number}'"
    assert given[-1]["shown"] == "nothing waits for you"
    assert took < 60, f"{took:.1f} s"


# ── what a line may be ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("/inbox", ["nothing waits for you"]),
        ("/inbox\r\n/inbox\r\n", ["nothing waits for you"] * 2),
        ("\ufeff/inbox\n", ["nothing waits for you"]),
        ("\n  \n\n/inbox\n\n", ["nothing waits for you"]),
        ("/inbox \\\n--json\\\n", ['"items": []']),
        ("", []),
    ],
)
def test_ends_of_lines_marks_and_empty_lines(repo: Repo, said: str, shown: list[str]) -> None:
    done = piped(repo, said)
    assert done.code == 0, done
    lines = [line.strip() for line in done.out.splitlines() if line not in ("{", "}")]
    assert [line for line in lines if not line.startswith(('"toryo"', '"kind"'))] == shown


def test_what_cannot_be_meant_is_an_answer_and_the_next_line_runs(repo: Repo) -> None:
    bad = [b"\xff\xfe broken", b"/inbox \x00", b"\x1b[2J clear", b"/status " + b"x" * 1_000_000, b"w " * 500_000]
    given = answers(repo, b"\n".join([*bad, "/info 日本語".encode(), b"/inbox"]))
    assert [answer["ok"] for answer in given] == [False] * 6 + [True]
    assert [answer["error"]["code"] for answer in given[:-1]] == ["E154"] * 5 + ["E201"]
    assert given[5]["input"] == "/info 日本語"
    assert all(len(answer["input"]) <= 1000 for answer in given)


def test_stdout_holds_answers_only(repo: Repo) -> None:
    repo.environ |= {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1", "TERM": "xterm-256color"}
    done = piped(repo, _plan(repo, "日本語の計画", "echo 1 > one") + "\n/status\nexit\n")
    assert "\x1b" not in done.out
    assert ">" not in done.out
    assert "toryo>" not in done.err
    assert "日本語の計画" in done.out
    assert done.out.endswith("ERROR: Did you mean /exit?\nHINT: /exit\n")


def test_what_shows_nothing_is_answered_too(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a"))
    done = piped(repo, "/approve\n/clean\n/exit\n/status\n")
    assert done.out.splitlines()[2:] == ["NOT COMPLETE (exit code 2)", "OK"], done


def test_a_command_cannot_take_the_lines_that_follow(repo: Repo) -> None:
    """`run -` and `keys set` read standard input."""
    more_than_is_read_ahead = f"/nope {'x' * 100_000}\n"
    with planner(repo, []):
        given = answers(repo, f"/run -\n{more_than_is_read_ahead}/keys set openai\n{more_than_is_read_ahead}/inbox\n")
    assert [answer["ok"] for answer in given] == [False] * 4 + [True]
    assert given[0]["error"]["code"] == "E130"


def test_at_a_terminal_it_can_be_a_script_too(repo: Repo) -> None:
    """Nothing is asked there either, and Ctrl-D ends it."""
    code, seen = on_terminal(repo, "repl", "--non-interactive", answer="/config init\n/inbox\n\x04")
    assert code == 1, seen
    assert "(E515)" in seen
    assert "nothing waits for you" in seen
    assert "toryo>" not in seen
    assert "\x1b" not in seen


# ── as JSON ──────────────────────────────────────────────────────────────────


def test_answers_as_json(repo: Repo) -> None:
    given = answers(repo, _plan(repo, "only", "echo 1 > one") + " --json\n/status\n/keys set openai sk-not-for-you\n")
    run, status, keys = given
    head = {"toryo": 1, "kind": "answer", "line": 2, "input": "/status", "code": 0, "ok": True}
    assert head.items() <= status.items()
    assert "is closed: COMPLETE" in status["shown"]
    assert run["data"]["session"]["outcome"] == "COMPLETE"
    assert "shown" not in run
    assert set(keys) == {"toryo", "kind", "line", "input", "code", "ok", "shown", "error"}
    assert keys["input"] == "/keys …"


# ── exit codes ───────────────────────────────────────────────────────────────


@pytest.mark.covers("P29")
@pytest.mark.parametrize(
    ("command", "more", "code"),
    [
        ("echo 1 > one", "", 0),
        ("exit 3", "", 1),
        ("true", "", 2),
        ("true", "/nope", 1),
        ("echo 1 > one", "/inbox", 0),
        ("true", "/inbox", 2),
        ("echo 1 > one", "/info NOPE", 1),
    ],
)
def test_one_exit_code_for_all_of_it(repo: Repo, command: str, more: str, code: int) -> None:
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    done = piped(repo, f"{_plan(repo, 'only', command)}\n{more}\n")
    assert done.code == code, done


@pytest.mark.covers("P29")
def test_what_was_begun_is_judged_as_it_stands_at_the_end(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        done = piped(repo, f"{WISH}\n/answer 1b\n/approve\n", "--json")
        assert done.code == 0, done
        given = [json.loads(line) for line in done.out.splitlines()]
        assert [answer["code"] for answer in given] == [2, 2, 0], given
        assert endpoint.left_over == []
    assert given[0]["shown"].startswith("waits for your answers")
    assert "Which one?" in given[0]["shown"]
    assert given[1]["shown"].startswith("waits for your approval")
    assert "approve" in given[1]["shown"]
    assert "COMPLETE" in given[2]["shown"]
    assert "A.txt" in repo.files_on("agent/add-a-greeting-to-the-program")


@pytest.mark.covers("P29")
@pytest.mark.parametrize(("said", "code"), [(WISH, 2), (f"{WISH}\n/approve", 0), (f"/plan {WISH}", 0)])
def test_a_plan_that_waits_is_not_complete_unless_a_plan_was_wanted(repo: Repo, said: str, code: int) -> None:
    with planner(repo, usual("A")):
        done = piped(repo, said)
    assert done.code == code, done
    if said.startswith("/plan"):
        assert "Work A" in done.out


def test_with_yes_it_goes_through_without_anybody(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        done = piped(repo, WISH, "--yes")
        assert done.code == 0, done
        assert endpoint.left_over == []
    assert "waits" not in done.out


# ── the background ───────────────────────────────────────────────────────────


def test_without_waiting_it_says_what_goes_on(repo: Repo) -> None:
    gate = repo.path.parent / "gate"
    slow = _plan(repo, "slow", f"until test -e {gate}; do sleep 0.05; done; echo 1 > one")
    done = piped(repo, f"{slow}\n/exit\n", "--no-wait")
    assert done.code == 2, done
    first, second = done.out.splitlines()
    assert first.endswith("goes on in the background")
    assert "goes on in the background: slow" in second
    gate.touch()
    until(lambda: repo.status()["sessions"][0]["outcome"] == "COMPLETE")


def test_it_waits_for_its_turn(repo: Repo) -> None:
    """What is at work already goes first; a session that is only queued does not rest."""
    gate = repo.path.parent / "gate"
    repo.start("run", "--plan", str(repo.plan(shell("A", f"until test -e {gate}; do sleep 0.05; done; echo 1 > one"))))
    until(lambda: conductor_of(repo))
    with talking(repo) as process:
        tell(process, _plan(repo, "second", "echo 2 > two"))
        until(lambda: len(repo.status()["sessions"]) == 2 and repo.status()["sessions"][0]["queued_at"])
        assert process.poll() is None
        gate.touch()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0
        assert process.stdout is not None
        assert "COMPLETE:" in process.stdout.read()


def test_a_conductor_that_dies_is_an_error_that_says_so(repo: Repo) -> None:
    gate = repo.path.parent / "gate"
    slow = _plan(repo, "slow", f"until test -e {gate}; do sleep 0.05; done; echo 1 > one")
    with talking(repo) as process:
        tell(process, slow)
        until(lambda: (repo.store / "journal.db").exists() and repo.status()["tasks"])
        until(lambda: repo.tasks()["A"]["says"] == "working")
        os.kill(until(lambda: conductor_of(repo)), signal.SIGKILL)
        assert "(E155)" in heard(process)
        hint = heard(process)
        assert "conductor.log" in hint
        gate.touch()
        tell(process, "/resume")
        until(lambda: heard(process).startswith("COMPLETE"))
        tell(process, "/exit")
        assert process.wait(60) == 1


def test_a_conductor_that_cannot_start_is_one_too(repo: Repo) -> None:
    broken = repo.path.parent / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text("import sys\nif 'conduct' in sys.orig_argv: sys.exit('no such luck')\n")
    path = {"PYTHONPATH": repo.environ.get("PYTHONPATH", "")}
    repo.environ["PYTHONPATH"] = f"{broken}:{path['PYTHONPATH']}"
    done = piped(repo, f"{_plan(repo, 'only', 'echo 1 > one')}\n/inbox\n")
    assert done.code == 1, done
    assert "(E156)" in done.out
    assert str(repo.store / "logs" / "conductor.log") in done.out
    assert "no such luck" in (repo.store / "logs" / "conductor.log").read_text()
    assert done.out.endswith("nothing waits for you\n")
    repo.environ |= path
    done = piped(repo, "/resume")
    assert done.code == 0, done


@pytest.mark.covers("P29")
@pytest.mark.parametrize("gone", ["its journal", "its journal, and there is another", "the repository"])
def test_what_was_begun_and_cannot_be_found_any_more_is_no_success(repo: Repo, gone: str) -> None:
    with talking(repo) as process:
        tell(process, _plan(repo, "only", "echo 1 > one"))
        until(lambda: heard(process).startswith("COMPLETE"))
        for path in [repo.path] if gone == "the repository" else list(repo.store.glob("journal.db*")):
            path.rename(repo.path.parent / f"{path.name}-away")
        if "another" in gone:
            assert repo.run(shell("B", "echo 2 > two")).code == 0
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 1
        assert process.stderr is not None
        assert "error" not in process.stderr.read()
    if gone == "the repository":
        (repo.path.parent / f"{repo.path.name}-away").rename(repo.path)


def test_leaving_tells_what_was_cut_off_from_what_goes_on(repo: Repo) -> None:
    gate = repo.path.parent / "gate"
    waits = f"until test -e {gate}; do sleep 0.05; done; echo 1 > one"
    begun = [json.loads(repo.toryo(*_plan(repo, name, waits)[1:].split(), "--detach", "--json").out) for name in "ab"]
    first, second = (one["session"]["id"].removeprefix("session-")[:8] for one in begun)
    until(lambda: repo.info(first)["tasks"][0]["state"] == "running")
    os.kill(until(lambda: conductor_of(repo)), signal.SIGKILL)
    assert repo.toryo("conduct", "--detach").code == 0
    until(lambda: repo.info(second)["tasks"][0]["state"] == "running")
    done = piped(repo, "/exit")
    gate.touch()
    goes_on, cut_off = done.out.splitlines()
    assert goes_on.startswith(f"session {second} goes on in the background: b (")
    assert cut_off == f"session {first} goes on no more, nobody conducts it: a (toryo resume {first} goes on)"
    until(lambda: conductor_of(repo) is None)
    assert repo.toryo("resume", first).code == 0


# ── agents that ask ──────────────────────────────────────────────────────────


@pytest.mark.covers("P34", "P35", "P36")
def test_an_agent_that_asks_is_ended_and_the_next_command_runs(repo: Repo) -> None:
    repo.environ |= {"TORYO_RUN_PROMPT_SILENCE": "0.3s", "TORYO_RUN_GRACE": "0.2s"}
    asking = _plan(repo, "asking", "printf 'Overwrite it? [y/n] '; sleep 600")
    given = answers(repo, f"{asking}\n/logs A --json\n{_plan(repo, 'next', 'echo 1 > one')}\n")
    assert [answer["code"] for answer in given] == [2, 0, 0], given
    log = given[1]["data"]
    assert (log["executor_blocked"], log["blocked_reason"]) == (True, "INTERACTIVE_PROMPT")
    assert log["terminated_by"] == "REPL_FAIL_CLOSED"
    assert log["timeout_ms"] > 0
    assert "blocked: interactive prompt" in given[0]["shown"]


@pytest.mark.covers("P36")
def test_what_looks_like_a_question_does_not_end_a_run_that_still_works(repo: Repo) -> None:
    repo.environ |= {"TORYO_RUN_PROMPT_SILENCE": "2s"}
    command = "for n in 1 2 3 4 5 6 7 8; do printf 'Continue? [y/n] '; sleep 0.5; done; echo; echo 1 > one"
    done = piped(repo, _plan(repo, "chatty", command))
    assert done.code == 0, done


# ── faults ───────────────────────────────────────────────────────────────────


def test_damaged_summaries_are_made_anew(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a"))
    before = piped(repo, "/status\n")
    with closing(sqlite3.connect(repo.store / "journal.db")) as journal, journal:
        journal.execute("UPDATE summaries SET body = 'no JSON'")
    done = piped(repo, "/status\n/info A\n")
    assert done.code == 0, done
    assert done.out.startswith(before.out)


def test_nobody_reads_any_more(repo: Repo) -> None:
    read, write = os.pipe()
    os.close(read)
    looking = subprocess.run(
        [*TORYO, "repl"],
        cwd=repo.path,
        env=repo.environ,
        input=b"/inbox\n" * 10,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    working = subprocess.run(
        [*TORYO, "repl"],
        cwd=repo.path,
        env=repo.environ,
        input=(_plan(repo, "only", "echo 1 > one") + "\n/inbox\n").encode(),
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert (looking.returncode, looking.stderr) == (0, b"")
    assert working.returncode == 141
    assert b"fault" not in working.stderr
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"


@pytest.mark.covers("P28", "P29")
@pytest.mark.parametrize("talk", ["2>&-", "2> /dev/full", "2> >(true)"])
def test_talk_that_nobody_can_hear_keeps_nothing_from_being_done(repo: Repo, talk: str) -> None:
    script = f"{_plan(repo, 'first', 'echo 1 > one')}\n{_plan(repo, 'second', 'echo 2 > two')}\n/status\n"
    done = subprocess.run(
        ["bash", "-c", f"{' '.join(TORYO)} repl --json {talk}"],
        cwd=repo.path,
        env=repo.environ,
        input=script,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert [json.loads(line)["code"] for line in done.stdout.splitlines()] == [0, 0, 0], done
    assert (done.returncode, done.stderr) == (0, "")
    assert repo.files_on("agent/second") == {"README.md", "two"}


@pytest.mark.covers("P29")
def test_with_all_its_streams_closed_it_does_what_there_is_to_do(repo: Repo) -> None:
    (repo.path.parent / "script").write_text(f"{_plan(repo, 'only', 'echo 1 > one')}\n")
    codes = 'script=$1; shift; "$@" repl <&- >&- 2>&-; echo $?; "$@" repl < $script >&- 2>&-; echo $?'
    done = subprocess.run(
        ["bash", "-c", codes, "bash", "../script", *TORYO],
        cwd=repo.path,
        env=repo.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == (["0", "0"], "")
    assert repo.files_on("agent/only") == {"README.md", "one"}


@pytest.mark.covers("P28")
def test_what_follows_has_its_turn_at_once(repo: Repo) -> None:
    """Landing is conducted in the background; undoing it, and cleaning up, want to be the only ones at work."""
    script = f"{_plan(repo, 'only', 'echo 1 > one')}\n/land --merge\n/undo\n/land --merge\n/clean\n"
    given = answers(repo, script)
    assert [answer["code"] for answer in given] == [0] * 5, given
    assert (repo.path / "one").exists()

"""Looking at sessions: status, info, logs, report, config, doctor, clean, and the same as JSON."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repositories import TORYO, Repo, kill, processes_of, shell, until
from tests.support.terminals import on_terminal


def finished(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a; echo printed 漢字"), shell("B", "exit 3", depends_on=["A"]), checks="true")
    assert done.code == 1, done


@pytest.mark.covers("A29")
def test_everything_that_prints_data_prints_json_too(repo: Repo) -> None:
    finished(repo)
    kinds = {
        ("status",): "status",
        ("info",): "session",
        ("info", "A"): "task",
        ("report",): "report",
        ("resume", "--list"): "sessions",
        ("config", "show"): "config",
        ("doctor",): "doctor",
        ("clean", "--dry-run"): "clean",
    }
    for args, kind in kinds.items():
        done = repo.toryo(*args, "--json")
        data = json.loads(done.out)
        assert (data["toryo"], data["kind"]) == (1, kind), done
    for line in repo.toryo("logs", "--events", "--json").out.splitlines():
        assert json.loads(line)["toryo"] == 1


@pytest.mark.covers("A1")
def test_tasks_and_runs_are_found_by_key_id_and_prefix(repo: Repo) -> None:
    finished(repo)
    task = repo.info("A")["task"]
    session = repo.status()["session"].removeprefix("session-")
    assert task["id"] == f"task-{session[:8]}-1"
    run = task["runs"][0]["id"]
    for name in ("A", "a", task["id"], task["id"].removeprefix("task-")):
        assert repo.info(name)["task"]["id"] == task["id"]
    several = repo.toryo("info", task["id"][:-2])
    assert several.code == 64
    assert task["id"] in several.err
    for name in (run, run.removeprefix("run-")[:10], run[:12]):
        assert repo.info(name)["run"]["id"] == run
    assert repo.toryo("logs", run).out == "printed 漢字\n"


@pytest.mark.covers("P43", "G26")
def test_the_log_tells_the_story_in_words(repo: Repo) -> None:
    finished(repo)
    story = repo.toryo("logs").out
    for words in ("session opened: The plan", "A: check check passed", "A: merged as", "B: exited with code 3",
                  "paused: 1 blocked task"):  # fmt: skip
        assert words in story, story
    assert "B:" not in repo.toryo("logs", "A", "--events").out
    assert repo.toryo("logs", "A").out == "printed 漢字\n"


@pytest.mark.covers("P43")
def test_following_shows_a_run_while_it_runs_and_ends_with_it(repo: Repo, tmp_path: Path) -> None:
    command = f"echo one; until test -e {tmp_path}/go; do sleep 0.02; done; echo two; echo a > a"
    process = repo.start("run", "--plan", str(repo.plan(shell("A", command))))
    until(lambda: (repo.store / "journal.db").exists() and repo.status()["tasks"])
    watching = repo.start("logs", "A", "--follow")
    session = repo.start("logs", "--follow")
    try:
        assert watching.stdout is not None
        assert watching.stdout.readline() == "one\n"
        (tmp_path / "go").touch()
        assert watching.communicate(timeout=60)[0] == "two\n"
        process.communicate(timeout=60)
        assert "closed: COMPLETE" in session.communicate(timeout=60)[0]
    finally:
        for each in (process, watching, session):
            if each.poll() is None:
                kill(each)


@pytest.mark.covers("A28")
def test_a_report_is_written_for_failed_sessions_too(repo: Repo) -> None:
    finished(repo)
    report = repo.toryo("report").out
    assert "Outcome: **ERROR**" in report
    assert "the agent exited with code 3" in report
    assert len(list((repo.store / "reports").glob("*.md"))) == 1


@pytest.mark.covers("A19")
def test_config_show_says_where_each_value_comes_from(repo: Repo) -> None:
    repo.write(".toryo/config.toml", "[run]\nparallel = 2\nattempts = 2\n")
    repo.write(".toryo/config.local.toml", "[run]\nattempts = 5\n")
    repo.environ["TORYO_RUN_GRACE"] = "1s"
    values = {row["key"]: row for row in json.loads(repo.toryo("config", "show", "--json").out)["values"]}
    assert values["run.parallel"]["value"] == "2"
    assert values["run.parallel"]["origin"].endswith("config.toml")
    assert values["run.attempts"]["origin"].endswith("config.local.toml")
    assert "TORYO_RUN_GRACE" in values["run.grace"]["origin"]
    assert values["run.agent"]["origin"] == "default"


@pytest.mark.covers("G20")
def test_a_plan_proposes_the_parallelism_and_the_configuration_caps_it(repo: Repo) -> None:
    repo.write(".toryo/config.toml", "[run]\nparallel = 2\n")
    seen = []
    for proposed, flags in ((9, ()), (1, ()), (9, ("--parallel", "5"))):
        done = repo.run(shell("A", "echo a > a"), parallel=proposed, flags=flags)
        assert done.code == 0, done
        assert ("--parallel 9 overrides" in done.err) == (proposed == 9)
        seen.append(repo.info(repo.status()["session"])["session"]["parallel"])
    assert seen == [2, 1, 5]


@pytest.mark.covers("P2", "P46")
def test_doctor_names_problems_and_exits_accordingly(repo: Repo) -> None:
    assert repo.toryo("doctor").code == 0
    repo.git("checkout", "-q", "--detach")
    done = repo.toryo("doctor")
    assert done.code == 69
    assert "git switch" in done.out


@pytest.mark.covers("G32", "B2")
def test_a_broken_journal_is_set_aside_and_what_is_readable_goes_on(repo: Repo) -> None:
    finished(repo)
    before = repo.events()
    journal = repo.store / "journal.db"
    for part in ("-wal", "-shm"):
        Path(f"{journal}{part}").unlink(missing_ok=True)
    journal.write_bytes(b"not a journal at all" * 500)
    done = repo.toryo("status")
    assert done.code == 0, done
    assert "was broken" in done.err
    assert "journal.db.broken-" in done.err
    assert list(repo.store.glob("journal.db.broken-*"))
    assert repo.run(shell("A", "echo again > again")).code == 0
    assert before


@pytest.mark.covers("P2")
def test_reading_creates_nothing(repo: Repo) -> None:
    for args in (("status",), ("doctor",), ("config", "show"), ("resume", "--list")):
        assert repo.toryo(*args).code == 0
    assert not repo.store.exists()


@pytest.mark.covers("A18")
def test_help_has_an_example_everywhere(repo: Repo) -> None:
    listed = repo.toryo("--help").out
    names = re.findall(r"^  ([a-z]+)  ", listed, re.MULTILINE)
    assert {"run", "status", "info", "logs", "resume", "stop", "doctor"} <= set(names)
    # One process for all of them: a start each would take longer than the rest of this file.
    program = "import sys; from toryo.frontends.cli import cli\n"
    program += "for name in sys.argv[1:]: cli.main([name, '--help'], prog_name='toryo', standalone_mode=False)"
    shown = subprocess.run([sys.executable, "-c", program, *names], env=repo.environ, capture_output=True, text=True)
    helps = shown.stdout.split("Usage: ")[1:]
    assert [text.split()[1] for text in helps] == names, shown
    assert [text for text in helps if "Example: toryo" not in text] == []


@pytest.mark.covers("A29")
def test_no_color_and_pipes_get_plain_text(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a"))
    assert "\x1b" not in done.out + done.err
    piped = subprocess.run(
        f"{' '.join(TORYO)} logs | head -1",
        shell=True,
        cwd=repo.path,
        env=repo.environ,
        capture_output=True,
        text=True,
    )
    assert piped.stderr == ""


@pytest.mark.parametrize(("verb", "code"), [("logs", 0), ("report", 0), ("info", 0), ("verify", 1)])
def test_nobody_reading_to_the_end_is_no_failure_of_looking(repo: Repo, verb: str, code: int) -> None:
    """Of a verdict, on the other hand, nobody shall believe that it was good."""
    repo.run(shell("A", "echo a > a"))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run([*TORYO, verb], cwd=repo.path, env=repo.environ, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (code, b"")


def test_hostile_output_does_not_steer_the_terminal(repo: Repo) -> None:
    assert repo.run(shell("A", r"printf 'x\033]0;owned\007y\n'; echo a > a")).code == 0
    assert "\x1b" not in repo.toryo("logs", "A").out


@pytest.mark.covers("A29")
def test_on_a_terminal_there_is_one_live_line_per_active_task(repo: Repo) -> None:
    plan = repo.plan(shell("A", "sleep 0.6; echo a > a"), shell("B", "sleep 0.6; echo b > b"))
    code, seen = on_terminal(repo, "run", "--plan", str(plan))
    assert code == 0, seen
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    assert re.search(r"A +working +\d+.*Task A", plain), plain
    assert re.search(r"B +working +\d+.*Task B", plain), plain


@pytest.mark.covers("G32")
def test_an_unfinished_session_is_offered_on_a_terminal(repo: Repo, tmp_path: Path) -> None:
    flag = tmp_path / "ok"
    assert repo.run(shell("A", f"test -e {flag} && echo a > a")).code == 1
    flag.touch()
    code, seen = on_terminal(repo, "run", "--plan", str(repo.plan(shell("B", "echo b > b"))), answer="r\n")
    assert "is unfinished: blocked" in seen
    assert code == 0, seen
    assert len(repo.status()["sessions"]) == 1
    assert repo.tasks()["A"]["state"] == "integrated"


@pytest.mark.covers("G32")
def test_an_unfinished_session_can_be_discarded_on_a_terminal_even_while_its_agents_go_on(
    repo: Repo, tmp_path: Path
) -> None:
    process = repo.start("run", "--plan", str(repo.plan(shell("A", f"touch {tmp_path}/begun; sleep 1000"))))
    until(lambda: (tmp_path / "begun").exists())
    kill(process)
    assert processes_of(repo.store)
    code, seen = on_terminal(repo, "run", "--plan", str(repo.plan(shell("B", "echo b > b"))), answer="d\n")
    assert code == 0, seen
    assert processes_of(repo.store) == []
    assert [row["state"] for row in repo.status()["sessions"]] == ["closed", "closed"]

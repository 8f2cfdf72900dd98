"""The REPL at a real terminal: keys are sent to it, and its screen is read."""

import json
import os
import re
import shutil
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.support.instructions import planner, question, questions, usual
from tests.support.repositories import TORYO, Repo, shell, until
from tests.support.screens import Screen, screen

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

HELD = "until [ -e {}/go ]; do sleep 0.05; done; "


@pytest.fixture
def repo(repo: Repo) -> Iterator[Repo]:
    """No conductor in the background outlives its test."""
    yield repo
    (repo.path.parent / "go").touch()
    until(lambda: not _conductors(repo.path))


def _conductors(root: Path) -> list[int]:
    every = psutil.process_iter(["cmdline", "cwd"])
    here = [process for process in every if process.info["cwd"] == str(root)]
    return [process.pid for process in here if (process.info["cmdline"] or [])[-1:] == ["conduct"]]


def held(repo: Repo, key: str, command: str, **more: object) -> dict[str, object]:
    """A task that waits until the test lets it go on."""
    return shell(key, HELD.format(repo.path.parent) + command, **more)


def let_go(repo: Repo) -> None:
    (repo.path.parent / "go").touch()


def begin(seen: Screen, repo: Repo, *tasks: dict[str, object], **top: object) -> str:
    """A session in the background; its short id."""
    seen.send(f"/run --plan {repo.plan(*tasks, **top)} --yes")
    seen.shows("goes on in the background")
    line = next(line for line in seen.everything().splitlines() if "goes on in the background" in line)
    return line.split()[1]


def history(repo: Repo) -> list[str]:
    return [json.loads(line) for line in (repo.store / "repl-history").read_text().splitlines()]


# ── typing while things go on ────────────────────────────────────────────────


@pytest.mark.covers("P44", "P45", "G14")
def test_a_line_stays_as_it_is_typed_while_a_session_goes_on(repo: Repo) -> None:
    with screen(repo) as seen:
        short = begin(seen, repo, held(repo, "A", "echo a > a.txt"), shell("B", "echo b > b.txt"), title="二つの仕事")
        seen.shows(f"{short}: B: merged as")
        until(lambda: seen.bar.startswith(f"{short} 二つの仕事 · 1 of 2 done, 1 running"))
        seen.type("次は 日本語 と English を")
        seen.is_typed("次は 日本語 と English を")
        let_go(repo)
        seen.shows(f"session {short} (二つの仕事) is closed: COMPLETE")
        seen.shows(f"/land {short} --merge brings it home")
        seen.is_typed("次は 日本語 と English を")
        until(lambda: seen.bar == "nothing is being worked on")
        assert seen.everything().count("次は") == 1


@pytest.mark.covers("P44")
def test_the_prompt_is_there_while_commands_are_carried_out_one_after_the_other(repo: Repo) -> None:
    with screen(repo) as seen:
        begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        seen.send("/logs --follow")
        seen.shows("A: shell takes it")
        seen.is_typed("")
        seen.send("/stat")
        seen.send("/nonsense")
        seen.type("meanwhile")
        seen.is_typed("meanwhile")
        assert "ERROR" not in seen.everything(), "what was typed later does not overtake"
        let_go(repo)
        seen.shows("there is no command /nonsense")
        everything = seen.everything()
        assert everything.index("closed: COMPLETE") < everything.index("» /nonsense")
        seen.is_typed("meanwhile")


@pytest.mark.covers("P44", "P45")
def test_ten_thousand_lines_while_typing(repo: Repo) -> None:
    command = "i=0; while [ $i -lt 10000 ]; do echo line-$i 全角; i=$((i+1)); done; echo a > a.txt"
    repo.run(shell("A", command))
    with screen(repo) as seen:
        seen.tmux("set-option", "-g", "history-limit", "200")
        seen.send("/logs A")
        seen.shows("line-100 ")
        slowest = 0.0
        for place in range(1, 9):
            began = time.monotonic()
            seen.type("あ")
            seen.is_typed("あ" * place, 20)
            slowest = max(slowest, time.monotonic() - began)
        assert slowest < 5, f"a key took {slowest:.1f} s to show"
        seen.shows("line-9999 ")
        seen.is_typed("あ" * 8)


@pytest.mark.covers("P45")
def test_long_lines_several_lines_and_a_resize_keep_their_shape(repo: Repo) -> None:
    with screen(repo, columns=60, rows=20) as seen:
        begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        text = "長い行 " * 12 + "end"
        seen.type(text)
        until(lambda: "".join(seen.prompt().split()).endswith("長い行end"))
        seen.resize(100, 24)
        until(lambda: "".join(seen.prompt().split()) == "".join(f"toryo>{text}".split()))
        seen.resize(20, 10)
        until(lambda: "".join(seen.prompt().split()).endswith("end"))
        seen.resize(60, 20)
        let_go(repo)
        seen.shows("brings it home")
        until(lambda: "".join(seen.prompt().split()) == "".join(f"toryo>{text}".split()))


@pytest.mark.covers("P45")
def test_a_pasted_text_stays_one_input_and_is_sent_with_enter_alone(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.paste("/nothing one\n二行目\nthree")
        until(lambda: seen.prompt() == "toryo> /nothing one\n   ... 二行目\n   ... three")
        assert "ERROR" not in seen.everything()
        seen.press("Enter")
        seen.shows("there is no command /nothing")
        seen.type("/other a")
        seen.press("M-Enter")
        seen.type("b\\")
        seen.press("Enter")
        seen.type("c")
        until(lambda: seen.prompt() == "toryo> /other a\n   ... b\n   ... c")
        seen.press("Enter")
        seen.shows("there is no command /other")
        until(lambda: "/other a\nb\nc" in history(repo))
        assert "/nothing one\n二行目\nthree" in history(repo)


# ── Ctrl-C, Ctrl-D, Ctrl-Z, signals ──────────────────────────────────────────


def test_ctrl_c_clears_then_stops_a_command_then_the_session_and_never_ends_it(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.press("C-c")
        seen.shows("nothing is being carried out or worked on; /exit leaves")
        short = begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        seen.send("/logs --follow")
        seen.shows("A: shell takes it")
        seen.type("half a line")
        seen.is_typed("half a line")
        seen.press("C-c")
        seen.is_typed("")
        assert "stopped" not in seen.everything()
        seen.press("C-c")
        seen.shows("stopped: /logs --follow")
        seen.press("C-c")
        seen.shows(f"session {short} is stopped; /start goes on with it")
        assert repo.status()["sessions"][0]["state"] == "paused"
        seen.send("/exit")
        assert seen.code() == 0


def test_ctrl_c_stops_a_long_output(repo: Repo) -> None:
    command = "i=0; while [ $i -lt 60000 ]; do echo line-$i; i=$((i+1)); done; echo a > a.txt"
    repo.run(shell("A", command))
    with screen(repo) as seen:
        seen.send("/logs A")
        seen.shows("line-500")
        seen.press("C-c")
        seen.shows("stopped: /logs A")
        seen.send("/exit")
        assert seen.code() == 0
        assert "line-59999" not in seen.everything()


def test_ctrl_c_at_every_state_leaves_the_prompt(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.type("/st")
        seen.shows("Show the sessions here")
        seen.press("Tab", "C-c")
        seen.is_typed("")
        seen.press("C-r")
        seen.press("C-c")
        seen.send("/keys set openai")
        seen.shows("/keys set openai\n")
        until(lambda: not _echoes(seen.pid))
        seen.press("C-c")
        seen.shows("stopped: /keys set openai")
        until(lambda: seen.prompt() == "toryo>")
        for times in range(1, 4):
            os.kill(seen.pid, signal.SIGINT)
            until(lambda: len(re.findall(r"worked on; /exit leaves|stopping Ctrl-C", seen.everything())) >= times)  # noqa: B023
        seen.send("/exit")
        assert seen.code() == 0


def _echoes(pid: int) -> bool:
    """Whether the terminal of the process shows what is typed, or hides it line by line."""
    import termios

    with Path(f"/proc/{pid}/fd/0").open("rb") as terminal:
        flags = termios.tcgetattr(terminal)[3]
    return bool(flags & termios.ECHO) or not flags & termios.ICANON


@pytest.mark.covers("P44")
def test_leaving_stops_what_only_looks_finishes_what_changes_and_leaves_the_work(repo: Repo) -> None:
    with screen(repo) as seen:
        begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        seen.send("/logs --follow")
        seen.shows("A: shell takes it")
        seen.send("/config set --project run.parallel 7")
        seen.send("/status")
        seen.send("/exit")
        assert seen.code() == 0
        assert "run.parallel = 7" in seen.everything()
    assert "parallel = 7" in (repo.path / ".toryo/config.toml").read_text()
    assert repo.status()["sessions"][0]["state"] == "executing"


def test_asking_how_to_leave_is_not_leaving(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.send("/exit --help")
        seen.shows("Says what goes on")
        seen.send("/status")
        seen.shows("no session here yet")
        seen.send("/exit")
        assert seen.code() == 0


def test_a_key_is_typed_hidden_between_prompts_and_is_nowhere_kept(repo: Repo) -> None:
    secret = "sk-proj-" + "Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2" * 2
    with screen(repo) as seen:
        seen.send("/keys set openai")
        until(lambda: not _echoes(seen.pid))
        seen.send(secret)
        seen.shows("toryo> /keys set openai")
        seen.is_typed("")
        seen.send("/keys")
        seen.shows("openai     SET")
        assert secret not in seen.everything()
        assert history(repo) == ["/keys set openai", "/keys"]
        assert stat.S_IMODE((repo.store / "repl-history").stat().st_mode) == 0o600


def test_ctrl_d_says_how_to_leave(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.press("C-d")
        seen.shows("/exit leaves; what goes on in the background goes on")
        seen.send("/exit")
        assert seen.code() == 0


def test_ctrl_z_suspends_and_comes_back(repo: Repo) -> None:
    with screen(repo, argv=("bash", "--norc", "-i")) as seen:
        seen.send(" ".join([*TORYO, "repl"]))
        seen.shows("toryo>")
        seen.press("C-z")
        seen.shows("Stopped")
        seen.send("echo shell=$((40+2))")
        seen.shows("shell=42")
        seen.send("fg")
        seen.is_typed("")
        seen.send("/nonsense")
        seen.shows("there is no command /nonsense")
        seen.send("/exit")
        until(lambda: "toryo> /exit\nbash" in seen.everything())
        seen.send("echo left=$?")
        seen.shows("left=0")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_being_told_to_end_leaves_the_work_and_a_sane_terminal(repo: Repo, number: signal.Signals, code: int) -> None:
    with screen(repo) as seen:
        begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        seen.send("/logs --follow")
        seen.shows("A: shell takes it")
        seen.type("not sent")
        seen.is_typed("not sent")
        os.kill(seen.pid, number)
        assert seen.code() == code
    assert repo.status()["sessions"][0]["state"] == "executing"
    assert len(history(repo)) == 2
    let_go(repo)
    until(lambda: repo.status()["sessions"][0]["outcome"] == "COMPLETE")


def _has_ended(pid: int) -> bool:
    """Also where nobody has asked yet how: an orphan's new parent may be anybody."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_terminal_that_is_closed_takes_nothing_with_it(repo: Repo) -> None:
    with screen(repo) as seen:
        begin(seen, repo, held(repo, "A", "echo a > a.txt"))
        seen.shows("A: shell takes it")
        pid = seen.pid
    until(lambda: _has_ended(pid))
    let_go(repo)
    until(lambda: repo.status()["sessions"][0]["outcome"] == "COMPLETE")


# ── news ─────────────────────────────────────────────────────────────────────


@pytest.mark.covers("P45")
def test_news_of_sessions_that_others_begin_and_of_a_journal_that_goes_away(repo: Repo) -> None:
    with screen(repo) as seen:
        seen.type("mine")
        assert repo.run(shell("A", "echo a > a.txt")).code == 0
        seen.shows("A: merged as")
        seen.shows("is closed: COMPLETE")
        seen.is_typed("mine")
        gone = repo.store.with_name("toryo-away")
        repo.store.rename(gone)
        seen.shows("note: the journal cannot be read any more")
        gone.rename(repo.store)
        assert repo.run(shell("B", "echo b > b.txt")).code == 0
        seen.shows("B: merged as")
        assert seen.everything().count("cannot be read any more") == 1
        seen.is_typed("mine")


def test_what_blocks_is_said_with_what_to_type(repo: Repo) -> None:
    with screen(repo) as seen:
        short = begin(seen, repo, shell("A", "exit 3"))
        seen.shows(f"session {short} (The plan) waits for you")
        seen.shows("/retry A")
        until(lambda: f"{short} The plan · blocked" in seen.bar)


@pytest.mark.covers("P44", "P55")
def test_questions_and_plans_are_shown_with_what_to_type_while_another_line_is_being_typed(repo: Repo) -> None:
    asked = questions(question("どちらですか?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]), screen(repo, rows=50) as seen:
        seen.send("Add a greeting to the program")
        seen.shows("waits for your answers")
        seen.shows("どちらですか?")
        seen.shows("→ /respond")
        until(lambda: "waits for answers" in seen.bar and "1 call" in seen.bar)
        seen.send("/answer 1a")
        seen.type("half 行")
        seen.shows("waits for your approval")
        seen.shows("then /approve")
        seen.is_typed("half 行")
        seen.press("C-c")
        seen.send("/approve")
        seen.shows("is closed: COMPLETE")


def test_nothing_happening_costs_nothing(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a.txt"))
    with screen(repo) as seen:
        until(lambda: seen.bar == "nothing is being worked on")
        process = psutil.Process(seen.pid)
        time.sleep(1)  # what belongs to its start
        before = sum(process.cpu_times()[:2])
        time.sleep(5)
        assert sum(process.cpu_times()[:2]) - before <= 0.05


# ── history and completion ───────────────────────────────────────────────────


def test_history_survives_without_secrets(repo: Repo) -> None:
    secret = "sk-" + "ant-api03-" + "a1B2c3D4e5F6g7H8i9J0" * 4
    with screen(repo) as seen:
        seen.send("/first 日本語")
        seen.shows("there is no command /first")
        seen.send(f"/second {secret}")
        seen.shows("there is no command /second")
        seen.send("/keys set openai not-even-this")
        seen.send("/third")
        seen.shows("there is no command /third")
        os.kill(seen.pid, signal.SIGKILL)
        seen.code()
    kept = history(repo)
    assert kept[0] == "/first 日本語"
    assert kept[1].startswith("/second ") and secret not in "".join(kept)
    assert kept[2:] == ["/third"]
    assert stat.S_IMODE((repo.store / "repl-history").stat().st_mode) == 0o600
    with screen(repo) as seen:
        seen.press("Up")
        seen.is_typed("/third")
        seen.press("C-c")
        seen.is_typed("")
        seen.press("C-r")
        seen.type("日本")
        seen.shows("/first 日本語")
        seen.press("Enter")
        seen.is_typed("/first 日本語")


def test_a_history_that_cannot_be_kept_is_no_reason_to_fail(repo: Repo) -> None:
    (repo.store).mkdir(mode=0o700)
    (repo.store / "repl-history").mkdir()
    with screen(repo) as seen:
        seen.send("/first")
        seen.shows("there is no command /first")
        seen.press("Up")
        seen.is_typed("/first")


def test_completion_of_commands_options_ids_and_files(repo: Repo) -> None:
    repo.write("src/日本語の文書.md", "x\n")
    repo.write("src/other.py", "x\n")
    repo.write(".gitignore", "hidden*\n")
    repo.write("hidden.txt", "x\n")
    repo.run(shell("A", "echo a > a.txt"), title="An old session")
    short = repo.status()["sessions"][0]["id"].removeprefix("session-")[:8]
    with screen(repo) as seen:
        seen.type("/rep")
        seen.shows("Show how a session went, in Markdown.")
        seen.press("Tab")
        seen.type(" ")
        seen.press("Tab")
        seen.is_typed(f"/report {short}")
        seen.press("C-c")
        seen.type("/logs --fo")
        seen.press("Tab")
        seen.is_typed("/logs --follow")
        seen.press("C-c")
        seen.type("/info ")
        seen.press("Tab")
        seen.shows("COMPLETE: An old session")
        seen.press("C-c")
        seen.type("/config set run.para")
        seen.press("Tab")
        seen.is_typed("/config set run.parallel")
        seen.press("C-c")
        seen.type("これを直してsrc/日")
        seen.press("Tab")
        seen.is_typed("これを直してsrc/日本語の文書.md")
        seen.press("C-c")
        seen.type("look at hidd")
        seen.press("Tab")
        seen.type("x")
        seen.is_typed("look at hiddx")


def test_ten_thousand_files_are_completed_at_once(repo: Repo) -> None:
    for number in range(10_000):
        (repo.path / f"file-{number:05}.txt").touch()
    with screen(repo) as seen:
        seen.type("see file-09999")
        seen.press("Tab")
        seen.is_typed("see file-09999.txt")


def test_what_is_shown_by_git_and_as_json_comes_above_the_line_too(repo: Repo) -> None:
    repo.run(shell("A", "echo 全角 > a.txt"))
    with screen(repo, rows=50) as seen:
        seen.send("/diff")
        seen.shows("+全角")
        seen.send("/info --json")
        seen.shows('"kind": "session"')
        seen.is_typed("")


# ── other terminals ──────────────────────────────────────────────────────────


def test_a_terminal_that_can_do_nothing_still_works(repo: Repo) -> None:
    with screen(repo, environ={"TERM": "dumb"}) as seen:
        seen.send("/nonsense")
        seen.shows("there is no command /nonsense")
        seen.press("C-c")
        seen.shows("nothing is being carried out or worked on")
        seen.press("C-d")
        seen.shows("/exit leaves; what goes on")
        seen.send("/exit")
        assert seen.code() == 0


@pytest.mark.covers("P41")
def test_help_is_broken_between_words(repo: Repo) -> None:
    with screen(repo, columns=60, rows=80) as seen:
        seen.send("/help")
        seen.shows("--yes TEXT")
        lines = [line.rstrip() for line in seen.lines()]
        assert "What is asked on the way is answered with /respond; 'run it'" in lines
        assert "/help COMMAND, or /COMMAND --help, shows one in full. Flags" in lines


def test_a_very_small_one_and_one_without_colours(repo: Repo) -> None:
    with screen(repo, environ={"NO_COLOR": "1"}, columns=20, rows=5) as seen:
        begin(seen, repo, shell("A", "echo a > a.txt"))
        seen.shows("is closed: COMPLETE")
        assert not re.search(r"\x1b\[([34][0-7]|[;0-9]*;[34][0-7])m", "".join(seen.lines(styled=True)))
        seen.type("日本語")
        seen.is_typed("日本語")
        seen.send("")
        seen.send("/exit")


# ── what has the terminal for itself ─────────────────────────────────────────


@pytest.mark.covers("P23", "P41")
def test_a_provider_is_chosen_with_arrow_keys_or_not_at_all(repo: Repo) -> None:
    with screen(repo, environ={"OPENAI_API_KEY": "sk-" + "a1B2" * 10}) as seen:
        seen.send("/provider")
        seen.shows("Who plans and judges?")
        seen.press("Down")
        seen.press("C-c")
        seen.is_typed("")
        assert not (repo.store / "repl.json").exists()
        seen.send("/provider openai")
        seen.shows("openai")
        seen.is_typed("")
        until(lambda: (repo.store / "repl.json").exists())
        seen.send("/provider")
        until(lambda: seen.everything().count("Who plans and judges?") == 2)
        seen.press("Down", "Enter")
        until(lambda: json.loads((repo.store / "repl.json").read_text())["selected_provider"] == "anthropic")
        seen.is_typed("")


def test_an_editor_has_the_terminal_and_gives_it_back(repo: Repo) -> None:
    editor = repo.path.parent / "editor"
    editor.write_text(
        '#!/bin/sh\nprintf "editing, enter goes on"; read answer\nprintf "[run]\\nparallel = 7\\n" > "$1"\n'
    )
    editor.chmod(0o755)
    with screen(repo, environ={"EDITOR": str(editor)}) as seen:
        seen.send("/config edit --project")
        seen.shows("editing, enter goes on")
        seen.press("Enter")
        seen.shows(".toryo/config.toml")
        seen.is_typed("")
        seen.send("/config show")
        seen.shows("run.parallel")
        assert any(line.split()[:2] == ["run.parallel", "7"] for line in seen.everything().splitlines())


def test_the_end_of_input_leaves_where_that_is_wanted(repo: Repo) -> None:
    with screen(repo, "--exit-on-eof") as seen:
        seen.type("not empty")
        seen.is_typed("not empty")
        seen.press("C-d")
        seen.press("C-u")
        seen.is_typed("")
        seen.press("C-d")
        assert seen.code() == 0

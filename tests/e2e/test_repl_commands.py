"""The REPL's commands, as a script or a person types them: help, answers, approvals, choices, and leaving."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.instructions import (
    RECONSIDER,
    judged,
    plan,
    planner,
    question,
    questions,
    review,
    score,
    spec,
    task,
    tasks,
    usual,
    work,
    writes,
)
from tests.support.planning_server import json_text
from tests.support.repositories import TORYO, Done, Repo, shell, until

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"
KEY = "a-key-of-no-known-shape-Zq7"
P41 = (
    *("help", "init", "provider", "models", "model", "keys", "start", "continue", "status", "tasks", "logs", "trace"),
    *("respond", "approve", "config", "exit"),
)


def repl(repo: Repo, *lines: str, flags: tuple[str, ...] = ()) -> Done:
    """The lines, by a pipe; what is begun there has come to rest when this returns."""
    done = subprocess.run(
        [*TORYO, "repl", *flags],
        cwd=repo.path,
        env=repo.environ,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    rest(repo)
    return Done(done.returncode, done.stdout, done.stderr)


def rest(repo: Repo) -> None:
    def rests() -> bool:
        status = repo.status()
        return status["conductor"] is None and all(row["queued_at"] is None for row in status["sessions"])

    until(rests)


def latest(repo: Repo) -> dict[str, Any]:
    row: dict[str, Any] = repo.status()["sessions"][0]
    return row


def short(row: dict[str, Any]) -> str:
    return str(row["id"]).removeprefix("session-")[:8]


@pytest.fixture
def blocked(repo: Repo) -> Repo:
    """One session with a task that went beyond its limit."""
    done = repo.run(shell("T1", "touch a b c", limits={"files": 2}))
    assert done.code == 2, done
    return repo


@pytest.mark.covers("P1")
def test_a_run_has_no_dialogue_about_its_own_repository(repo: Repo) -> None:
    """What it begins there would wait for the run itself to end, and the run for that."""
    (repo.path.parent / "own.json").write_text(json.dumps({"tasks": [{"key": "A", "title": "a", "command": "true"}]}))
    said = "/approve\n/provider openai\n/run --plan ../../../own.json\n"
    script = f"printf '{said}' | {' '.join(TORYO)} repl > said 2>&1; echo $? >> said"
    done = repo.run(shell("T1", script, limits={"seconds": 60}))
    assert done.code == 0, done
    said = repo.show("agent/the-plan", "said")
    assert "E216" in said
    assert said.splitlines()[-1] == "73"
    assert len(repo.status()["sessions"]) == 1
    assert not (repo.store / "repl.json").exists()


@pytest.mark.parametrize("command", ["run --detach --plan ../../../own.json", "say more", "resume", "continue more"])
def test_nothing_goes_on_from_inside_a_run(repo: Repo, command: str) -> None:
    (repo.path.parent / "own.json").write_text(json.dumps({"title": "own", "tasks": [shell("X", "echo x > x")]}))
    script = f"{' '.join(TORYO)} {command} > said 2>&1; echo $? >> said"
    done = repo.run(shell("T1", script, limits={"seconds": 60}))
    assert done.code == 0, done
    said = repo.show("agent/the-plan", "said")
    assert "E216" in said
    assert said.splitlines()[-1] == "73"
    assert len(repo.status()["sessions"]) == 1


# ── help and slips ───────────────────────────────────────────────────────────


@pytest.mark.covers("P41")
def test_help_lists_every_command_once_by_what_it_is_for(repo: Repo) -> None:
    done = repl(repo, "/help")
    assert done.code == 0, done
    assert done.out.startswith("Plain text is an instruction")
    listed = re.findall(r"^  /([a-z]+)", done.out, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(P41) <= set(listed)
    assert {"land", "undo", "clean", "inbox", "stop", "resume", "retry", "report", "verify", "doctor"} <= set(listed)
    assert not {"repl", "demo", "conduct"} & set(listed)
    assert re.findall(r"^[A-Z].*", done.out, re.MULTILINE)[1:] == ["Talk", "Look", "Steer", "Land", "Set up", "Here"]
    assert "toryo" not in done.out


@pytest.mark.covers("P41")
def test_each_command_has_a_help_in_the_repls_own_words(repo: Repo) -> None:
    listed = re.findall(r"^  /([a-z]+)", repl(repo, "/help").out, re.MULTILINE)
    done = repl(repo, *(f"/help {name}" for name in listed))
    assert done.code == 0, done
    helps = done.out.split("Usage: ")[1:]
    assert [re.split(r"\s", text, maxsplit=1)[0] for text in helps] == [f"/{name}" for name in listed]
    for text in helps:
        assert "Example: " in text, text
        assert not re.search(r"toryo (?!demo|repl)[a-z]+", text.replace("pass show openai | toryo keys", "")), text
    for one, other in [
        ("/help logs", "/logs --help"),
        ("/help config set", "/config set --help"),
        ("/help /say", "/say --help"),
    ]:
        assert repl(repo, one).out == repl(repo, other).out != ""


@pytest.mark.covers("P41")
def test_unknown_commands_and_slips_are_errors_and_never_tasks(repo: Repo) -> None:
    done = repl(repo, "/lgos", "/stat", "/quit", "/usr/lib/foo is broken", "/help lgos", "status", "y", "-", "/run -")
    errors = re.findall(r"^ERROR: (.*)$", done.out, re.MULTILINE)
    assert errors == [
        "there is no command /lgos; did you mean /logs? (E152)",
        "there is no command /stat; did you mean /status? (E152)",
        "there is no command /quit; did you mean /exit? (E152)",
        "there is no command /usr/lib/foo (E152)",
        "there is no command /lgos; did you mean /logs? (E152)",
        "Did you mean /status?",
        "no plan waits for your yes (E162)",
        "standard input is where you type (E130)",
        "standard input is where you type (E130)",
    ]
    assert "an instruction that begins with a slash goes behind /start" in done.out
    assert repl(repo, " ｅｘｉｔ() ").out == "ERROR: Did you mean /exit?\nHINT: /exit\n"
    assert (
        repl(repo, ":q", "ヘルプ").out
        == "ERROR: Did you mean /exit?\nHINT: /exit\nERROR: Did you mean /help?\nHINT: /help\n"
    )
    assert repo.status()["sessions"] == []


@pytest.mark.covers("P24", "P41")
def test_a_command_as_at_the_shell_or_without_its_slash_is_no_task_and_a_key_in_it_goes_nowhere(repo: Repo) -> None:
    done = repl(repo, "toryo status", "land --merge", f"keys set openai {KEY}", f"toryo keys set openai {KEY}")
    errors = re.findall(r"^ERROR: (.*)$", done.out, re.MULTILINE)
    refused = "a key is never typed in the line: what you typed was not kept (E163)"
    assert errors == ["Did you mean /status?", "Did you mean /land --merge?", refused, refused]
    assert "HINT: /land --merge\n" in done.out
    assert KEY not in done.out + done.err
    assert repo.status()["sessions"] == []


@pytest.mark.covers("P41", "P46")
def test_what_is_missing_is_said_with_what_to_type_next(repo: Repo) -> None:
    nobody = repl(repo, WISH).out
    assert "(E133)" in nobody
    assert "HINT: /agents shows what is here; /init chooses one, and --agent claude names one\n" in nobody
    assert repo.run(shell("T1", "touch a")).code == 0
    landing = repl(repo, "/land").out
    assert "(E234)" in landing
    assert f"HINT: /land {short(latest(repo))} --merge; or for all of them: /config set run.land merge\n" in landing


@pytest.mark.covers("P41", "P46")
def test_wrong_usage_says_how_to_write_it_here(repo: Repo) -> None:
    done = repl(repo, "/logs --ful", "/logs it's", "/parallel", "/tasks", "/spec")
    assert "HINT: /logs --help shows how" in done.out
    assert "'--full'" in done.out
    assert "ERROR: /logs: no closing quotation (E150)" in done.out
    assert "HINT: /parallel --help shows how" in done.out
    assert "HINT: start one: /run 'what you want', or /run --plan plan.yaml" in done.out
    assert "Usage: /spec" in done.out
    assert "Usage: toryo" not in done.out


# ── plain text ───────────────────────────────────────────────────────────────


@pytest.mark.covers("P63", "P19", "P41")
@pytest.mark.parametrize(
    ("said", "asked", "answered"),
    [
        (
            "fix it",
            "Which feature or place should be fixed? (for example a command, an error message, a file)",
            "the greeting, it's in A.txt",
        ),
        ("追加して", "対象のファイル名またはパスを指定してください。", "A.txt に挨拶を"),
        ("バグを修正して", "どの機能/箇所を修正しますか？（例: コマンド名、エラー文、対象ファイル）", "挨拶の機能"),
    ],
)
def test_what_is_unclear_is_asked_about_before_anybody_is_asked_to_work(
    repo: Repo, said: str, asked: str, answered: str
) -> None:
    with planner(repo, usual("A")) as endpoint:
        repl(repo, said)
        assert endpoint.requests == ()
        assert latest(repo)["waits_for"] == "answers"
        assert asked in repl(repo, "/respond").out
        assert f"/respond {short(latest(repo))}" in repl(repo, "/inbox").out
        repl(repo, f"/respond {answered}")
        assert latest(repo)["waits_for"] == "approval"
        assert answered in "\n".join(endpoint.conversations()[0])
        assert repo.status()["tasks"][0]["state"] == "planned"


@pytest.mark.covers("P41", "P16")
@pytest.mark.parametrize("yes", ["y", "実行して", "Run it.", "/approve"])
def test_a_plan_is_approved_by_saying_so(repo: Repo, yes: str) -> None:
    with planner(repo, usual("A")):
        repl(repo, WISH)
        assert latest(repo)["waits_for"] == "approval"
        repl(repo, yes)
    assert latest(repo)["outcome"] == "COMPLETE"
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}
    assert len(repo.status()["sessions"]) == 1


@pytest.mark.covers("P41")
def test_a_plan_is_rejected_with_words_that_need_no_quotes(repo: Repo) -> None:
    again = [spec(), plan(), tasks(task("B")), score(95), review(), judged()]
    with planner(repo, [*usual("A")[:5], *again]) as endpoint:
        repl(repo, f"/plan {WISH}")
        assert "E165" in repl(repo, "/reject").out
        repl(repo, '/reject don\'t do A, only "B" --please')
        assert 'don\'t do A, only "B" --please' in "\n".join(endpoint.conversations()[5])
        repl(repo, "/approve")
    assert repo.files_on(BRANCH) == {"README.md", "B.txt"}


@pytest.mark.covers("P41")
def test_instructions_keep_what_was_typed(repo: Repo) -> None:
    said = [
        'it\'s about "quotes" & $HOME',
        "/start /usr/lib is missing --yes 'x'",
        "/start --parallel 2 -- --json is wrong",
        "挨拶を「A.txt」に書いて",
        "'exit handling in the parser is broken'",
    ]
    with planner(repo, [questions(question("Which one?", "this", "that")) for _ in said]):
        done = repl(repo, *said)
        assert done.out.count("goes on in the background") == len(said) or done.code == 2
    streams = [row["id"] for row in repo.status()["sessions"]][::-1]
    opened = [json.loads(repo.toryo("logs", stream, "--events", "--json").out.splitlines()[0]) for stream in streams]
    assert [event["instruction"] for event in opened] == [
        'it\'s about "quotes" & $HOME',
        "/usr/lib is missing --yes 'x'",
        "--json is wrong",
        "挨拶を「A.txt」に書いて",
        "'exit handling in the parser is broken'",
    ]


# ── what waits ───────────────────────────────────────────────────────────────


@pytest.mark.covers("P41", "P55")
def test_without_an_id_the_one_thing_that_waits_is_meant_and_of_several_none(repo: Repo) -> None:
    nothing = repl(repo, "/respond b", "/approve", "/reject no", "/start")
    assert re.findall(r"ERROR: (.*)", nothing.out) == [
        "nothing asks you anything (E162)",
        "nothing waits for your approval (E162)",
        "no plan waits for your approval (E162)",
        "nothing was stopped here (E162)",
    ]
    asked = questions(question("Which one?", "this", "that"), question("How many?", "one", "two"))
    with planner(repo, [asked, asked, *usual("A")[1:5]]) as endpoint:
        repl(repo, WISH)
        first = short(latest(repo))
        repl(repo, "Add a farewell")
        second = short(latest(repo))
        done = repl(repo, "/respond 1b 2a")
        lines = done.out.splitlines()
        assert [line.split("  ")[0] for line in lines[:2]] == [f"/respond {second}", f"/respond {first}"]
        assert "Which one? How many?" in lines[0]
        assert lines[2] == "ERROR: 2 things wait for you: say which one is meant (E164)"
        assert {row["waits_for"] for row in repo.status()["sessions"]} == {"answers"}
        wrong = repl(repo, "/respond 0000beef 1b 2a")
        assert "ERROR: nothing here is called '0000beef' (E204)" in wrong.out
        repl(repo, f"/respond {first} 1b 2a")
        states = {short(row): row["waits_for"] for row in repo.status()["sessions"]}
        assert states == {first: "approval", second: "answers"}
        assert "Which one? → that" in "\n".join(endpoint.conversations()[2])
        waits = repl(repo, "/start").out
        assert "ERROR: session" in waits
        assert "HINT: /respond" in waits


@pytest.mark.covers("P16", "P41", "P42", "P55")
def test_a_limit_is_gone_beyond_with_approve(blocked: Repo) -> None:
    shown = repl(blocked, "/tasks").out
    assert "T1 asks: 3 files changed, 1 over the limit of 2. May it go beyond its limits?" in shown
    assert "→ /respond T1 'your answer'" in shown
    wrong = repl(blocked, "/approve T2", "/approve looks-good")
    assert wrong.out.count("(E204)") == 2
    assert blocked.tasks()["T1"]["state"] == "blocked"
    done = repl(blocked, "/approve T1 because it's three small files")
    assert blocked.tasks()["T1"]["state"] == "integrated", done
    (approved,) = [event for event in blocked.events() if event["kind"] == "TaskApproved"]
    assert approved["why"] == "because it's three small files"
    assert latest(blocked)["outcome"] == "COMPLETE"


@pytest.mark.covers("P55", "P41")
def test_a_blocked_tasks_one_question_is_answered_with_respond(repo: Repo) -> None:
    work(repo, {"A": [[{"say": "cannot"}]] * 3})
    remedy = {"remedy": "ask", "reason": "it is not clear", "advice": "Which colour should it be?"}
    with planner(repo, [*usual("A")[:5], json_text(remedy, when=RECONSIDER), review(), judged()]):
        repl(repo, WISH, flags=("--yes",))
        assert repo.tasks()["A"]["state"] == "blocked", repo.toryo("logs").out
        assert repl(repo, "/respond", "/respond A").out == "Which colour should it be?\n" * 2
        shown = repl(repo, "/tasks", "/inbox").out
        assert shown.count("Which colour should it be?") >= 2
        rows = json.loads(repl(repo, "/tasks --json").out)
        assert [row["question"] for row in rows["failed"]] == ["Which colour should it be?"]
        work(repo, {"A": [[writes("A.txt")]]})
        repl(repo, "/respond blue, it's nicer")
        (retried,) = [event for event in repo.events() if event["kind"] == "TaskRetried"]
        assert retried["says"] == "blue, it's nicer"
    assert latest(repo)["outcome"] == "COMPLETE", repo.toryo("logs").out


# ── looking ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("P27", "P30", "P42", "P43", "P57", "P64")
def test_tasks_logs_and_trace_agree_and_take_every_id(repo: Repo) -> None:
    repo.run(shell("T1", "echo hello; touch a"), shell("T2", "exit 3", limits={}), flags=("--parallel", "1"))
    found = repo.info("T1")["task"]["id"]
    shown = repl(repo, "/tasks")
    assert re.search(r"FAILED \(1\)\n  task-002 .*T2", shown.out)
    assert re.search(rf"COMPLETED \(1\)\n  task-001  {found}  T1", shown.out)
    assert shown.out.rstrip().endswith("2 tasks: 1 failed, 0 active, 0 pending, 1 completed")
    listed = repl(repo, "/logs --list").out
    for word in ("task-001", "task-002", found):
        assert word in listed
    by_id = {repl(repo, f"/logs {name}").out for name in ("T1", "task-001", found)}
    assert by_id == {"hello\n"}
    assert "thr_001" in repl(repo, "/logs --tree").out
    assert json.loads(repl(repo, "/logs T1 --json").out)["task_id"] == found
    assert len(repl(repo, "/logs --full").out.splitlines()) > len(repl(repo, "/logs").out.splitlines())
    assert "T1" in repl(repo, "/trace").out
    status = repl(repo, "/status").out
    assert "/resume" in status
    assert "toryo resume" not in status


def test_what_agents_print_is_shown_as_they_printed_it(repo: Repo) -> None:
    repo.run(shell("T1", "echo \"try 'toryo status' or toryo run x\"; touch a"))
    done = repl(repo, "/logs T1", "/report", "/diff")
    assert "try 'toryo status' or toryo run x" in done.out


# ── going on ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("P41")
def test_start_goes_on_with_what_was_stopped(repo: Repo, tmp_path: Path) -> None:
    go = tmp_path / "go"
    process = repo.start(
        "run", "--plan", str(repo.plan(shell("T1", f"while ! test -e {go}; do sleep 0.05; done; touch a")))
    )
    until(lambda: repo.status()["sessions"] and repo.tasks()["T1"]["state"] == "running")
    assert "is under way already" in repl_while_running(repo, "/start").out
    repo.toryo("stop")
    process.communicate()
    go.touch()
    repl(repo, "/start")
    assert latest(repo)["outcome"] == "COMPLETE"


def repl_while_running(repo: Repo, *lines: str) -> Done:
    done = subprocess.run(
        [*TORYO, "repl"],
        cwd=repo.path,
        env=repo.environ,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.covers("P41")
def test_exit_says_what_goes_on_and_what_waits(blocked: Repo, tmp_path: Path) -> None:
    go = tmp_path / "go"
    waits = shell("T1", f"while ! test -e {go}; do sleep 0.05; done; touch a")
    blocked.toryo("run", "--plan", str(blocked.plan(waits)), "--detach")
    until(lambda: blocked.tasks()["T1"]["state"] == "running")
    blocked.toryo("run", "--plan", str(blocked.plan(waits)), "--detach")
    rows = blocked.status()["sessions"]
    done = repl_while_running(blocked, "/exit", "/status")
    assert done.code == 0, done
    at_work, queued, waiting = done.out.splitlines()
    assert at_work.startswith(f"session {short(rows[1])} goes on in the background: The plan (toryo logs --follow")
    assert f"toryo stop {short(rows[1])}" in at_work
    assert queued == "1 session waits for its turn: toryo status shows them"
    assert waiting == "1 session waits for you: toryo inbox"
    go.touch()
    rest(blocked)
    assert [row["outcome"] for row in blocked.status()["sessions"][:2]] == ["COMPLETE", "COMPLETE"]


@pytest.mark.covers("P41")
def test_continue_say_and_retry_take_words_as_they_are(repo: Repo) -> None:
    more = [questions(), spec(), plan(), tasks(task("B")), score(90), review(), judged()]
    with planner(repo, [*usual("A"), *more]) as endpoint:
        repl(repo, WISH, flags=("--yes",))
        assert latest(repo)["outcome"] == "COMPLETE"
        done = repl(repo, "/continue add B, it's missing")
        assert "ERROR" not in done.out, done
        assert "add B, it's missing" in "\n".join(endpoint.conversations()[7])
        repl(repo, "/say run it")
    assert latest(repo)["outcome"] == "COMPLETE"
    assert "E206" in repl(repo, "/retry B with 'these' words").out


# ── setting up ───────────────────────────────────────────────────────────────


@pytest.mark.covers("P23", "P41")
def test_a_selected_model_holds_for_sessions_begun_from_then_on(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, asked, asked]) as endpoint:
        repl(repo, WISH)
        done = repl(repo, "/model 大きな model", "/models", "Add a farewell")
        assert done.out.startswith("provider: openai (as configured)\nmodel: 大きな model (selected)\n")
        assert re.search(r"^\*  大きな model  selected$", done.out, re.MULTILINE)
        repl(repo, "/model default", "Add a third thing")
        assert [body["model"] for body in endpoint.bodies] == ["scripted", "大きな model", "scripted"]
    streams = [row["id"] for row in repo.status()["sessions"]][::-1]
    opened = [json.loads(repo.toryo("logs", stream, "--events", "--json").out.splitlines()[0]) for stream in streams]
    assert [event["terms"]["chosen"].get("model", "") for event in opened] == ["", "大きな model", ""]


@pytest.mark.covers("P23", "P41")
def test_a_provider_is_selected_by_name_and_what_it_lacks_is_said(repo: Repo) -> None:
    done = repl(repo, "/provider anthropic", "/provider show", "/provider default", "/provider codex", "/provider x")
    first = done.out.splitlines()[:3]
    assert first[:2] == ["provider: anthropic (selected)", "model: claude-sonnet-4-5 (the default)"]
    assert first[2].startswith("warning: its key is NOT SET")
    assert first[2].endswith("/keys set anthropic, or set ANTHROPIC_API_KEY")
    assert done.out.count("provider: anthropic (selected)") == 2
    assert "provider: none" in done.out
    assert "codex is configured, not selected (E161)" in done.out
    assert "HINT: /config set model.provider codex" in done.out
    assert "there is no provider 'x' (E161)" in done.out
    assert json.loads((repo.store / "repl.json").read_text())["selected_provider"] is None
    bare = repl(repo, "/provider", "/model", "/model ''")
    assert bare.out.count("(E153)") == 2
    assert "HINT: /provider claude-code|openai|anthropic|default" in bare.out
    assert "(E161)" in bare.out


@pytest.mark.covers("P24", "P41")
def test_keys_are_set_or_not_and_never_typed_in_the_line(repo: Repo, tmp_path: Path) -> None:
    repo.environ["OPENAI_API_KEY"] = KEY
    shown = repl(repo, "/keys", "/keys --json")
    assert re.search(r"openai +SET +environment OPENAI_API_KEY", shown.out)
    assert re.search(r"anthropic +NOT SET", shown.out)
    del repo.environ["OPENAI_API_KEY"]
    said = [
        f"/keys set openai {KEY}",
        f"/keys {KEY}",
        f"/keys openai {KEY}",
        f"/key set openai {KEY}",
        f"/keys set {KEY}",
    ]
    done = repl(repo, *said, "/keys set openai", "/keys")
    assert KEY not in shown.out + shown.err + done.out + done.err
    assert done.out.count("(E163)") == 4
    assert "typing a key unseen needs a terminal, and this is a script (E153)" in done.out
    assert "toryo keys set openai" in done.out
    assert done.out.count("NOT SET") == 2
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.covers("P41")
def test_the_configuration_is_shown_and_changed(repo: Repo) -> None:
    done = repl(
        repo,
        "/config",
        "/config set run.parallel 7",
        "/config",
        "/config edit",
        "/init",
        "/init --provider openai --model m --yes",
    )
    tables = re.findall(r"^run\.parallel +(\S+)", done.out, re.MULTILINE)
    assert tables == ["4", "7"]
    assert "an editor needs a terminal, and this is a script (E153)" in done.out
    assert "(E515)" in done.out
    assert re.search(r"HINT: /init --provider", done.out)
    assert 'provider = "openai"' in (Path(repo.environ["XDG_CONFIG_HOME"]) / "toryo" / "config.toml").read_text()


@pytest.fixture(autouse=True)
def _nothing_goes_on(repo: Repo) -> Iterator[None]:
    yield
    rest(repo)

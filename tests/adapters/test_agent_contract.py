"""What holds for every agent: how it is started, and that nothing it prints can do harm."""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.adapters.agents.configured import ConfiguredAgent
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.opening import Opening
from toryo.adapters.agents.scripted import ScriptedAgent
from toryo.adapters.settings import AgentSettings, load_settings
from toryo.app.crew import agents_of
from toryo.domain import signals as s
from toryo.domain.report import Report, Trouble, Usage
from toryo.domain.run import Mode
from toryo.ports import Agent, Errand, Invocation
from toryo.rules.reporting import heard
from toryo.views.signals import Teller

RECORDINGS = Path(__file__).parent / "recordings"
AT = 1_794_800_000.0
NASTY = "--dash\n- \"double\" 'single' $HOME $(id) `id` \\ \\n %s {prompt} {worktree} !! 😀 漢字かな é\t\r\n"
PROMPT = (NASTY * 2000)[:90_000]
LONG = (NASTY * 6000)[:300_000]
NOTHING = load_settings(None, {"XDG_CONFIG_HOME": "/nonexistent"}, {})
PROGRAMS = sorted(name for name, agent in agents_of(NOTHING).items() if isinstance(agent, KnownAgent))
OWN: Mapping[str, AgentSettings] = {
    "by-stdin": AgentSettings(command=("own", "--quiet"), resume=("own", "again"), quota=r"limit, (?P<seconds>\d+)s"),
    "by-argument": AgentSettings(command=("own", "-p", "{prompt}", "--id={conversation}"), env={"OWN": "1"}),
    "by-file": AgentSettings(command=("own", "@{prompt_file}", "{worktree}"), mode=Mode.INTERACTIVE),
    "by-typing": AgentSettings(command=("own",), mode=Mode.INTERACTIVE, ready="> "),
}


def crew(**options: Any) -> Mapping[str, Agent]:
    """Every agent there can be; the options are those of the agents that Toryo knows."""
    known = {name: AgentSettings(**options) for name in PROGRAMS}
    scripted = AgentSettings(mode=options.get("mode", Mode.HEADLESS), scenario=Path("/scenario.yaml"))
    return agents_of(replace(NOTHING, agents={**OWN, **known, "scripted": scripted}))


NAMES = sorted(crew())
every_agent = pytest.mark.parametrize("name", NAMES)
every_program = pytest.mark.parametrize("name", PROGRAMS)
every_mode = pytest.mark.parametrize("mode", list(Mode))


def errand(prompt: str = "# Task A\n", **more: Any) -> Errand:
    usual: dict[str, Any] = {
        "task_key": "A",
        "attempt": 1,
        "command": "make it",
        "conversation": "0f0f0f0f-0000-4000-8000-000000000001",
        "is_first": True,
        "directory": Path("/store/runs/run-1"),
        "worktree": Path("/trees/task-a"),
        "root": Path("/repo"),
        "prompt": prompt,
    }
    return Errand(**{**usual, **more})


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No configuration of the person who runs the tests; and what was recorded was recorded in UTC."""
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


# ── how it is started ────────────────────────────────────────────────────────


def test_all_agents_are_here() -> None:
    assert set(NAMES) == {"claude", "codex", "gemini", "opencode", "scripted", "shell", *OWN}


@every_agent
@every_mode
def test_an_invocation_follows_from_its_errand(name: str, mode: Mode, tmp_path: Path) -> None:
    agent, again = crew(mode=mode)[name], crew(mode=mode)[name]
    sent = errand(PROMPT, directory=tmp_path / "runs" / "run-1")
    first = agent.invocation(sent)
    assert first == agent.invocation(sent) == again.invocation(sent)
    assert not list(tmp_path.iterdir()), "what it needs is asked for, not made"
    assert agent.name == name
    assert agent.credential
    assert agent.mode in agent.abilities.modes


@every_agent
@every_mode
def test_a_prompt_goes_in_whole(name: str, mode: Mode) -> None:
    agent = crew(mode=mode)[name]
    assert 90_000 <= len(PROMPT.encode()) < 120_000
    invocation = agent.invocation(errand(PROMPT))
    assert len(ways_in(agent, invocation, PROMPT)) == 1


@every_agent
@every_mode
def test_a_prompt_too_long_for_an_argument_goes_in_by_its_file(name: str, mode: Mode) -> None:
    agent = crew(mode=mode)[name]
    invocation = agent.invocation(errand(LONG))
    assert max(len(part.encode()) for part in invocation.argv) < 131_072, "the kernel takes no more"
    if ways_in(agent, agent.invocation(errand()), "# Task A\n") == ["argument"]:
        (told,) = [part for part in invocation.argv if "/store/runs/run-1/prompt.md" in part and "Read" in part]
        assert "do exactly what it says" in told
    else:
        assert ways_in(agent, invocation, LONG)


def ways_in(agent: Agent, invocation: Invocation, prompt: str) -> list[str]:
    """How the prompt gets to the program: whole, each way once."""
    is_in_window = agent.name == "scripted" and agent.mode is Mode.INTERACTIVE
    ways = {
        "standard input": invocation.reads_prompt_from_stdin,
        "typed": bool(invocation.ready),
        "argument": sum(part.endswith(prompt) for part in invocation.argv) == 1,
        "file": any("prompt.md" in part for part in invocation.argv),
        "its command": invocation.argv[-1] == "make it",
        "$TORYO_PROMPT": is_in_window,
    }
    return [way for way, is_so in ways.items() if is_so]


@every_program
def test_a_prompt_is_never_taken_for_an_option(name: str) -> None:
    argv = crew(mode=Mode.INTERACTIVE)[name].invocation(errand("--version")).argv
    assert argv[-1].endswith("=--version") or argv[-2:] == ("--", "--version")


@every_program
def test_a_screen_of_its_own_is_as_a_person_starts_it(name: str) -> None:
    """It asks before it does something, and a person answers: whatever is configured for unattended runs."""
    agent = crew(mode=Mode.HEADLESS, flags=("--own",), model="big", env={"OWN": "1"})[name]
    assert isinstance(agent, KnownAgent)
    file = Path("/store/hands/x/prompt.md")
    alone, told = (agent.opening(Opening(Path("/trees/x"), prompt, file)) for prompt in ("", "--version"))
    in_its_window = ("--no-daemon",) if name == "codex" else ()
    model = alone.argv[-3:]
    assert alone.argv == (name, *in_its_window, *model) and model[1:] == ("big", "--own")
    assert told.argv[: len(alone.argv)] == alone.argv
    assert told.argv[-1].endswith("=--version") or told.argv[-2:] == ("--", "--version")
    assert told.env == {"OWN": "1"}
    long = agent.opening(Opening(Path("/trees/x"), LONG, file)).argv
    assert str(file) in long[-1]


def test_a_configured_agent_has_a_screen_where_its_prompt_can_go_in() -> None:
    def argv(name: str, prompt: str) -> tuple[tuple[str, ...], str] | None:
        agent = crew()[name]
        assert isinstance(agent, ConfiguredAgent)
        invocation = agent.opening(Opening(Path("/trees/x"), prompt, Path("/p.md")))
        return (invocation.argv, invocation.ready) if invocation else None

    assert argv("by-stdin", "") == (("own", "--quiet"), "")
    assert argv("by-stdin", "do") is None
    assert argv("by-argument", "") is None
    assert argv("by-file", "do") == (("own", "@/p.md", "/trees/x"), "")
    assert argv("by-typing", "") == (("own",), "")
    assert argv("by-typing", "do") == (("own",), "> ")


@every_agent
@every_mode
@pytest.mark.parametrize("prompt", ["a\0b", "\0", "lone \ud800 surrogate", "half a byte \udcff"])
def test_what_the_kernel_would_refuse_is_not_in_an_argument(name: str, mode: Mode, prompt: str) -> None:
    """Output of a failed check becomes part of the next prompt, whatever it is."""
    invocation = crew(mode=mode)[name].invocation(errand(prompt))
    for part in (*invocation.argv, *invocation.env.values()):
        assert "\0" not in part
        part.encode()


@every_program
@every_mode
def test_a_conversation_begins_and_goes_on(name: str, mode: Mode) -> None:
    agent = crew(mode=mode)[name]
    talk = errand().conversation
    first, later = (agent.invocation(errand(is_first=is_first)).argv for is_first in (True, False))
    assert first != later
    assert talk in later
    assert (talk in first) == agent.abilities.names_conversations


def test_a_configured_agent_goes_on_where_it_can() -> None:
    agents = crew()
    assert agents["by-stdin"].invocation(errand()).argv == ("own", "--quiet")
    assert agents["by-stdin"].invocation(errand(is_first=False)).argv == ("own", "again")
    talk = f"--id={errand().conversation}"
    assert agents["by-argument"].invocation(errand(is_first=False)).argv == ("own", "-p", "# Task A\n", talk)
    assert [agents[name].abilities.resumes for name in OWN] == [True, False, False, False]
    assert [agents[name].abilities.names_conversations for name in OWN] == [False, True, False, False]


def test_placeholders_in_a_prompt_are_left_alone() -> None:
    argv = crew()["by-argument"].invocation(errand("{worktree} {conversation} {prompt}")).argv
    assert argv[2] == "{worktree} {conversation} {prompt}"


FREE = {
    "claude": "--dangerously-skip-permissions",
    "codex": "--dangerously-bypass-approvals-and-sandbox",
    "gemini": "-y",
    "opencode": '"permission": {"*": "allow"}',
}


@pytest.mark.covers("G17")
@every_program
@every_mode
def test_only_with_full_auto_nobody_is_asked(name: str, mode: Mode) -> None:
    for full_auto in (True, False):
        invocation = crew(mode=mode, full_auto=full_auto)[name].invocation(errand())
        everything = [*invocation.argv, *invocation.env.values(), *invocation.files.values()]
        assert any(FREE[name] in part for part in everything) == full_auto


@every_program
@every_mode
def test_options_reach_the_program(name: str, mode: Mode) -> None:
    options = {"model": "big", "flags": ("--extra", "a b"), "env": {"OWN": "1"}, "program": "/opt/it"}
    invocation = crew(mode=mode, **options)[name].invocation(errand())
    assert invocation.argv[0] == "/opt/it"
    place = invocation.argv.index("big")
    assert invocation.argv[place - 1] in ("-m", "--model")
    place = invocation.argv.index("--extra")
    assert invocation.argv[place + 1] == "a b"
    assert invocation.env["OWN"] == "1"
    plain = crew(mode=mode)[name].invocation(errand())
    assert plain.argv[0] == name
    assert not {"-m", "--model"} & set(plain.argv)


@every_program
def test_a_persons_own_variables_win(name: str) -> None:
    for variable in crew()[name].invocation(errand()).env:
        if variable == "OPENCODE_CONFIG_CONTENT":
            continue  # both are needed: see below
        agent = crew(env={variable: "mine"})[name]
        assert agent.invocation(errand()).env[variable] == "mine"


def test_opencodes_configuration_is_added_to() -> None:
    theirs = {"OPENCODE_CONFIG_CONTENT": '{"theme": "dark"}'}
    given = json.loads(crew(env=theirs)["opencode"].invocation(errand()).env["OPENCODE_CONFIG_CONTENT"])
    assert given == {"theme": "dark", "permission": {"*": "allow"}}


@every_program
def test_credentials_and_variables_are_as_configured(name: str) -> None:
    agent = crew(credential="account", pass_env=("MINE_*",))[name]
    assert agent.credential == "account"
    assert "MINE_*" in agent.passes
    assert crew()[name].credential == name


@every_agent
@every_mode
def test_files_are_asked_for_in_toryos_own_folder_only(name: str, mode: Mode) -> None:
    invocation = crew(mode=mode)[name].invocation(errand())
    for path in (*invocation.files, *invocation.links):
        assert path.is_relative_to("/store")


# ── nothing it prints can do harm ────────────────────────────────────────────


def lines_of(agent: str, scenario: str) -> list[str]:
    """As in a real run, standard output and standard error are one file."""
    paths = [RECORDINGS / agent / f"{scenario}{suffix}" for suffix in (".stderr", ".jsonl")]
    return [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def scenarios_of(agent: str) -> list[str]:
    return sorted(path.stem for path in (RECORDINGS / agent).glob("*.json"))


def folded(signals: list[s.Signal]) -> Report:
    return reduce(heard, signals, Report())


def shown(signals: list[s.Signal]) -> str:
    teller = Teller()
    return "".join(map(teller.tell, signals))


RECORDED = [line for name in PROGRAMS for scenario in scenarios_of(name) for line in lines_of(name, scenario)]
HOOKS = [
    json.dumps({"hook_event_name": name, "session_id": "x", "transcript_path": "/x", "tool_name": "Bash"})
    for name in ("SessionStart", "PreToolUse", "PermissionRequest", "Notification", "Stop", "StopFailure", "AfterAgent")
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A line that was really printed, with a value somewhere in it put in the place of another."""
    line = draw(st.sampled_from([*RECORDED, *HOOKS]))
    try:
        root = json.loads(line)
    except ValueError:
        return line
    place: Any = root
    while isinstance(place, dict | list) and place:
        key = draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or draw(st.booleans()):
            place[key] = draw(VALUES)
            break
        place = place[key]
    return json.dumps(root)


TRUNCATED = st.builds(lambda line, end: line[:end], st.sampled_from([*RECORDED, *HOOKS]), st.integers(0, 3000))
ANYTHING = st.one_of(st.text(), VALUES.map(json.dumps), TRUNCATED, mutated())
DEEP = ["{" * 100_000, '{"a":' * 100_000, "[" * 100_000, '{"type":"result","usage":' + "[" * 50_000, "9" * 10_000]


@every_agent
@every_mode
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_is_printed_is_read(name: str, mode: Mode, data: st.DataObject) -> None:
    agent = crew(mode=mode)[name]
    line, at = data.draw(ANYTHING), data.draw(st.sampled_from([0.0, AT]))
    signals = list(agent.read(line, at))
    assert signals == list(crew(mode=mode)[name].read(line, at)), "it follows from the line alone"
    assert all(isinstance(signal, s.Signal) for signal in signals)
    report = folded(signals)
    assert report.usage.tokens >= 0
    assert isinstance(shown(signals), str)


@every_agent
@pytest.mark.parametrize("line", DEEP)
def test_what_is_too_deep_or_too_long_is_read(name: str, line: str) -> None:
    list(crew()[name].read(line, AT))


@pytest.mark.parametrize("year", ["0001", "1900", "2038", "9999"])
@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Anchorage"])
def test_codex_may_name_any_date(year: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    for day in ("Jan 1st", "Dec 31st", "Feb 30th", "Foo 1st"):
        message = f"You've hit your usage limit, try again at {day}, {year}, 11:59 PM."
        (signal,) = crew()["codex"].read(json.dumps({"type": "error", "message": message}), AT)
        assert isinstance(signal, s.Stalled)
        assert signal.trouble is Trouble.QUOTA
        assert shown([signal])


# ── what the real programs printed ───────────────────────────────────────────

OK = (None, False, True)
CUT = (None, False, False)
LIMIT, LIMIT_UNTIL, TRYING = (Trouble.QUOTA, False, True), (Trouble.QUOTA, True, True), (Trouble.API, False, False)
API, LOGIN, WRONG = (Trouble.API, False, True), (Trouble.LOGIN, False, True), (Trouble.OTHER, False, True)
UNKNOWN = (Trouble.CONVERSATION, False, True)

# Scenario → trouble, whether its end is known, whether the turn is over; and the last words.
COMMON: dict[str, tuple[tuple[Trouble | None, bool, bool], str]] = {
    "ok": (OK, "I wrote notes/one.txt."),
    "resume": (OK, "It says one."),
    "nothing": (OK, "There is nothing to do."),
    "command-fails": (OK, "It failed."),
    "ask": (OK, "Left or right?"),
    "denied": (OK, "All done."),
    "cut": (OK, "At last."),
    "http-429-twice": (OK, "At last."),
    "http-400": (WRONG, ""),
    "http-401": (LOGIN, ""),
    "http-429-forever": (LIMIT, ""),
    "http-429-reset": (LIMIT_UNTIL, ""),
    "http-500-forever": (API, ""),
    "http-503": (API, ""),
    "refused": (API, ""),
    "sigterm": (CUT, ""),
    "unknown-conversation": (UNKNOWN, ""),
}
SPECIAL: dict[tuple[str, str], tuple[tuple[Trouble | None, bool, bool], str]] = {
    ("claude", "http-429-reset-no-subscriber"): (LIMIT, ""),
    ("claude", "http-529"): (API, ""),
    ("codex", "ask"): (OK, "I went left."),
    ("codex", "refused"): (TRYING, ""),
    ("codex", "refused-bounded"): (API, ""),
    ("gemini", "cut"): (API, "This answer is never hea"),
    ("gemini", "http-400"): (LOGIN, ""),  # what the server said was that the key is wrong
    ("gemini", "http-429-forever"): ((Trouble.QUOTA, False, False), ""),
    ("gemini", "http-429-reset"): (LIMIT, ""),
    ("gemini", "http-500-forever"): (TRYING, ""),
    ("gemini", "http-503"): (TRYING, ""),
    ("gemini", "refused"): (TRYING, ""),
    ("opencode", "denied"): (CUT, ""),
}
# Recorded while OpenCode still kept it to itself that it tried again and again.
SILENT = {("opencode", name) for name in ("http-429-forever", "http-429-reset", "http-500-forever", "refused")}
PAIRS = [(name, scenario) for name in PROGRAMS for scenario in scenarios_of(name)]
TOLD = [pair for pair in PAIRS if pair not in SILENT or lines_of(*pair)]


def recording(name: str, scenario: str) -> tuple[list[s.Signal], dict[str, Any]]:
    facts = json.loads((RECORDINGS / name / f"{scenario}.json").read_text(encoding="utf-8"))
    at = facts["reset"] - 3 * 3600 if facts["reset"] else AT
    agent = crew()[name]
    return [signal for line in lines_of(name, scenario) for signal in agent.read(line, at)], facts


@pytest.mark.covers("G19")
@pytest.mark.parametrize(("name", "scenario"), TOLD)
def test_what_was_recorded_is_understood(name: str, scenario: str) -> None:
    signals, facts = recording(name, scenario)
    report = folded(signals)
    expected, words = SPECIAL.get((name, scenario)) or COMMON[scenario]
    assert (report.trouble, bool(report.until), report.is_finished) == expected
    assert report.last_words == words
    assert bool(report.message) == bool(report.trouble)
    assert bool(report.conversation) == (report.trouble is not Trouble.CONVERSATION)
    assert not report.question
    if report.until:
        assert 0 <= facts["reset"] - report.until < 60
    if facts["exit"] == 0 and report.is_finished:
        assert report.usage.tokens + report.counter.tokens > 0
    if facts["exit"] != 0:
        assert report.trouble or not report.is_finished, "it failed, and says so"


@pytest.mark.parametrize(("name", "scenario"), TOLD)
def test_what_was_recorded_can_be_read_by_people(name: str, scenario: str) -> None:
    signals, _ = recording(name, scenario)
    text = shown(signals)
    assert text.strip() or (name, scenario) == ("opencode", "sigterm"), "it said nothing but that it had begun"
    assert '{"' not in text
    assert "\x1b" not in text
    words = folded(signals).last_words
    assert words in text


@every_program
def test_what_is_counted_for_a_run_is_its_own(name: str) -> None:
    """A conversation that goes on costs more in all, and no more than that in one run."""
    first, later = (folded(recording(name, scenario)[0]) for scenario in ("nothing", "resume"))
    assert crew()[name].abilities.counts_tokens
    for report in (first, later):
        counted = report.counter if name == "codex" else report.usage
        assert counted.input_tokens > counted.cached_tokens >= 0
        assert counted.output_tokens > 0
    spent = [bool(report.usage.usd + report.counter.usd) for report in (first, later)]
    assert spent == [crew()[name].abilities.counts_money] * 2


ROLLOUTS = sorted((RECORDINGS / "codex").glob("*.rollout.jsonl"))


@pytest.mark.parametrize("scenario", [path.name.split(".")[0] for path in ROLLOUTS])
def test_codexs_own_record_tells_the_same(scenario: str) -> None:
    """On its screen that is all there is about failures and tokens; the end of a good turn comes by a hook."""
    told, facts = recording("codex", scenario)
    text = (RECORDINGS / "codex" / f"{scenario}.rollout.jsonl").read_text(encoding="utf-8")
    agent, at = crew(mode=Mode.INTERACTIVE)["codex"], (facts["reset"] or AT + 3 * 3600) - 3 * 3600
    report = folded([signal for line in text.splitlines() for signal in agent.read(line, at)])
    expected = folded(told)
    if expected.is_finished:
        assert (report.trouble, report.is_finished) == (expected.trouble, expected.trouble is not None)
        assert bool(report.until) == bool(expected.until)
    if expected.counter != Usage():
        assert report.counter == expected.counter


def test_opencodes_log_tells_that_it_tries_again() -> None:
    """As printed by 1.18.33 with --print-logs; its protocol keeps that to itself."""
    beginning = "timestamp=2026-11-16T04:34:02.912Z level=ERROR run=d95f3fdf"
    where = "providerID=local modelID=scripted session.id=ses_e1d5 small=false agent=build mode=primary"
    agent = crew()["opencode"]
    for message, kind in {
        "AI_APICallError: Rate limit reached for requests. Please try again later.": Trouble.QUOTA,
        "AI_APICallError: The server had an error while processing your request.": Trouble.API,
    }.items():
        report = folded(list(agent.read(f'{beginning} message="stream error" {where} error.error="{message}"', AT)))
        assert (report.conversation, report.trouble, report.message) == ("ses_e1d5", kind, message)
        assert not report.is_finished


# ── hooks ────────────────────────────────────────────────────────────────────


def hooked(agent: str, *told: dict[str, Any]) -> Report:
    reader = crew(mode=Mode.INTERACTIVE)[agent]
    return folded([signal for one in told for signal in reader.read(json.dumps(one), AT)])


def hook(name: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "talk", **more}


TOOL = {"tool_name": "Bash", "tool_input": {"command": "rm -r build"}}


@pytest.mark.covers("G19")
@pytest.mark.parametrize(
    ("agent", "submit", "stop"),
    [
        ("claude", hook("UserPromptSubmit"), hook("Stop", last_assistant_message="Done.", background_tasks=[])),
        ("codex", hook("UserPromptSubmit"), hook("Stop", last_assistant_message="Done.")),
        ("gemini", hook("BeforeAgent"), hook("AfterAgent", prompt_response="Done.")),
    ],
)
def test_a_turn_on_the_screen(agent: str, submit: dict[str, Any], stop: dict[str, Any]) -> None:
    begun = hooked(agent, hook("SessionStart"), submit)
    assert (begun.conversation, begun.is_finished) == ("talk", False)
    over = hooked(agent, hook("SessionStart"), submit, stop)
    assert (over.is_finished, over.trouble) == (True, None)
    assert not hooked(agent, submit, stop, submit).is_finished, "a person has typed something more"


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_permission_on_the_screen_is_a_question_until_it_is_given(agent: str) -> None:
    before, asked, used = hook("PreToolUse", **TOOL), hook("PermissionRequest", **TOOL), hook("PostToolUse", **TOOL)
    assert hooked(agent, before, asked).question == "may it use Bash: rm -r build"
    assert hooked(agent, before, asked, used).question == ""


def test_claude_asks_in_its_own_way() -> None:
    asking = {"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"question": "Left or right?"}]}}
    assert hooked("claude", hook("PreToolUse", **asking)).question == "Left or right?"
    assert hooked("claude", hook("PreToolUse", **asking), hook("PermissionRequest", **asking)).question
    assert not hooked("claude", hook("PreToolUse", **asking), hook("PostToolUse", **asking)).question


def test_claude_is_not_done_while_something_goes_on_in_its_background() -> None:
    assert not hooked("claude", hook("Stop", background_tasks=[{"status": "running"}])).is_finished
    assert not hooked("claude", hook("Stop", background_tasks=[], session_crons=[{}])).is_finished
    assert hooked("claude", hook("Stop", background_tasks=[], session_crons=[])).is_finished


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        ("rate_limit", Trouble.QUOTA),
        ("authentication_failed", Trouble.LOGIN),
        ("server_error", Trouble.API),
        ("unknown", Trouble.OTHER),
    ],
)
def test_claude_tells_why_a_turn_failed(error: str, trouble: Trouble) -> None:
    report = hooked("claude", hook("StopFailure", error=error))
    assert (report.trouble, report.is_finished) == (trouble, True)


def test_gemini_that_got_no_answer_has_failed() -> None:
    report = hooked("gemini", hook("BeforeAgent"), hook("AfterAgent", prompt_response="[no response text]"))
    assert (report.trouble, report.is_finished) == (Trouble.API, True)


def plugged(kind: str, **properties: Any) -> dict[str, Any]:
    return {"id": "evt", "type": kind, "properties": {"sessionID": "ses", **properties}}


BUSY, IDLE = plugged("session.status", status={"type": "busy"}), plugged("session.idle")
RETRY = {"type": "retry", "attempt": 1, "message": "Rate limit reached.", "next": (AT + 30) * 1000}


def test_opencodes_plugin_tells_what_its_screen_shows() -> None:
    assert hooked("opencode", BUSY).conversation == "ses"
    assert hooked("opencode", BUSY, IDLE).is_finished
    stalled = hooked("opencode", BUSY, plugged("session.status", status=RETRY))
    assert (stalled.trouble, stalled.until, stalled.is_finished) == (Trouble.QUOTA, AT + 30, False)
    asked = plugged("permission.asked", permission="bash", patterns=["rm *"])
    assert hooked("opencode", BUSY, asked).question == "may it use bash: rm *"
    assert hooked("opencode", BUSY, asked, plugged("permission.replied")).question == ""


def test_opencode_that_is_idle_after_a_failure_has_failed() -> None:
    """Seen: session.error, then session.status idle, then session.idle, twice."""
    error = {"name": "APIError", "data": {"message": "Incorrect API key provided.", "statusCode": 401}}
    idle = plugged("session.status", status={"type": "idle"})
    report = hooked("opencode", BUSY, BUSY, plugged("session.error", error=error), idle, IDLE, idle, IDLE)
    assert (report.trouble, report.message) == (Trouble.LOGIN, "Incorrect API key provided.")
    assert report.is_finished


# ── agents without a protocol ────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["shell", "scripted", "by-argument"])
@given(ANYTHING)
def test_whoever_has_no_protocol_tells_nothing(name: str, line: str) -> None:
    assert list(crew()[name].read(line, AT)) == []


def test_a_limit_is_found_by_the_configured_pattern() -> None:
    agent = crew()["by-stdin"]
    assert agent.abilities.tells_limits
    (signal,) = agent.read("error: limit, 90s to go\n", AT)
    assert signal == s.Failed(Trouble.QUOTA, "error: limit, 90s to go", AT + 90)
    assert list(agent.read("all is well", AT)) == []


@pytest.mark.parametrize(
    ("pattern", "line", "until"),
    [
        (r"until (?P<epoch>\S+)", "until 1794800100", AT + 100),
        (r"until (?P<epoch>\S+)", "until tomorrow", 0.0),
        (r"until (?P<epoch>\S+)", "until nan", 0.0),
        (r"until (?P<epoch>\S+)", "until inf", 0.0),
        (r"until (?P<epoch>\S+)", "until -5", 0.0),
        (r"in (?P<seconds>\d+)", "in 60", AT + 60),
        (r"in (?P<seconds>\d+)", "in " + "9" * 400, 0.0),
        (r"in (?P<seconds>\d+)?", "in ", 0.0),
        (r"enough", "enough", 0.0),
    ],
)
def test_when_a_configured_agent_may_go_on(pattern: str, line: str, until: float) -> None:
    own = AgentSettings(command=("own",), quota=pattern)
    (signal,) = agents_of(replace(NOTHING, agents={"own": own}))["own"].read(line, AT)
    assert isinstance(signal, s.Failed)
    assert signal.until == until
    assert shown([signal])


def test_the_scripted_agent_does_not_wait_for_what_nobody_types(tmp_path: Path) -> None:
    """In a window its standard input is a terminal, and the prompt is in its file."""
    (tmp_path / "scenario.yaml").write_text("A:\n  - - say: at work\n", encoding="utf-8")
    (tmp_path / "prompt.md").write_text(NASTY, encoding="utf-8")
    agent = ScriptedAgent(tmp_path / "scenario.yaml", Mode.INTERACTIVE)
    argv = agent.invocation(errand()).argv
    ours, theirs = os.openpty()
    try:
        env = {**os.environ, "TORYO_PROMPT": str(tmp_path / "prompt.md")}
        ran = subprocess.run(argv, stdin=theirs, capture_output=True, env=env, timeout=60, check=True, text=True)
    finally:
        os.close(ours)
        os.close(theirs)
    assert f"{len(NASTY.encode())} bytes of prompt" in ran.stdout
    assert "at work" in ran.stdout

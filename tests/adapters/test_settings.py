"""Configuration: which layer wins, where a value comes from, and what is refused."""

import json
import os
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.adapters.settingkeys import ANY_AGENT_FIELDS, CHECK_FIELDS, FIXED, Ends, HostChoice
from toryo.adapters.settingkinds import PLACEHOLDERS
from toryo.adapters.settings import AgentSettings, Settings, load_settings, rows, user_config_file
from toryo.adapters.tomllines import key_lines
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, OnFailure, TaskType
from toryo.domain.run import Mode


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repo" / ".toryo").mkdir(parents=True)
    (tmp_path / "xdg" / "toryo").mkdir(parents=True)
    return tmp_path / "repo"


def write_project(root: Path, text: str, name: str = "config.toml") -> Path:
    path = root / ".toryo" / name
    path.write_bytes(text.encode())
    return path


def load(root: Path, environ: dict[str, str] | None = None, **flags: object) -> Settings:
    return load_settings(root, {"XDG_CONFIG_HOME": str(root.parent / "xdg"), **(environ or {})}, flags)


def refusal(root: Path, environ: dict[str, str] | None = None, **flags: object) -> ToryoError:
    with pytest.raises(ToryoError) as caught:
        load(root, environ, **flags)
    assert caught.value.exit_code == Exit.USAGE
    assert caught.value.hint
    return caught.value


# ── layers ───────────────────────────────────────────────────────────────────


def test_defaults(root: Path) -> None:
    settings = load(root)
    assert (settings.run.agent, settings.run.parallel, settings.run.attempts) == ("shell", 4, 3)
    assert (settings.run.time_limit, settings.run.grace) == (1800.0, 5.0)
    assert (settings.run.quota_wait, settings.run.api_wait) == (21600.0, 600.0)
    assert (settings.run.answer_time, settings.run.prompt_silence) == (600.0, 15.0)
    assert (settings.run.resolver, settings.run.land) == ("", "branch")
    assert (settings.run.host, settings.run.pass_env) == (HostChoice.AUTO, ())
    assert settings.roles == dict.fromkeys(TaskType, "shell")
    assert settings.worktree.setup == ()
    assert settings.worktree.keep is False
    assert settings.checks == ()
    assert settings.agents == {}
    assert set(settings.origins.values()) == {"default"}


@pytest.mark.covers("A19")
def test_each_layer_beats_the_one_before(root: Path) -> None:
    user = root.parent / "xdg" / "toryo" / "config.toml"
    expected = [("default", 4)]
    settings = load(root)
    assert (settings.origins["run.parallel"], settings.run.parallel) == expected[0]

    user.write_text("[run]\nparallel = 5\n")
    assert (load(root).run.parallel, load(root).origins["run.parallel"]) == (5, str(user))
    project = write_project(root, "[run]\nparallel = 6\n")
    assert (load(root).run.parallel, load(root).origins["run.parallel"]) == (6, str(project))
    local = write_project(root, "run.parallel = 7\n", "config.local.toml")
    assert (load(root).run.parallel, load(root).origins["run.parallel"]) == (7, str(local))
    environ = {"TORYO_RUN_PARALLEL": "8"}
    settings = load(root, environ)
    assert (settings.run.parallel, settings.origins["run.parallel"]) == (8, "environment TORYO_RUN_PARALLEL")
    settings = load(root, environ, parallel=9)
    assert (settings.run.parallel, settings.origins["run.parallel"]) == (9, "flag --parallel")


def test_without_a_repository_only_the_users_file_counts(root: Path) -> None:
    write_project(root, "[run]\nparallel = 6\n")
    settings = load_settings(None, {"XDG_CONFIG_HOME": str(root.parent / "xdg")}, {})
    assert settings.run.parallel == 4


def test_layers_mix_key_by_key(root: Path) -> None:
    write_project(root, '[checks.test]\ncommand = "pytest -q"\ntimeout = "20m"\n')
    write_project(root, '[checks.test]\ntimeout = 30\non_failure = "warn"\n', "config.local.toml")
    assert load(root).checks == (Check("test", "pytest -q", 30.0, OnFailure.WARN),)


def test_flags_not_given_change_nothing_and_dotted_flags_work(root: Path) -> None:
    settings = load_settings(
        root, {"XDG_CONFIG_HOME": "/nonexistent"}, {"agent": None, "worktree.keep": True, "time_limit": "2m"}
    )
    assert settings.run.agent == "shell"
    assert settings.worktree.keep is True
    assert settings.run.time_limit == 120.0
    assert settings.origins["run.time_limit"] == "flag --time-limit"


def test_roles_are_given_by_type_and_else_by_the_agent(root: Path) -> None:
    write_project(
        root, '[run]\nagent = "claude"\nresolver = "codex"\n[roles]\ndocumentation = "gemini"\ninvestigation = ""\n'
    )
    agents = {
        TaskType.IMPLEMENTATION: "claude",
        TaskType.DOCUMENTATION: "gemini",
        TaskType.INVESTIGATION: "claude",
        TaskType.REVIEW: "claude",
        TaskType.INTEGRATION: "codex",
    }
    assert load(root).roles == agents
    settings = load(root, {"TORYO_ROLES_INVESTIGATION": "aider", "TORYO_RUN_RESOLVER": "aider"})
    assert settings.roles == {**agents, TaskType.INVESTIGATION: "aider", TaskType.INTEGRATION: "aider"}
    assert settings.origins["roles.investigation"] == "environment TORYO_ROLES_INVESTIGATION"


def test_an_agent_asked_for_goes_before_the_roles_of_the_files(root: Path) -> None:
    write_project(root, '[run]\nagent = "claude"\nresolver = "codex"\n[roles]\ndocumentation = "gemini"\n')
    settings = load(root, {"TORYO_ROLES_INVESTIGATION": "gemini"}, agent="aider")
    assert settings.roles == {**dict.fromkeys(TaskType, "aider"), TaskType.INTEGRATION: "codex"}
    assert settings.origins["roles.documentation"] == "default"
    flags = {"agent": "aider", "roles.documentation": "gemini"}
    assert load(root, {}, **flags).roles[TaskType.DOCUMENTATION] == "gemini"


def test_user_file_follows_xdg(tmp_path: Path) -> None:
    assert user_config_file({"XDG_CONFIG_HOME": str(tmp_path)}) == tmp_path / "toryo" / "config.toml"
    assert user_config_file({"XDG_CONFIG_HOME": "relative"}).is_absolute()


# ── values ───────────────────────────────────────────────────────────────────


def test_checks_agents_and_worktree(root: Path) -> None:
    write_project(
        root,
        """
[checks]
lint = "ruff check"
[checks.test]
command = "pytest"
parallel = 1
[worktree]
setup = ["cp $TORYO_MAIN/.env .env", "uv sync"]
keep = true
[agents.scripted]
scenario = "demo/劇.yaml"
[agents.aider]
command = ["aider", "--message-file", "{prompt_file}"]
env = { KEY = "s3cret" }
""",
    )
    settings = load(root)
    assert settings.checks == (Check("lint", "ruff check"), Check("test", "pytest", parallel=1))
    assert settings.worktree.setup == ("cp $TORYO_MAIN/.env .env", "uv sync")
    assert settings.agents["scripted"].scenario == root / ".toryo" / "demo" / "劇.yaml"
    assert settings.agents["aider"].command == ("aider", "--message-file", "{prompt_file}")
    assert settings.agents["aider"].env == {"KEY": "s3cret"}


def test_how_runs_live_and_wait(root: Path) -> None:
    write_project(
        root, '[run]\nhost = "tmux"\nquota_wait = "1h"\nanswer_time = 90\npass_env = ["AWS_*", "DATABASE_URL"]\n'
    )
    run = load(root).run
    assert (run.host, run.quota_wait, run.answer_time) == (HostChoice.TMUX, 3600.0, 90.0)
    assert run.pass_env == ("AWS_*", "DATABASE_URL")
    run = load(root, {"TORYO_RUN_HOST": "headless", "TORYO_RUN_PASS_ENV": "A, B_*"}).run
    assert (run.host, run.pass_env) == (HostChoice.HEADLESS, ("A", "B_*"))


@pytest.mark.covers("G17")
def test_agents_that_toryo_knows(root: Path) -> None:
    write_project(
        root,
        """
[agents.claude]
mode = "interactive"
program = "../bin/claude"
model = "opus"
flags = ["--add-dir", "{anything}"]
full_auto = false
pass_env = ["CORP_*"]
credential = "team"
env.CLAUDE_CODE_MAX_RETRIES = "2"
[agents.codex]
program = "codex-beta"
[agents.gemini]
[agents.opencode]
program = "~/bin/opencode"
""",
    )
    agents = load(root).agents
    assert agents["claude"] == AgentSettings(
        mode=Mode.INTERACTIVE,
        program=str(root / ".toryo" / "../bin/claude"),
        model="opus",
        flags=("--add-dir", "{anything}"),
        full_auto=False,
        env={"CLAUDE_CODE_MAX_RETRIES": "2"},
        pass_env=("CORP_*",),
        credential="team",
    )
    assert agents["codex"] == AgentSettings(program="codex-beta")
    assert agents["opencode"].program == str(Path.home() / "bin" / "opencode")
    assert "gemini" not in agents
    assert AgentSettings() == AgentSettings(mode=Mode.HEADLESS, program="", full_auto=True, credential="")


def test_an_agent_by_configuration_alone(root: Path) -> None:
    write_project(
        root,
        r"""
[agents.typed]
command = ["typed", "--dir", "{worktree}", "--json", '{"a": 1}', "{}", "${HOME}", "{{x}}", "{ print }"]
flags = ["--session={conversation}"]
resume = ["typed", "--continue"]
mode = "interactive"
ready = "> "
ends = "sentinel"
quota = 'limit until (?P<epoch>\d+)|again in (?P<seconds>\d+)s'
pass_env = ["TYPED_*"]
credential = "team"
[agents.plain]
command = ["plain"]
""",
    )
    agents = load(root).agents
    assert agents["typed"] == AgentSettings(
        mode=Mode.INTERACTIVE,
        command=("typed", "--dir", "{worktree}", "--json", '{"a": 1}', "{}", "${HOME}", "{{x}}", "{ print }"),
        flags=("--session={conversation}",),
        resume=("typed", "--continue"),
        ready="> ",
        ends=Ends.SENTINEL,
        quota=r"limit until (?P<epoch>\d+)|again in (?P<seconds>\d+)s",
        pass_env=("TYPED_*",),
        credential="team",
    )
    assert agents["plain"] == AgentSettings(command=("plain",))


@pytest.mark.parametrize(
    "lines",
    [
        'command = ["x", "{prompt}"]',
        'command = ["x"]\nflags = ["-f", "{prompt_file}"]',
        'command = ["x"]\nready = ">"',
        'command = ["x"]\nresume = ["x"]\nready = ">"',
        'command = ["x", "{prompt}"]\nresume = ["x", "-c", "{prompt}"]',
    ],
)
def test_ways_for_the_prompt_into_an_interactive_agent(root: Path, lines: str) -> None:
    write_project(root, f'[agents.x]\nmode = "interactive"\n{lines}\n')
    assert load(root).agents["x"].mode is Mode.INTERACTIVE


def test_shell_and_scripted(root: Path) -> None:
    write_project(root, '[agents.shell]\npass_env = ["A"]\nenv = {B = "c"}\n[agents.scripted]\nmode = "interactive"\n')
    agents = load(root).agents
    assert agents["shell"] == AgentSettings(pass_env=("A",), env={"B": "c"})
    assert agents["scripted"] == AgentSettings(mode=Mode.INTERACTIVE, scenario=None)


def test_environment_reaches_all_that_is_said_about_agents(root: Path) -> None:
    write_project(root, '[agents.my-agent]\ncommand = ["x"]\nenv.KEY = "file"\n')
    environ = {
        "TORYO_AGENTS_CLAUDE_MODE": "interactive",
        "TORYO_AGENTS_CLAUDE_MODEL": "opus",
        "TORYO_AGENTS_CLAUDE_FULL_AUTO": "false",
        "TORYO_AGENTS_CLAUDE_PASS_ENV": "CORP_*",
        "TORYO_AGENTS_CLAUDE_ENV_MODE": "s3cret",
        "TORYO_AGENTS_MY_AGENT_ENV_Key_2": "s3cret",
        "TORYO_AGENTS_MY_AGENT_FLAGS": '["-p", "{prompt}"]',
        "TORYO_AGENTS_MY_AGENT_RESUME": "x, -c, {conversation}",
        "TORYO_AGENTS_OTHER_COMMAND": "other",
    }
    settings = load(root, environ)
    assert settings.agents["claude"] == AgentSettings(
        mode=Mode.INTERACTIVE, model="opus", full_auto=False, pass_env=("CORP_*",), env={"MODE": "s3cret"}
    )
    mine = settings.agents["my-agent"]
    assert mine.env == {"KEY": "file", "Key_2": "s3cret"}
    assert (mine.flags, mine.resume) == (("-p", "{prompt}"), ("x", "-c", "{conversation}"))
    assert settings.agents["other"].command == ("other",)
    table = rows(settings)
    assert ("agents.claude.env.MODE", "SET", "environment TORYO_AGENTS_CLAUDE_ENV_MODE") in table
    assert ("agents.claude.full_auto", "false", "environment TORYO_AGENTS_CLAUDE_FULL_AUTO") in table
    assert "s3cret" not in json.dumps(table)


@pytest.mark.covers("A19")
def test_rows_say_value_and_origin_but_no_secret(root: Path) -> None:
    path = write_project(root, '[run]\ntime_limit = "1h"\n[agents.x]\ncommand = ["x"]\nenv.KEY = "s3cret"\n')
    table = rows(load(root))
    assert ("run.agent", "shell", "default") in table
    assert ("run.time_limit", "1h", str(path)) in table
    assert ("worktree.keep", "false", "default") in table
    assert ("agents.x.command", '["x"]', str(path)) in table
    assert ("agents.x.env.KEY", "SET", str(path)) in table
    assert "s3cret" not in json.dumps(table)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a, b", ("a", "b")), ('["a, b", "c"]', ("a, b", "c")), ("one", ("one",)), ("[]", ())],
)
def test_lists_in_the_environment(root: Path, text: str, expected: tuple[str, ...]) -> None:
    assert load(root, {"TORYO_WORKTREE_SETUP": text}).worktree.setup == expected


def test_environment_reaches_checks_and_agents(root: Path) -> None:
    write_project(root, '[checks.unit-tests]\ncommand = "pytest"\n')
    environ = {
        "TORYO_CHECKS_UNIT_TESTS_TIMEOUT": "5m",
        "TORYO_CHECKS_LINT_COMMAND": "ruff check",
        "TORYO_AGENTS_SCRIPTED_SCENARIO": "/scenes/one.yaml",
        "TORYO_WORKTREE_KEEP": "TRUE",
    }
    settings = load(root, environ)
    assert settings.checks == (Check("unit-tests", "pytest", 300.0), Check("lint", "ruff check"))
    assert settings.agents["scripted"].scenario == Path("/scenes/one.yaml")
    assert settings.worktree.keep is True


def test_other_variables_are_not_settings(root: Path) -> None:
    environ = {
        "TORYO_RUN": "run-1",
        "TORYO_MAIN": "/x",
        "TORYO_TASK": "t",
        "TORYO_RUN_AGENT": "",
        "PATH": "/bin",
    }
    assert load(root, environ).origins == load(root).origins


def test_bom_and_crlf(root: Path) -> None:
    path = root / ".toryo" / "config.toml"
    path.write_bytes(b'\xef\xbb\xbf[run]\r\nagent = "\xe6\xa3\x9f\xe6\xa2\x81"\r\n')
    assert load(root).run.agent == "棟梁"


# ── refusals ─────────────────────────────────────────────────────────────────


def test_unknown_keys_name_file_line_and_suggestion(root: Path) -> None:
    path = write_project(
        root, '# 設定\n[run]\nparalel = 3\n\n[check.test]\ncommand = "x"\n[agents.scripted]\nscenrio = "x"\n'
    )
    error = refusal(root)
    assert error.code == "E120"
    assert error.details == (
        f"{path}:3: run.paralel: unknown key; did you mean 'parallel'?",
        f"{path}:5: check: unknown section; did you mean 'checks'?",
        f"{path}:8: agents.scripted.scenrio: unknown key; did you mean 'scenario'?",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[agents.claude]\nmodl = "x"', "agents.claude.modl: unknown key; did you mean 'model'?"),
        (
            '[agents.claude]\ncommand = ["x"]',
            "agents.claude.command: unknown key; 'claude' is built in, only agents with another name have it",
        ),
        (
            '[agents.x]\nmodel = "y"\ncommand = ["x"]',
            "agents.x.model: unknown key; only claude, codex, gemini, opencode have it",
        ),
        ('[agents.x]\nscenario = "y"', "agents.x.scenario: unknown key; only 'scripted' has it"),
        ('[agents.scripted]\nenv = {A = "b"}', "agents.scripted.env: unknown key"),
        ('[roles]\ndocumentatoin = "x"', "roles.documentatoin: unknown key; did you mean 'documentation'?"),
        ('[roles]\nintegration = "x"', "roles.integration: unknown key; that is `resolver` in [run]"),
    ],
)
def test_unknown_keys_of_roles_and_agents(root: Path, text: str, said: str) -> None:
    path = write_project(root, text)
    error = refusal(root)
    assert (error.code, error.details) == ("E120", (f"{path}:2: {said}",))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            '[run]\nhost = "tmus"',
            2,
            "run.host: should be one of auto, tmux, headless, not 'tmus'; did you mean 'tmux'?",
        ),
        ('[run]\nquota_wait = "soon"', 2, "run.quota_wait: 'soon' is not a length of time"),
        ("[run]\nanswer_time = 0", 2, "run.answer_time: a length of time should be more than zero"),
        ('[run]\npass_env = "A"', 2, "run.pass_env: should be a list of texts, not text"),
        (
            '[run]\npass_env = ["A", "B=c"]',
            2,
            "run.pass_env: should be names of variables, such as AWS_*, not 'B=c'",
        ),
        ("[roles]\ndocumentation = 1", 2, "roles.documentation: should be text, not a number"),
        ("roles = 1", 1, "roles: should be a table, not a number"),
        ('[agents.claude]\nmode = "tui"', 2, "agents.claude.mode: should be one of headless, interactive, not 'tui'"),
        ('[agents.claude]\nprogram = ""', 2, "agents.claude.program: should not be blank"),
        ('[agents.claude]\nfull_auto = "no"', 2, "agents.claude.full_auto: should be true or false, not text"),
        ('[agents.claude]\nenv = {"A=B" = "c"}', 2, "agents.claude.env.A=B: is no name of a variable"),
        ("[agents.claude]\nenv = 3", 2, "agents.claude.env: should be a table, not a number"),
        ('[agents.x]\ncommand = ["x"]\nends = "bye"', 3, "agents.x.ends: should be one of exit, sentinel, not 'bye'"),
        ("[agents.x]\ncommand = []", 2, "agents.x.command: should name a program, then its arguments"),
        ('[agents.x]\nflags = ["x"]', 2, "agents.x.command: required key is missing"),
        ('[agents.x]\nflags = ["x"]\ncommand = [1]', 3, "agents.x.command: should be text, not a number"),
        ("\n[agents.x]", 2, "agents.x.command: required key is missing"),
        ("[agents.cluade]", 1, "agents.cluade.command: required key is missing; did you mean 'claude'?"),
        (
            '[agents.x]\ncommand = ["x", "--file={promptfile}"]',
            2,
            "agents.x.command: unknown placeholder {promptfile}; did you mean '{prompt_file}'? "
            "(known ones: {prompt}, {prompt_file}, {conversation}, {worktree})",
        ),
        (
            '[agents.x]\ncommand = ["x"]\nresume = ["{session}"]',
            3,
            "agents.x.resume: unknown placeholder {session}",
        ),
        ('[agents.x]\ncommand = ["x"]\nflags = ["{Prompt}"]', 3, "agents.x.flags: unknown placeholder {Prompt}"),
        (
            '[agents.x]\ncommand = ["x"]\nquota = "limit ("',
            3,
            "agents.x.quota: is not a regular expression: missing ), unterminated subpattern",
        ),
        (
            "[agents.x]\ncommand = ['x']\nquota = '(?P<second>x)'",
            3,
            "agents.x.quota: unknown group 'second'; did you mean 'seconds'? (known ones: epoch, seconds)",
        ),
        (
            '[agents.x]\ncommand = ["x"]\nready = ">"',
            3,
            'agents.x.ready: is for agents with mode = "interactive" only',
        ),
        (
            '[agents.x]\ncommand = ["x"]\nmode = "headless"\nready = ">"',
            4,
            'agents.x.ready: is for agents with mode = "interactive" only',
        ),
        (
            '[agents.x]\ncommand = ["x", "{worktree}"]\n\nmode = "interactive"',
            4,
            "agents.x.ready: required key is missing, since `command` has no {prompt} and no {prompt_file}: "
            "the prompt is typed once the screen shows this text",
        ),
        (
            '[agents.x]\ncommand = ["x", "{prompt}"]\nresume = ["x", "{conversation}"]\nmode = "interactive"',
            4,
            "agents.x.ready: required key is missing, since `resume` has no {prompt} and no {prompt_file}",
        ),
    ],
)
def test_wrong_values_of_runs_roles_and_agents(root: Path, text: str, line: int, said: str) -> None:
    path = write_project(root, text)
    error = refusal(root)
    assert error.code == "E121"
    assert len(error.details) == 1
    assert error.details[0].startswith(f"{path}:{line}: {said}")


def test_agents_are_looked_at_across_layers(root: Path) -> None:
    write_project(root, '[agents.x]\nmode = "interactive"\nready = ">"\n')
    local = write_project(root, '[agents.x]\ncommand = ["x"]\n', "config.local.toml")
    assert load(root).agents["x"].ready == ">"
    local.write_text('[agents.x]\ncommand = ["x"]\nmode = "headless"\n')
    assert "agents.x.ready: is for" in refusal(root).details[0]
    local.write_text('[agents.x]\ncommand = ["x"]\nready = ""\n')
    assert "agents.x.ready: required key is missing" in refusal(root).details[0]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[run]\nparallel = "4"', 2, "run.parallel: should be a whole number, not text"),
        ("[run]\nparallel = 2.5", 2, "run.parallel: should be a whole number, not 2.5"),
        ("[run]\nparallel = true", 2, "run.parallel: should be a whole number, not true or false"),
        ("[run]\nattempts = 0", 2, "run.attempts: should be at least 1, not 0"),
        ("[run]\nagent = 3", 2, "run.agent: should be text, not a number"),
        ('[run]\nagent = " "', 2, "run.agent: should not be blank"),
        ('[run]\ntime_limit = "soon"', 2, "run.time_limit: 'soon' is not a length of time"),
        ("[run]\ngrace = 0", 2, "run.grace: a length of time should be more than zero"),
        (
            "[run]\ngrace = 2024-01-01",
            2,
            "run.grace: should be a length of time such as 90s or 10m, not a date",
        ),
        (
            '[run]\nland = "mrege"',
            2,
            "run.land: should be one of branch, merge, pr, pr-per-task, not 'mrege'; did you mean 'merge'?",
        ),
        ("run = 3", 1, "run: should be a table, not a number"),
        ("[[worktree]]\nkeep = true", 1, "worktree: should be a table, not a list"),
        ('[worktree]\nkeep = "yes"', 2, "worktree.keep: should be true or false, not text"),
        ('[worktree]\nsetup = "uv sync"', 2, "worktree.setup: should be a list of texts, not text"),
        ('[worktree]\nsetup = [\n  "a",\n  1]', 2, "worktree.setup: should be text, not a number"),
        ("[agents.x]\nenv = {A = 1}", 2, "agents.x.env.A: should be text, not a number"),
        ("\n[checks.test]\nparallel = 2", 3, "checks.test.command: required key is missing"),
        ("\n[checks.test]", 2, "checks.test.command: required key is missing"),
        ('[checks."a b"]\ncommand = "x"', 2, "checks.a b: the name should consist of"),
        ("[run\n", 1, "not valid TOML: expected ']'"),
        ("[run]\nagent = \n", 2, "not valid TOML: invalid value"),
        ('[run]\nagent = "x"\nagent = "y"\n', 3, "not valid TOML: cannot overwrite a value"),
        ('[run]\nagent = """x\n', 2, "not valid TOML: "),
    ],
)
def test_wrong_values(root: Path, text: str, line: int, said: str) -> None:
    path = write_project(root, text)
    error = refusal(root)
    assert error.code == "E121"
    assert len(error.details) == 1
    assert error.details[0].startswith(f"{path}:{line}: {said}")


def test_everything_wrong_is_said_at_once(root: Path) -> None:
    write_project(root, "[run]\nparallel = 0\nattempts = 0\n")
    write_project(root, "[run]\nx = 1\n", "config.local.toml")
    error = refusal(root, {"TORYO_RUN_GRACE": "never"}, land="moon")
    assert error.message == "the configuration has 5 problems"
    assert error.code == "E120"
    assert error.details[-2].startswith("environment TORYO_RUN_GRACE: run.grace: 'never' is not a length of time")
    assert error.details[-1].startswith("flag --land: run.land: should be")


def test_unknown_variables_and_flags(root: Path) -> None:
    error = refusal(root, {"TORYO_RUN_PARALEL": "2"})
    assert error.code == "E120"
    said = "environment TORYO_RUN_PARALEL: unknown setting; did you mean 'TORYO_RUN_PARALLEL'?"
    assert error.details == (said,)
    assert refusal(root, agnt="x").details == ("flag --agnt: run.agnt: unknown key; did you mean 'agent'?",)


def test_unknown_variables_of_roles_and_agents(root: Path) -> None:
    write_project(root, '[agents.my-agent]\ncommand = ["x"]')
    environ = {
        "TORYO_AGENTS_CLAUDE_COMMAND": "x",
        "TORYO_AGENTS_CLAUDE_ENV": "x",
        "TORYO_AGENTS_CLAUDE_MODLE": "x",
        "TORYO_AGENTS_MY_AGENT_RESUM": "x",
        "TORYO_AGENTS_SCRIPTED_ENV_A": "x",
        "TORYO_ROLES_DOCUMENTATOIN": "x",
    }
    assert refusal(root, environ).details == (
        "environment TORYO_AGENTS_CLAUDE_COMMAND: agents.claude.command: unknown key; "
        "'claude' is built in, only agents with another name have it",
        "environment TORYO_AGENTS_CLAUDE_ENV: unknown setting; did you mean 'TORYO_AGENTS_CLAUDE_PASS_ENV'?",
        "environment TORYO_AGENTS_CLAUDE_MODLE: unknown setting; did you mean 'TORYO_AGENTS_CLAUDE_MODE'?",
        "environment TORYO_AGENTS_MY_AGENT_RESUM: unknown setting; did you mean 'TORYO_AGENTS_MY_AGENT_RESUME'?",
        "environment TORYO_AGENTS_SCRIPTED_ENV_A: agents.scripted.env.A: unknown key",
        "environment TORYO_ROLES_DOCUMENTATOIN: unknown setting; did you mean 'TORYO_ROLES_DOCUMENTATION'?",
    )


def test_a_misspelt_check_variable_makes_no_new_check(root: Path) -> None:
    write_project(root, 'checks.test = "pytest"')
    error = refusal(root, {"TORYO_CHECKS_TEST_TIMEOT": "5m"})
    assert "did you mean 'TORYO_CHECKS_TEST_TIMEOUT'?" in error.details[0]


@pytest.mark.parametrize("text", ["two", "1.5", "9" * 30])
def test_numbers_in_the_environment(root: Path, text: str) -> None:
    assert refusal(root, {"TORYO_RUN_PARALLEL": text}).code == "E121"


def test_not_utf8_and_unreadable(root: Path) -> None:
    path = root / ".toryo" / "config.toml"
    path.write_bytes(b"[run]\nagent = '\xff'\n")
    assert refusal(root).details == (f"{path}:2: not UTF-8 text; save the file as UTF-8",)
    path.unlink()
    path.mkdir()
    error = refusal(root)
    assert error.code == "E121"
    assert error.details == (f"{path}: cannot be read: {os.strerror(21)}",)


# ── documentation ────────────────────────────────────────────────────────────

DOCS = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text("utf-8")


@pytest.mark.parametrize("example", re.findall(r"^```toml\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE))
def test_documented_examples_are_right(root: Path, example: str) -> None:
    write_project(root, example)
    assert load(root).origins


def test_every_key_is_documented() -> None:
    for key in FIXED:
        assert f"`{'.'.join(key)}`" in DOCS
    for name in (*CHECK_FIELDS, *ANY_AGENT_FIELDS, *(f"{{{name}}}" for name in PLACEHOLDERS)):
        assert re.search(rf"^\|.*`{re.escape(name)}`", DOCS, re.MULTILINE), name


# ── lines ────────────────────────────────────────────────────────────────────


def test_lines_of_keys_around_strings_lists_and_comments() -> None:
    text = (
        "a = '''\n[no]\nb = 1'''  # ' comment \"\n"
        'c = [ # ]\n "x]",\n [1, {d = 2}],\n]\n'
        '[t."q.r"] # [z]\n"k=v".w = 1\n[[u]]\nv = """\\"""\n"""\n[end]\n'
    )
    tomllib.loads(text)
    assert key_lines(text) == {
        ("a",): 1,
        ("c",): 4,
        ("t",): 8,
        ("t", "q.r"): 8,
        ("t", "q.r", "k=v"): 9,
        ("t", "q.r", "k=v", "w"): 9,
        ("u",): 10,
        ("u", "v"): 11,
        ("end",): 13,
    }


VALUES = st.sampled_from(
    ["1", '"# ["', "'''\n[x]\n'''", "[\n[1], # ]\n[2]\n]", "{a = '}'}", '"""a\n\\" "b = 2\n"""', "''"]
)


@given(st.lists(st.tuples(VALUES, st.integers(0, 2))))
def test_lines_of_keys_in_any_order(entries: list[tuple[str, int]]) -> None:
    text, expected = "", {}
    for number, (value, blank) in enumerate(entries):
        text += "\n" * blank
        expected[(f"k{number}",)] = text.count("\n") + 1
        text += f"k{number} = {value}\n"
    tomllib.loads(text)
    assert key_lines(text) == expected

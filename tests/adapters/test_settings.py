"""Configuration: which layer wins, where a value comes from, and what is refused."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.adapters.settings import Settings, load_settings, rows, user_config_file
from toryo.adapters.tomllines import key_lines
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, OnFailure


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
    assert (settings.run.resolver, settings.run.land) == ("", "branch")
    assert settings.worktree.setup == ()
    assert settings.worktree.keep is False
    assert settings.checks == ()
    assert settings.agents == {}
    assert set(settings.origins.values()) == {"default"}


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
            "run.land: should be one of branch, not 'mrege'",
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

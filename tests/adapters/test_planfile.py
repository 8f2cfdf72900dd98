"""Plan files: what is read, and what is said about files that cannot be."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from toryo.adapters.located import Unreadable, locate, read_json
from toryo.adapters.located_plain import read_plain_yaml
from toryo.adapters.located_yaml import read_yaml
from toryo.adapters.planfile import load_plan
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, Limits, OnFailure, Plan, TaskType, WorktreeChoice

EXAMPLE = """\
title: JSON export
parallel: 3
checks:
  test: {command: pytest -q, timeout: 10m, on_failure: retry}   # retry | block | warn
tasks:
  - key: T001
    title: Write the JSON encoder
    type: implementation        # implementation | documentation | investigation | integration
    description: |
      What to do, for the agent.
    acceptance:
      - "`export --json` prints valid JSON"
    depends_on: []
    scope: [src/export/**, tests/export/**]
    expect: [src/export/json.py]
    agent: claude               # any known agent; `shell` takes `command`
    worktree: new               # new | shared
    limits: {files: 5, tests: 10, seconds: 900}
"""
TASK = "tasks:\n  - {key: T1, title: One, agent: claude"
AGENTS = ("claude", "scripted", "shell")

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a plan file into the current directory, so that messages name it as a person would."""
    monkeypatch.chdir(tmp_path)

    def written(text: str | bytes, name: str = "plan.yaml") -> Path:
        Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
        return Path(name)

    return written


def load(path: Path, *, agent: str = "claude", checks: tuple[Check, ...] = ()) -> Plan:
    return load_plan(path, default_agents=dict.fromkeys(TaskType, agent), config_checks=checks, known_agents=AGENTS)


def refusal(path: Path, *, agent: str = "claude", checks: tuple[Check, ...] = ()) -> ToryoError:
    with pytest.raises(ToryoError) as caught:
        load(path, agent=agent, checks=checks)
    assert caught.value.exit_code == Exit.USAGE
    assert caught.value.hint
    return caught.value


def problems(path: Path, **options: object) -> tuple[str, ...]:
    error = refusal(path, **options)  # type: ignore[arg-type]
    assert error.code == "E110"
    noun = "problem" if len(error.details) == 1 else "problems"
    assert error.message == f"{path} has {len(error.details)} {noun}"
    return error.details


# ── reading ──────────────────────────────────────────────────────────────────


def test_the_documented_example(write: Write) -> None:
    plan = load(write(EXAMPLE))
    test = Check("test", "pytest -q", 600.0, OnFailure.RETRY)
    assert (plan.title, plan.parallel, plan.checks) == ("JSON export", 3, (test,))
    (task,) = plan.tasks
    assert (task.key, task.title, task.agent, task.branch) == ("T001", "Write the JSON encoder", "claude", "")
    assert task.type is TaskType.IMPLEMENTATION
    assert task.description == "What to do, for the agent.\n"
    assert task.acceptance == ("`export --json` prints valid JSON",)
    assert task.scope == ("src/export/**", "tests/export/**")
    assert task.expect == ("src/export/json.py",)
    assert task.checks == (test,)
    assert task.worktree is WorktreeChoice.NEW
    assert task.limits == Limits(5, 10, 900.0)


def test_the_least_a_plan_can_be(write: Write) -> None:
    plan = load(write("tasks:\n- key: a\n  title: b\n", "仕事.yml"))
    assert plan.title == "仕事"
    assert plan.parallel is None
    assert (plan.tasks[0].agent, plan.tasks[0].limits) == ("claude", Limits())


def test_titles_are_one_line(write: Write) -> None:
    plan = load(
        write(
            '{"title": "a\\nERROR: b", "tasks": [{"key": "T1", "title": " c　d\\r\\n\\u2028 toryo> e\\n"}]}',
            "plan.json",
        )
    )
    assert (plan.title, plan.tasks[0].title) == ("a ERROR: b", "c　d toryo> e")


def test_yaml_and_json_say_the_same(write: Write) -> None:
    value = YAML(typ="safe", pure=True).load(EXAMPLE)
    as_json = json.dumps({"$schema": "plan.schema.json", **value}, indent="\t")
    assert load(write(as_json, "plan.json")) == load(write(EXAMPLE))


def test_japanese_bom_crlf_and_surrogate_pairs(write: Write) -> None:
    task = "  - key: T1\n    title: 「棟梁」を書く　😀\n    description: |\n      一行目\n      二行目\n"
    text = "title: 見積もり\ntasks:\n" + task
    plain = load(write(text))
    assert plain.tasks[0].title == "「棟梁」を書く　😀"
    assert plain.tasks[0].description == "一行目\n二行目\n"
    assert load(write(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())) == plain
    escaped = r'{"tasks":[{"key":"T1","title":"\ud83d\ude00"}]}'
    assert load(write(b"\xef\xbb\xbf" + escaped.encode(), "plan.json")).tasks[0].title == "😀"
    assert load(write(escaped, "plan.yaml")).tasks[0].title == "😀"


def test_aliases_stand_for_what_they_name(write: Write) -> None:
    plan = load(
        write(
            "tasks:\n"
            "  - {key: a, title: A, scope: &all [src, docs]}\n"
            "  - {key: b, title: B, scope: *all, limits: &l {files: 2}}\n"
            "  - {key: c, title: C, limits: *l}\n"
        )
    )
    assert plan.tasks[1].scope == ("src", "docs")
    assert plan.tasks[2].limits == Limits(files=2)


def test_dates_and_yes_are_text_as_in_yaml_1_2(write: Write) -> None:
    task = load(write("tasks:\n- {key: yes, title: 2024-01-01}\n")).tasks[0]
    assert (task.key, task.title) == ("yes", "2024-01-01")


def test_acceptance_as_one_text_and_repeated_dependencies(write: Write) -> None:
    plan = load(write("tasks:\n- {key: a, title: A, acceptance: works}\n- {key: b, title: B, depends_on: [a, a]}\n"))
    assert plan.tasks[0].acceptance == ("works",)
    assert plan.tasks[1].depends_on == ("a",)


# ── agents ───────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("top", "task", "agent"),
    [
        ("", "agent: scripted", "scripted"),
        ("agent: scripted\n", "type: documentation", "scripted"),
        ("agent: scripted\n", "agent: claude", "claude"),
        ("", "type: documentation", "claude"),
        ("", "command: make", "shell"),
        ("agent: scripted\n", "{agent: shell, command: make}", "shell"),
        ("agent: shell\n", "command: make", "shell"),
    ],
)
def test_who_does_it(write: Write, top: str, task: str, agent: str) -> None:
    path = write(f"{top}tasks:\n- {{key: a, title: A, {task.strip('{}')}}}\n")
    assert load(path).tasks[0].agent == agent


def test_types_have_agents_of_their_own(write: Write) -> None:
    agents = {
        TaskType.IMPLEMENTATION: "claude",
        TaskType.DOCUMENTATION: "scripted",
        TaskType.INVESTIGATION: "gemini",
        TaskType.REVIEW: "claude",
        TaskType.INTEGRATION: "codex",
    }
    known = (*agents.values(), "shell")
    types = "".join(f"- {{key: {kind}, title: A, type: {kind}}}\n" for kind in TaskType)
    more = "- {key: none, title: A}\n- {key: named, title: A, type: documentation, agent: claude}\n"
    more += "- {key: told, title: A, type: documentation, command: make}\n"
    path = write(f"tasks:\n{types}{more}")
    plan = load_plan(path, default_agents=agents, config_checks=(), known_agents=known)
    assert [task.agent for task in plan.tasks] == [*agents.values(), "claude", "claude", "shell"]
    path = write(f"agent: codex\ntasks:\n{types}")
    plan = load_plan(path, default_agents=agents, config_checks=(), known_agents=known)
    assert {task.agent for task in plan.tasks} == {"codex"}
    path = write(f"tasks:\n{types}- {{key: again, title: A, type: investigation}}\n")
    with pytest.raises(ToryoError) as caught:
        load_plan(path, default_agents=agents, config_checks=(), known_agents=AGENTS)
    assert caught.value.details == (
        "plan.yaml:1: unknown agent 'gemini', from the configuration (known agents: claude, scripted, shell)",
        "plan.yaml:1: unknown agent 'codex', from the configuration (known agents: claude, scripted, shell)",
    )


def test_commands_are_for_the_shell_only(write: Write) -> None:
    path = write(
        "tasks:\n- key: a\n  title: A\n  agent: claude\n  command: make\n- key: b\n  title: B\n  agent: shell\n"
    )
    assert problems(path) == (
        "plan.yaml:5: tasks[0].command: only the agent 'shell' takes a command, not 'claude'; add agent: shell",
        "plan.yaml:6: tasks[1].command: required field is missing; the agent 'shell' runs it (or name another agent)",
    )
    assert "takes a command" in problems(write("agent: claude\ntasks:\n- {key: a, title: A, command: x}\n"))[0]


def test_unknown_agents(write: Write) -> None:
    known = "(known agents: claude, scripted, shell)"
    path = write("agent: clod\ntasks:\n- {key: a, title: A}\n- key: b\n  title: B\n  agent: codex\n")
    assert problems(path) == (
        f"plan.yaml:1: agent: unknown agent 'clod'; did you mean 'claude'? {known}",
        f"plan.yaml:6: tasks[1].agent: unknown agent 'codex' {known}",
    )
    path = write("tasks:\n- {key: a, title: A}\n- {key: b, title: B}\n")
    assert problems(path, agent="gpt") == (f"plan.yaml:1: unknown agent 'gpt', from the configuration {known}",)


# ── checks ───────────────────────────────────────────────────────────────────

CONFIGURED = (Check("test", "pytest"), Check("lint", "ruff"))


def test_configured_checks_hold_unless_the_plan_has_its_own(write: Write) -> None:
    plan = load(write(TASK + "}\n"), checks=CONFIGURED)
    assert plan.checks == plan.tasks[0].checks == CONFIGURED
    own = load(write("checks: make test\n" + TASK + "}\n"), checks=CONFIGURED)
    assert own.checks == own.tasks[0].checks == (Check("check", "make test"),)
    assert load(write("checks: {}\n" + TASK + "}\n"), checks=CONFIGURED).checks == ()


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("[]", ()),
        ("[lint]", (CONFIGURED[1],)),
        ("[lint, test]", CONFIGURED[::-1]),
        ("make", (*CONFIGURED, Check("check", "make"))),
        ("{types: mypy}", (*CONFIGURED, Check("types", "mypy"))),
        ("{test: nox}", (Check("test", "nox"), CONFIGURED[1])),
    ],
)
def test_checks_of_a_task(write: Write, form: str, expected: tuple[Check, ...]) -> None:
    plan = load(write(f"{TASK}, checks: {form}}}\n"), checks=CONFIGURED)
    assert plan.tasks[0].checks == expected
    assert plan.checks == CONFIGURED


def test_details_of_a_check(write: Write) -> None:
    path = write(
        "checks:\n  a: {command: x, timeout: 1h30m, on_failure: block, parallel: 1}\n"
        "  b: {command: y, timeout: 1.5}\n" + TASK + "}\n"
    )
    assert load(path).checks == (Check("a", "x", 5400.0, OnFailure.BLOCK, 1), Check("b", "y", 1.5))


def test_unknown_checks(write: Write) -> None:
    path = write(f"{TASK}, checks: [tset, lint, lint, unit]}}\n")
    assert problems(path, checks=CONFIGURED) == (
        "plan.yaml:2: tasks[0].checks[0]: unknown check 'tset'; did you mean 'test'?",
        "plan.yaml:2: tasks[0].checks[2]: the check 'lint' is named twice",
        "plan.yaml:2: tasks[0].checks[3]: unknown check 'unit'; the plan has no check of this name",
    )


# ── wrong shapes ─────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("depend_on: []", "depend_on: unknown field; did you mean 'depends_on'?"),
        ("zzz: 1", "zzz: unknown field"),
        ("description: 12", "description: should be text, not a number; put it in quotes"),
        ("description: true", "description: should be text, not true or false; put it in quotes"),
        ("description: [a]", "description: should be text, not a list"),
        ("description: ", "description: has no value; give it one or leave it out"),
        (
            "type: impl",
            "type: should be one of 'implementation', 'documentation', 'investigation', 'review', 'integration', "
            "not 'impl'",
        ),
        ("worktree: 3", "worktree: should be one of 'new', 'shared', not '3'"),
        (
            "worktree: share",
            "worktree: should be one of 'new', 'shared', not 'share'; did you mean 'shared'?",
        ),
        ("depends_on: a", "depends_on: should be a list, not text"),
        ("depends_on: [1]", "depends_on[0]: should be text, not a number; put it in quotes"),
        ("scope: ['']", "scope[0]: should not be blank"),
        (
            "expect: [/etc/passwd]",
            "expect[0]: '/etc/passwd' should be a path inside the repository, relative to its top",
        ),
        (
            "expect: [a/../b]",
            "expect[0]: 'a/../b' should be a path inside the repository, relative to its top",
        ),
        ("expect: [.]", "expect[0]: '.' should be a path inside the repository, relative to its top"),
        ("acceptance: {a: b}", "acceptance: should be text or a list, not a mapping"),
        ("limits: {files: 0}", "limits.files: should be at least 1, not 0"),
        ("limits: {seconds: 1.5}", "limits.seconds: should be a whole number, not '1.5'"),
        ("limits: {tests: true}", "limits.tests: should be a whole number, not true or false"),
        ("limits: {second: 1}", "limits.second: unknown field; did you mean 'seconds'?"),
        ("limits: [1]", "limits: should be a mapping, not a list"),
        ("checks: 3", "checks: should be text or a list or a mapping, not a number"),
        ("checks: {a: 3}", "checks.a: should be text or a mapping, not a number"),
        ("checks: {a b: x}", "checks.a b: 'a b' should consist of letters, digits, '.', '_' and '-' only"),
        ("checks: {a: {timeout: 1m}}", "checks.a.command: required field is missing"),
        ("checks: {a: {command: x, timout: 1m}}", "checks.a.timout: unknown field; did you mean 'timeout'?"),
        (
            "checks: {a: {command: x, timeout: soon}}",
            "checks.a.timeout: 'soon' is not a length of time; write it like 90s, 10m or 1h30m",
        ),
        (
            "checks: {a: {command: x, timeout: 0}}",
            "checks.a.timeout: a length of time should be more than zero",
        ),
        (
            "checks: {a: {command: x, timeout: .inf}}",
            "checks.a.timeout: a length of time should not be longer than a year",
        ),
        (
            "checks: {a: {command: x, timeout: true}}",
            "checks.a.timeout: should be text or a number, not true or false",
        ),
        ("checks: {a: {command: x, parallel: 0}}", "checks.a.parallel: should be at least 1, not 0"),
        ('command: "a\\0b"', "command: contains a NUL character"),
        ('description: "\\ud800"', "description: contains half a surrogate pair"),
    ],
)
def test_wrong_fields(write: Write, fields: str, said: str) -> None:
    path = write(f"tasks:\n- key: T1\n  title: One\n\n  {fields}\n")
    assert problems(path) == (f"plan.yaml:5: tasks[0].{said}",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n", "1: a plan should be a mapping with `tasks`, not a list or a single value"),
        ("hello\n", "1: a plan should be a mapping with `tasks`, not a list or a single value"),
        ("", "1: the file is empty; a plan has at least one task"),
        (" \n", "1: the file is empty; a plan has at least one task"),
        ("# nothing yet\n", "1: the file is empty; a plan has at least one task"),
        ("title: x\n", "1: tasks: required field is missing"),
        ("\ntasks: []\n", "2: tasks: should have at least one entry"),
        ("title: x\ntasks:\n", "2: tasks: has no value; give it one or leave it out"),
        ("tasks: x\n", "1: tasks: should be a list, not text"),
        ("tasks:\n- x\n", "2: tasks[0]: should be a mapping, not text"),
        ("tasks:\n- title: x\n", "2: tasks[0].key: required field is missing"),
        (TASK + ", key: b}\n", "2: tasks[0].key: is given twice; first on line 2"),
        (TASK + "}\ntasks: []\n", "3: tasks: is given twice; first on line 1"),
        ("parallel: 0\n" + TASK + "}\n", "1: parallel: should be at least 1, not 0"),
        ("parallel: '2'\n" + TASK + "}\n", "1: parallel: should be a whole number, not '2'"),
        ("title: 3\n" + TASK + "}\n", "1: title: should be text, not a number; put it in quotes"),
        ("task: 3\n" + TASK + "}\n", "1: task: unknown field; did you mean 'tasks'?"),
        ("1: 3\n" + TASK + "}\n", "1: the name of a field should be text; put it in quotes"),
        ("[a]: 3\n" + TASK + "}\n", "1: the name of a field should be text; put it in quotes"),
        (
            "tasks:\n- key: a b\n  title: x\n",
            "2: tasks[0].key: 'a b' should consist of letters, digits, '.', '_' and '-' only",
        ),
        (f"tasks:\n- key: {'k' * 65}\n  title: x\n", "2: tasks[0].key: should have at most 64 characters"),
        (
            "tasks:\n- key: ../x\n  title: x\n",
            "2: tasks[0].key: '../x' should consist of letters, digits, '.', '_' and '-' only",
        ),
        ("tasks:\n- key: a\n  title: ' '\n", "3: tasks[0].title: should not be blank"),
        ("tasks:\n- <<: {key: a}\n", "2: merge keys (<<) are not understood; write the fields out"),
        (
            "tasks:\n- key: !!python/object:os.system x\n",
            "2: the tag !!python/object:os.system is not allowed here",
        ),
        ("tasks:\n- !!set {a, b}\n", "2: the tag !!set is not allowed here"),
        ("tasks: !mine []\n", "1: the tag !mine is not allowed here"),
        ("tasks:\n- !!int x\n", "2: 'x' is not a value of kind int"),
        ("tasks: &a\n- *a\n", "1: an alias stands for a value that contains the alias itself"),
        ("tasks: *gone\n", "1: not valid YAML: found undefined alias 'gone'"),
        ("tasks:\n  - a: [\n", "3: not valid YAML: "),
        ("title: a: b\n", "1: not valid YAML: mapping values are not allowed here"),
        ("tasks:\n\t- a\n", "2: not valid YAML: "),
        ("---\na: 1\n---\nb: 2\n", "3: not valid YAML: expected a single document"),
        ("\n\ntitle: \x01\n", "3: not valid YAML: contains a control character"),
        ("[" * 600, "1: nested too deeply"),
    ],
)
def test_wrong_wholes(write: Write, text: str, said: str) -> None:
    found = problems(write(text))
    assert len(found) == 1
    assert found[0].startswith(f"plan.yaml:{said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"tasks": [\n\t{"key": "a",\n\t "title": 3}]}',
            "3: tasks[0].title: should be text, not a number; put it in quotes",
        ),
        ('{"tasks": [\n{"key": "a", "title": "b"},\n,]}', "3: not valid JSON: expecting value"),
        (
            '{\n"title": "x",\n"title": "y",\n"tasks": [{"key": "a", "title": "b"}]}',
            "3: title: is given twice; first on line 2",
        ),
        (
            '{"tasks": [{"key": "a", "title": null}]}',
            "1: tasks[0].title: has no value; give it one or leave it out",
        ),
        ('{"parallel": NaN}', "1: not valid JSON: NaN is not a number that JSON knows"),
        ('{"parallel": ' + "9" * 5000 + "}", "1: not valid JSON: "),
        ("null", "1: the file is empty"),
        ("[" * 100_000, "1: nested too deeply"),
        ('{"a":' * 600 + "1" + "}" * 600, "1: nested too deeply"),
        ("// no\n{}", "1: not valid JSON: expecting value"),
    ],
)
def test_wrong_json(write: Write, text: str, said: str) -> None:
    found = problems(write(text, "plan.json"))
    assert len(found) == 1
    assert found[0].startswith(f"plan.json:{said}")


@pytest.mark.covers("G36", "P46")
def test_everything_wrong_is_said_at_once(write: Write) -> None:
    text = """\
title: 3
checks: {test: pytest, lint: {command: ruff}}
tasks:
  - key: T001
    depends_on: [T009, 4, T02]
    agent: nobody
    checks: [tst]
  - hello
  - key: T002
    title: Two
    title: Again
    type: thing
    depends_on: [T002, T003]
  - key: T003
    title: Three
    depends_on: [T002]
    expect: [../x]
  - key: T003
    title: Fourth
    command: 5
"""
    found = [line.removeprefix("plan.yaml:").split(":")[:2] for line in problems(write(text))]
    assert [(int(line), place.strip()) for line, place in found] == [
        (1, "title"),
        (4, "tasks[0].title"),
        (5, "tasks[0].depends_on[1]"),
        (5, "tasks[0].depends_on[0]"),
        (5, "tasks[0].depends_on[2]"),
        (6, "tasks[0].agent"),
        (7, "tasks[0].checks[0]"),
        (8, "tasks[1]"),
        (11, "tasks[2].title"),
        (12, "tasks[2].type"),
        (13, "tasks[2].depends_on[0]"),
        (13, "tasks[2].depends_on"),
        (17, "tasks[3].expect[0]"),
        (18, "tasks[4].key"),
        (20, "tasks[4].command"),
    ]


# ── tasks among each other ───────────────────────────────────────────────────


@pytest.mark.covers("G36")
def test_keys_and_dependencies(write: Write) -> None:
    text = """\
tasks:
  - {key: T001, title: a, depends_on: [T003]}
  - {key: T002, title: b, depends_on: [T001]}
  - {key: T003, title: c, depends_on: [T002]}
  - {key: T003, title: d}
  - {key: T004, title: e, depends_on: [T004, T01]}
"""
    assert problems(write(text)) == (
        "plan.yaml:2: tasks[0].depends_on: circular dependency: T001 → T003 → T002 → T001",
        "plan.yaml:5: tasks[3].key: 'T003' is used twice; first on line 4",
        "plan.yaml:6: tasks[4].depends_on[0]: 'T004' depends on itself",
        "plan.yaml:6: tasks[4].depends_on[1]: there is no task 'T01'; did you mean 'T001'?",
    )


def test_a_long_circle_is_shortened(write: Write) -> None:
    lines = [f"- key: T{n}\n  title: t\n  depends_on: [T{(n + 1) % 3000}]\n" for n in range(3000)]
    (found,) = problems(write("tasks:\n" + "".join(lines)))
    assert found.startswith("plan.yaml:4: tasks[0].depends_on: circular dependency: T0 → T1 → ")
    assert found.endswith(" → … 2,989 more … → T2999 → T0")
    assert len(found) < 250


# ── files ────────────────────────────────────────────────────────────────────


def test_files_that_are_not_there(write: Write, tmp_path: Path) -> None:
    missing = refusal(Path("gone.yaml"))
    assert (missing.code, missing.message) == ("E111", "there is no file gone.yaml")
    folder = refusal(tmp_path)
    assert (folder.code, folder.message) == ("E111", f"{tmp_path} is a directory, not a plan file")
    other = refusal(write("x", "plan.txt"))
    assert (other.code, other.hint) == ("E111", "plan files end in .yaml, .yml, .json")
    assert refusal(Path("a\0b.yaml")).code == "E111"


def test_not_utf8(write: Write) -> None:
    path = write(b"title: x\ntasks: \xff\xfe\n")
    assert problems(path) == ("plan.yaml:2: not UTF-8 text; save the file as UTF-8",)
    assert problems(write("title: 見積\n".encode("utf-16")))[0].startswith("plan.yaml:1: not UTF-8")


def test_aliases_of_aliases_do_not_explode(write: Write) -> None:
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for n in range(1, 12):
        bomb += f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n"
    started = time.monotonic()
    (found,) = problems(write(bomb))
    assert found.endswith("aliases repeat more than 100,000 values")
    assert time.monotonic() - started < 10


# ── speed ────────────────────────────────────────────────────────────────────


def big(count: int) -> str:
    task = (
        "  - key: T{n}\n    title: Task number {n}\n    description: |\n      Do it.\n\n      Well.\n"
        "    depends_on: [{before}]\n    scope: [src/a/**, 'b c']\n"
        "    agent: shell\n    command: make all # now\n"
        "    limits: {{files: 5, seconds: 30}}\n"
    )
    return "tasks:\n" + "".join(task.format(n=n, before=f"T{n - 1}" if n else "") for n in range(count))


def test_five_thousand_tasks_are_read_quickly(write: Write) -> None:
    path = write(big(5000))
    started = time.process_time()
    plan = load(path)
    assert time.process_time() - started < 4  # about 1 s on an idle machine; the full parser needs 10
    assert len(plan.tasks) == 5000
    assert plan.tasks[4999].depends_on == ("T4998",)


def test_an_ordinary_plan_is_read_without_the_full_parser(write: Write) -> None:
    """Importing it takes longer than everything else that is done with the file."""
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from toryo.adapters.planfile import load_plan\n"
        "assert 'toryo.adapters.located_plain' not in sys.modules\n"
        "load_plan(Path(sys.argv[1]), default_agents={}, config_checks=(), known_agents=['claude'])\n"
        "assert 'toryo.adapters.located_plain' in sys.modules\n"
        "print([name for name in ('ruamel.yaml', 'difflib') if name in sys.modules])\n"
    )
    path = write(EXAMPLE.replace("scope: [", "scope: [.github/**, 0/1, "))
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_the_quick_reader_reads_ordinary_files() -> None:
    for text in (EXAMPLE, big(3), EXAMPLE.replace("  - key", "- key").replace("\n    ", "\n  ")):
        quick, full = read_plain_yaml(text), read_yaml(text)
        assert quick is not None
        assert full is not None
        assert locate(quick) == locate(full)


ODD_SCALARS = (
        "a", "T001", "10m", "12", "-3", "1.5", "1e3", "0x1f", "0o7", "017", "1_000", "true",
        "Null", "~", "", "yes", "#c", "a #c", "a#b", "'q'", '"q"', '"q" #c', '"a\\n"', "'it''s'",
        "a: b", "a:b", "a:", "[]", "[a]", "[a, 1]", "[a, ]", "[a,, b]", "[,]", "[a b, 'c, d']",
        "[a:b]", "[a: b]", "[*.py]", "[[a]]", "{}", "{k: v}", "{k: 1, k: 2}", "{k:v}", "{k: v,}",
        "{k: [a]}", "{a, b}", "[a] b", "[a", "|", "|-", "|+", "|2", ">", "&x a", "*x", "!t a",
        "- a", "-", "?", "? a", "2024-01-01", ".5", ".github/x", "./a", "日本 語", "　", "\u00a0x",
        "a\u00a0", "%", "@", "`", "=", "<<", "a, b", "a]", "a}", '"a" b', "don't", "a\tb", "a  ",
        "a |", "0", "00", "12s", "0x1h", "0b1s", "1.5s", "1_0s", "1:30m", "./1", "1/2", "0x/1", "1e3m", "9" * 15,
        "9" * 16, "１２", "１m", "2024-01-01T10:00:00Z", "null", "null #c", "-1.5", "-0", "- 1", "1.", "2024-", "-1 #c",
)  # fmt: skip
SCALARS = st.sampled_from(ODD_SCALARS)
LINES = st.tuples(
    st.sampled_from([0, 0, 1, 2, 2, 3, 4, 4, 6]),
    st.sampled_from(
        [
            "",
            "k: ",
            "k:",
            "j: ",
            "m:   ",
            "- ",
            "-   ",
            "- k: ",
            "- j:",
            "- - ",
            "'k': ",
            "null: ",
            "<<: ",
            "--- ",
        ]
    ),
    SCALARS,
).map(lambda parts: " " * parts[0] + parts[1] + parts[2])


TAME = st.sampled_from(
    ["a", "", "null", "-2", "12", "10m", "a b", "[a, 1]", "{k: v}", "'q: r'", '"#" # c', "日本 語", "x # c", "1.5"]
)
TEXT = st.lists(st.sampled_from(["x", "", "  ", "  y", "# no comment", "k: v", "- z"]), min_size=1, max_size=4)


@st.composite
def blocks(draw: st.DrawFn, indent: int = 0, depth: int = 0) -> list[str]:
    """A block mapping of ordinary YAML, with now and then a scalar that is not."""
    pad, lines = " " * indent, []
    for key in draw(st.lists(st.sampled_from("jkmn"), min_size=1, max_size=3)):
        form = draw(st.sampled_from(["tame", "tame", "any", "text", "items", "mapping"]))
        if form == "text":
            deeper = pad + " " * draw(st.integers(1, 3))
            header = draw(st.sampled_from(["|", "|-"]))
            lines += [f"{pad}{key}: {header}", *(deeper + line if line else "" for line in draw(TEXT))]
        elif form == "items" and depth < 2:
            dash = pad + " " * draw(st.sampled_from([0, 2])) + "-" + " " * draw(st.integers(1, 2))
            inner = draw(blocks(len(dash), depth + 1))
            lines += [f"{pad}{key}:", f"{dash}{draw(TAME)}", dash + inner[0].lstrip(" "), *inner[1:]]
        elif form == "mapping" and depth < 2:
            lines += [f"{pad}{key}:", *draw(blocks(indent + draw(st.integers(1, 2)), depth + 1))]
        else:
            lines.append(f"{pad}{key}: {draw(SCALARS if form == 'any' else TAME)}")
    return lines


def assert_agreement(text: str) -> None:
    quick = read_plain_yaml(text)
    if quick is not None:
        full = read_yaml(text)
        assert full is not None
        assert locate(quick) == locate(full)


@pytest.mark.parametrize("around", ["k: {}\n", "k:\n- {}\n", "- k: {}\n", "k: {}\n  x\n", "k: |\n  {}\n   \n"])
def test_the_quick_reader_knows_what_it_does_not_know(around: str) -> None:
    for scalar in ODD_SCALARS:
        assert_agreement(around.format(scalar))


@settings(max_examples=250, deadline=None)
@given(blocks(), st.none() | LINES, st.integers(0, 9), st.booleans())
def test_the_quick_reader_never_disagrees_with_the_full_parser(
    lines: list[str], stray: str | None, where: int, ends: bool
) -> None:
    if stray is not None:
        lines.insert(where, stray)
    assert_agreement("\n".join(lines) + "\n" * ends)


JSON_VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text('ab"\\\n/{[,:日😀'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab"{', max_size=3), inner, max_size=4),
)


@given(JSON_VALUES, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_json_values_and_lines(value: object, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = locate(read_json(text))
    assert document.value == value
    lines = text.split("\n")
    for place, line in document.lines.items():
        if place and isinstance(place[-1], str):
            assert json.dumps(place[-1], ensure_ascii=ascii_only) in lines[line - 1]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60))
def test_no_text_makes_the_readers_fall_over(text: str) -> None:
    for read in (read_json, read_yaml):
        try:
            node = read(text)
        except Unreadable:
            continue
        if node is not None:
            locate(node)

"""A file with a list of tasks: reading it into a plan, and ticking what is done."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from toryo.adapters.textfiles import unreachable
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Check, Plan, TaskType
from toryo.domain.tasklist import Remark, TaskList
from toryo.rules.tasklistplan import plan_from_tasklist

MOST_BYTES = 2_000_000
MOST_LINES = 20_000
LONGEST_LINE = 10_000
SHELL = "shell"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_OPEN_BOX = re.compile(r"\[[ \u3000~/>!?-]?\]")


def load_tasklist(path: Path) -> TaskList:
    """The list in a file; ToryoError with one line per error if it cannot be carried out like this."""
    tasklist = _read(_text(path), path.stem, str(path))
    if tasklist.errors:
        raise _refusal(path, remark_lines(tasklist.errors, path))
    return tasklist


def plan_of(
    tasklist: TaskList,
    path: Path,
    *,
    default_agents: Mapping[TaskType, str],
    config_checks: tuple[Check, ...],
    known_agents: Collection[str],
) -> Plan:
    """The open tasks as a plan; ToryoError if nothing is left, or nobody can do them."""
    plan = plan_from_tasklist(tasklist, agents=default_agents, checks=config_checks)
    if not plan.tasks:
        hint = "add a task, or take the tick off one that is to be done again"
        raise ToryoError("E115", f"all tasks in {path} are done already", hint=hint, exit_code=Exit.USAGE)
    for agent in sorted({task.agent for task in plan.tasks}):
        if agent not in known_agents:
            known = f"known agents: {', '.join(sorted(known_agents))}"
            raise ToryoError("E501", f"there is no agent '{agent}'", hint=known, exit_code=Exit.USAGE)
        if agent == SHELL:
            said = "a list of tasks has no commands, so the agent 'shell' cannot do them"
            hint = "name another agent with --agent, or write a plan file"
            raise ToryoError("E115", said, hint=hint, exit_code=Exit.USAGE)
    return plan


def remark_lines(remarks: Collection[Remark], path: Path) -> list[str]:
    """As they are shown: file, line, words."""
    return [f"{path}:{_place(remark)}: {_shown(remark.text)}" for remark in remarks]


def _shown(text: str) -> str:
    """Words of a file, on one line, and with nothing in them that steers a terminal."""
    return "".join(char if char.isprintable() else "�" for char in text)


def done_line(tasklist: TaskList, path: Path) -> list[str]:
    done = [entry for entry in tasklist.entries if entry.is_done]
    keys = ", ".join(entry.key for entry in done)
    return [f"{path}:{done[0].line}: already done, and not done again: {keys}"] if done else []


def _place(remark: Remark) -> str:
    return f"{remark.line}-{remark.last_line}" if remark.last_line > remark.line else str(remark.line)


def tick(text: str, key: str) -> str:
    """The text with that task's checkbox ticked, and not one other character changed."""
    entry = next((entry for entry in _read(text, "", "the list").entries if entry.key == key), None)
    if entry is None or not entry.has_checkbox:
        said = f"there is no task '{key}'" if entry is None else f"the task '{key}' has no checkbox"
        raise ToryoError("E115", said, hint="check the list of tasks", exit_code=Exit.USAGE)
    if entry.is_done:
        return text
    for number, line in enumerate(_LINE.finditer(text), 1):
        if number == entry.line:
            box = _OPEN_BOX.search(text, line.start(), line.end())
            assert box, "an open task has an open checkbox on its line"
            return f"{text[: box.start()]}[x]{text[box.end() :]}"
    raise AssertionError("an entry is on a line of its text")


# ── text ─────────────────────────────────────────────────────────────────────


def _read(text: str, name: str, where: str) -> TaskList:
    from toryo.adapters.tasklists.reading import read_tasklist  # the Markdown parser is not needed for plan files

    lines = text.count("\n") + text.count("\r")
    if len(text) > MOST_BYTES or lines > MOST_LINES or max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
        said = f"{where} is too large for a list of tasks"
        hint = f"at most {MOST_LINES:,} lines of {LONGEST_LINE:,} characters are read; split the list"
        raise ToryoError("E116", said, hint=hint, exit_code=Exit.USAGE)
    try:
        return read_tasklist(text, name)
    except RecursionError as error:
        hint = "write the list with fewer levels"
        raise ToryoError("E116", f"{where} is nested too deeply", hint=hint, exit_code=Exit.USAGE) from error


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise unreachable(path, error, code="E116", kind="list of tasks", example=", such as tasks.md") from error
    if len(raw) > MOST_BYTES:
        said, hint = (
            f"{path} is too large for a list of tasks",
            f"at most {MOST_BYTES:,} bytes are read; split the list",
        )
        raise ToryoError("E116", said, hint=hint, exit_code=Exit.USAGE)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise _refusal(path, [f"{path}:{line}: not UTF-8 text; save the file as UTF-8"]) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise _refusal(path, [f"{path}:{line}: contains a NUL character; this is not a text file"])
    return text


def _refusal(path: Path, lines: list[str]) -> ToryoError:
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    hint = "correct these lines and run it again; docs/tasks-file.md says what is understood"
    return ToryoError("E115", f"{path} has {count}", hint=hint, exit_code=Exit.USAGE).with_details(lines)

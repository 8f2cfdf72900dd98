"""Calls of the tools that an agent offers, whatever it named them."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Any

from tests.support.model_server.exchange import Call, Question, Reply, Say, Tool
from tests.support.model_server.script import BadScript, Step, unescaped

_SHELLS = ("Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command", "local_shell")
_WRITERS = ("Write", "write", "write_file")
_ASKERS = ("AskUserQuestion", "question", "ask_user", "request_user_input")
_COMMAND_NAMES = ("command", "cmd")
_PATH_NAMES = ("file_path", "filePath", "path")
_PURPOSE = "Do the next step of the script"


def call_for(step: Step, question: Question) -> Reply:
    """The tool call that this step stands for, or words where the agent offers no such tool."""
    match step.word:
        case "run":
            return _shell(step.rest, question) or Say(f"There is no tool to run: {step.rest}")
        case "background":
            return _shell(step.rest, question, background=True) or Say(f"There is no tool to run: {step.rest}")
        case "write":
            return _write(step.rest, question)
        case "ask":
            return _ask(step.rest or "Which way?", question)
        case _:
            raise BadScript(f"not a tool call: {step.word}")


def offers_tools(question: Question) -> bool:
    """Whether the agent itself asks; its side requests (titles, summaries) offer nothing to work with."""
    return _offered((*_SHELLS, *_WRITERS, *_ASKERS), question.tools) is not None


def _offered(names: Iterable[str], tools: Iterable[Tool]) -> Tool | None:
    by_name = {tool.name: tool for tool in tools}
    return next((by_name[name] for name in names if name in by_name), None)


def _shell(command: str, question: Question, *, background: bool = False) -> Call | None:
    tool = _offered(_SHELLS, question.tools)
    if tool is None:
        return None
    name = next((name for name in _COMMAND_NAMES if name in tool.properties), "command")
    as_list = tool.properties.get(name, {}).get("type") == "array"
    given: dict[str, Any] = {name: ["bash", "-lc", command] if as_list else command}
    for flag in ("run_in_background", "is_background"):
        if background and flag in tool.properties:
            given[flag] = True
    return Call(tool.name, _completed(tool, given))


def _write(rest: str, question: Question) -> Reply:
    path, _, text = rest.partition(" ")
    content = unescaped(text)
    folder = shlex.quote(str(PurePosixPath(path).parent))
    command = f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {shlex.quote(path)}"
    if call := _shell(command, question):
        return call
    tool = _offered(_WRITERS, question.tools)
    if tool is None:
        return Say(f"There is no tool to write: {path}")
    name = next((name for name in _PATH_NAMES if name in tool.properties), "file_path")
    return Call(tool.name, _completed(tool, {name: path, "content": content}))


def _ask(text: str, question: Question) -> Reply:
    tool = _offered(_ASKERS, question.tools)
    if tool is None:
        return Say(text)
    options = [
        {"label": "Left", "description": "The left way"},
        {"label": "Right", "description": "The right way"},
    ]
    asked: dict[str, Any] = {"question": text, "header": "Way", "options": options}
    item = tool.properties.get("questions", {}).get("items", {})
    extra = {"multiSelect": False, "multiple": False, "id": "way", "type": "choice"}
    asked |= {name: value for name, value in extra.items() if name in item.get("properties", {})}
    return Call(tool.name, {"questions": [asked]})


def _completed(tool: Tool, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments plus what else the schema requires, such as a description."""
    missing = [name for name in tool.required if name not in given]
    return {**given, **{name: sample_of(tool.properties.get(name, {}), _PURPOSE) for name in missing}}


def sample_of(schema: Mapping[str, Any], text: str) -> Any:
    """A small value that fits a JSON schema."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for choice in ("anyOf", "oneOf"):
        if schema.get(choice):
            return sample_of(schema[choice][0], text)
    match str(schema.get("type", "string")).lower():
        case "object":
            properties = schema.get("properties") or {}
            return {name: sample_of(inner, text) for name, inner in properties.items()}
        case "array":
            return []
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
        case _:
            return text

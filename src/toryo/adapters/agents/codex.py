"""Codex, tested with 0.166.0: `exec --json` headless; hooks and the rollout file when interactive."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from toryo.adapters.agents import hooks
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import count, number, parsed, plain, table, text, trouble_of, worded
from toryo.domain.report import Trouble, Usage
from toryo.domain.run import Mode
from toryo.domain.signals import (
    PERMISSION,
    Asked,
    Elsewhere,
    Failed,
    Finished,
    Got,
    Named,
    Noted,
    Said,
    Signal,
    Spent,
    Stalled,
    Took,
    Used,
)
from toryo.ports import Abilities, Errand, Invocation

_HOOKS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PermissionRequest", "Stop")
_BYPASS = "--dangerously-bypass-approvals-and-sandbox"
_STATUS = re.compile(r"\bstatus:? (\d{3})\b")
_AGAIN_AT = re.compile(r"try again at (?:(\w{3}) (\d{1,2})\w\w, (\d{4}),? )?(\d{1,2}:\d{2} [AP]M)", re.IGNORECASE)
_NO_ANSWER = ("waiting for network", "Connection failed", "high demand", "stream disconnected")
_NO_CONVERSATION = "no rollout found for thread id"
_ERROR_NAMES = {
    "usage_limit_exceeded": Trouble.QUOTA,
    "unauthorized": Trouble.LOGIN,
    "server_overloaded": Trouble.API,
    "internal_server_error": Trouble.API,
    "http_connection_failed": Trouble.API,
    "response_stream_connection_failed": Trouble.API,
    "response_stream_disconnected": Trouble.API,
    "response_too_many_failed_attempts": Trouble.API,
}


class Codex(KnownAgent):
    name = "codex"
    tested = "0.166.0"
    abilities = Abilities(modes=(Mode.HEADLESS, Mode.INTERACTIVE), has_protocol=True, resumes=True, counts_tokens=True)
    own_variables = ("CODEX_*", "OPENAI_*", "AZURE_OPENAI_*")

    def invocation(self, errand: Errand) -> Invocation:
        # Trust goes in by hand, else it is asked for, or noted in the person's own configuration.
        trust = ("-c", f'projects={{{json.dumps(str(errand.root))}={{trust_level="trusted"}}}}')
        auto = (_BYPASS,) if self.options.full_auto else ()
        # Without a network it would wait for ever; the pause is ours to keep.
        bounded = ("-c", "features.unbounded_connection_retries=false")
        common = (*trust, *bounded, *auto, *self.model_flags("-m", errand.model), *self.options.flags)
        goes_on = () if errand.is_first else ("resume",)
        which = () if errand.is_first else (errand.conversation,)
        if self.mode is Mode.HEADLESS:
            argv = (self.program(), "exec", *goes_on, "--json", *common, *which, "-")
            return Invocation(argv, self.options.env, reads_prompt_from_stdin=True)
        prompt = hooks.argument_prompt(errand.prompt, errand.prompt_file)
        screen = ("--no-daemon", *_QUIET, *_hook_flags(errand.signals))
        argv = (self.program(), *goes_on, *screen, *common, "--", *which, prompt)
        return Invocation(argv, self.options.env)

    def opened(self, prompt: str) -> tuple[str, ...]:
        given = ("--", prompt) if prompt else ()
        # Else the agent would live in a daemon that all its windows share, and that outlives them.
        return (self.program(), "--no-daemon", *self.model_flags("-m"), *self.options.flags, *given)

    def read(self, line: str, at: float) -> Iterable[Signal]:
        said = parsed(line)
        if said is None:
            return [Failed(Trouble.CONVERSATION, line.strip())] if _NO_CONVERSATION in line else plain(line)
        if "hook_event_name" in said:
            return list(_hook(said))
        if said.get("type") == "event_msg":
            return list(_rollout(table(said, "payload"), at))
        return list(_event(said, at))


# Menus and hints that would stand in the way of what is typed next.
_QUIET = ("-c", "notice.hide_rate_limit_model_nudge=true", "-c", "tui.show_tooltips=false")


def _hook_flags(signals: Path) -> Iterator[str]:
    yield "--dangerously-bypass-hook-trust"
    command = json.dumps(hooks.command(signals))
    for name in _HOOKS:
        yield "-c"
        yield f'hooks.{name}=[{{hooks=[{{type="command",command={command}}}]}}]'


# ── exec --json ──────────────────────────────────────────────────────────────


def _event(said: Mapping[str, Any], at: float) -> Iterator[Signal]:
    match said.get("type"):
        case "thread.started":
            yield Named(text(said, "thread_id"))
        case "turn.started":
            yield Took()
        case "item.started":
            yield from _begun(table(said, "item"))
        case "item.completed":
            yield from _item(table(said, "item"))
        case "error":
            message = text(said, "message")
            yield Stalled(_trouble(message), worded(message), _reset(message, at))
        case "turn.completed":
            yield Spent(total=_usage(table(said, "usage")))
            yield Finished()
        case "turn.failed":
            message = text(table(said, "error"), "message")
            yield Failed(_trouble(message), worded(message), _reset(message, at))


def _begun(item: Mapping[str, Any]) -> Iterator[Signal]:
    if item.get("type") == "command_execution":
        yield Used("shell", text(item, "command"))


def _item(item: Mapping[str, Any]) -> Iterator[Signal]:
    match item.get("type"):
        case "agent_message":
            yield Said(text(item, "text"))
        case "command_execution":
            yield Got(text(item, "aggregated_output"), failed=item.get("status") == "failed")
        case "file_change":
            yield Used("edit", ", ".join(sorted(_paths(item))))
        case "mcp_tool_call" | "web_search":
            yield Used(str(item["type"]), text(item, "tool") or text(item, "query"))
        case "error":
            yield Noted(text(item, "message"))


def _paths(item: Mapping[str, Any]) -> Iterator[str]:
    changes = item.get("changes")
    for change in changes if isinstance(changes, list) else ():
        if isinstance(change, dict):
            yield text(change, "path")


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Counted over the whole thread."""
    return Usage(count(usage, "input_tokens"), count(usage, "output_tokens"), count(usage, "cached_input_tokens"))


def _trouble(message: str) -> Trouble:
    """`exec` says in words what happened; the words of a limit are its own, others carry the HTTP status."""
    if "usage limit" in message:
        return Trouble.QUOTA
    if found := _STATUS.search(message):
        return trouble_of(int(found[1]))
    return Trouble.API if any(words in message for words in _NO_ANSWER) else Trouble.OTHER


def _reset(message: str, at: float) -> float:
    """The next time it is as late as the message says, from when it was said."""
    found = _AGAIN_AT.search(message)
    if found is None:
        return 0.0
    month, day, year, clock = found.groups()
    said = datetime.fromtimestamp(at)
    try:
        if month:
            return datetime.strptime(f"{month} {day} {year} {clock}", "%b %d %Y %I:%M %p").timestamp()
        then = datetime.combine(said.date(), datetime.strptime(clock, "%I:%M %p").time())
    except ValueError:
        return 0.0
    return (then if then > said - timedelta(minutes=1) else then + timedelta(days=1)).timestamp()


# ── hooks, and the rollout file they name ────────────────────────────────────


def _hook(said: Mapping[str, Any]) -> Iterator[Signal]:
    if path := text(said, "transcript_path"):
        yield Elsewhere(path)
    match said["hook_event_name"]:
        case "SessionStart":
            yield Named(text(said, "session_id"))
        case "UserPromptSubmit":
            yield Took()
        case "PreToolUse":
            yield Used(text(said, "tool_name"), text(table(said, "tool_input"), "command"))
        case "PostToolUse":
            yield Got("")
        case "PermissionRequest":
            what = text(table(said, "tool_input"), "command")
            yield Asked(f"{PERMISSION}{text(said, 'tool_name')}: {what}")
        case "Stop":
            if words := text(said, "last_assistant_message"):
                yield Said(words)
            yield Finished(words)


def _rollout(said: Mapping[str, Any], at: float) -> Iterator[Signal]:
    """Only what no hook tells: what was spent, and that a turn has failed."""
    match said.get("type"):
        case "token_count":
            yield Spent(total=_usage(table(said, "info", "total_token_usage")))
        case "task_complete" if isinstance(said.get("error"), dict):
            error = table(said, "error")
            message = text(error, "message") or "the turn failed"
            until = number(error, "resets_at") or _reset(message, at)
            yield Failed(_named_trouble(error, message), worded(message), until)


def _named_trouble(error: Mapping[str, Any], message: str) -> Trouble:
    """By the HTTP status where there is one, else by name, else by what is said."""
    info = error.get("codex_error_info")
    name = info if isinstance(info, str) else next(iter(info), "") if isinstance(info, dict) else ""
    if status := number(table(error, "codex_error_info", name), "http_status_code"):
        return trouble_of(status)
    return _ERROR_NAMES.get(name) or _trouble(message)

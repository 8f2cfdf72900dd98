"""OpenCode, tested with 1.18.33: `run --format json` headless; a plugin tells what neither it nor its screen says."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toryo.adapters.agents.hooks import argument_prompt
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import count, number, parsed, plain, table, text, trouble_of
from toryo.adapters.settingagents import AgentSettings
from toryo.domain.report import Trouble, Usage
from toryo.domain.run import Mode
from toryo.domain.signals import (
    PERMISSION,
    Asked,
    Failed,
    Finished,
    Got,
    Named,
    Said,
    Signal,
    Spent,
    Stalled,
    Took,
    Used,
)
from toryo.ports import Abilities, Errand, Invocation
from toryo.rules.prompting import without_escapes

_CONFIG = "OPENCODE_CONFIG_CONTENT"
_PLUGIN = Path(__file__).with_name("opencode_plugin.js")
_STREAM_ERROR = re.compile(r'level=ERROR\b.*message="stream error".*\bsession\.id=(\S+).* error\.error="(.*)"')
_LIMITS = ("rate limit", "too many requests", "quota", "usage limit", "429")


class OpenCode(KnownAgent):
    name = "opencode"
    tested = "1.18.33"
    own_variables = ("OPENCODE_*",)

    def __init__(self, options: AgentSettings, passes: tuple[str, ...] = ()) -> None:
        super().__init__(options, passes)
        self.abilities = Abilities(
            modes=(Mode.HEADLESS, Mode.INTERACTIVE),
            has_protocol=True,
            resumes=self.mode is Mode.HEADLESS,  # on its screen, a prompt for an old session is not submitted
            counts_tokens=True,
            counts_money=True,
        )

    def invocation(self, errand: Errand) -> Invocation:
        config: dict[str, object] = {"permission": {"*": "allow"}} if self.options.full_auto else {}
        which = () if errand.is_first else ("-s", errand.conversation)
        options = (*which, *self.model_flags("-m", errand.model), *self.options.flags)
        if self.mode is Mode.HEADLESS:
            argv = (self.program(), "run", "--format", "json", "--print-logs", "--log-level", "ERROR", *options)
            return Invocation(argv, self._env(config), reads_prompt_from_stdin=True)
        prompt = argument_prompt(errand.prompt, errand.prompt_file)
        # Not for headless runs: with a plugin it looks for packages whenever it starts.
        config["plugin"] = [_PLUGIN.as_uri()]
        return Invocation((self.program(), *options, f"--prompt={prompt}"), self._env(config))

    def _env(self, config: Mapping[str, object]) -> dict[str, str]:
        theirs = parsed(self.options.env.get(_CONFIG) or os.environ.get(_CONFIG, "")) or {}
        own = {**self.options.env, _CONFIG: json.dumps({**theirs, **config})}
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", **own}

    def opened(self, prompt: str) -> tuple[str, ...]:
        given = (f"--prompt={prompt}",) if prompt else ()
        return (self.program(), *self.model_flags("-m"), *self.options.flags, *given)

    def read(self, line: str, at: float) -> Iterable[Signal]:
        said = parsed(line)
        if said is None:
            return _logged(line)
        given = table(said, "properties")
        told = list(_told(said, given, at) if given else _event(said))
        session = text(said, "sessionID") or text(given, "sessionID")
        return [Named(session), *told] if session else told


def _logged(line: str) -> list[Signal]:
    """While it tries again and again it prints nothing; but it logs."""
    if "Session not found" in line:
        return [Failed(Trouble.CONVERSATION, without_escapes(line).strip())]
    found = _STREAM_ERROR.search(line)
    return [Named(found[1]), _stall(found[2])] if found else plain(line)


def _stall(message: str, until: float = 0.0) -> Stalled:
    is_limit = any(word in message.lower() for word in _LIMITS)
    return Stalled(Trouble.QUOTA if is_limit else Trouble.API, message, until)


# ── run --format json ────────────────────────────────────────────────────────


def _event(said: Mapping[str, Any]) -> Iterator[Signal]:
    part = table(said, "part")
    match said.get("type"):
        case "step_start":
            yield Took()
        case "text" | "tool_use":
            yield from _part(part)
        case "step_finish":
            yield Spent(_usage(part))
            if part.get("reason") == "stop":
                yield Finished()
        case "error":
            yield _failure(table(said, "error"))


def _part(part: Mapping[str, Any]) -> Iterator[Signal]:
    if part.get("type") == "text":
        yield Said(text(part, "text"))
    elif part.get("type") == "tool":
        state = table(part, "state")
        given = table(state, "input")
        yield Used(text(part, "tool"), text(given, "command") or text(given, "filePath") or text(state, "title"))
        yield Got(text(state, "output") or text(state, "error"), failed=state.get("status") == "error")


def _usage(part: Mapping[str, Any]) -> Usage:
    tokens, cache = table(part, "tokens"), table(part, "tokens", "cache")
    cached = count(cache, "read")
    read = count(tokens, "input") + cached + count(cache, "write")
    return Usage(read, count(tokens, "output") + count(tokens, "reasoning"), cached, number(part, "cost"))


def _failure(error: Mapping[str, Any]) -> Failed:
    data = table(error, "data")
    message = text(data, "message") or text(error, "name") or "it failed without saying why"
    if text(error, "name") == "ProviderAuthError":
        return Failed(Trouble.LOGIN, message)
    status = number(data, "statusCode")
    return Failed(trouble_of(status) if status else Trouble.OTHER, message)


# ── the plugin ───────────────────────────────────────────────────────────────


def _told(said: Mapping[str, Any], given: Mapping[str, Any], at: float) -> Iterator[Signal]:
    match said.get("type"):
        case "message.updated":
            yield Spent(_usage(table(given, "info")))
        case "message.part.updated":
            yield from _part(table(given, "part"))
        case "session.status":
            yield from _status(table(given, "status"), at)
        case "session.idle":
            yield Finished()
        case "session.error":
            yield _failure(table(given, "error"))
        case "permission.asked":
            patterns = given.get("patterns")
            what = ", ".join(map(str, patterns)) if isinstance(patterns, list) else ""
            yield Asked(f"{PERMISSION}{text(given, 'permission') or text(given, 'title')}: {what}")
        case "permission.replied":
            yield Took()


def _status(status: Mapping[str, Any], at: float) -> Iterator[Signal]:
    # It is busy again before each retry, so that says nothing.
    if status.get("type") == "retry":
        until = number(status, "next") / 1000
        yield _stall(text(status, "message"), until if until > at else 0.0)

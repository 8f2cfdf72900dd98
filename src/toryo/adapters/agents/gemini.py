"""Gemini CLI, tested with 0.61.0: stream-json headless, hooks when interactive."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from toryo.adapters.agents import hooks
from toryo.adapters.agents.gemini_home import links_to, settings_with_hooks
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import count, parsed, plain, table, text, trouble_of, worded
from toryo.adapters.settingagents import AgentSettings
from toryo.domain.report import Trouble, Usage
from toryo.domain.run import Mode
from toryo.domain.signals import Asked, Failed, Finished, Got, Named, Said, Signal, Spent, Stalled, Took, Used
from toryo.ports import Abilities, Errand, Invocation

_STATUS = re.compile(r"\"code\":\s*(\d{3})\b|\bstatus:? (\d{3})\b")
_QUOTA = re.compile(r"quota|RESOURCE_EXHAUSTED|rate limit", re.IGNORECASE)
_RETRY = re.compile(r"Attempt \d+ failed")
_NO_SESSION = re.compile(r"Invalid session identifier|No previous sessions found|Error resuming session", re.IGNORECASE)


class Gemini(KnownAgent):
    name = "gemini"
    tested = "0.61.0"
    own_variables = ("GEMINI_*", "GOOGLE_*", "CLOUDSDK_*", "CODE_ASSIST_*")

    abilities = Abilities(
        modes=(Mode.HEADLESS, Mode.INTERACTIVE),
        has_protocol=True,
        resumes=True,
        names_conversations=True,
        counts_tokens=True,
    )

    def __init__(self, options: AgentSettings, passes: tuple[str, ...] = ()) -> None:
        super().__init__(options, passes)
        self.abilities = replace(self.abilities, counts_tokens=self.mode is Mode.HEADLESS)

    def invocation(self, errand: Errand) -> Invocation:
        which = ("--session-id", errand.conversation) if errand.is_first else ("-r", errand.conversation)
        auto = ("-y",) if self.options.full_auto else ()
        argv = (
            self.program(),
            "--skip-trust",
            *which,
            *auto,
            *self.model_flags("-m", errand.model),
            *self.options.flags,
        )
        env = {"GEMINI_CLI_NO_RELAUNCH": "true", **self.options.env}
        if self.mode is Mode.HEADLESS:
            return Invocation((*argv, "-o", "stream-json"), env, reads_prompt_from_stdin=True)
        given = self.options.env.get("GEMINI_CLI_HOME") or os.environ.get("GEMINI_CLI_HOME")
        own = Path(given or Path.home()) / ".gemini"
        home = errand.store / "gemini-home"
        prompt = hooks.argument_prompt(errand.prompt, errand.prompt_file)
        return Invocation(
            (*argv, f"--prompt-interactive={prompt}"),
            {**env, "GEMINI_CLI_HOME": str(home)},
            files={home / ".gemini" / "settings.json": settings_with_hooks(own)},
            links={home / ".gemini" / name: target for name, target in links_to(own).items()},
        )

    def opened(self, prompt: str) -> tuple[str, ...]:
        given = (f"--prompt-interactive={prompt}",) if prompt else ()
        return (self.program(), *self.model_flags("-m"), *self.options.flags, *given)

    def read(self, line: str, at: float) -> Iterable[Signal]:  # noqa: ARG002
        said = parsed(line)
        if said is not None and "hook_event_name" in said:
            return list(_hook(said))
        return list(_event(said)) if said is not None and "type" in said else _complaint(line)


def _complaint(line: str) -> list[Signal]:
    """Retries are told on standard error alone."""
    if _NO_SESSION.search(line):
        return [Failed(Trouble.CONVERSATION, line.strip())]
    words = worded(line)
    return [Stalled(_trouble(line), words.strip()[:300])] if _RETRY.search(line) else plain(words)


def _trouble(message: str) -> Trouble:
    found = _STATUS.search(message)
    if found:
        return trouble_of(int(found[1] or found[2]))
    return Trouble.QUOTA if _QUOTA.search(message) else Trouble.API


def _event(said: Mapping[str, Any]) -> Iterator[Signal]:
    match said.get("type"):
        case "init":
            yield Named(text(said, "session_id"))
        case "message" if said.get("role") == "assistant":
            yield Said(text(said, "content"), is_piece=said.get("delta") is True)
        case "tool_use":
            given = table(said, "parameters")
            detail = text(given, "command") or text(given, "file_path") or text(given, "path")
            yield Used(text(said, "tool_name"), detail)
        case "tool_result":
            yield Got(text(said, "output"), failed=said.get("status") != "success")
        case "error":
            message = text(said, "message")
            yield Stalled(_trouble(message), worded(message))
        case "result":
            stats = table(said, "stats")
            yield Spent(Usage(count(stats, "input_tokens"), count(stats, "output_tokens"), count(stats, "cached")))
            if said.get("status") == "success":
                yield Finished()
            else:
                message = text(table(said, "error"), "message") or "it failed without saying why"
                yield Failed(_final_trouble(message), worded(message))


def _final_trouble(message: str) -> Trouble:
    found = _STATUS.search(message)
    if found:
        return Trouble.LOGIN if "API key not valid" in message else trouble_of(int(found[1] or found[2]))
    if _QUOTA.search(message):
        return Trouble.QUOTA
    return Trouble.API if "API Error" in message else Trouble.OTHER


# ── hooks ────────────────────────────────────────────────────────────────────


def _hook(said: Mapping[str, Any]) -> Iterator[Signal]:
    given = table(said, "tool_input")
    detail = text(given, "command") or text(given, "file_path") or text(given, "path")
    match said["hook_event_name"]:
        case "SessionStart":
            yield Named(text(said, "session_id"))
        case "BeforeAgent":
            yield Took()
        case "BeforeTool":
            yield Used(text(said, "tool_name"), detail)
        case "AfterTool":
            yield Got("")
        case "Notification" if said.get("notification_type") == "ToolPermission":
            yield Asked(text(said, "message") or "may it use a tool?")
        case "AfterAgent" if text(said, "prompt_response") == "[no response text]":
            yield Failed(Trouble.API, "the model gave no answer")
        case "AfterAgent":
            yield Finished(text(said, "prompt_response"))

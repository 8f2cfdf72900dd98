"""Gemini CLI, tested with 0.61.0: stream-json headless; interactive it has to be told how to say that it is done."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toryo.adapters.agents.hooks import argument_prompt
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import count, parsed, plain, table, text, trouble_of
from toryo.adapters.settingagents import AgentSettings
from toryo.domain.report import Trouble, Usage
from toryo.domain.run import Mode
from toryo.domain.signals import Failed, Finished, Got, Named, Said, Signal, Spent, Stalled, Used
from toryo.ports import Abilities, Errand, Invocation

_STATUS = re.compile(r"\"code\":\s*(\d{3})\b|\bstatus:? (\d{3})\b")
_QUOTA = re.compile(r"quota|RESOURCE_EXHAUSTED|rate limit", re.IGNORECASE)
_RETRY = re.compile(r"Attempt \d+ failed")
_NO_SESSION = re.compile(r"Invalid session identifier|No previous sessions found|Error resuming session", re.IGNORECASE)


class Gemini(KnownAgent):
    name = "gemini"
    tested = "0.61.0"
    own_variables = ("GEMINI_*", "GOOGLE_*", "CLOUDSDK_*", "CODE_ASSIST_*")

    def __init__(self, options: AgentSettings, passes: tuple[str, ...] = ()) -> None:
        super().__init__(options, passes)
        self.abilities = Abilities(
            modes=(Mode.HEADLESS, Mode.INTERACTIVE),
            has_protocol=self.mode is Mode.HEADLESS,
            needs_sentinel=self.mode is Mode.INTERACTIVE,
            resumes=True,
            names_conversations=True,
            counts_tokens=self.mode is Mode.HEADLESS,
        )

    def invocation(self, errand: Errand) -> Invocation:
        which = ("--session-id", errand.conversation) if errand.is_first else ("-r", errand.conversation)
        auto = ("-y",) if self.options.full_auto else ()
        argv = (self.program(), "--skip-trust", *which, *auto, *self.model_flags("-m"), *self.options.flags)
        env = {"GEMINI_CLI_NO_RELAUNCH": "true", **self.options.env}
        if self.mode is Mode.HEADLESS:
            return Invocation((*argv, "-o", "stream-json"), env, reads_prompt_from_stdin=True)
        prompt = argument_prompt(errand.prompt, str(errand.prompt_file))
        return Invocation((*argv, "-i", prompt), env)

    def read(self, line: str, at: float) -> Iterable[Signal]:  # noqa: ARG002
        said = parsed(line)
        return list(_event(said)) if said is not None and "type" in said else _complaint(line)


def _complaint(line: str) -> list[Signal]:
    """Retries are told on standard error alone."""
    if _NO_SESSION.search(line):
        return [Failed(Trouble.CONVERSATION, line.strip())]
    return [Stalled(_trouble(line), line.strip()[:300])] if _RETRY.search(line) else plain(line)


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
            yield Stalled(_trouble(text(said, "message")), text(said, "message"))
        case "result":
            stats = table(said, "stats")
            yield Spent(Usage(count(stats, "input_tokens"), count(stats, "output_tokens"), count(stats, "cached")))
            if said.get("status") == "success":
                yield Finished()
            else:
                message = text(table(said, "error"), "message") or "it failed without saying why"
                yield Failed(_final_trouble(message), message)


def _final_trouble(message: str) -> Trouble:
    found = _STATUS.search(message)
    if found:
        return Trouble.LOGIN if "API key not valid" in message else trouble_of(int(found[1] or found[2]))
    return Trouble.QUOTA if _QUOTA.search(message) else Trouble.OTHER

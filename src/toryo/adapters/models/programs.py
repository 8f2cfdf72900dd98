"""Installed coding agents as models: one question, one answer, no tools, and no key of ours.

The program starts in an empty folder of its own, so that it finds no project, and every way of doing something is
switched off: it can only answer. Tested with Claude Code 2.1.325 and Codex 0.166.0.
"""

import asyncio
import json
import shutil
import tempfile
import time
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from toryo.adapters.agents.claude import Claude
from toryo.adapters.agents.codex import Codex
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import parsed, table, text
from toryo.adapters.models.answering import Program, answer_lines
from toryo.adapters.models.gathering import Gathering
from toryo.adapters.settingagents import AgentSettings
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, CallFailed, Reply, Stop
from toryo.domain.report import Report, Trouble
from toryo.domain.signals import Said
from toryo.rules.callfailures import failure
from toryo.rules.environment import allowed
from toryo.rules.reporting import heard
from toryo.rules.transcripts import as_one_prompt

_PATIENCE = 5
"""Programs are silent while a model thinks: for them, this many times the configured silence."""
_STOPS = {"max_tokens": Stop.LENGTH, "model_context_window_exceeded": Stop.LENGTH, "refusal": Stop.REFUSAL}


class ProgramModel(ABC):
    provider: str
    agent: type[KnownAgent]

    def __init__(
        self, own: ModelSettings, agent: AgentSettings, passes: tuple[str, ...], environ: Mapping[str, str]
    ) -> None:
        self._own = own
        self._agent = self.agent(replace(agent, model=own.model or agent.model), passes)
        self._environ = {**allowed(environ, self._agent.passes), **agent.env, **self.variables()}
        self.name = f"{self.provider}/{own.model or agent.model}".rstrip("/")

    def variables(self) -> Mapping[str, str]:
        return {}

    @abstractmethod
    def flags(self, system: Path | None) -> tuple[str, ...]:
        """What makes the program answer the prompt on its standard input, and do nothing else."""

    def note(self, line: str, gathering: Gathering) -> None:  # noqa: B027 - most lines say nothing more
        """What a line says beyond the agent's signals."""

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        gathering = Gathering(hear, self._own.model)
        folder = Path(tempfile.mkdtemp(prefix="toryo-model-"))
        try:
            report = await self._converse(call, gathering, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        return self._replied(call, gathering, report)

    async def _converse(self, call: Call, gathering: Gathering, folder: Path) -> Report:
        (folder / "empty").mkdir()
        system = folder / "system.md" if call.system else None
        if system:
            system.write_text(call.system, encoding="utf-8", errors="replace")
        argv = (self._agent.program(), *self.flags(system))
        program = Program(argv, folder / "empty", self._environ, as_one_prompt(call).encode(errors="replace"))
        report, stray = Report(), ""
        async with aclosing(answer_lines(program, self._own.timeout * _PATIENCE)) as lines:
            async for line in lines:
                if parsed(line) is None:
                    stray = line.strip() or stray
                    continue
                self.note(line, gathering)
                for signal in self._agent.read(line, time.time()):
                    report = heard(report, signal)
                    if isinstance(signal, Said) and not gathering.heard_pieces:
                        gathering.add(signal.text)
        if not report.is_finished:
            raise failure(report.trouble or Trouble.OTHER, report.message or stray or f"{argv[0]} gave no answer")
        return report

    def _replied(self, call: Call, gathering: Gathering, report: Report) -> Reply:
        if report.trouble is not None:
            raise _failed(report)
        usage = report.usage + report.counter
        gathering.usage = usage if usage.tokens else None
        gathering.end(gathering.stop or Stop.DONE)
        return gathering.reply(call, self._own.price_in, self._own.price_out)

    async def close(self) -> None:  # noqa: B027 - holds nothing
        """Every call ends its own process."""


def _failed(report: Report) -> CallFailed:
    wait = max(0.0, report.until - time.time()) if report.until else None
    return failure(report.trouble or Trouble.OTHER, report.message or "no answer", wait)


class ClaudeCodeModel(ProgramModel):
    provider = "claude-code"
    agent = Claude

    def variables(self) -> Mapping[str, str]:
        return {
            "CLAUDE_CODE_SAFE_MODE": "1",  # no CLAUDE.md, hooks, plugins or MCP servers, but the person's login
            "CLAUDE_CODE_MAX_RETRIES": "0",  # trying again is a rule of ours
            "DISABLE_AUTOUPDATER": "1",
        }

    def flags(self, system: Path | None) -> tuple[str, ...]:
        told = ("--system-prompt-file", str(system)) if system else ()
        quiet = ("--tools", "", "--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence")
        format = ("--output-format", "stream-json", "--verbose", "--include-partial-messages")  # noqa: A001
        return ("-p", *format, *quiet, *told, *self._agent.model_flags("--model"))

    def note(self, line: str, gathering: Gathering) -> None:
        said = parsed(line) or {}
        match said.get("type"):
            case "stream_event":
                event = table(said, "event")
                if piece := text(table(event, "delta"), "text"):
                    gathering.heard_pieces = True
                    gathering.add(piece)
                if reason := text(table(event, "delta"), "stop_reason"):
                    gathering.end(_STOPS.get(reason, Stop.DONE))
            case "assistant":
                gathering.model = text(table(said, "message"), "model") or gathering.model


class CodexModel(ProgramModel):
    provider = "codex"
    agent = Codex

    _OFF = ("shell_tool", "view_image", "image_generation", "apps", "plugins", "hooks", "goals", "multi_agent")

    def flags(self, system: Path | None) -> tuple[str, ...]:
        off = [f"features.{name}=false" for name in (*self._OFF, "unbounded_connection_retries")]
        told = [f"model_instructions_file={json.dumps(str(system))}"] if system else []
        options = [*off, *told, *self._without_servers(), 'web_search="disabled"', "project_doc_max_bytes=0"]
        settings = (part for option in options for part in ("-c", option))
        model = self._agent.model_flags("-m")
        plain = ("--sandbox", "read-only", "--skip-git-repo-check", "--ephemeral", "--ignore-rules")
        return ("exec", "--json", *plain, *settings, *model, "-")

    def _without_servers(self) -> list[str]:
        """The person's MCP servers, which can only be switched off by name."""
        home = self._environ.get("CODEX_HOME") or Path(self._environ.get("HOME", "")) / ".codex"
        try:
            servers = table(tomllib.loads((Path(home) / "config.toml").read_text("utf-8")), "mcp_servers")
        except (OSError, ValueError):
            return []
        off = ",".join(f"{json.dumps(name)}={{enabled=false}}" for name in servers)
        return [f"mcp_servers={{{off}}}"] if off else []

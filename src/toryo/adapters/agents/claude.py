"""Claude Code, tested with 2.1.325: stream-json headless, hooks when interactive."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toryo.adapters.agents import hooks
from toryo.adapters.agents.known import KnownAgent
from toryo.adapters.agents.lines import count, number, parsed, plain, table, tables, text, trouble_of
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

_HOOKS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Stop",
    "StopFailure",
)
_ERRORS = {
    "rate_limit": Trouble.QUOTA,
    "billing_error": Trouble.QUOTA,
    "authentication_failed": Trouble.LOGIN,
    "server_error": Trouble.API,
    "overloaded": Trouble.API,
}
_UNKNOWN_CONVERSATION = "No conversation found with session ID"


class Claude(KnownAgent):
    name = "claude"
    tested = "2.1.325"
    abilities = Abilities(
        modes=(Mode.HEADLESS, Mode.INTERACTIVE),
        has_protocol=True,
        resumes=True,
        names_conversations=True,
        counts_tokens=True,
        counts_money=True,
    )
    own_variables = ("ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", "IS_SANDBOX", "BASH_*", "MAX_*", "MCP_*", "USE_*")

    def invocation(self, errand: Errand) -> Invocation:
        which = ("--session-id", errand.conversation) if errand.is_first else ("--resume", errand.conversation)
        auto = ("--dangerously-skip-permissions",) if self.options.full_auto else ()
        argv = (self.program(), *which, *auto, *self.model_flags("--model", errand.model), *self.options.flags)
        env = {
            "CLAUDE_CODE_SANDBOXED": "1",  # a fresh worktree raises no question of trust, and none is recorded
            "DISABLE_AUTOUPDATER": "1",
            **({"IS_SANDBOX": "1"} if os.getuid() == 0 else {}),  # else root may not skip permissions
            **self.options.env,
        }
        if self.mode is Mode.HEADLESS:
            argv = (*argv, "-p", "--output-format", "stream-json", "--verbose")
            return Invocation(argv, env, reads_prompt_from_stdin=True)
        prompt = hooks.argument_prompt(errand.prompt, errand.prompt_file)
        settings = errand.directory / "claude-settings.json"
        argv = (*argv, "--settings", str(settings), "--", prompt)
        return Invocation(argv, env, files={settings: json.dumps(_settings(errand.signals))})

    def opened(self, prompt: str) -> tuple[str, ...]:
        given = ("--", prompt) if prompt else ()
        return (self.program(), *self.model_flags("--model"), *self.options.flags, *given)

    def read(self, line: str, at: float) -> Iterable[Signal]:  # noqa: ARG002
        said = parsed(line)
        if said is None:
            return plain(line)
        if self.mode is Mode.HEADLESS:
            return list(_event(said))
        return list(_hook(said) if "hook_event_name" in said else _noted(said))


def _settings(signals: Path) -> dict[str, object]:
    return {
        "skipDangerousModePermissionPrompt": True,
        "hooks": hooks.settings(_HOOKS, signals),
    }


# ── stream-json ──────────────────────────────────────────────────────────────


def _event(said: Mapping[str, Any]) -> Iterator[Signal]:
    match said.get("type"), said.get("subtype"):
        case "system", "init":
            yield Named(text(said, "session_id"))
        case "system", "api_retry":
            yield Stalled(_trouble(said, number(said, "error_status")), _retry_words(said))
        case "system", "permission_denied":
            yield Noted(f"not permitted: {text(said, 'message')}")
        case "rate_limit_event", _:
            yield from _rate_limit(table(said, "rate_limit_info"))
        case "assistant", _ if "error" not in said:
            yield from _assistant(said)
        case "user", _:
            yield from _results(said)
        case "result", _:
            yield from _result(said)


def _trouble(said: Mapping[str, Any], status: float) -> Trouble:
    """By name, else by HTTP status; without either nothing answered at all."""
    named = _ERRORS.get(text(said, "error"))
    return named or (trouble_of(status) if status else Trouble.API)


def _retry_words(said: Mapping[str, Any]) -> str:
    status = count(said, "error_status")
    what = f"{text(said, 'error')} ({status})" if status else "no connection"
    return f"{what}, attempt {count(said, 'attempt')} of {count(said, 'max_retries')}"


def _rate_limit(info: Mapping[str, Any]) -> Iterator[Signal]:
    if info.get("status") == "rejected":
        kind = text(info, "rateLimitType").replace("_", " ")
        yield Stalled(Trouble.QUOTA, f"{kind} limit reached".strip(), number(info, "resetsAt"))


def _assistant(said: Mapping[str, Any]) -> Iterator[Signal]:
    for part in tables(table(said, "message"), "content"):
        match part.get("type"):
            case "text":
                yield Said(text(part, "text"))
            case "tool_use":
                yield Used(text(part, "name"), _detail(table(part, "input")))


def _detail(given: Mapping[str, Any]) -> str:
    for name in ("command", "file_path", "path", "pattern", "url", "query", "description", "prompt"):
        if found := text(given, name):
            return found
    return ""


def _results(said: Mapping[str, Any]) -> Iterator[Signal]:
    for part in tables(table(said, "message"), "content"):
        if part.get("type") == "tool_result":
            content = part.get("content")
            words = content if isinstance(content, str) else "\n".join(text(p, "text") for p in tables(part, "content"))
            yield Got(words, failed=part.get("is_error") is True)


def _result(said: Mapping[str, Any]) -> Iterator[Signal]:
    usage = table(said, "usage")
    read_before = count(usage, "cache_read_input_tokens")
    read = count(usage, "input_tokens") + count(usage, "cache_creation_input_tokens") + read_before
    share = Usage(read, count(usage, "output_tokens"), read_before)
    # Tokens are this run's, the price is the whole conversation's.
    yield Spent(share, Usage(usd=number(said, "total_cost_usd")))
    words = text(said, "result") or _errors(said) or text(said, "subtype")
    if said.get("is_error") is not True and said.get("subtype") == "success":
        yield Finished(text(said, "result"))
    elif _UNKNOWN_CONVERSATION in words:
        yield Failed(Trouble.CONVERSATION, words)
    elif said.get("terminal_reason") == "api_error":
        status = number(said, "api_error_status")
        yield Failed(trouble_of(status) if status else Trouble.API, words)
    else:
        yield Failed(Trouble.OTHER, words)


def _errors(said: Mapping[str, Any]) -> str:
    found = said.get("errors")
    return "; ".join(str(error) for error in found if error) if isinstance(found, list) else ""


# ── hooks ────────────────────────────────────────────────────────────────────


def _hook(said: Mapping[str, Any]) -> Iterator[Signal]:
    if path := text(said, "transcript_path"):
        yield Elsewhere(path)
    match said["hook_event_name"]:
        case "SessionStart":
            yield Named(text(said, "session_id"))
        case "UserPromptSubmit":
            yield Took()
        case "PreToolUse" if text(said, "tool_name") == "AskUserQuestion":
            yield Asked(_question(table(said, "tool_input")))
        case "PreToolUse":
            yield Used(text(said, "tool_name"), _detail(table(said, "tool_input")))
        case "PostToolUse":
            yield Got("")
        case "PermissionRequest" if text(said, "tool_name") != "AskUserQuestion":
            yield Asked(f"{PERMISSION}{text(said, 'tool_name')}: {_detail(table(said, 'tool_input'))}")
        case "Stop" if not said.get("background_tasks") and not said.get("session_crons"):
            if words := text(said, "last_assistant_message"):
                yield Said(words)
            yield Finished(words)
        case "StopFailure":
            trouble = _ERRORS.get(text(said, "error"), Trouble.OTHER)
            yield Failed(trouble, text(said, "last_assistant_message") or text(said, "error"))


def _question(given: Mapping[str, Any]) -> str:
    asked = [text(part, "question") for part in tables(given, "questions")]
    return " / ".join(filter(None, asked)) or text(given, "question") or "a question"


def _noted(said: Mapping[str, Any]) -> Iterator[Signal]:
    """Of the transcript that the hooks name, only what they do not tell: what the whole conversation has cost."""
    if said.get("type") == "cost-state":
        models = [of for of in table(said, "modelUsage").values() if isinstance(of, dict)]
        cached = sum(count(of, "cacheReadInputTokens") for of in models)
        written = sum(count(of, "inputTokens") + count(of, "cacheCreationInputTokens") for of in models)
        output = sum(count(of, "outputTokens") for of in models)
        yield Spent(total=Usage(written + cached, output, cached, number(said, "totalCostUSD")))

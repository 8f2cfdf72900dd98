"""What is here of an agent: its program, its version, whether somebody is logged in. Asks no model anything."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from toryo.domain.facts import fact
from toryo.ports import Agent

PATIENCE = 20.0
"""Seconds a program has to tell its version; some take several on a busy machine."""
_VERSION = re.compile(r"\d+\.\d+[\w.\-]*")


class Login(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@fact
class Probe:
    """What was found; `says` tells how it was found, `advice` what a person could do about it."""

    program: str | None
    path: str | None
    version: str
    login: Login
    says: str = ""
    advice: str = ""

    @property
    def is_usable(self) -> bool:
        return self.program is None or (self.path is not None and self.login is not Login.NO)


def probe(agent: Agent, environ: Mapping[str, str], home: Path, patience: float = PATIENCE) -> Probe:
    program = agent.program()
    path = shutil.which(program, path=environ.get("PATH")) if program else None
    if program is None:
        return Probe(None, None, "", Login.YES, "needs no program of its own")
    if path is None:
        return Probe(program, None, "", Login.UNKNOWN, "not installed", _INSTALL.get(agent.name, ""))
    look = _LOGINS.get(agent.name)
    login, says, advice = look(environ, home) if look else (Login.UNKNOWN, "", "")
    return Probe(program, path, _version(path, environ, patience) if look else "", login, says, advice)


def login_of(agent: str, environ: Mapping[str, str], home: Path) -> "Found":
    """Whether somebody is logged in, how one sees that, and what to do; nothing is started."""
    look = _LOGINS.get(agent)
    return look(environ, home) if look else (Login.UNKNOWN, "", "")


def _version(path: str, environ: Mapping[str, str], patience: float) -> str:
    try:
        told = _ask([path, "--version"], environ, patience)
    except OSError:
        return ""
    found = _VERSION.search(told)
    return found[0] if found else ""


def _ask(argv: list[str], environ: Mapping[str, str], patience: float) -> str:
    """What it prints; a program that does not end is ended with all it has started, and has said nothing."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        argv, env=environ, stdin=quiet, stdout=subprocess.PIPE, stderr=quiet, start_new_session=True
    ) as asked:
        try:
            return asked.communicate(timeout=patience)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(asked.pid, signal.SIGKILL)
            return ""


_INSTALL = {
    "claude": "npm install -g @anthropic-ai/claude-code",
    "codex": "npm install -g @openai/codex",
    "gemini": "npm install -g @google/gemini-cli",
    "opencode": "npm install -g opencode-ai",
}

# ── logins: by what the programs themselves look at ──────────────────────────

Found = tuple[Login, str, str]


def _by_variable(environ: Mapping[str, str], *names: str) -> Found | None:
    name = next((name for name in names if environ.get(name)), None)
    return (Login.YES, f"{name} is set", "") if name else None


def _by_file(path: Path) -> Found | None:
    try:
        is_there = path.stat().st_size > 2
    except OSError:
        return None
    return (Login.YES, f"{path.name} is there", "") if is_there else None


def _json(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _claude(environ: Mapping[str, str], home: Path) -> Found:
    names = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
    clouds = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
    folder = Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    state = Path(environ["CLAUDE_CONFIG_DIR"]) if environ.get("CLAUDE_CONFIG_DIR") else home
    account = _json(state / ".claude.json")
    found = _by_variable(environ, *names, *clouds) or _by_file(folder / ".credentials.json")
    if found is None and "oauthAccount" in account:
        found = (Login.YES, "an account is noted", "")
    if found is None and "apiKeyHelper" in _json(folder / "settings.json"):
        found = (Login.YES, "apiKeyHelper is set", "")
    if found is None:
        return Login.NO, "no key and no account", "run 'claude' once and log in, or set ANTHROPIC_API_KEY"
    if account.get("hasCompletedOnboarding") is not True:
        return *found[:2], "for interactive runs, run 'claude' once by hand: it asks its first questions only there"
    return found


def _codex(environ: Mapping[str, str], home: Path) -> Found:
    folder = Path(environ.get("CODEX_HOME") or home / ".codex")
    found = _by_variable(environ, "CODEX_API_KEY") or _by_file(folder / "auth.json")
    if found is None and "model_provider" in _text(folder / "config.toml"):
        found = (Login.YES, "config.toml names a provider", "")
    return found or (Login.NO, "no key and no account", "run 'codex login'")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _gemini(environ: Mapping[str, str], home: Path) -> Found:
    folder = home / ".gemini"
    names = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA")
    found = _by_variable(environ, *names) or _by_file(folder / "oauth_creds.json")
    if found is None:
        return Login.NO, "no key and no account", "run 'gemini' once and log in, or set GEMINI_API_KEY"
    chosen = _json(folder / "settings.json").get("security", {})
    if isinstance(chosen, dict) and not chosen.get("auth"):
        return *found[:2], "for interactive runs, run 'gemini' once by hand and choose how to log in"
    return found


def _opencode(environ: Mapping[str, str], home: Path) -> Found:
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
    found = _by_variable(environ, "OPENCODE_CONFIG", "OPENCODE_API_KEY") or _by_file(data / "opencode" / "auth.json")
    found = found or _by_file(config / "opencode.json") or _by_file(config / "opencode.jsonc")
    return found or (Login.UNKNOWN, "no account is noted", "run 'opencode auth login'")


_LOGINS: Mapping[str, Callable[[Mapping[str, str], Path], Found]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "opencode": _opencode,
}

"""The real agent programs: where they are, and a user's home in which each of them talks to the model server only.

`python -m tests.support.agent_programs` prints the folder that script/agents installs them into.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

AGENTS = ("claude", "codex", "gemini", "opencode")
MODEL = "scripted"
WHY_SKIPPED = "the agent programs are not installed here; script/agents installs them"

_LOCK = Path(__file__).parents[1] / "agents" / "package-lock.json"
_KEY = "not-a-real-key"
_KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "PYTHONPATH", "VIRTUAL_ENV", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL")


def install_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the programs of the current lock file go; script/agents asks here."""
    cache = environ.get("XDG_CACHE_HOME") or f"{environ['HOME']}/.cache"
    home = Path(environ.get("TORYO_TEST_AGENTS_HOME") or f"{cache}/toryo/agents")
    return home / hashlib.sha256(_LOCK.read_bytes()).hexdigest()[:16]


def installed_programs(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The bin folder with all four programs, or None."""
    given = environ.get("TORYO_TEST_AGENTS")
    folder = Path(given) if given else install_folder(environ) / "node_modules" / ".bin"
    return folder if all((folder / agent).exists() for agent in AGENTS) else None


def headless_command(agent: str, *, resume: str | None = None, full_auto: bool = True) -> list[str]:
    """One turn without a terminal, told as JSON lines; the prompt goes to standard input."""
    match agent:
        case "claude":
            command = ["claude", "-p", "--output-format", "stream-json", "--verbose"]
            free, again = ["--dangerously-skip-permissions"], ["--resume"]
        case "codex":
            command = ["codex", "exec", *(["resume"] if resume else []), "--json"]
            free, again = ["--dangerously-bypass-approvals-and-sandbox"], []
        case "gemini":
            command = ["gemini", "--skip-trust", "-m", MODEL, "-o", "stream-json"]
            free, again = ["-y"], ["-r"]
        case "opencode":
            command = ["opencode", "run", "--format", "json"]
            free, again = ["--auto"], ["-s"]
        case _:
            raise ValueError(agent)
    conversation = [*again, resume] if resume else []
    return [*command, *(free if full_auto else []), *conversation, *(["-"] if agent == "codex" else [])]


def conversation_in(output: str) -> str:
    """The name of the conversation that a run's JSON lines tell."""
    for line in output.splitlines():
        event = json.loads(line)
        for name in ("session_id", "thread_id", "sessionID"):
            if name in event:
                return str(event[name])
    raise AssertionError(f"no conversation in: {output[:500]}")


@dataclass(frozen=True, slots=True)
class AgentHome:
    """The home and the environment of a user who is logged in to every agent."""

    path: Path
    environ: Mapping[str, str]

    @property
    def temporary(self) -> Path:
        return Path(self.environ["TMPDIR"])


def make_agent_home(
    path: Path, model_url: str, programs: Path, base: Mapping[str, str] = os.environ, *, claude_subscriber: bool = False
) -> AgentHome:
    """A fresh home at `path`; of `base` only what says nothing about a person is kept.

    Claude heeds the headers about a subscription's used-up hours only for a subscriber.
    """
    # Codex makes no helper programs in a home below the temporary folder, hence one inside the home.
    (path / "tmp").mkdir(parents=True)
    _write(path / ".claude.json", _claude_state())
    _write(path / ".codex" / "config.toml", _codex_config(model_url))
    _write(path / ".gemini" / "settings.json", _gemini_settings())
    _write(path / ".config" / "opencode" / "opencode.json", _opencode_config(model_url))
    kept = {name: base[name] for name in _KEPT if name in base}
    environ = {
        **kept,
        "PATH": os.pathsep.join((str(programs), kept.get("PATH", os.defpath))),
        "HOME": str(path),
        "TMPDIR": str(path / "tmp"),
        **_claude_environ(model_url, subscriber=claude_subscriber),
        "CODEX_LOCAL_KEY": _KEY,
        **_gemini_environ(model_url),
        **_opencode_environ(),
    }
    return AgentHome(path, environ)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _claude_state() -> str:
    return json.dumps({"hasCompletedOnboarding": True})


def _claude_environ(model_url: str, *, subscriber: bool) -> dict[str, str]:
    environ = {
        "ANTHROPIC_BASE_URL": model_url,
        "CLAUDE_CODE_OAUTH_TOKEN" if subscriber else "ANTHROPIC_AUTH_TOKEN": _KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    # As root Claude runs without asking only where it is told that the machine is disposable.
    return environ | ({"IS_SANDBOX": "1"} if os.geteuid() == 0 else {})


def _codex_config(model_url: str) -> str:
    return f"""\
model = "{MODEL}"
model_provider = "local"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.local]
name = "local"
base_url = "{model_url}/v1"
env_key = "CODEX_LOCAL_KEY"
wire_api = "responses"
"""


def _gemini_settings() -> str:
    return json.dumps(
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "model": {"name": MODEL},
        }
    )


def _gemini_environ(model_url: str) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": _KEY,
        "GOOGLE_GEMINI_BASE_URL": model_url,
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }


def _opencode_config(model_url: str) -> str:
    model = {
        "name": "Scripted",
        "limit": {"context": 200_000, "output": 32_000},
        "cost": {"input": 1, "output": 5, "cache_read": 0.1},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Local",
        "options": {"baseURL": f"{model_url}/v1", "apiKey": _KEY},
        "models": {MODEL: model},
    }
    return json.dumps(
        {
            "$schema": "https://opencode.ai/config.json",
            "model": f"local/{MODEL}",
            "small_model": f"local/{MODEL}",
            "provider": {"local": provider},
            "autoupdate": False,
            "share": "disabled",
        }
    )


def _opencode_environ() -> dict[str, str]:
    return {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        # At every start OpenCode asks the package registry for what its plugins may need.
        "npm_config_offline": "true",
    }


if __name__ == "__main__":
    print(install_folder())

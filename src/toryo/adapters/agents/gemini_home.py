"""A home for Gemini CLI beside the person's own: all that is theirs, and hooks that their settings need not know of."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.agents import hooks

_HOOKS = ("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "Notification")
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_OURS = ("settings.json",)


def settings_with_hooks(own: Path) -> str:
    """The person's settings, with our hooks after theirs. Which run it is, its environment tells."""
    settings = _read(own / "settings.json")
    theirs = settings.get("hooks")
    merged = dict(theirs) if isinstance(theirs, dict) else {}
    for name, ours in hooks.settings(_HOOKS, None).items():
        before = merged.get(name)
        merged[name] = [*(before if isinstance(before, list) else []), *ours]
    return json.dumps({**settings, "hooks": merged})


def links_to(own: Path) -> Mapping[str, Path]:
    """Everything else in the person's folder, by name."""
    names = {entry.name for entry in own.iterdir() if entry.suffix != ".tmp"} if own.is_dir() else set()
    return {name: own / name for name in sorted(names - set(_OURS))}


def _read(path: Path) -> dict[str, object]:
    try:
        text = path.read_text("utf-8", errors="replace")
        found = json.loads(_COMMENTS.sub(lambda match: match[1] or "", text))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}

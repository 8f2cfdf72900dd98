"""A model that replies what a file says, for tests and demos.

A scenario is a list of replies in YAML or JSON, or an object that has it as `replies`:

    - when: write a plan             # words in the last message or the system text; without it: any call
      json: {tasks: []}              # or text: "…"
    - fail: {trouble: quota, retry_after: 3}
    - text: fine
      repeat: true                   # else each is given once
      delay: 0.5                     # seconds before it comes
      stop: length                   # done, length, refusal

Each call gets the first reply that fits and was not given yet.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from toryo.adapters.agents.lines import number, table, text
from toryo.adapters.models.gathering import Gathering
from toryo.adapters.settingmodels import ModelSettings
from toryo.domain.calls import Call, Reply, Stop
from toryo.domain.report import Trouble
from toryo.rules.callfailures import failure

_TROUBLES = {"quota": Trouble.QUOTA, "api": Trouble.API, "login": Trouble.LOGIN, "other": Trouble.OTHER}
_PIECE = 200
Entry = Mapping[str, Any]


class ScriptedModel:
    name = "scripted"

    def __init__(self, own: ModelSettings, key: str) -> None:  # noqa: ARG002 - every model is made the same way
        self._own = own
        self._left: list[Entry] | None = None

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        entry = self._take(call)
        await asyncio.sleep(number(entry, "delay"))
        if "fail" in entry:
            wrong = table(entry, "fail")
            trouble = _TROUBLES.get(text(wrong, "trouble"), Trouble.OTHER)
            words = text(wrong, "message") or "the scenario says so"
            raise failure(trouble, words, number(wrong, "retry_after") if "retry_after" in wrong else None)
        gathering = Gathering(hear, self.name)
        words = _words(entry)
        for start in range(0, len(words), _PIECE):
            gathering.add(words[start : start + _PIECE])
        gathering.end(Stop(entry.get("stop", Stop.DONE)))
        return gathering.reply(call, self._own.price_in, self._own.price_out)

    def _take(self, call: Call) -> Entry:
        if self._left is None:
            self._left = _read(self._own.scenario)
        for place, entry in enumerate(self._left):
            if _fits(entry, call):
                if entry.get("repeat") is not True:
                    del self._left[place]
                return entry
        asked = call.messages[-1].text.strip().partition("\n")[0][:80]
        raise failure(Trouble.OTHER, f"scenario {self._own.scenario}: no reply is left for: {asked}")

    async def close(self) -> None:
        """Holds nothing."""


def _fits(entry: Entry, call: Call) -> bool:
    wanted = text(entry, "when")
    return wanted in call.messages[-1].text or wanted in call.system


def _words(entry: Entry) -> str:
    return json.dumps(entry["json"], ensure_ascii=False) if "json" in entry else text(entry, "text")


def _read(path: Path | None) -> list[Entry]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        found = YAML(typ="safe", pure=True).load((path or Path()).read_text(encoding="utf-8"))
    except (OSError, ValueError, YAMLError) as error:
        raise failure(Trouble.OTHER, f"the scenario cannot be read: {error}") from None
    replies = found.get("replies") if isinstance(found, dict) else found
    if not isinstance(replies, list) or not all(_is_reply(entry) for entry in replies):
        raise failure(Trouble.OTHER, f"scenario {path}: should be a list of replies with text, json or fail")
    return replies


def _is_reply(entry: object) -> bool:
    if not isinstance(entry, dict) or entry.get("stop", "done") not in list(Stop):
        return False
    return sum(name in entry for name in ("text", "json", "fail")) == 1

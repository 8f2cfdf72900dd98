"""How evals went the last time, kept in the store, so that a change is seen."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from toryo.adapters.replacing import put
from toryo.domain.evals import Past


class EvalMemory:
    """Of one repository; what cannot be read was never kept."""

    def __init__(self, store: Path) -> None:
        self._path = store / "evals.json"

    def past(self) -> dict[str, Past]:
        """By the names of the cases."""
        found = {}
        with suppress(OSError, ValueError, AttributeError):
            for name, said in json.loads(self._path.read_bytes()).items():
                with suppress(TypeError, KeyError, ValueError):
                    found[name] = _past(said)
        return found

    def keep(self, news: Mapping[str, Past]) -> None:
        """Those that were not asked now stay as they are."""
        kept = {name: asdict(past) for name, past in {**self.past(), **news}.items()}
        put(self._path, json.dumps(kept, indent=1).encode())


def _past(said: Mapping[str, object]) -> Past:
    passed, times, at = said["passed"], said["times"], said["at"]
    if type(passed) is not int or type(times) is not int or not isinstance(at, int | float):
        raise TypeError("should be numbers")
    return Past(passed, times, float(at), str(said["model"]), str(said["question"]))

"""`repl.json`: five fields, read strictly and replaced whole; what does not fit is left as it is."""

import fcntl
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from toryo.adapters.replacing import put
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import Provider, ReplState

_FIELDS = tuple(field.name for field in fields(ReplState))
_LONGEST = 1 << 16
_LONGEST_WORDS = 200
_READING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ReplFile:
    """In Toryo's own folder of a repository. Several REPLs may share it."""

    def __init__(self, store: Path) -> None:
        self.path = store / "repl.json"

    def read(self) -> ReplState:
        """Raises E105 where it is not what it should be; where there is none yet, nothing is remembered."""
        try:
            descriptor = os.open(self.path, _READING)
        except (FileNotFoundError, NotADirectoryError):
            return ReplState()
        except OSError as error:
            raise self._corrupt(f"it cannot be read ({error.strerror})") from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise self._corrupt("it is not a file")
            content = os.read(descriptor, _LONGEST + 1)
        finally:
            os.close(descriptor)
        if len(content) > _LONGEST:
            raise self._corrupt(f"it is longer than {_LONGEST} bytes")
        return self._parsed(content)

    def change(self, make: Callable[[ReplState], ReplState]) -> ReplState:
        """Reads, makes another of it and writes that, with nobody in between; raises OSError, or E105 unwritten."""
        with self._alone():
            old = self.read()
            new = make(old)
            if new != old:
                self._replace(new)
        return new

    @contextmanager
    def _alone(self) -> Iterator[None]:
        lock = self.path.with_name("repl.lock")
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _replace(self, state: ReplState) -> None:
        put(self.path, written(state), is_durable=True)

    # ── reading ──────────────────────────────────────────────────────────────

    def _parsed(self, content: bytes) -> ReplState:
        try:
            text = content.decode()
            found = json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise self._corrupt("it is not UTF-8", line) from error
        except json.JSONDecodeError as error:
            raise self._corrupt(f"it is not JSON: {error.msg.lower()}", error.lineno) from error
        except (_OddField, RecursionError) as error:
            raise self._corrupt(str(error)) from error
        if not isinstance(found, dict):
            raise self._corrupt("it is not an object", 1)
        try:
            return _state(found)
        except _OddField as odd:
            raise self._corrupt(str(odd), _line_of(odd.name, text)) from None

    def _corrupt(self, what: str, line: int = 0) -> ToryoError:
        where = f"{self.path}:{line}" if line else str(self.path)
        return ToryoError(
            "E105",
            f"{where}: {what}",
            kept="the file as it is",
            hint="look at it, and put it right; or remove it: the REPL then begins anew",
            exit_code=Exit.ERROR,
        )


def written(state: ReplState) -> bytes:
    """As it is in the file; half a character that somebody typed is written as JSON escapes it."""
    return (json.dumps(asdict(state), indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


class _OddField(Exception):
    def __init__(self, name: str, says: str) -> None:
        super().__init__(says if len(says) < _LONGEST_WORDS else says[:_LONGEST_WORDS] + "…")
        self.name = name


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _OddField(name, f"{name} is there twice")
        found[name] = value
    return found


def _refuse_constant(name: str) -> None:
    raise _OddField("", f"{name} is not JSON")


def _state(found: dict[str, Any]) -> ReplState:
    if strangers := [name for name in found if name not in _FIELDS]:
        raise _OddField(strangers[0], f"there is no field {strangers[0]}")
    for name in _FIELDS:
        if name not in found:
            raise _OddField("", f"{name} is missing")
        if not isinstance(found[name], str | None):
            raise _OddField(name, f"{name} is neither text nor null")
        if found[name] == "":
            raise _OddField(name, f"{name} is empty; what is not set is null")
    return ReplState(
        _provider(found["selected_provider"]),
        found["selected_model"],
        _moment(found["updated_at"]),
        found["current_task_id"],
        found["last_task_id"],
    )


def _provider(name: str | None) -> Provider | None:
    if name is None:
        return None
    try:
        return Provider(name)
    except ValueError:
        known = ", ".join(Provider)
        raise _OddField("selected_provider", f"selected_provider is {name!r}, not one of {known}") from None


def _moment(text: str | None) -> str | None:
    if text is not None:
        try:
            datetime.fromisoformat(text)
        except ValueError:
            raise _OddField("updated_at", f"updated_at is {text!r}, not a time as ISO 8601 has it") from None
    return text


def _line_of(name: str, text: str) -> int:
    found = re.search(rf'"{re.escape(name)}"\s*:', text) if name else None
    return text.count("\n", 0, found.start()) + 1 if found else 1

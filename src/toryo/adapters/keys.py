"""Keys of model providers: where they are kept, and how they are found. Never shown, never configured.

A key is looked for in the environment, then in a file of its own in the person's configuration folder, then in the
keyring of the system, where the `keyring` package is installed.
"""

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toryo.adapters.models.known import KEY_VARIABLES
from toryo.adapters.replacing import put
from toryo.adapters.settings import user_config_file
from toryo.domain.errors import Exit, ToryoError

KEYED = tuple(KEY_VARIABLES)
"""Providers that want a key."""
_SERVICE = "toryo"
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Key:
    value: str = field(repr=False)
    source: str
    """Where it was found, in words."""


def find_key(provider: str, environ: Mapping[str, str], variable: str = "") -> Key | None:
    """The key of a provider; raises if one is there that others could read or replace."""
    name = variable or KEY_VARIABLES[provider]
    if value := environ.get(name, "").strip():
        return Key(checked(value, f"the variable {name}"), f"environment {name}")
    path = key_file(provider, environ)
    if (stored := _read(path)) is not None:
        return Key(checked(stored, str(path)), str(path))
    if kept := _from_keyring(provider):
        return Key(checked(kept, "the keyring"), "keyring")
    return None


def key_file(provider: str, environ: Mapping[str, str]) -> Path:
    return user_config_file(environ).parent / "keys" / provider


def checked(value: str, where: str) -> str:
    """The key as it can go into a header; what it is appears in no message."""
    key = value.strip()
    if not key or len(key) > _LONGEST or re.search(r"[^\x21-\x7e]", key):
        raise ToryoError(
            "E512",
            f"what {where} holds cannot be a key: it is empty, or has blanks, line breaks or other characters",
            hint="set it anew: toryo keys set PROVIDER",
        )
    return key


def store_key(provider: str, value: str, environ: Mapping[str, str]) -> Path:
    """Writes the key to a file that only the person can read; whole or not at all."""
    path = key_file(provider, environ)
    key = checked(value, "the given text")
    try:
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        _refuse_if_open(path.parent, 0o700)
        put(path, f"{key}\n".encode("ascii"), is_durable=True)
    except OSError as error:
        raise ToryoError(
            "E513",
            f"the key cannot be written to {path}: {error.strerror or error}",
            kept="the key that was there before, if any",
            hint="make the folder writable for you, or put the key into an environment variable",
            exit_code=Exit.MISSING,
        ) from None
    return path


def remove_key(provider: str, environ: Mapping[str, str]) -> list[str]:
    """Removes the key from everywhere but the environment; the places it was removed from."""
    removed = []
    path = key_file(provider, environ)
    with suppress(FileNotFoundError, NotADirectoryError):
        path.unlink()
        removed.append(str(path))
    if _from_keyring(provider):
        with suppress(Exception):  # whatever a keyring's backend raises: it stays, and is shown to be there
            _keyring().delete_password(_SERVICE, provider)
            removed.append("keyring")
    return removed


def _read(path: Path) -> str | None:
    try:
        _refuse_if_open(path.parent, 0o700)
        _refuse_if_open(path, 0o600)
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ToryoError(
            "E513",
            f"the key in {path} cannot be read: {error.strerror or error}",
            hint=f"make it readable for you, or remove it: rm {path}",
            exit_code=Exit.MISSING,
        ) from None


def _refuse_if_open(path: Path, mode: int) -> None:
    """A key that others can read or replace is not used: it may not be the person's any more."""
    found = path.stat()
    if found.st_uid != os.getuid():
        problem, hint = "belongs to somebody else", f"take it over: chown {os.getuid()} {path}"
    elif stat.S_IMODE(found.st_mode) & ~mode & 0o077:
        problem, hint = "can be used by others", f"chmod {mode:o} {path}"
    else:
        return
    raise ToryoError("E511", f"{path} {problem}; the key is not used", hint=hint, exit_code=Exit.REFUSED)


# ── keyring ──────────────────────────────────────────────────────────────────


def _keyring() -> Any:
    from importlib import import_module

    return import_module("keyring")  # an extra: nothing may depend on its being there


def _from_keyring(provider: str) -> str:
    """Empty where there is no keyring, or it is locked, or holds nothing."""
    try:
        return str(_keyring().get_password(_SERVICE, provider) or "")
    except Exception:  # noqa: BLE001 - backends raise whatever they like, and none of it may stop us
        return ""

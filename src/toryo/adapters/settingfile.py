"""Changing a configuration file: the values that are asked for, and not a character more."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toryo.domain.errors import Exit, ToryoError

Values = Mapping[tuple[str, ...], object | None]
"""By key; None: the key is taken out."""


def content_of(path: Path) -> bytes:
    """What the file holds; nothing if there is none."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise _unwritable(path, error) from None


def with_values(path: Path, content: bytes, values: Values) -> bytes:
    """The content with these values; comments, order and everything else stay."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(content.decode("utf-8-sig"))
        for key, value in values.items():
            _set(document, key, value)
        return tomlkit.dumps(document).encode()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ToryoError(
            "E121", f"{path} cannot be changed: {error}", kept="the file as it is", hint="toryo config edit"
        ) from None


def _set(document: Any, key: tuple[str, ...], value: object | None) -> None:
    import tomlkit

    table = document
    for place, name in enumerate(key[:-1]):
        if name not in table:
            if value is None:
                return
            table[name] = tomlkit.table(is_super_table=place < len(key) - 2)
        elif isinstance(table[name], str):  # `checks.test = "make test"` is short for a table
            table[name] = {"command": str(table[name])}
        table = table[name]
    if value is None:
        if key[-1] in table:
            del table[key[-1]]
    else:
        table[key[-1]] = list(value) if isinstance(value, tuple) else value


def write_content(path: Path, content: bytes) -> None:
    """Whole or not at all; a link stays one, and a file keeps its mode."""
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        descriptor, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(aside).chmod(mode)
            Path(aside).replace(target)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ToryoError:
    return ToryoError(
        "E122",
        f"{path} cannot be read or written: {error.strerror or error}",
        kept="the file as it is",
        hint="make it writable for you",
        exit_code=Exit.MISSING,
    )

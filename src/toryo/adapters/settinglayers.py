"""The layers of the configuration as keys with values and where they were given."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from toryo.adapters.located import did_you_mean, kind_of
from toryo.adapters.settingkeys import FIXED, Key, is_table, kind_at, names_in, whose
from toryo.domain.facts import fact

_NAME = r"[A-Za-z0-9._-]{1,64}"


@fact
class Given:
    """A value, as checked and as written, and the layer it comes from."""

    value: object
    raw: object
    origin: str
    where: str
    """The origin with its line, for messages."""
    folder: Path | None = None
    """What a relative path in it is relative to; None: the current directory."""

    def path(self) -> Path:
        return (self.folder or Path()).joinpath(Path(str(self.value)).expanduser()).absolute()


@fact
class Problem:
    key: Key
    where: str
    message: str
    is_unknown: bool = False

    def line(self) -> str:
        return f"{self.where}: {'.'.join(self.key)}: {self.message}" if self.key else f"{self.where}: {self.message}"


def default_layer() -> dict[Key, Given]:
    return {key: Given(kind.check(value), value, "default", "default") for key, (kind, value) in FIXED.items()}


# ── files ────────────────────────────────────────────────────────────────────


def file_layer(path: Path, problems: list[Problem]) -> dict[Key, Given]:
    """What a TOML file sets; nothing if there is no such file."""
    try:
        raw = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        problems.append(Problem((), str(path), f"cannot be read: {error.strerror or error}"))
        return {}
    return content_layer(path, raw, problems)


def content_layer(path: Path, raw: bytes, problems: list[Problem]) -> dict[Key, Given]:
    """What a TOML file with this content sets."""
    import tomllib  # most people have no such file, and it is slow to import

    from toryo.adapters.tomllines import key_lines

    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        tables = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problems.append(Problem((), f"{path}:{line}", "not UTF-8 text; save the file as UTF-8"))
        return {}
    except tomllib.TOMLDecodeError as error:
        problems.append(_syntax_problem(path, text, str(error)))
        return {}
    except RecursionError:
        problems.append(Problem((), str(path), "nested too deeply"))
        return {}
    return _from_tables(path, tables, key_lines(text), problems)


def _syntax_problem(path: Path, text: str, said: str) -> Problem:
    found = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", said)
    if not found:
        return Problem((), f"{path}:1", f"not valid TOML: {said}")
    line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
    said = said[: found.start()]
    return Problem((), f"{path}:{line}", f"not valid TOML: {said[:1].lower()}{said[1:]}")


def _from_tables(
    path: Path, tables: Mapping[str, object], lines: dict[Key, int], problems: list[Problem]
) -> dict[Key, Given]:
    given: dict[Key, Given] = {}

    def where(key: Key) -> str:
        """With the line of the key, or of the nearest thing around it that has one."""
        while key and key not in lines:
            key = key[:-1]
        return f"{path}:{lines.get(key, 1)}"

    for key, value in _flat((), tables):
        if (found := _given(key, value, str(path), where(key), problems, folder=path.parent)) is not None:
            given[key] = found
    return given


def _flat(table: Key, values: Mapping[str, object]) -> Iterator[tuple[Key, object]]:
    """Every key with its value; a check given as plain text is its command. Empty tables count as named."""
    for name, value in values.items():
        key = (*table, name)
        if value == {} and table in (("checks",), ("agents",)):
            yield key, value
        elif isinstance(value, dict) and is_table(key):
            yield from _flat(key, value)
        elif table == ("checks",) and isinstance(value, str):
            yield (*key, "command"), value
        else:
            yield key, value


def _given(
    key: Key, value: object, origin: str, where: str, problems: list[Problem], *, folder: Path | None = None
) -> Given | None:
    """The value if it may stand there, else a problem."""
    kind = kind_at(key)
    if key[0] == "checks" and len(key) > 1 and not re.fullmatch(_NAME, key[1]):
        message = "the name should consist of at most 64 letters, digits, '.', '_' and '-'"
        problems.append(Problem(key[:2], where, message))
    elif key[2:3] == ("env",) and (not key[-1] or "=" in key[-1] or "\0" in key[-1]):
        problems.append(Problem(key, where, "is no name of a variable"))
    elif kind is not None:
        try:
            return Given(kind.check(value), value, origin, where, folder)
        except ValueError as error:
            problems.append(Problem(key, where, str(error)))
    elif len(key) == 2 and is_table(key) and value == {}:
        return Given(None, value, origin, where)  # what it needs may still come from elsewhere
    elif is_table(key):
        problems.append(Problem(key, where, f"should be a table, not {kind_of(value)}"))
    else:
        problems.append(_unknown(key, where))
    return None


def _unknown(key: Key, where: str) -> Problem:
    noun = "section" if len(key) == 1 else "key"
    wrong = 0 if key[0] not in names_in(()) else len(key) - 1
    more = whose(key) or did_you_mean(key[wrong], names_in(key[:wrong]))
    return Problem(key, where, f"unknown {noun}{more}", is_unknown=True)


def from_text(key: Key, text: str, origin: str, problems: list[Problem]) -> Given | None:
    """The value of a variable or a flag."""
    kind = kind_at(key)
    read: Callable[[str], object] = kind.read if kind else str
    try:
        value = read(text)
    except ValueError as error:
        problems.append(Problem(key, origin, str(error)))
        return None
    return _given(key, value, origin, origin, problems)


# ── flags ────────────────────────────────────────────────────────────────────


def flag_layer(flags: Mapping[str, object], problems: list[Problem]) -> dict[Key, Given]:
    """What the command line sets, by dotted key; a bare name is one of `run`."""
    given: dict[Key, Given] = {}
    for name, value in flags.items():
        if value is None:
            continue
        key = tuple(name.split(".")) if "." in name else ("run", name)
        origin = f"flag --{'budget' if key[0] == 'budget' else key[-1].replace('_', '-')}"
        if isinstance(value, str):
            found = from_text(key, value, origin, problems)
        else:
            found = _given(key, value, origin, origin, problems)
        if found is not None:
            given[key] = found
    return given

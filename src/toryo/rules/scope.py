"""Which paths a task may change: globs, where `**` crosses folders and a folder means all below it."""

import re
from collections.abc import Iterable
from functools import cache


def out_of_scope(paths: Iterable[str], scope: tuple[str, ...]) -> tuple[str, ...]:
    """The paths no glob of the scope covers; an empty scope covers everything."""
    if not scope:
        return ()
    return tuple(path for path in paths if not any(_pattern(glob).fullmatch(path) for glob in scope))


def covers(path: str, globs: Iterable[str]) -> bool:
    """Whether one of the globs covers the path; none at all cover everything."""
    return not out_of_scope([path], tuple(globs))


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts: list[str] = []
    rest = glob.removeprefix("./").rstrip("/")
    if rest in ("", "."):
        return re.compile(".*", re.DOTALL)
    for token in re.findall(r"\*\*/?|\*|\?|\[[^]]*\]|[^*?\[]+|\[", rest):
        match token:
            case "**/":
                parts.append("(?:[^/]+/)*")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case str() if token.startswith("[") and len(token) > 1:
                parts.append(_characters(token))
            case _:
                parts.append(re.escape(token))
    return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)


def _characters(token: str) -> str:
    """A set of characters as the shell writes it; what is none is meant literally."""
    inner = token[1:-1].replace("\\", "\\\\")
    negated = inner.startswith("!")
    try:
        wanted = f"[{'^' if negated else ''}{inner.removeprefix('!')}]"
        re.compile(wanted)
    except re.error:
        return re.escape(token)
    return wanted

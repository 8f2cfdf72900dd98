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


def tokens(glob: str) -> tuple[str, ...]:
    """The glob in pieces: wildcards, sets of characters, and what stands for itself."""
    rest = glob.removeprefix("./").rstrip("/")
    if rest in ("", "."):
        return ("**",)
    return tuple(re.findall(r"\*\*/?|\*|\?|\[[^]]*\]|[^*?\[]+|\[", rest))


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts: list[str] = []
    for token in tokens(glob):
        match token:
            case "**/":
                parts.append("(?:[^/]+/)*")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(set_of(token) or re.escape(token))
    return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)


def set_of(token: str) -> str:
    """A set of characters as the shell writes it, as a regular expression; empty: it is meant literally."""
    if not token.startswith("[") or len(token) == 1:
        return ""
    inner = re.sub(r"[\\\[&~|]", r"\\\g<0>", token[1:-1])
    negated = inner.startswith("!")
    try:
        wanted = f"[{'^' if negated else ''}{inner.removeprefix('!')}]"
        re.compile(wanted)
    except re.error:
        return ""
    return wanted

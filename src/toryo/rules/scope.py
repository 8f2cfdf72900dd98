"""Which paths a task may change: globs, where `**` crosses folders and a folder means all below it."""

import re
from collections.abc import Iterable
from functools import cache


def out_of_scope(paths: Iterable[str], scope: tuple[str, ...]) -> tuple[str, ...]:
    """The paths no glob of the scope covers; an empty scope covers everything."""
    if not scope:
        return ()
    return tuple(path for path in paths if not any(_pattern(glob).fullmatch(path) for glob in scope))


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    parts: list[str] = []
    rest = glob.removeprefix("./").rstrip("/")
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
                parts.append("[" + token[1:-1].replace("\\", "\\\\").replace("!", "^", 1) + "]")
            case _:
                parts.append(re.escape(token))
    return re.compile("".join(parts) + "(?:/.*)?", re.DOTALL)

"""What git takes as the name of a branch, said while it is typed."""

import re
from collections.abc import Collection

_ODD = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]")


def why_not_a_name(name: str, known: Collection[str] = ()) -> str:
    """What is wrong with a new branch's name; empty: nothing. `known` are the branches that there are."""
    if not name:
        return "it needs a name"
    if name in known:
        return f"there is a branch {name} already"
    return _malformed(name) or _in_the_way(name, known)


def _malformed(name: str) -> str:
    if odd := _ODD.search(name):
        return "a name has no spaces" if odd[0] == " " else f"a name has no {odd[0]!r}"
    if ".." in name or "@{" in name or name in ("@", "HEAD"):
        return f"git keeps {'..' if '..' in name else '@{' if '@{' in name else name} for itself"
    if name.startswith("-"):
        return "a name does not begin with -"
    if name.startswith("/") or name.endswith("/") or "//" in name:
        return "there is a part missing beside a /"
    if name.endswith("."):
        return "a name does not end with a dot"
    if any(part.startswith(".") or part.endswith(".lock") for part in name.split("/")):
        return "no part begins with a dot or ends with .lock"
    return ""


def _in_the_way(name: str, known: Collection[str]) -> str:
    """Git keeps `a` as a file where it has to keep `a/b` in a folder of that name."""
    parts = name.split("/")
    above = {"/".join(parts[:count]) for count in range(1, len(parts))}
    if other := next((each for each in known if each in above or each.startswith(f"{name}/")), ""):
        return f"there cannot be both {name} and {other}"
    return ""

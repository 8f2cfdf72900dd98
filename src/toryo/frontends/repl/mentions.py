"""Commands are mentioned as they are typed here: `/status`, where the shell has `toryo status`."""

import re
from collections.abc import Collection

_RENAMED = {"answer": "respond", "config init": "init"}
_QUOTED = re.compile(r"'toryo\s+([a-z]+)\b([^'\n]*)'")
_PLAIN = re.compile(r"(?<![\w/.~`$-])(?<!\| )toryo\s+([a-z]+(?![\w./-])(?:\s+init\b)?)")


def as_typed_here(text: str, names: Collection[str]) -> str:
    """The text with every mention of one of these commands as it is typed in the REPL; others stay."""

    def quoted(found: re.Match[str]) -> str:
        name, rest = found.groups()
        return _typed(name + rest) if name in names else found[0]

    def plain(found: re.Match[str]) -> str:
        return _typed(found[1]) if found[1].split()[0] in names else found[0]

    return _PLAIN.sub(plain, _QUOTED.sub(quoted, text)) if "toryo" in text else text


def _typed(command: str) -> str:
    name, *rest = re.split(r"(\s+)", command)
    for said in ("".join([name, *rest[:2]]), name):
        if renamed := _RENAMED.get(" ".join(said.split())):
            return f"/{renamed}{command[len(said) :]}"
    return f"/{command}"

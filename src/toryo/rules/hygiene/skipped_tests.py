"""Tests that no longer run, or alone run."""

import re
from collections.abc import Mapping
from functools import partial

from toryo.rules.hygiene.languages import is_test
from toryo.rules.hygiene.scanning import Scanned

_PYTHON = re.compile(
    r"\bmark\.skip\b(?!if)|\bmark\.xfail\b(?!\s*\(\s*(?!reason\b|strict\b|raises\b|run\b|\)|[\"']|$)\S)"
    r"|@(?:unittest\.)?(?:skip\b(?!\s*if)|expectedFailure\b)|\bskip[iI]f\(\s*(?:True|1)\b|\bskipUnless\(\s*(?:False|0)\b"
)
_PYTHON_CALL = re.compile(r"\bpytest\.(?:skip|xfail)\(|\bself\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest\b")
_JAVASCRIPT = re.compile(
    r"(?<![\w.$])(?:it|test|describe|context|suite|bench)\.(?:only|todo|fails|failing)\b\s*[(.`]"
    r"|(?<![\w.$])(?:it|test|describe|context|suite|bench)(?:\.\w+)*\.skip(?:\.each)?\s*(?:\(\s*(?:[\"'`)]|$)|`|\.)"
    r"|(?<![\w.$])(?:xit|xtest|xdescribe|xcontext|fit|fdescribe|fcontext)\s*\("
)
_CALLS: Mapping[str, re.Pattern[str]] = {
    "python": _PYTHON_CALL,
    "go": re.compile(r"\b[tb]\.Skip(?:f|Now)?\("),
    "php": re.compile(r"\bmarkTest(?:Skipped|Incomplete)\("),
    "cpp": re.compile(r"\bGTEST_SKIP\(\)"),
    "javascript": re.compile(r"(?<![\w.$])this\.skip\(\)"),
    "typescript": re.compile(r"(?<![\w.$])this\.skip\(\)"),
    "shell": re.compile(r"^\s*skip\b"),
    "ruby": re.compile(r"^\s*(?:skip|pending)(?:\s+[\"'].*|\s*\(.*)?$"),
}
"""What skips the test it stands in, unless it stands under a condition."""
_ALWAYS: Mapping[str, re.Pattern[str]] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "rust": re.compile(r"#\[ignore\b"),
    "java": re.compile(r"@(?:Disabled|Ignore)\b"),
    "kotlin": re.compile(r"@(?:Disabled|Ignore)\b"),
    "csharp": re.compile(r"\[Ignore\b|\[(?:Fact|Theory)\s*\(\s*Skip\s*="),
    "ruby": re.compile(
        r"^\s*(?:xit|xdescribe|xcontext|xspecify|fit|fdescribe|fcontext)\b|,\s*:?(?:skip|pending)\b(?::|\s*(?:do|$))"
    ),
    "cpp": re.compile(r"\bTEST\w*\s*\([^)]*\bDISABLED_"),
    "elixir": re.compile(r"@(?:module)?tag\s+:skip\b"),
}
_CONDITION = re.compile(
    r"^\W*(?:if|elif|else|elsif|except|unless|case|when|switch|catch|rescue|with|for|while|default)\b|^\s*\}\s*else\b"
)
_TRAILING_CONDITION = re.compile(r"\s(?:if|unless)\s")

MAY_MATCH = re.compile(
    r"skip|xfail|expectedFailure|\.only|todo|\.fail|\b[xf](?:it|test|describe|context)|ignore|disabled|pending",
    re.IGNORECASE,
)
"""What no line without it needs to be looked at for."""


def is_skipping(path: str, language: str, lines: Scanned, number: int) -> bool:
    """Whether the line takes a test out of those that run, whatever the circumstances."""
    if not (is_test(path) or language == "rust"):
        return False
    code = lines.code[number - 1]
    if len(code) > 2000:
        return False
    if (always := _ALWAYS.get(language)) and always.search(code):
        return True
    call = _CALLS.get("cpp" if language == "c" else language)
    if not call or not call.search(code) or _TRAILING_CONDITION.search(code):
        return False
    return not _is_conditional(lines, number)


def _is_conditional(lines: Scanned, number: int) -> bool:
    """Whether the nearest line that is less indented says under which condition."""
    indent = partial(_indent, lines)
    own = indent(number)
    if _CONDITION.match(lines.code[number - 1]):
        return True
    for above in range(number - 1, max(0, number - 60), -1):
        code = lines.code[above - 1]
        if code.strip() and indent(above) < own:
            return bool(_CONDITION.match(code))
    return False


def _indent(lines: Scanned, number: int) -> int:
    code = lines.code[number - 1].expandtabs()
    return len(code) - len(code.lstrip())

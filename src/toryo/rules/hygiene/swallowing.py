"""Errors that are caught, whatever they are, and then forgotten."""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping

from toryo.rules.hygiene.scanning import Scanned

_BROAD = ("Exception", "BaseException")
_ANY = r"(?:\([^()]{0,200}\)\s*)?"
_SCRIPT = re.compile(rf"\bcatch\s*{_ANY}\{{\s*\}}")
_PROMISE = re.compile(
    r"\.catch\s*\(\s*(?:async\s+)?(?:function\s*\([^()]{0,80}\)|\([^()]{0,80}\)\s*=>|\w{1,40}\s*=>)\s*\{\s*\}\s*,?\s*\)"
)
_TYPED = re.compile(
    r"\bcatch\s*(?:\(\s*(?:final\s+)?(?:[\w.\\]*\.|\\)?(?:Exception|Throwable|RuntimeException|Error)\b[^|()]{0,60}\)\s*)?\{\s*\}"
)
_KOTLIN = re.compile(r"\bcatch\s*\(\s*\w+\s*:\s*(?:\w+\.)*(?:Exception|Throwable|RuntimeException)\s*\)\s*\{\s*\}")
_CPP = re.compile(r"\bcatch\s*\(\s*(?:\.\.\.|(?:const\s+)?std::exception\s*&?\s*\w*)\s*\)\s*\{\s*\}")
_RUBY = re.compile(
    r"^[ \t]*rescue(?:[ \t]+(?:Exception|StandardError))?(?:[ \t]*=>[ \t]*\w+)?[ \t]*(?:;|\n)\s*(?:nil\s*)?(?=end\b)"
    r"|\brescue[ \t]+nil[ \t]*$",
    re.MULTILINE,
)
_GO = re.compile(
    r"\bif\s+(?:[^{}\n]{0,200};\s*)?err\s*!=\s*nil\s*\{\s*\}|^[ \t]*_[ \t]*=[ \t]*err[ \t]*$", re.MULTILINE
)
_PATTERNS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    "javascript": (_SCRIPT, _PROMISE),
    "typescript": (_SCRIPT, _PROMISE),
    "java": (_TYPED,),
    "csharp": (_TYPED,),
    "php": (_TYPED,),
    "scala": (_TYPED,),
    "kotlin": (_KOTLIN,),
    "cpp": (_CPP,),
    "swift": (re.compile(r"\bcatch\s*\{\s*\}"),),
    "ruby": (_RUBY,),
    "go": (_GO,),
}

MAY_MATCH = re.compile(r"except\b|suppress\(|\bcatch\b|\brescue\b|\berr\b")
"""What no file without it needs to be looked at for."""


def swallowed(text: str, language: str, lines: Scanned) -> Iterator[tuple[int, ...]]:
    """For each place the lines it stands on; it counts if one of them was added."""
    if language == "python":
        yield from _in_python(text)
        return
    code = "\n".join(lines.code)
    for pattern in _PATTERNS.get(language, ()):
        for found in pattern.finditer(code):
            first = code.count("\n", 0, found.start() + len(found.group()) - len(found.group().lstrip())) + 1
            yield tuple(range(first, code.count("\n", 0, found.end()) + 2))


def _in_python(text: str) -> Iterator[tuple[int, ...]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ExceptHandler)
            and _is_broad(node.type)
            and all(_is_nothing(part) for part in node.body)
        ):
            yield tuple(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        elif isinstance(node, ast.Call) and _name(node.func) == "suppress" and any(map(_is_broad_name, node.args)):
            yield (node.lineno,)


def _is_broad(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(each is None or _is_broad_name(each) for each in kinds)


def _is_broad_name(kind: ast.expr) -> bool:
    return _name(kind) in _BROAD


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_nothing(statement: ast.stmt) -> bool:
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass | ast.Continue) or is_constant

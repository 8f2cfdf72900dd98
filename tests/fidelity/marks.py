"""Which tests say that they show a requirement: read from the files, without running anything."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fidelity.tables import ROOT

MARK = "covers"


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    requirement: str
    file: str
    test: str


class OddMark(Exception):
    """A mark where, or in a form in which, it cannot be read from the file."""


def marks(folder: Path = ROOT / "tests") -> list[Mark]:
    """All of them, in order."""
    found: set[Mark] = set()
    for path in sorted(folder.rglob("test_*.py")):
        found.update(_in_file(path, path.relative_to(folder.parent).as_posix()))
    return sorted(found)


def _in_file(path: Path, name: str) -> Iterator[Mark]:
    text = path.read_text(encoding="utf-8")
    if f"mark.{MARK}" not in text:
        return
    tree = ast.parse(text, str(path))
    for test, calls in _tests(tree):
        for call in calls:
            for requirement in _named(call, name):
                yield Mark(requirement, name, test)
    written = [node for node in ast.walk(tree) if _is_mark(node)]
    known = [call for _, calls in _tests(tree) for call in calls]
    if strangers := [node for node in written if node not in known]:
        lines = ", ".join(str(node.lineno) for node in strangers)
        raise OddMark(f"{name}: `{MARK}` on line {lines} is neither at a test nor at its module nor in a pytest.param")


def _tests(tree: ast.Module) -> Iterator[tuple[str, list[ast.Call]]]:
    """Every test with the marks that hold for it."""
    everywhere = [call for node in tree.body for call in _of_module(node)]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            here = [*everywhere, *_calls(node.decorator_list)]
            for inner in node.body:
                if _is_test(inner):
                    yield f"{node.name}::{inner.name}", [*here, *_calls(inner.decorator_list)]
        elif _is_test(node):
            yield node.name, [*everywhere, *_calls(node.decorator_list)]


def _is_test(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _of_module(node: ast.stmt) -> list[ast.Call]:
    is_pytestmark = isinstance(node, ast.Assign) and any(ast.unparse(name) == "pytestmark" for name in node.targets)
    return _calls([node.value]) if is_pytestmark else []


def _calls(nodes: list[ast.expr]) -> list[ast.Call]:
    return [inner for node in nodes for inner in ast.walk(node) if _is_mark(inner)]


def _is_mark(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == MARK


def _named(call: ast.Call, name: str) -> list[str]:
    values = [argument.value for argument in call.args if isinstance(argument, ast.Constant)]
    if len(values) != len(call.args) or call.keywords or not values or not all(isinstance(v, str) for v in values):
        raise OddMark(f"{name}:{call.lineno}: requirements are named as plain texts")
    return values

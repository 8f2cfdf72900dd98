"""A program of its own that parses files and says where each goes wrong: a parser that fails takes nobody with it.

Reads a JSON list of [number, grammar, path] from standard input, and writes a line `number line` for each file it can
tell something about: the first line at fault, or 0 if there is none. It is run by its path, so that nothing of Toryo is
imported.
"""

# Few imports: it is started anew for each run's work, and most of its time is its start.
import importlib
import json
import os
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from typing import Any, NoReturn

_MEMORY = 1 << 30
_SECONDS = 2
_LARGEST = 2_000_000
_ONLY_AST = 0x400
"""As `ast` has it, which is slow to import."""
_LARGEST_YAML = 300_000
_GRAMMARS = {
    "python": ("tree_sitter_python", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "go": ("tree_sitter_go", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "java": ("tree_sitter_java", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "php": ("tree_sitter_php", "language_php"),
}


class Unknown(Exception):
    """Whether the file is right cannot be told."""


def main() -> None:
    asked: list[tuple[int, str, str]] = json.load(sys.stdin)
    for grammar in {grammar for _, grammar, _ in asked}:
        _load(grammar)
    for number, grammar, path in asked:
        # Each in a process of its own: what runs wild, or into the ground, does so alone.
        child = os.fork()
        if not child:
            _tell(number, grammar, path)
        os.waitpid(child, 0)


def _tell(number: int, grammar: str, path: str) -> "NoReturn":
    try:
        _bound()
        os.write(1, f"{number} {first_error(grammar, path)}\n".encode())
    except (Unknown, OSError, RecursionError, MemoryError):
        pass  # nobody can tell, and then nobody says anything
    finally:
        os._exit(0)


def _load(grammar: str) -> None:
    """What several files need is loaded once."""
    needed = {"yaml": ["ruamel.yaml"], "toml": ["tomllib"], "python": []}
    for module in needed.get(grammar, ["tree_sitter", *_GRAMMARS.get(grammar, ())[:1]]):
        try:
            importlib.import_module(module)
        except ImportError:
            return


def _bound() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # elsewhere it means something else, or nothing
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _unbound() -> None:
    """For other programs, which may reserve more than they use."""
    import resource

    if sys.platform != "linux":
        return
    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def first_error(grammar: str, path: str) -> int:
    """The first line at fault; 0: there is none. Raises Unknown."""
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib is slow to import
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST or b"\0" in data:
        raise Unknown
    return _PARSERS.get(grammar, _in_tree)(Source(grammar, path, data))


class Source:
    def __init__(self, grammar: str, path: str, data: bytes) -> None:
        self.grammar, self.path, self.data = grammar, path, data

    def text(self) -> str:
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Unknown from None

    def plain_text(self) -> str:
        """Its text, unless it is a template of such a file."""
        text = self.text()
        if "{{" in text or "{%" in text:
            raise Unknown
        return text


# ── one way for each ─────────────────────────────────────────────────────────


def _in_python(source: Source) -> int:
    """By this very Python; what it does not know may be newer than it, so another grammar has to agree."""
    try:
        compile(source.data, "file", "exec", _ONLY_AST, dont_inherit=True)
    except IndentationError as error:
        return error.lineno or 1
    except SyntaxError as error:
        return _in_tree(source) and (error.lineno or 1)
    except ValueError:
        raise Unknown from None
    return 0


def _in_json(source: Source) -> int:
    text = source.plain_text()
    if source.grammar == "jsonc":
        text = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
        text = _TRAILING_COMMA.sub(lambda found: found[1] or " " + found[2], text)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno
    return 0


_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(\s*[}\]])')


def _in_toml(source: Source) -> int:
    import tomllib

    text = source.plain_text()
    try:
        tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+)", str(error))
        return int(found[1]) if found else text.rstrip("\n").count("\n") + 1
    return 0


def _in_yaml(source: Source) -> int:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    text = source.plain_text()
    if len(text) > _LARGEST_YAML or text.startswith("%"):
        raise Unknown
    try:
        for _ in YAML(typ="safe", pure=True).parse(text):
            pass
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return mark.line + 1 if mark else 1
    except YAMLError:
        raise Unknown from None
    return 0


def _in_bash(source: Source) -> int:
    """By bash itself, which only reads."""
    first = source.data.split(b"\n", 1)[0]
    if first.startswith(b"#!") and not re.search(rb"\b(?:ba|da)?sh\b", first):
        raise Unknown
    done = _ask("bash", "-n", "--", source.path)
    if done.returncode == 0:
        return 0
    found = re.search(rb"line (\d+):", done.stderr)
    if not found:
        raise Unknown
    return int(found[1])


def _in_header(source: Source) -> int:
    """C or C++, nobody knows which."""
    return _in_tree(Source("c", source.path, source.data)) and _in_tree(Source("cpp", source.path, source.data))


def _in_tree(source: Source) -> int:
    grammar = source.grammar
    if grammar in ("javascript", "typescript", "tsx") and b"@flow" in source.data[:1000]:
        raise Unknown
    try:
        import tree_sitter

        module, function = _GRAMMARS[grammar]
        language = tree_sitter.Language(getattr(importlib.import_module(module), function)())
    except (ImportError, KeyError, ValueError):
        raise Unknown from None
    tree = tree_sitter.Parser(language).parse(source.data)
    if tree is None:
        raise Unknown
    if not tree.root_node.has_error:
        return 0
    line = _first_fault(tree.root_node)
    if grammar in ("c", "cpp") and _is_perhaps_a_macro(source.data, line):
        raise Unknown
    return 0 if _is_fine_elsewhere(source) else line


def _is_fine_elsewhere(source: Source) -> bool:
    """Whether the language's own program takes it, where there is one: a grammar is somebody else's idea of it."""
    argv = _OWN_PROGRAMS.get(source.grammar)
    return argv is not None and _ask(*argv, source.path).returncode == 0


_OWN_PROGRAMS = {"javascript": ("node", "--check"), "php": ("php", "-n", "-l"), "go": ("gofmt", "-l", "-e")}
"""They only read, and run nothing."""


def _ask(*argv: str) -> "subprocess.CompletedProcess[bytes]":
    """Without variables by which a program could be told to load something first."""
    import subprocess

    env = {"PATH": os.environ.get("PATH", os.defpath)}
    try:
        return subprocess.run(
            argv, capture_output=True, timeout=5, stdin=subprocess.DEVNULL, env=env, preexec_fn=_unbound
        )
    except (OSError, subprocess.SubprocessError):
        return subprocess.CompletedProcess(argv, 127, b"", b"")


def _first_fault(root: "Any") -> int:
    """The first node at fault, found without recursion: what is nested deeply must not matter."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            return int(node.start_point[0]) + 1
        waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return int(root.start_point[0]) + 1


def _is_perhaps_a_macro(data: bytes, line: int) -> bool:
    """What a macro stands for is not known here, and it may be anything."""
    around = data.split(b"\n")[max(0, line - 4) : line + 3]
    return bool(re.search(rb"\b[A-Z][A-Z0-9_]{2,}\b|^\s*#", b"\n".join(around), re.MULTILINE))


_PARSERS: dict[str, "Callable[[Source], int]"] = {
    "python": _in_python,
    "json": _in_json,
    "jsonc": _in_json,
    "toml": _in_toml,
    "yaml": _in_yaml,
    "bash": _in_bash,
    "header": _in_header,
}

if __name__ == "__main__":
    main()

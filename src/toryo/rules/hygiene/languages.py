"""Which language a file is written in, by its name: how it writes comments and strings, and whether it holds tests."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import PurePosixPath

from toryo.domain.facts import fact

PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".textile"})


@fact
class Syntax:
    """How a language writes what is not code."""

    line: tuple[str, ...] = ()
    """What begins a comment that ends with the line."""
    block: tuple[tuple[str, str], ...] = ()
    """What begins and ends a comment that may go on over lines."""
    quotes: tuple[str, ...] = ('"', "'")
    """Of strings that end with the line at the latest."""
    long_quotes: tuple[str, ...] = ()
    """Of strings that may go on over lines."""
    has_regexes: bool = False
    has_templates: bool = False
    """A long string may hold code, in `${…}`."""
    has_escapes: bool = True
    has_characters: bool = False
    """An apostrophe means something only around one character."""
    needs_space: bool = False
    """A line comment begins only at the start of a word."""


_HASH = Syntax(("#",), quotes=('"', "'"), needs_space=True)
_SLASHES = Syntax(("//",), (("/*", "*/"),))
_LANGUAGES: Mapping[str, Syntax] = {
    "python": Syntax(("#",), long_quotes=('"""', "'''")),
    "ruby": Syntax(("#",), (("\n=begin", "\n=end"),), needs_space=True),
    "shell": _HASH,
    "hash": _HASH,
    "yaml": _HASH,
    "toml": Syntax(("#",), long_quotes=('"""', "'''")),
    "elixir": Syntax(("#",), long_quotes=('"""', "'''")),
    "javascript": Syntax(("//",), (("/*", "*/"),), long_quotes=("`",), has_regexes=True, has_templates=True),
    "typescript": Syntax(("//",), (("/*", "*/"),), long_quotes=("`",), has_regexes=True, has_templates=True),
    "go": Syntax(("//",), (("/*", "*/"),), long_quotes=("`",)),
    "rust": Syntax(("//",), (("/*", "*/"),), quotes=(), long_quotes=('"',), has_characters=True),
    "java": Syntax(("//",), (("/*", "*/"),), long_quotes=('"""',)),
    "kotlin": Syntax(("//",), (("/*", "*/"),), long_quotes=('"""',)),
    "swift": Syntax(("//",), (("/*", "*/"),), quotes=('"',), long_quotes=('"""',)),
    "scala": Syntax(("//",), (("/*", "*/"),), quotes=('"',), long_quotes=('"""',)),
    "csharp": Syntax(("//",), (("/*", "*/"),), long_quotes=('"""',)),
    "c": _SLASHES,
    "cpp": _SLASHES,
    "dart": Syntax(("//",), (("/*", "*/"),), long_quotes=('"""', "'''")),
    "php": Syntax(("//", "#"), (("/*", "*/"),)),
    "css": Syntax((), (("/*", "*/"),)),
    "scss": Syntax(("//",), (("/*", "*/"),), needs_space=True),
    "html": Syntax((), (("<!--", "-->"),), quotes=()),
    "component": Syntax(("//",), (("<!--", "-->"), ("/*", "*/")), quotes=(), needs_space=True),
    "sql": Syntax(("--",), (("/*", "*/"),), quotes=(), long_quotes=("'",), has_escapes=False),
    "lua": Syntax(("--",), (("--[[", "]]"),)),
    "haskell": Syntax(("--",), (("{-", "-}"),), quotes=('"',)),
}
_SUFFIXES: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    **dict.fromkeys((".rb", ".rake", ".gemspec"), "ruby"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh", ".bats"), "shell"),
    **dict.fromkeys((".pl", ".pm", ".r", ".jl", ".mk", ".cmake", ".nix", ".tf", ".fish", ".conf", ".cfg"), "hash"),
    **dict.fromkeys((".yml", ".yaml"), "yaml"),
    ".toml": "toml",
    **dict.fromkeys((".ex", ".exs"), "elixir"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), "typescript"),
    ".go": "go",
    ".rs": "rust",
    **dict.fromkeys((".java", ".groovy", ".gradle"), "java"),
    **dict.fromkeys((".kt", ".kts"), "kotlin"),
    ".swift": "swift",
    **dict.fromkeys((".scala", ".sc"), "scala"),
    ".cs": "csharp",
    **dict.fromkeys((".c", ".h", ".m"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".mm", ".proto"), "cpp"),
    ".dart": "dart",
    ".php": "php",
    ".css": "css",
    **dict.fromkeys((".scss", ".less"), "scss"),
    **dict.fromkeys((".html", ".htm", ".xml", ".svg", ".xhtml"), "html"),
    **dict.fromkeys((".vue", ".svelte", ".astro"), "component"),
    ".sql": "sql",
    ".lua": "lua",
    ".hs": "haskell",
}
_NAMES = {"Makefile": "hash", "Dockerfile": "hash", "Gemfile": "ruby", "Rakefile": "ruby", "Justfile": "hash"}

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "e2e"})
_TEST_NAME = re.compile(
    r"test_.*\.py|.*_test\.\w+|.*[._-](?:test|spec|tests)\.\w+|.*(?:Test|Tests|TestCase|IT|Spec)\.\w+|.*_spec\.rb"
    r"|test[-_].*\.\w+|.*\.bats|conftest\.py|.*_tests?\.exs?"
)


@lru_cache(maxsize=4096)
def language_of(path: str) -> str:
    """The language's name here; empty: unknown, or no code."""
    name = PurePosixPath(path).name
    if name in _NAMES or name.startswith("Dockerfile."):
        return _NAMES.get(name, "hash")
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def syntax_of(language: str) -> Syntax:
    return _LANGUAGES[language]


def is_prose(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in PROSE


def is_test(path: str) -> bool:
    """Whether the file is one of those that test others."""
    pure = PurePosixPath(path)
    is_code = bool(language_of(path)) and language_of(path) not in ("yaml", "toml", "html", "css")
    return is_code and (bool(_TEST_NAME.fullmatch(pure.name)) or not _TEST_FOLDERS.isdisjoint(pure.parts[:-1]))

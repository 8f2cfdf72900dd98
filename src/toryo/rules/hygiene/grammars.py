"""Which changed files can be parsed, and by which grammar."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from toryo.domain.difference import Difference, FileDifference
from toryo.domain.evidence import Change

_GRAMMARS: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".json", ".ipynb", ".webmanifest"), "json"),
    **dict.fromkeys((".jsonc", ".code-workspace"), "jsonc"),
    ".toml": "toml",
    **dict.fromkeys((".yml", ".yaml"), "yaml"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    ".c": "c",
    ".h": "header",
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
    ".cs": "csharp",
    ".rb": "ruby",
    ".php": "php",
    **dict.fromkeys((".sh", ".bash"), "bash"),
}
_WITH_COMMENTS = re.compile(
    r"(?:tsconfig|jsconfig)[^/]*\.json|\.(?:eslintrc|babelrc|swcrc|jshintrc)(?:\.json)?|devcontainer\.json|settings\.json"
    r"|launch\.json|tasks\.json|extensions\.json|turbo\.json|api-extractor\.json|\.oxlintrc\.json|wrangler\.json|deno\.json"
)
# Whoever tests a parser needs broken files, and a template is no program yet.
_BROKEN_ON_PURPOSE = re.compile(
    r"(?:^|/)(?:fixtures?|__fixtures__|testdata|test-data|golden|snapshots?|__snapshots__|templates?|skel|corpus|recordings)/"
    r"|\{\{|\{%|(?:^|[/._-])(?:invalid|broken|malformed|corrupt|bad|syntax[-_]?error)(?:[/._-]|$)",
    re.IGNORECASE,
)


def grammar_of(path: str) -> str:
    """The grammar's name; empty: there is none for this file."""
    pure = PurePosixPath(path)
    if _BROKEN_ON_PURPOSE.search(path):
        return ""
    grammar = _GRAMMARS.get(pure.suffix.lower(), "")
    if grammar == "json" and (_WITH_COMMENTS.fullmatch(pure.name) or ".vscode" in pure.parts):
        return "jsonc"
    return grammar


def files_to_parse(found: Difference) -> list[FileDifference]:
    """Files whose lines changed and that have a grammar."""
    changed = (file for file in found.files if file.hunks and file.change is not Change.DELETED)
    return [file for file in changed if grammar_of(file.path)]

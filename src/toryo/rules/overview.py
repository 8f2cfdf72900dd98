"""Main languages, entry points, packages and specs, from names and a few texts."""

import re
from collections import Counter
from collections.abc import Mapping

from toryo.domain.survey import Language, Modules, Package, Spec
from toryo.rules.leniently import json_of, table_at, toml_of, word_at
from toryo.rules.listing import Listing, depth, name_of, parent_of, shallow_first
from toryo.rules.masking import mask

MOST_LANGUAGES, MOST_ENTRIES, MOST_PACKAGES, MOST_SPECS = 8, 20, 40, 50
_LONGEST_NAME = 120

_LANGUAGES = {
    suffix: language
    for language, suffixes in {
        "Python": "py pyi pyx", "JavaScript": "js jsx mjs cjs", "TypeScript": "ts tsx mts cts", "Rust": "rs",
        "Go": "go", "Java": "java", "Kotlin": "kt kts", "Scala": "scala sc", "Groovy": "groovy", "C": "c h",
        "C++": "cc cpp cxx hh hpp hxx", "C#": "cs", "F#": "fs fsx", "Visual Basic": "vb", "Ruby": "rb", "PHP": "php",
        "Swift": "swift", "Objective-C": "m mm", "Dart": "dart", "Elixir": "ex exs", "Erlang": "erl hrl",
        "Haskell": "hs", "OCaml": "ml mli", "Clojure": "clj cljs cljc", "Lua": "lua", "Perl": "pl pm", "R": "r R",
        "Julia": "jl", "Zig": "zig", "Nim": "nim", "Crystal": "cr", "Gleam": "gleam", "Shell": "sh bash zsh bats",
        "PowerShell": "ps1", "SQL": "sql", "HTML": "html htm", "CSS": "css scss sass less", "Vue": "vue",
        "Svelte": "svelte", "Terraform": "tf", "Nix": "nix", "Solidity": "sol", "Protocol Buffers": "proto",
        "Jupyter": "ipynb", "Elm": "elm", "Assembly": "asm s S", "Cuda": "cu",
    }.items()
    for suffix in suffixes.split()
}  # fmt: skip
_ENTRY = re.compile(
    r"(?:^|/)(?:__main__\.py|main\.(?:py|go|rs|c|cc|cpp|kt|dart|swift|zig|ts|js|rb|ex)|manage\.py|wsgi\.py|asgi\.py|app\.py"
    r"|cli\.py|Program\.cs|Application\.java|Main\.java|lib\.rs|index\.(?:ts|tsx|js|jsx|html)|server\.(?:ts|js)|mod\.ts"
    r"|artisan|config\.ru)$"
)
_DEEPEST_ENTRY = 5
_HEADING = re.compile(r"^#{1,2}\s+(.+)$", re.MULTILINE)
_SPEC_FILE = re.compile(r"specs/([^/]+)/([^/]+\.(?:md|markdown|txt))")
_SPEC_NAMES = ("spec.md", "README.md", "requirements.md", "plan.md", "design.md")


def look_at_modules(listing: Listing, texts: Mapping[str, str]) -> Modules:
    return Modules(_languages(listing), _entry_points(listing), _packages(texts))


def _languages(listing: Listing) -> tuple[Language, ...]:
    counted: Counter[str] = Counter()
    for names in listing.folders.values():
        for name in names:
            language = _LANGUAGES.get(name.rpartition(".")[2])
            if language and "." in name:
                counted[language] += 1
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Language(name, files) for name, files in ranked[:MOST_LANGUAGES])


def _entry_points(listing: Listing) -> tuple[str, ...]:
    found = [
        path
        for path in listing.own
        if path.count("/") < _DEEPEST_ENTRY and _ENTRY.search(path) and not _is_in_tests(path)
    ]
    return tuple(sorted(found, key=shallow_first)[:MOST_ENTRIES])


def _is_in_tests(path: str) -> bool:
    return any(part in ("test", "tests", "spec", "__tests__", "docs", "doc") for part in path.split("/"))


def _packages(texts: Mapping[str, str]) -> tuple[Package, ...]:
    found: list[Package] = []
    for path in sorted(texts, key=shallow_first):
        name = _package_name(name_of(path), texts[path])
        if name and name.isprintable():
            found.append(Package(mask(name[:_LONGEST_NAME]), parent_of(path)))
    return tuple(found[:MOST_PACKAGES])


def _package_name(file: str, text: str) -> str:
    match file:
        case "package.json" | "composer.json" | "deno.json":
            return word_at(json_of(text), "name")
        case "pyproject.toml":
            project = toml_of(text)
            return word_at(project, "project", "name") or word_at(table_at(project, "tool"), "poetry", "name")
        case "Cargo.toml":
            return word_at(toml_of(text), "package", "name")
        case "go.mod":
            found = re.search(r"^module\s+(\S{1,200})", text, re.MULTILINE)
            return found[1] if found else ""
        case "pubspec.yaml":
            found = re.search(r"^name:\s*(\S{1,100})", text, re.MULTILINE)
            return found[1] if found else ""
    return ""


def spec_files(listing: Listing) -> tuple[str, ...]:
    """Of each folder in specs/ the file that should have its title."""
    best: dict[str, str] = {}
    for path in listing.below("specs"):
        found = _SPEC_FILE.fullmatch(path) if depth(path) == 3 else None
        if found and _spec_rank(found[2]) < _spec_rank(name_of(best.get(found[1], "/~"))):
            best[found[1]] = path
    return tuple(best[name] for name in sorted(best))[:MOST_SPECS]


def _spec_rank(name: str) -> tuple[int, str]:
    return (_SPEC_NAMES.index(name) if name in _SPEC_NAMES else len(_SPEC_NAMES), name)


def look_at_specs(listing: Listing, texts: Mapping[str, str]) -> tuple[tuple[Spec, ...], int]:
    """The specs, and how many more there are."""
    folders = sorted({parent_of(path).split("/")[1] for path in listing.below("specs") if path.count("/") > 1})
    titles = {parent_of(path): _title(texts.get(path, "")) for path in spec_files(listing)}
    specs = tuple(Spec(f"specs/{name}", titles.get(f"specs/{name}", "")) for name in folders[:MOST_SPECS])
    return specs, len(folders) - len(specs)


def _title(text: str) -> str:
    found = _HEADING.search(text[:5_000])
    line = found[1] if found else next((line for line in text[:5_000].splitlines() if line.strip()), "")
    return mask(" ".join("".join(char if char.isprintable() else " " for char in line).split())[:_LONGEST_NAME])

"""From the files of a repository to its survey: which are worth reading, and what they tell together."""

import re
from collections.abc import Mapping

from toryo.domain.survey import Extract, Survey
from toryo.rules.choosing_tests import choose_tests
from toryo.rules.ci_hints import CI_FILE, ci_hints
from toryo.rules.file_tree import file_tree
from toryo.rules.listing import Listing, depth, name_of, parent_of, shallow_first
from toryo.rules.masking import mask
from toryo.rules.overview import look_at_modules, look_at_specs, spec_files
from toryo.rules.stack_general import TEXTS as GENERAL_TEXTS
from toryo.rules.stack_general import general_commands
from toryo.rules.stack_ground import Ground
from toryo.rules.stacks import find_stacks, is_manifest

MOST_TEXTS = 300
MOST_STACKS = 40
_GUIDES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", ".github/copilot-instructions.md", "CONVENTIONS.md", ".cursorrules",
           ".windsurfrules", ".clinerules", ".rules", "CONTRIBUTING.md", "CONTRIBUTING", "CONTRIBUTING.rst",
           "CONTRIBUTING.txt", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md", "README.md", "README.rst", "README",
           "README.txt")  # fmt: skip
_NESTED_GUIDES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
MOST_GUIDES, LONGEST_GUIDE, ALL_GUIDES = 12, 8_000, 20_000
MOST_METADATA, LONGEST_METADATA = 12, 1_500
_METADATA = re.compile(
    r"package\.json|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w-]*\.txt|Pipfile|Cargo\.toml|go\.(?:mod|work)|pom\.xml"
    r"|(?:build|settings)\.gradle(?:\.kts)?|Gemfile|composer\.json|mix\.exs|Package\.swift|pubspec\.yaml|build\.sbt"
    r"|project\.clj|deps\.edn|deno\.jsonc?|CMakeLists\.txt|meson\.build|pnpm-workspace\.yaml|turbo\.json|nx\.json|Makefile"
    r"|[Jj]ustfile|Taskfile\.ya?ml|build\.zig|stack\.yaml|.+\.(?:cabal|slnx?|csproj|fsproj|gemspec)"
)
_SOURCES = re.compile(
    r"(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.py|[^/]+[._](?:test|spec)\.[cm]?[jt]sx?|(?:lib|main)\.rs)$"
)
_MOST_SOURCES = 24
_ALSO_READ = frozenset(
    ("pnpm-workspace.yaml", "turbo.json", "nx.json", "manage.py", "Makefile.am", "rakefile", *GENERAL_TEXTS)
)


def worth_reading(listing: Listing) -> tuple[str, ...]:
    """The few files a survey needs the texts of, the most telling first."""
    guides = guides_in(listing)[:MOST_GUIDES]
    ci = [path for path in listing.own if CI_FILE.fullmatch(path)]
    manifests: list[str] = []
    sources: list[str] = []
    for path in listing.own:
        name = name_of(path)
        if name in _ALSO_READ or is_manifest(name):
            manifests.append(path)
        elif _SOURCES.search(path):
            sources.append(path)
    manifests.sort(key=shallow_first)
    sources.sort(key=shallow_first)
    modules = [".gitmodules"] if listing.has(".gitmodules") else []
    chosen = (*guides, *modules, *ci[:30], *_one_per_folder(sources), *manifests[:200], *spec_files(listing))
    return tuple(dict.fromkeys(chosen))[:MOST_TEXTS]


def _one_per_folder(sources: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for path in sources:
        first.setdefault(parent_of(path), path)
    return list(first.values())[:_MOST_SOURCES]


def guides_in(listing: Listing) -> list[str]:
    found = [name for name in _GUIDES if listing.has(name)]
    rules = [path for path in listing.below(".cursor/rules") if path.endswith(".mdc")]
    nested = [
        path for path in listing.own if path.endswith(".md") and name_of(path) in _NESTED_GUIDES and depth(path) > 1
    ]
    own_words = [path for path in found if not path.startswith("README")]
    about = [path for path in found if path.startswith("README")]
    return [*own_words, *rules, *about[:1], *sorted(nested, key=shallow_first)]


def surveyed(listing: Listing, texts: Mapping[str, str], override: str = "", notes: tuple[str, ...] = ()) -> Survey:
    """The survey of these files; `override` is the test command a person configured, if there is one."""
    hints = ci_hints(texts)
    stacks = find_stacks(listing, texts, hints)
    general = tuple(general_commands(Ground(listing, texts, "")))
    tree, is_whole_tree = file_tree(listing.every)
    specs, more_specs = look_at_specs(listing, texts)
    guides, more_guides = _guides(listing, texts)
    metadata, more_metadata = _metadata(texts)
    missing = (
        (listing.left_out, "files beyond the first {most:,} were not looked at: {count:,}"),
        (listing.unprintable, "files with unprintable names, counted and not looked at: {count:,}"),
        (0 if is_whole_tree else 1, "the tree does not show every folder"),
        (len(stacks) - MOST_STACKS, "stacks left out: {count}"),
        (more_guides, "guides left out: {count}"),
        (more_metadata, "metadata files left out: {count}"),
        (more_specs, "specs left out: {count}"),
        (_submodules(texts), "submodules, not looked into: {count}"),
    )
    left_out = tuple(words.format(count=count, most=len(listing.every)) for count, words in missing if count > 0)
    return Survey(
        files=len(listing.every) + listing.left_out,
        test_command=choose_tests(stacks, general, hints, override),
        guides=guides,
        tree=tree,
        modules=look_at_modules(listing, texts),
        stacks=stacks[:MOST_STACKS],
        metadata=metadata,
        specs=specs,
        truncated=(*left_out, *notes),
    )


def _guides(listing: Listing, texts: Mapping[str, str]) -> tuple[tuple[Extract, ...], int]:
    every = guides_in(listing)
    paths = [path for path in every[:MOST_GUIDES] if texts.get(path, "").strip()]
    room, kept, seen = ALL_GUIDES, [], dict[str, str]()
    for path in paths:
        if texts[path] in seen:
            kept.append(Extract(path, f"(the same as {seen[texts[path]]})"))
        elif room > 0:
            seen[texts[path]] = path
            kept.append(extract(path, texts[path], min(room, 2_500 if path.startswith("README") else LONGEST_GUIDE)))
            room -= len(kept[-1].text)
    return tuple(kept), len(paths) - len(kept) + len(every[MOST_GUIDES:])


def _metadata(texts: Mapping[str, str]) -> tuple[tuple[Extract, ...], int]:
    paths = sorted((path for path in texts if _METADATA.fullmatch(name_of(path))), key=shallow_first)
    kept = tuple(extract(path, texts[path], LONGEST_METADATA) for path in paths[:MOST_METADATA])
    return kept, len(paths) - len(kept)


def extract(path: str, text: str, longest: int) -> Extract:
    """The beginning of a text, masked before it is cut: half a secret would not be known for one."""
    clean = mask("".join(char if char.isprintable() or char in "\n\t" else "" for char in text).strip())
    return Extract(path, clean[:longest].rstrip(), len(clean) > longest)


def _submodules(texts: Mapping[str, str]) -> int:
    return len(re.findall(r"^\[submodule ", texts.get(".gitmodules", ""), re.MULTILINE))

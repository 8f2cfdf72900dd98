"""Which stacks a repository has: every kind looks at the folders that may hold it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from toryo.domain.survey import Stack, TestCommand
from toryo.rules.ci_hints import Key, is_hinted, with_hints
from toryo.rules.folder_globs import is_named_by
from toryo.rules.listing import Listing, name_of, parent_of, shallow_first
from toryo.rules.stack_compiled import (
    look_at_dotnet,
    look_at_go,
    look_at_gradle,
    look_at_maven,
    look_at_rust,
    look_at_sbt,
)
from toryo.rules.stack_ground import EVERYTHING, Ground, Sighting
from toryo.rules.stack_node import look_at_deno, look_at_node
from toryo.rules.stack_python import MANIFESTS as PYTHON_MANIFESTS
from toryo.rules.stack_python import TEST_FILE as PYTHON_TEST
from toryo.rules.stack_python import look_at_python
from toryo.rules.stack_usual import (
    USUAL,
    look_at_autotools,
    look_at_bats,
    look_at_clojure,
    look_at_cmake,
    look_at_dart,
    look_at_php,
    look_at_ruby,
    look_at_usual,
)

MOST_PLACES = 300
"""So many folders are looked at for one kind, those nearest the top first."""
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|testing|unittests?)(?=/)")


@dataclass(frozen=True, slots=True)
class Kind:
    manifests: tuple[str, ...]
    """Names of files; what begins with `*` is how a name ends."""
    look: Callable[[Ground], Sighting | None]


KINDS = (
    Kind(PYTHON_MANIFESTS, look_at_python),
    Kind(("package.json",), look_at_node),
    Kind(("deno.json", "deno.jsonc"), look_at_deno),
    Kind(("Cargo.toml",), look_at_rust),
    Kind(("go.mod", "go.work"), look_at_go),
    Kind(("pom.xml",), look_at_maven),
    Kind(("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"), look_at_gradle),
    Kind(("build.sbt",), look_at_sbt),
    Kind(("*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"), look_at_dotnet),
    Kind(("Gemfile", "Rakefile", "*.gemspec"), look_at_ruby),
    Kind(("composer.json",), look_at_php),
    Kind(("pubspec.yaml",), look_at_dart),
    Kind(("deps.edn",), look_at_clojure),
    Kind(("CMakeLists.txt",), look_at_cmake),
    Kind(("configure.ac",), look_at_autotools),
    Kind(("*.bats",), look_at_bats),
    *(Kind(usual.manifests, partial(look_at_usual, usual)) for usual in USUAL),
)
_BY_NAME = {name: kind for kind in KINDS for name in kind.manifests}


def find_stacks(listing: Listing, texts: Mapping[str, str], hints: frozenset[Key]) -> tuple[Stack, ...]:
    """All stacks that no other one of their kind covers, the topmost first; each with its best test command first."""
    places = _places(listing)
    found: list[Stack] = []
    for kind in KINDS:
        folders = sorted(places.get(kind, ()), key=shallow_first)
        if kind.look is look_at_python:
            folders = _with_bare_tests(listing, folders)
        found += _uncovered(kind, folders[:MOST_PLACES], listing, texts)
    hinted = [
        replace(stack, tests=best_first((with_hints(test, hints) for test in stack.tests), hints))
        for stack in found
        if stack.tests or name_of(stack.folder) not in ("doc", "docs")
    ]
    return tuple(sorted(hinted, key=lambda stack: (*shallow_first(stack.folder), not stack.tests)))


def _places(listing: Listing) -> dict[Kind, dict[str, None]]:
    places: dict[Kind, dict[str, None]] = {}
    for folder, names in listing.folders.items():
        for name in names:
            if kind := _kind_of(name):
                places.setdefault(kind, {})[folder] = None
    return places


def _kind_of(name: str) -> Kind | None:
    return _BY_NAME.get(name) or _BY_NAME.get(f"*.{name.rpartition('.')[2]}")


def is_manifest(name: str) -> bool:
    return _kind_of(name) is not None and not name.endswith(".bats")


def _uncovered(kind: Kind, folders: list[str], listing: Listing, texts: Mapping[str, str]) -> Iterable[Stack]:
    covering: list[Sighting] = []
    for folder in folders:
        if any(_covers(sighting, folder) for sighting in covering):
            continue
        prefix = folder + "/" if folder else ""
        nested = tuple(f"{other}/" for other in folders if other != folder and other.startswith(prefix))
        sighting = kind.look(Ground(listing, texts, folder, nested))
        if sighting is None:
            continue
        if sighting.covers:
            covering.append(sighting)
        yield sighting.stack


def _covers(sighting: Sighting, folder: str) -> bool:
    top = sighting.stack.folder
    if top and not folder.startswith(f"{top}/"):
        return False
    return sighting.covers == EVERYTHING or is_named_by(folder[len(top) + 1 if top else 0 :], sighting.covers)


def _with_bare_tests(listing: Listing, folders: list[str]) -> list[str]:
    """Python needs no manifest: test files that belong to none of the folders make one of their own."""
    if "" in folders:
        return folders
    known = set(folders)
    bare: set[str] = set()
    for path in listing.own:
        if path.endswith(".py") and PYTHON_TEST.search(path) and not _is_in(path, known):
            found = _TEST_FOLDER.search(path)
            bare.add(path[: found.start()] if found else parent_of(path))
    return sorted({*folders, *(folder for folder in bare if not _is_in(folder, bare))}, key=shallow_first)


def _is_in(path: str, folders: set[str]) -> bool:
    """Whether one of the folders is above the path."""
    while path:
        path = parent_of(path)
        if path in folders:
            return True
    return False


def best_first(tests: Iterable[TestCommand], hints: frozenset[Key]) -> tuple[TestCommand, ...]:
    """The surest first; of equals, what CI runs; else in the order they were found."""
    return tuple(sorted(tests, key=lambda test: (test.confidence.doubt, not is_hinted(test.command, hints))))

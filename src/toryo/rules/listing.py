"""The files of a repository by folder, and which of them are its own."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

MOST_FILES = 250_000

# Somebody else's work, or work for tests to look at: it says nothing about this project's tools.
_FOREIGN = frozenset((
    "node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "third_party", "third-party",
    "thirdparty", "3rdparty", "Godeps", "Pods", "Carthage", ".venv", "venv", "virtualenv", "site-packages",
    "dist-packages", ".tox", ".nox", ".yarn", ".pnpm", ".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".gradle",
    ".terraform", ".next", ".nuxt", ".cache", "testdata", "test-data", "test_data", "testfiles", "fixture", "fixtures",
    "__fixtures__", "__mocks__", "__snapshots__", "snapshots", "golden",
))  # fmt: skip
# The same, but within sources these are names like any other: src/test/java/com/example.
_FOREIGN_OUTSIDE_SOURCES = frozenset((
    "example", "examples", "sample", "samples", "demo", "demos", "playground", "playgrounds", "sandbox", "template",
    "templates", "skeleton", "skeletons", "boilerplate", "cookiecutter", "scaffold", "scaffolds", "external",
    "externals", "extern", "deps", "dist", "target", "out",
))  # fmt: skip
_SOURCES = frozenset(("src", "java", "kotlin", "scala", "com", "org"))


def is_foreign(folder: str) -> bool:
    is_source = False
    for part in folder.split("/"):
        if part in _FOREIGN or "{{" in part or part.startswith("template-"):
            return True
        if part in _FOREIGN_OUTSIDE_SOURCES and not is_source:
            return True
        is_source = is_source or part in _SOURCES
    return False


def depth(path: str) -> int:
    return path.count("/") + 1 if path else 0


def shallow_first(path: str) -> tuple[int, str]:
    return depth(path), path


def joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def parent_of(path: str) -> str:
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


class Listing:
    """Paths relative to the top, with `/` between their parts; foreign ones are counted and otherwise passed over."""

    def __init__(self, paths: Iterable[str]) -> None:
        every = sorted({path for path in paths if path and not path.startswith("/") and not path.endswith("/")})
        self.every: Sequence[str] = every[:MOST_FILES]
        self.left_out = len(every) - len(self.every)
        self.folders: dict[str, dict[str, None]] = {}
        """The repository's own folders that have files in them, with the names of these."""
        self.unprintable = 0
        """Files whose paths no command should have to hold."""
        own: list[str] = []
        foreign: dict[str, bool] = {}
        for path in self.every:
            folder, _, name = path.rpartition("/")
            if folder not in foreign:
                foreign[folder] = is_foreign(folder)
            if foreign[folder]:
                continue
            if not path.isprintable():
                self.unprintable += 1
                continue
            own.append(path)
            self.folders.setdefault(folder, {})[name] = None
        self.own: Sequence[str] = own

    @cached_property
    def listed(self) -> frozenset[str]:
        return frozenset(self.every)

    def names(self, folder: str) -> Collection[str]:
        return self.folders.get(folder, ())

    def has(self, path: str) -> bool:
        return name_of(path) in self.names(parent_of(path))

    def below(self, folder: str) -> Sequence[str]:
        """The repository's own files in and below a folder."""
        if not folder:
            return self.own
        return self.own[bisect_left(self.own, folder + "/") : bisect_left(self.own, folder + "0")]

    def first_below(self, folder: str, pattern: re.Pattern[str], outside: tuple[str, ...] = ()) -> str:
        """The first file below a folder whose path, seen from there, has the pattern in it; or nothing."""
        for path in self.below(folder):
            if pattern.search(path, len(folder)) and not (outside and path.startswith(outside)):
                return path
        return ""

"""The files of a repository by folder, and which of them are its own."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

MOST_FILES = 250_000

# Somebody else's work, or work that is there to be looked at by tests: it says nothing about this project's tools.
_FOREIGN = frozenset((
    "node_modules", "bower_components", "jspm_packages", "vendor", "vendored", "third_party", "third-party",
    "thirdparty", "3rdparty", "external", "externals", "extern", "Godeps", "Pods", "Carthage", "deps", ".venv",
    "venv", "virtualenv", "site-packages", "dist-packages", ".tox", ".nox", ".yarn", ".pnpm", ".git", ".hg", ".svn",
    "__pycache__", ".mypy_cache", ".gradle", ".terraform", ".next", ".nuxt", ".cache", "dist", "target", "out",
    "testdata", "test-data", "test_data", "testfiles", "fixture", "fixtures", "__fixtures__", "__mocks__",
    "__snapshots__", "snapshots", "golden", "example", "examples", "sample", "samples", "demo", "demos", "playground",
    "playgrounds", "sandbox", "template", "templates", "skeleton", "skeletons", "boilerplate", "cookiecutter",
    "scaffold", "scaffolds",
))  # fmt: skip


def is_foreign(folder: str) -> bool:
    return any(part in _FOREIGN or "{{" in part for part in folder.split("/"))


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
        every = sorted({path for path in paths if path and not path.endswith("/")})
        self.every: Sequence[str] = every[:MOST_FILES]
        self.left_out = len(every) - len(self.every)
        self.folders: dict[str, dict[str, None]] = {}
        """The repository's own folders that have files in them, with the names of these."""
        self.unreadable: list[str] = []
        """Folders whose names no command should have to hold."""
        own: list[str] = []
        usable: dict[str, bool] = {}
        for path in self.every:
            folder, _, name = path.rpartition("/")
            if folder not in usable:
                usable[folder] = self._is_usable(folder)
            if usable[folder]:
                own.append(path)
                self.folders.setdefault(folder, {})[name] = None
        self.own: Sequence[str] = own

    def _is_usable(self, folder: str) -> bool:
        if is_foreign(folder):
            return False
        if not folder.isprintable():
            self.unreadable.append(folder)
            return False
        return True

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

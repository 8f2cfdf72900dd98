"""What a repository's files tell before anybody works on it: guides, folders, stacks, and how to run its tests."""

from enum import StrEnum

from toryo.domain.facts import fact


class Confidence(StrEnum):
    """How sure a survey is of a command; declared from most to least."""

    CERTAIN = "certain"
    """A person said so, or the repository's own files do."""
    LIKELY = "likely"
    """The usual command of a tool that is clearly used here."""
    GUESS = "guess"
    """The usual command, on thin grounds."""
    NONE = "none"
    """There is no command."""

    @property
    def doubt(self) -> int:
        return _DOUBT[self]


_DOUBT = {confidence: place for place, confidence in enumerate(Confidence)}


@fact
class TestCommand:
    """A command that runs tests; empty if none was found, and then `why` says what was looked for."""

    __test__ = False  # pytest takes every class with such a name for a test

    command: str
    folder: str = ""
    """Where it is to be run, relative to the repository; empty: at its top."""
    confidence: Confidence = Confidence.NONE
    why: str = ""


@fact
class Stack:
    """One set of tools in one folder."""

    name: str
    folder: str
    languages: tuple[str, ...] = ()
    build: str = ""
    """The command that builds it; empty where there is none, or none is known."""
    tests: tuple[TestCommand, ...] = ()
    """The best one first."""


@fact
class Extract:
    """The beginning of a file, without secrets."""

    path: str
    text: str
    is_cut: bool = False


@fact
class Language:
    name: str
    files: int


@fact
class Package:
    name: str
    folder: str


@fact
class Modules:
    """What the repository consists of, in names and numbers."""

    languages: tuple[Language, ...] = ()
    """The most used one first."""
    entry_points: tuple[str, ...] = ()
    packages: tuple[Package, ...] = ()


@fact
class Spec:
    folder: str
    title: str = ""


@fact
class Survey:
    """A repository as its files describe it. Bounded, and untrusted: whoever wrote the files chose the words."""

    files: int = 0
    test_command: TestCommand = TestCommand("")
    """The best one for the whole repository, to be run at its top."""
    guides: tuple[Extract, ...] = ()
    """What the repository tells those who work on it: CLAUDE.md, AGENTS.md, CONTRIBUTING, …"""
    tree: str = ""
    modules: Modules = Modules()
    stacks: tuple[Stack, ...] = ()
    metadata: tuple[Extract, ...] = ()
    """package.json, pyproject.toml, Cargo.toml, …"""
    specs: tuple[Spec, ...] = ()
    truncated: tuple[str, ...] = ()
    """What was left out, in words."""

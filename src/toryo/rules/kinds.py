"""What a kind of task needs: which checks hold for a run's work, and where none is missing."""

from pathlib import PurePosixPath

from toryo.domain.plan import Check, TaskType
from toryo.domain.run import Run
from toryo.domain.task import Task

_TEXTS = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".asciidoc")
_BESIDE_TEXTS = (".txt", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf")
"""Documentation where documentation is kept; anywhere else a program may read them."""
_FOLDERS = ("doc", "docs", "documentation")
_NAMES = ("readme", "changelog", "changes", "contributing", "license", "licence", "authors", "notice", "glossary")
_READ_BY_PROGRAMS = ("src", "lib", "app", "test", "tests", "__tests__", "fixtures", "testdata", "templates", "prompts")
"""Folders in which even a Markdown file may be part of the program or of its tests."""


def is_documentation(path: str) -> bool:
    """A file that people read and no program does."""
    file = PurePosixPath(path.lower())
    folders, stem = file.parts[:-1], file.name.partition(".")[0]
    if folders and folders[0] in _FOLDERS:
        return file.suffix in (*_TEXTS, *_BESIDE_TEXTS)
    if stem in _NAMES and file.suffix in ("", ".txt", *_TEXTS):
        return True
    return file.suffix in _TEXTS and not any(folder in _READ_BY_PROGRAMS for folder in folders)


def is_documentation_only(task: Task, run: Run | None) -> bool:
    """A documentation task that changed documentation, and nothing else."""
    changes = run.observation.changes if run and run.observation else ()
    is_meant = task.plan.type is TaskType.DOCUMENTATION
    return is_meant and bool(changes) and all(is_documentation(change.path) for change in changes)


def checks_for(task: Task, run: Run | None = None) -> tuple[Check, ...]:
    """The checks that hold for this run's work: those of the whole plan are about code."""
    if task.plan.type.is_read_only or is_documentation_only(task, run):
        return tuple(check for check in task.plan.checks if check.name in task.plan.own_checks)
    return task.plan.checks


def is_unchecked(task: Task) -> bool:
    """A check would say more about it, and none exists: its outcome rests on the other proofs alone."""
    return not task.plan.checks and not task.plan.type.is_read_only and not is_documentation_only(task, task.run)

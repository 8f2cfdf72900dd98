"""Commands that stand for a whole repository, whatever it is written in: make, just, task, scripts of its own."""

import re
from collections.abc import Iterator

from toryo.domain.survey import TestCommand
from toryo.rules.leniently import table_at
from toryo.rules.stack_ground import Ground

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TASKFILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml")
_MISE = ("mise.toml", ".mise.toml")
SCRIPTS = ("script/test", "scripts/test", "bin/test", "test.sh", "scripts/test.sh", "script/test.sh", "run_tests.sh",
           "run-tests.sh", "runtests.sh", "scripts/run_tests.sh", "scripts/run-tests.sh", "tests/run.sh",
           "test/run.sh", "tests/run_tests.sh", "test/run_tests.sh")  # fmt: skip
TEXTS = (*_MAKEFILES, *_JUSTFILES, *_TASKFILES, *_MISE)
_TARGETS = ("test", "tests", "check")


def general_commands(ground: Ground) -> Iterator[TestCommand]:
    """What the folder offers, the most telling first."""
    yield from _make(ground)
    yield from _just(ground)
    yield from _task(ground)
    if any("test" in table_at(ground.toml(name), "tasks") for name in _MISE):
        yield ground.certain("mise run test", 'task "test" in mise.toml')
    for script in SCRIPTS:
        if ground.has(script):
            yield ground.likely(f"./{script}" if "/" not in script else script, f"the script {script}")
            break
    if ground.has("MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE"):
        yield ground.likely("bazel test //...", "a Bazel workspace")
    if ground.has("pants.toml"):
        yield ground.likely("pants test ::", "pants.toml")


def _make(ground: Ground) -> Iterator[TestCommand]:
    name = next((name for name in _MAKEFILES if ground.has(name)), "")
    text = ground.text(name) if name else ""
    for target in _TARGETS:
        # With something to do: a recipe, or other targets before it.
        if re.search(rf"(?m)^{target}[ \t]*::?(?!=)(?:[ \t]*[^\s#=][^\n=]*$|[^\n=]*\n\t)", text):
            yield ground.certain(f"make {target}", f'target "{target}" in {name}')
            return


def _just(ground: Ground) -> Iterator[TestCommand]:
    for name in _JUSTFILES:
        found = re.search(r"(?m)^@?test((?:[ \t]+[^\s:]+)*)[ \t]*:(?!=)", ground.text(name))
        # A parameter without a default has to be given.
        if found and all("=" in word or word.startswith("*") for word in found[1].split()):
            yield ground.certain("just test", f'recipe "test" in {name}')
            return


def _task(ground: Ground) -> Iterator[TestCommand]:
    for name in _TASKFILES:
        _, _, tasks = ground.text(name).partition("\ntasks:")
        if re.search(r"(?m)^[ \t]{1,8}[\"']?test[\"']?:", tasks):
            yield ground.certain("task test", f'task "test" in {name}')
            return

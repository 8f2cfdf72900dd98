"""The one command that tests the whole repository, out of all that were found."""

from collections.abc import Sequence

from toryo.domain.survey import Confidence, Stack, TestCommand
from toryo.rules.ci_hints import Key, is_hinted, with_hints
from toryo.rules.stack_ground import path_word
from toryo.rules.stacks import best_first

MOST_PARTS = 20


def choose_tests(
    stacks: Sequence[Stack], general: Sequence[TestCommand], hints: frozenset[Key], override: str = ""
) -> TestCommand:
    """What a person configured; else one command at the top; else one per stack, joined."""
    if override.strip():
        return TestCommand(override, "", Confidence.CERTAIN, "configured")
    general = best_first((with_hints(test, hints) for test in general), hints)
    native, passed_over = _worth_running([stack.tests[0] for stack in stacks if stack.tests])
    if len(native) == 1 and not native[0].folder:
        return best_first((*native, *general), hints)[0]
    if general and not _are_run_one_by_one(native, general[0], hints):
        return general[0]
    if native:
        return _joined(native, passed_over)
    return TestCommand("", "", Confidence.NONE, _why_none(stacks))


def _are_run_one_by_one(native: Sequence[TestCommand], general: TestCommand, hints: frozenset[Key]) -> bool:
    """Whether CI runs each part by itself, and not the command that seems to be for all."""
    each = native and all(is_hinted(test.command, hints) for test in native)
    return bool(each) and not is_hinted(general.command, hints)


def _worth_running(found: list[TestCommand]) -> tuple[list[TestCommand], int]:
    """Guesses only where there is nothing better: one wrong part would fail the whole."""
    better = [test for test in found if test.confidence is not Confidence.GUESS]
    return (better, len(found) - len(better)) if better else (found, 0)


def _joined(native: Sequence[TestCommand], passed_over: int) -> TestCommand:
    kept = native[:MOST_PARTS]
    least_sure = max((test.confidence for test in kept), key=lambda confidence: confidence.doubt)
    left_out = len(native) - len(kept) + passed_over
    command = in_its_folder(kept[0])
    if len(kept) > 1:
        command = " && ".join(f"({part})" if part.startswith("cd ") else part for part in map(in_its_folder, kept))
    why = "; ".join(dict.fromkeys(f"{test.folder}: {test.why}" if test.folder else test.why for test in kept))
    if left_out:
        why += f"; left out: {left_out} less certain or too many"
    return TestCommand(command, "", Confidence.GUESS if len(native) > len(kept) else least_sure, why)


def in_its_folder(test: TestCommand) -> str:
    """The command as it is run from the top."""
    return f"cd {path_word(test.folder)} && {test.command}" if test.folder else test.command


def _why_none(stacks: Sequence[Stack]) -> str:
    if not stacks:
        return "no build or test tool was recognised"
    names = ", ".join(dict.fromkeys(stack.name for stack in stacks[:8]))
    return f"no tests and no test command were found for {names}"

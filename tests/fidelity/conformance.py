"""Writes docs/conformance.md, requirement by requirement, from the marks of the tests:
python -m tests.fidelity.conformance
"""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.fidelity.marks import Mark, marks
from tests.fidelity.requirements import Requirement, groups
from tests.fidelity.tables import ROOT

DOCUMENT = ROOT / "docs" / "conformance.md"
_HEAD = """\
<!-- Written by script/conformance from docs/requirements.toml and the marks of the tests. -->

# Conformance

What Toryo must do, and the tests that show it. A requirement without a test says why. To run those of one
requirement, name them: `script/test tests/e2e/test_run.py -k test_independent`.
"""


def document(found: Iterable[Mark]) -> str:
    tests: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for mark in found:
        tests[mark.requirement][mark.file].append(mark.test)
    parts = [_HEAD, _overview(tests)]
    for title, requirements in groups().items():
        parts.append(f"\n## {title}\n")
        parts += [_entry(each, tests.get(each.id, {})) for each in requirements.values()]
    return "\n".join(parts)


def _overview(tests: dict[str, dict[str, list[str]]]) -> str:
    lines = ["| | Requirements | Shown by tests | In part | Waiting |", "|---|---|---|---|---|"]
    for title, requirements in groups().items():
        shown = [each for each in requirements.values() if tests.get(each.id)]
        part = [each for each in shown if each.waits]
        left = len(requirements) - len(shown)
        lines.append(f"| {title} | {len(requirements)} | {len(shown) - len(part)} | {len(part)} | {left} |")
    return "\n".join(lines) + "\n"


def _entry(requirement: Requirement, files: dict[str, list[str]]) -> str:
    lines = [f"### {requirement.id}\n", f"{requirement.says}.\n"]
    if requirement.waits:
        lines.append(f"Waits for {requirement.waits}.\n")
    if not files and requirement.untested:
        lines.append(f"No test yet: {requirement.untested}.\n")
    for file, names in sorted(files.items()):
        lines.append(f"- `{file}`: {', '.join(f'`{name}`' for name in sorted(names))}")
    return "\n".join([*lines, ""] if files else lines)


def write(path: Path = DOCUMENT) -> None:
    path.write_text(document(marks()), encoding="utf-8")


if __name__ == "__main__":
    write()

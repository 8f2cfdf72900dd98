"""Each requirement is shown by a test or says why not, and the page about that is what the tests say."""

from pathlib import Path

import pytest
from tests.fidelity.conformance import DOCUMENT, document
from tests.fidelity.marks import Mark, OddMark, marks
from tests.fidelity.requirements import requirements

MARKS = marks()


def test_every_mark_names_a_requirement() -> None:
    assert {mark.requirement for mark in MARKS} <= requirements().keys()


@pytest.mark.parametrize("name", requirements())
def test_every_requirement_has_a_test_or_says_why_not(name: str) -> None:
    requirement = requirements()[name]
    assert requirement.says
    assert any(mark.requirement == name for mark in MARKS) or requirement.waits or requirement.untested


def test_the_page_is_what_the_tests_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(MARKS), "run script/conformance"


# ── reading marks ────────────────────────────────────────────────────────────


def found_in(tmp_path: Path, text: str) -> list[Mark]:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_it.py").write_text(text)
    return marks(folder)


def test_marks_of_a_test_a_class_a_module_and_a_case_are_read(tmp_path: Path) -> None:
    text = """
pytestmark = [pytest.mark.timeout(9), pytest.mark.covers("G1")]
@pytest.mark.covers("G2", "G3")
def test_a(): ...
@pytest.mark.covers("G4")
class TestB:
    @pytest.mark.covers("G5")
    async def test_c(self): ...
    def other(self): ...
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.covers("G6"))])
def test_d(x): ...
def helper(): ...
"""
    found = {(mark.requirement, mark.test) for mark in found_in(tmp_path, text)}
    assert found == {
        *((f"G{n}", "test_a") for n in (1, 2, 3)),
        *((f"G{n}", "TestB::test_c") for n in (1, 4, 5)),
        *((f"G{n}", "test_d") for n in (1, 6)),
    }


@pytest.mark.parametrize(
    "text",
    [
        'MARK = pytest.mark.covers("G1")',
        '@pytest.mark.covers("G1")\ndef helper(): ...',
        "@pytest.mark.covers(NAME)\ndef test_a(): ...",
        "@pytest.mark.covers()\ndef test_a(): ...",
        "@pytest.mark.covers(1)\ndef test_a(): ...",
    ],
)
def test_a_mark_that_would_be_overlooked_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(OddMark):
        found_in(tmp_path, text)

"""A survey in words: bounded, stable, and safe to be put into a prompt."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.survey import (
    Confidence,
    Extract,
    Language,
    Modules,
    Package,
    Spec,
    Stack,
    Survey,
    TestCommand,
)
from toryo.views.survey import survey_lines, survey_text

PYTEST = TestCommand("uv run pytest", "", Confidence.CERTAIN, "pytest in pyproject.toml, and CI runs it")
WEB = TestCommand("pnpm test", "web", Confidence.LIKELY, 'script "test" in package.json')
BOTH = TestCommand("uv run pytest && (cd web && pnpm test)", "", Confidence.LIKELY, "both")
SURVEY = Survey(
    files=12,
    test_command=BOTH,
    guides=(Extract("CLAUDE.md", "Be brief.\n```\ncode\n```"), Extract("README.md", "Shop", is_cut=True)),
    tree="./ 12 files\nsrc/ 9",
    modules=Modules((Language("Python", 9), Language("TypeScript", 2)), ("src/main.py",), (Package("shop", ""),)),
    stacks=(Stack("Python", "", ("Python",), "uv build", (PYTEST,)), Stack("Node", "web", ("TypeScript",), "", (WEB,))),
    metadata=(Extract("pyproject.toml", "[project]"),),
    specs=(Spec("specs/001-login", "Login"), Spec("specs/002-empty")),
    truncated=("guides left out: 3",),
)


def test_the_text_for_a_model() -> None:
    assert survey_text(SURVEY) == (
        "# The repository\n\n"
        "Tests of the whole repository (likely: both):\n\n"
        "```\nuv run pytest && (cd web && pnpm test)\n```\n\n"
        "## Stacks\n\n"
        "- top: Python (Python); build `uv build`; "
        "tests: `uv run pytest` (certain: pytest in pyproject.toml, and CI runs it)\n"
        '- `web/`: Node (TypeScript); tests: `pnpm test` (likely: script "test" in package.json)\n\n'
        "## What the repository tells its contributors\n\n"
        "### CLAUDE.md\n\n````\nBe brief.\n```\ncode\n```\n````\n\n"
        "### README.md (beginning)\n\n```\nShop\n```\n\n"
        "## Folders, with the number of files\n\n```\n./ 12 files\nsrc/ 9\n```\n\n"
        "## Overview\n\n"
        "- Languages, with files: Python (9), TypeScript (2)\n"
        "- Entry points: `src/main.py`\n"
        "- Packages: shop in top\n\n"
        "## Project files\n\n### pyproject.toml\n\n```\n[project]\n```\n\n"
        "## Specs\n\n- `specs/001-login`: Login\n- `specs/002-empty`\n\n"
        "## Left out of this survey\n\n- guides left out: 3"
    )


def test_the_lines_for_a_person() -> None:
    assert survey_lines(SURVEY) == [
        "Python, TypeScript · 12 files · tests: `uv run pytest && (cd web && pnpm test)` (likely: both)",
        "top: Python, tests: `uv run pytest` (certain: pytest in pyproject.toml, and CI runs it)",
        'web: Node, tests: `pnpm test` (likely: script "test" in package.json)',
        "guides: CLAUDE.md, README.md",
        "specs: 2",
    ]


def test_no_tests_are_said_to_be_none() -> None:
    nothing = Survey(test_command=TestCommand("", why="no build or test tool was recognised"))
    assert (
        survey_text(nothing) == "# The repository\n\nNo test command was found: no build or test tool was recognised."
    )
    assert survey_lines(nothing)[0].endswith("tests: none found (no build or test tool was recognised)")


WORDS = st.text(st.sampled_from("ab`#\n "), max_size=60).map(lambda text: text * 40)


@given(st.lists(st.tuples(WORDS, st.booleans()), max_size=4), WORDS, st.lists(WORDS, max_size=3), st.integers(0, 6_000))
def test_never_longer_than_asked_for_and_no_fence_left_open(
    guides: list[tuple[str, bool]], tree: str, metadata: list[str], limit: int
) -> None:
    survey = Survey(
        test_command=BOTH,
        guides=tuple(Extract(f"{number}.md", text, cut) for number, (text, cut) in enumerate(guides)),
        tree=tree,
        metadata=tuple(Extract("package.json", text) for text in metadata),
    )
    text = survey_text(survey, limit)
    assert len(text) <= limit
    assert survey_text(survey, limit) == text
    assert not _open_fence(text)


def _open_fence(text: str) -> str:
    fence = ""
    for line in text.split("\n"):
        if fence and line == fence:
            fence = ""
        elif not fence and re.fullmatch(r"`{3,}", line):
            fence = line
    return fence


@pytest.mark.parametrize("limit", [24_000, 12_000, 3_000])
def test_the_most_important_parts_come_first_and_are_kept(limit: int) -> None:
    long = "x" * 8_000
    survey = Survey(
        test_command=PYTEST,
        guides=(Extract("CLAUDE.md", long), Extract("AGENTS.md", long + "y"), Extract("README.md", long + "z")),
        tree="src/ 1\n" * 500,
        metadata=tuple(Extract("package.json", "y" * 1_500) for _ in range(12)),
        specs=tuple(Spec(f"specs/{number}", "title " * 20) for number in range(50)),
        truncated=("something",) * 40,
    )
    text = survey_text(survey, limit)
    assert limit * 0.9 < len(text) <= limit
    found = [text.index(words) for words in ("uv run pytest", "### CLAUDE.md", "## Folders", "## Project", "## Specs")]
    assert found == sorted(found)

"""Criteria, what was not proven, and text of others in Markdown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.support.planning import review, reviewed_session
from tests.support.sessions import a_session, accept, block, check, finish, judge, merge, planned, result, seen, start

from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, OnFailure
from toryo.domain.report import Report
from toryo.domain.review import Criterion, Opinion
from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.views.criteria import criteria_of, criterion_data
from toryo.views.markdown import cell, code, fenced, line
from toryo.views.report import report
from toryo.views.unproven import unproven_lines

TESTS = Check("tests", "make test")
TASK = planned("A", acceptance=("it works",), checks=(TESTS,))


def reviewed(*criteria: Criterion, opinion: Opinion = Opinion.APPROVED, **more: Any) -> Session:
    session = check(finish(start(reviewed_session(TASK), "A"), "A", seen("a.py")), "A")
    return judge(review(session, "A", opinion, criteria=criteria, **more), "A")


def status(session: Session) -> tuple[str, str]:
    (one,) = criteria_of(session)
    return str(one.status), one.why


@pytest.mark.covers("B6", "P1")
@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (a_session(TASK), ("not proven", "its task is not done: queued")),
        (block(a_session(TASK), "A"), ("not proven", "its task is not done: blocked: check failed")),
        (accept(a_session(TASK), "A"), ("not proven", "checks passed; no review looked at this criterion")),
        (reviewed(), ("not proven", "the review does not speak of it")),
        (
            reviewed(Criterion("it works", True, "yes")),
            ("not proven", "the review cites nothing that can be looked up"),
        ),
        (reviewed(Criterion("it works", True, "", ("a.py:1",))), ("proven", "")),
        (
            reviewed(Criterion("it works", True, "", ("a.py:1",), ("cites b.py, which is not there",))),
            ("not proven", "the review cites b.py, which is not there"),
        ),
        (
            reviewed(Criterion("it works", False, "a.py is empty"), opinion=Opinion.REJECTED),
            ("refuted", "the review says it is not met: a.py is empty"),
        ),
        (
            reviewed(opinion=Opinion.REJECTED, missing=("it works",)),
            ("refuted", "the review says it is not met: so it seems"),
        ),
        (
            reviewed(Criterion("it works", True, "", ("a.py:1",)), by="a person"),
            ("not proven", "a person approved it in place of the review: so it seems"),
        ),
    ],
)
def test_what_shows_that_it_holds(session: Session, expected: tuple[str, str]) -> None:
    assert status(session) == expected


def test_a_criterion_as_data() -> None:
    (one,) = criteria_of(reviewed(Criterion("it works", True, "", ("a.py:1", "check tests passed"))))
    assert criterion_data(one) == {
        "task": "A",
        "criterion": "it works",
        "status": "proven",
        "by": ["check tests passed on c0000000", "reviewed: a.py:1", "files: a.py"],
        "why": None,
    }


def test_an_approval_that_finds_a_criterion_unmet_is_none() -> None:
    task = reviewed(Criterion("it works", False)).task("A")
    assert (task.outcome, task.reason) == (Outcome.INCOMPLETE, "review: not met: it works")


def test_what_was_not_proven() -> None:
    lint = Check("lint", "make lint", on_failure=OnFailure.WARN)
    loose = planned("B", checks=(lint,))
    session = a_session(TASK, loose, "C", "D")
    session = judge(check(finish(start(session, "B"), "B"), "B", result("lint", CheckStatus.FAILED)), "B")
    session = merge(session, "B")
    session = judge(finish(start(session, "C"), "C"), "C")
    session = judge(finish(start(session, "D"), "D", code=1, report=Report(last_words="All | done")), "D")
    lines = unproven_lines(session)
    for expected in (
        "A Task A: queued",
        "no check exists for C",
        "no acceptance criteria were written for B, C",
        "check lint failed, and only warns: B",
        "D: its agent says “All | done”, which was not borne out",
    ):
        assert expected in lines, expected
    assert lines[0].startswith("A Task A"), "what is not done comes first"


# ── text of others ───────────────────────────────────────────────────────────

FRAGMENTS = [
    "<b>",
    "</b>",
    "<!--",
    "[a](b)",
    "![a](b)",
    "[a]: b",
    "[x] ",
    "# ",
    "```",
    "~~~",
    "`",
    "|",
    "\n",
    "\r\n",
    "---",
]
FRAGMENTS += [
    "- ",
    "1. ",
    "> ",
    "***",
    "__",
    "\\",
    "<http://a.b>",
    "a",
    " ",
    "語",
    "\u202e",
    "\t",
    "&lt;",
    "===",
    "\x1b[31m",
]
NASTY = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)
PARSER = MarkdownIt("commonmark").enable("table")
HARMFUL = {"html_inline", "html_block", "link_open", "image", "heading_open", "hr", "fence", "code_block"}


def kinds(text: str) -> set[str]:
    tokens = PARSER.parse(text)
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or ()}


@pytest.mark.covers("B6", "P10")
@given(NASTY)
def test_a_line_stays_a_line(text: str) -> None:
    said = line(text)
    assert "\n" not in said
    shown = f"- {said}\n- next\n"
    assert not HARMFUL & kinds(shown)
    assert PARSER.parse(shown)[0].type == "bullet_list_open"
    assert sum(token.type == "list_item_open" for token in PARSER.parse(shown)) == 2


@given(NASTY, NASTY)
def test_a_cell_stays_a_cell(one: str, other: str) -> None:
    table = f"| A | B | C |\n|---|---|---|\n| {cell(one)} | {cell(other)} | end |\n"
    tokens = PARSER.parse(table)
    assert [tokens[n + 1].content for n, token in enumerate(tokens) if token.type == "td_open"][2:] == ["end"]
    assert not HARMFUL & kinds(table)


@given(NASTY)
def test_code_and_blocks_cannot_be_left(text: str) -> None:
    assert not HARMFUL & kinds(f"- x {code(text)} y\n")
    assert [token.type for token in PARSER.parse(fenced(text, 200))] == ["fence"]


def test_what_is_harmless_reads_as_it_was_written() -> None:
    for text in ("`export --json` prints valid JSON", "日本語の条件", "snake_case and a.b", "50 % [MASKED:X] (so)"):
        assert line(text) == text
    assert line("# heading") == "\\# heading"
    assert line("x" * 500) == "x" * 399 + "…"


@given(NASTY, NASTY)
def test_any_report_keeps_its_own_headings(title: str, criterion: str) -> None:
    task = planned("A", title=f"t {title}", acceptance=(f"c {criterion}",))
    text = report(accept(a_session(task), "A"), Outcome.INCOMPLETE, 2_000_000.0)
    tokens = PARSER.parse(text)
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings == ["The session", "What was not proven", "Acceptance criteria", "Tasks", "How to go on"]

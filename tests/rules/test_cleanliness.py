"""What blemishes and protected files do to a task, and how a person lets them through."""

from typing import Any

import pytest
from tests.support.sessions import AT, a_session, after, check, finish, judge, planned, result, seen, start

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import CheckStatus
from toryo.domain.hygiene import Blemish, Level, Rule
from toryo.domain.plan import Check, Limits
from toryo.domain.review import Opinion, Review
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.admit import admit
from toryo.rules.judging import needs_review, next_check, verdict_on
from toryo.views.inbox import inbox
from toryo.views.report import report
from toryo.views.risks import risks_of

TODO = Blemish(Rule.TODO, "src/a.py", 12, "# TODO: later")
TESTS = Check("tests", "make test")
WHY = "the word is the feature"


def worked(
    *blemishes: Blemish, protected: tuple[str, ...] = (), terms: dict[str, Any] | None = None, **plan: Any
) -> Session:
    """A session whose only task left this."""
    session = a_session(planned("A", **plan), **(terms or {}))
    return finish(start(session, "A"), "A", seen("src/a.py", blemishes=blemishes, protected=protected))


def verdict(session: Session) -> Verdict:
    return verdict_on(session.task("A"), session.terms)


def approve(session: Session, why: str = WHY) -> Session:
    return after(session, e.TaskApproved(AT, 1, "a person", why))


# ── blemishes ────────────────────────────────────────────────────────────────


@pytest.mark.covers("P49", "A12")
def test_a_blemish_is_sent_back_with_its_place_and_what_is_expected() -> None:
    found = verdict(worked(TODO))
    assert (found.outcome, found.disposition, found.block_reason) == (Outcome.INCOMPLETE, Disposition.RETRY, None)
    assert "src/a.py:12: # TODO: later" in found.feedback
    assert "do it now, or take the line out" in found.feedback
    assert "approve" not in found.feedback, "an agent is not told how it could be let through"


@pytest.mark.covers("P49", "A12")
def test_the_level_decides() -> None:
    def at(level: Level) -> Verdict:
        return verdict(worked(Blemish(Rule.TODO, "a.py", 1, "x", level)))

    assert at(Level.BLOCK).block_reason is BlockReason.HYGIENE
    warned = at(Level.WARN)
    assert warned.disposition is Disposition.ACCEPT
    assert any("a.py:1" in reason for reason in warned.reasons)


@pytest.mark.covers("P49")
def test_attempts_used_up_by_blemishes_alone_wait_for_a_person_as_such() -> None:
    assert verdict(worked(TODO, terms={"attempts": 1})).block_reason is BlockReason.HYGIENE
    both = finish(
        start(a_session(planned("A"), attempts=1), "A"), "A", seen("a", blemishes=(TODO,), out_of_scope=("b",))
    )
    assert verdict(both).block_reason is BlockReason.MAX_RETRIES


def test_checks_are_not_run_on_unclean_work() -> None:
    session = worked(TODO, checks=(TESTS,))
    assert next_check(session.task("A"), session.terms) is None


@pytest.mark.covers("P49", "P16")
def test_a_person_lets_it_through_and_every_other_proof_still_has_to_hold() -> None:
    session = approve(judge(worked(TODO, terms={"attempts": 1}, checks=(TESTS,)), "A"))
    task = session.task("A")
    assert task.state is TaskState.CHECKING
    assert next_check(task, session.terms) == TESTS
    assert verdict(check(session, "A")).disposition is Disposition.ACCEPT
    failed = verdict(check(session, "A", result("tests", CheckStatus.FAILED)))
    assert failed.block_reason is BlockReason.MAX_RETRIES


@pytest.mark.covers("P49")
def test_what_comes_later_was_not_let_through() -> None:
    """The same words at another line are; other words, another file or another rule are not."""
    session = approve(judge(worked(TODO, terms={"attempts": 1}), "A"))
    task = session.task("A")

    def later(blemish: Blemish) -> Disposition:
        again = finish(start(a_session(planned("A")), "A"), "A", seen("src/a.py", blemishes=(blemish,)))
        return verdict_on(changed(again.task("A"), permissions=task.permissions), again.terms).disposition

    assert later(Blemish(Rule.TODO, "src/a.py", 40, TODO.text)) is Disposition.ACCEPT
    assert later(Blemish(Rule.TODO, "src/a.py", 12, "# TODO: more")) is Disposition.RETRY
    assert later(Blemish(Rule.TODO, "src/b.py", 12, TODO.text)) is Disposition.RETRY
    assert later(Blemish(Rule.OMISSION, "src/a.py", 12, TODO.text)) is Disposition.RETRY


def test_letting_it_through_is_no_review() -> None:
    session = approve(judge(worked(TODO, terms={"attempts": 1, "reviews": True}), "A"))
    assert session.task("A").runs[-1].review is None
    assert needs_review(session.task("A"), session.terms)


# ── protected files ──────────────────────────────────────────────────────────

CI = ".github/workflows/ci.yml: it runs in CI"


@pytest.mark.covers("P58")
def test_protected_files_wait_only_once_all_else_is_proven() -> None:
    session = worked(protected=(CI,), checks=(TESTS,), terms={"reviews": True})
    assert next_check(session.task("A"), session.terms) == TESTS
    session = check(session, "A")
    assert needs_review(session.task("A"), session.terms)
    run = session.task("A").runs[-1].id
    session = after(session, e.WorkReviewed(at=AT, task=1, run=run, review=Review(Opinion.APPROVED, "good")))
    found = verdict(session)
    assert (found.disposition, found.block_reason) == (Disposition.BLOCK, BlockReason.PROTECTED)
    assert CI in " ".join(found.reasons)
    session = approve(judge(session, "A"))
    assert verdict(session).disposition is Disposition.ACCEPT


def test_a_failed_check_is_no_matter_for_a_person() -> None:
    session = check(worked(protected=(CI,), checks=(TESTS,)), "A", result("tests", CheckStatus.FAILED))
    assert verdict(session).disposition is Disposition.RETRY


def test_one_permission_is_not_another() -> None:
    session = approve(judge(worked(TODO, protected=(CI,), terms={"attempts": 1}), "A"))
    found = verdict(session)
    assert found.block_reason is BlockReason.PROTECTED, "the word about the lines was not one about the place"
    session = approve(judge(session, "A"), "agreed with the team")
    assert verdict(session).disposition is Disposition.ACCEPT


def test_only_what_waits_for_it_can_be_let_through() -> None:
    assert not admit(worked(TODO), e.TaskApproved(AT, 1, "a person", WHY))


# ── what people see ──────────────────────────────────────────────────────────


@pytest.mark.covers("P58", "F5")
@pytest.mark.parametrize(("left", "what"), [({"protected": (CI,)}, "protected"), ({}, "unclean")])
def test_the_inbox_says_how_to_decide(left: dict[str, Any], what: str) -> None:
    blemishes = () if left else (TODO,)
    session = judge(worked(*blemishes, **left, terms={"attempts": 1}), "A")
    (item,) = inbox(session)
    assert item.what == what
    assert "toryo approve A --why" in item.do
    assert (CI if left else "src/a.py:12") in item.says


@pytest.mark.covers("P58", "P10")
def test_risks_come_first_and_name_who_let_what_through_and_why() -> None:
    session = judge(worked(protected=(CI,)), "A")
    assert risks_of(session)[0] == f"A: changes protected files: {CI}"
    session = approve(session)
    lines = risks_of(session)
    assert lines[0] == f"A: a person let through: {CI} ({WHY})"
    assert WHY in report(session, Outcome.INCOMPLETE, AT)


def test_a_limit_is_still_a_limit() -> None:
    session = worked(TODO, limits=Limits(files=0))
    assert verdict(session).block_reason is BlockReason.LIMIT

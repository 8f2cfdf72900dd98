"""What is to be done next to bring a result home, and what may still be recorded of it."""

import pytest
from tests.support.sessions import AT, BASE, TREE, opening, planned

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.evidence import CheckResult, CheckStatus
from toryo.domain.landing import LandingMode
from toryo.domain.plan import Check
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve, fold
from toryo.rules.landing import ground_of, landing_of
from toryo.rules.landing_texts import landing_message, settler, settling_task
from toryo.rules.playbook import next_effects

TIP, ONTO, NEWER = "1" * 40, "2" * 40, "3" * 40
PASSED = CheckResult("check", CheckStatus.PASSED, 0, 1.0)
FAILED = changed(PASSED, status=CheckStatus.FAILED, code=1)


def complete(**terms: object) -> Session:
    session = fold(opening("A", checks=[Check("check", "true")], **terms))
    assert session is not None
    proven = {"proof": (PASSED,), "proof_commit": TIP, "proven_tree": TREE}
    return changed(
        session, state=SessionState.CLOSED, outcome=Outcome.COMPLETE, tip=TIP, tip_tree=TREE, closed_at=AT, **proven
    )


def after(session: Session, *events: e.Event) -> Session:
    for event in events:
        assert admit(session, event), event
        session = evolve(session, event)
    return session


def step(session: Session) -> fx.Effect:
    (effect,) = next_effects(session)
    return effect


BEGUN = e.LandingBegun(AT, LandingMode.MERGE, "main")


@pytest.mark.covers("F11", "A15")
def test_up_to_date_then_proven_then_landed_then_closed() -> None:
    session = after(complete(), BEGUN)
    assert isinstance(step(session), fx.BringUpToDate)
    session = after(session, e.BroughtUpToDate(AT, ONTO, NEWER, TREE))
    assert session.tip == NEWER
    assert isinstance(step(session), fx.ProveSession), "the old proof is about other files"
    session = after(session, e.SessionProven(AT, NEWER, TREE, (PASSED,)))
    assert step(session) == fx.LandOnTarget(session.seq, 0.0, NEWER, ONTO)
    moved = after(session, e.TargetMoved(AT, NEWER))
    assert isinstance(step(moved), fx.BringUpToDate)
    session = after(session, e.Landed(AT, NEWER, ONTO))
    assert session.is_landed
    assert isinstance(step(session), fx.FinishLanding)
    session = after(session, e.SessionClosed(AT, Outcome.COMPLETE, kept=(("agent/x", "it is used"),)))
    assert session.kept_worktrees == (("agent/x", "it is used"),)
    assert not admit(session, BEGUN), "it is landed"
    assert not admit(session, e.Landed(AT, NEWER, ONTO))
    session = after(session, e.LandingUndone(AT, "a person"))
    assert not admit(session, e.LandingUndone(AT, "a person"))
    assert isinstance(step(after(session, BEGUN)), fx.BringUpToDate)


@pytest.mark.covers("F11")
def test_a_proof_that_fails_is_handed_back_and_landing_goes_on_afterwards() -> None:
    session = after(complete(), BEGUN, e.BroughtUpToDate(AT, ONTO, NEWER, TREE))
    session = after(session, e.SessionProven(AT, NEWER, TREE, (FAILED,)))
    assert isinstance(step(session), fx.HandBack)
    session = after(session, e.UpdateConflicted(AT, ONTO, (), planned("land-1")))
    assert session.state is SessionState.EXECUTING
    assert session.tasks[2].from_tip
    assert session.landing is not None
    assert session.landing.rounds == 1
    again = landing_of(session, AT)
    assert again is not None
    assert again.mode is LandingMode.MERGE
    concluding = changed(session, state=SessionState.CONCLUDING)
    rounds = after(concluding, again).landing
    assert rounds is not None
    assert rounds.rounds == 1, "how often it came back is not forgotten"


def test_only_as_configured_and_only_what_there_is() -> None:
    assert landing_of(complete(), AT) is None
    begun = landing_of(complete(land=LandingMode.PR, squash=True), AT)
    assert begun is not None
    assert (begun.mode, begun.target, begun.squash) == (LandingMode.PR, "main", True)
    assert landing_of(changed(complete(land=LandingMode.MERGE), tip=BASE), AT) is None


@pytest.mark.covers("F2")
def test_landing_in_part_leaves_the_rest_to_be_resumed() -> None:
    session = changed(complete(), state=SessionState.PAUSED, outcome=None, closed_at=None)
    session = after(
        session, e.LandingBegun(AT, LandingMode.MERGE, "main", is_partial=True), e.BroughtUpToDate(AT, BASE, TIP, TREE)
    )
    session = after(session, e.Landed(AT, NEWER, BASE), e.SessionPaused(AT, "B is blocked", waits_for_person=True))
    session = after(session, e.SessionResumed(AT))
    assert session.state is SessionState.EXECUTING
    more = changed(session, tip=NEWER)
    assert not more.is_landed, "what came since is not"


def test_a_landing_that_was_stopped_goes_on_with_landing() -> None:
    session = after(complete(), BEGUN, e.SessionPaused(AT, "stopped by a person"))
    assert next_effects(session) == frozenset()
    session = after(session, e.SessionResumed(AT))
    assert isinstance(step(session), fx.BringUpToDate)
    failing = changed(session, failures=99, trouble="no disk")
    assert isinstance(step(failing), fx.HoldSession)


def test_the_ground_is_what_the_work_is_a_change_to() -> None:
    session = complete()
    assert ground_of(session) == BASE
    session = after(session, BEGUN, e.BroughtUpToDate(AT, ONTO, NEWER, TREE))
    assert ground_of(session) == ONTO


def test_what_others_did_is_told_to_who_settles_it() -> None:
    session = after(complete(), BEGUN)
    assert session.landing is not None
    task = settling_task(session, session.landing, ONTO, ("list",), ("abc their commit",))
    assert task.merging == ONTO
    assert "abc their commit" in task.description
    assert "`list`" in task.description
    assert settler(session) == "", "nobody has merged anything here"
    message = landing_message(session, session.landing)
    assert message.startswith("Merge agent/the-session: The session\n\n")
    assert f"Toryo-Session: {session.id}" in message.splitlines()


@pytest.mark.covers("G31")
def test_undoing_goes_back_one_landing_after_the_other() -> None:
    session = complete()
    begun = e.LandingBegun(AT, LandingMode.MERGE, "main")
    landed = after(session, begun, e.Landed(AT, "1" * 40, ONTO), e.SessionPaused(AT, "more to do"))
    under_way = after(landed, begun)
    assert under_way.landing is not None
    assert [one.commit for one in under_way.landing.earlier] == ["1" * 40]
    given_up = after(under_way, e.SessionPaused(AT, "held"), e.LandingUndone(AT, "a person"))
    assert (given_up.landing, given_up.resumes_to) == (landed.landing, SessionState.EXECUTING)
    twice = after(under_way, e.Landed(AT, "2" * 40, "1" * 40))
    once = after(twice, e.LandingUndone(AT, "a person"))
    assert once.landing == landed.landing
    none = after(once, e.LandingUndone(AT, "a person"))
    assert none.landing is None
    assert none.taken_back is not None
    assert none.taken_back.commit == "1" * 40


def test_who_asks_for_a_way_to_land_is_named() -> None:
    by = [landing_of(complete(land=LandingMode.MERGE, land_asked=asked), AT) for asked in (True, False)]
    assert [begun.by for begun in by if begun] == ["a person", "the configuration"]

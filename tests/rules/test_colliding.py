"""What happens to work that does not go together with what is merged: who is told what, and who may go on."""

import pytest
from tests.support.sessions import AT, a_session, accept, after, block, integrate, planned, refuse

from toryo.domain import events as e
from toryo.domain.integration import Found
from toryo.domain.plan import PlannedTask
from toryo.domain.run import PERSON
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition
from toryo.rules.admit import admit
from toryo.rules.colliding import conflict_acceptance, conflict_description, merged_sides
from toryo.rules.judging import conflict_disposition
from toryo.views.inbox import inbox


def a(key: str) -> PlannedTask:
    return planned(key, title=f"Do {key}", description=f"\nAll of {key}.\n", acceptance=("it is fast", f"{key} holds"))


def handed_in(session: Session, key: str) -> e.WorkHandedIn:
    task = session.task(key)
    return e.WorkHandedIn(AT, task.number, f"run-by-hand-{key}", "a person", session.tip, session.tip_tree)


@pytest.mark.covers("G30")
def test_who_settles_a_conflict_is_told_both_sides() -> None:
    session = integrate(a_session(a("A"), a("B"), a("C")), "A")
    session = integrate(session, "B")
    task = session.task("C")
    touched = next(change.path for change in session.task("A").runs[-1].observation.changes)  # type: ignore[union-attr]
    files = (touched, "elsewhere")
    assert {side.plan.key for side in merged_sides(session, task, files)} <= {"A", "B"}
    text = conflict_description(session, task, files)
    for part in ("task C (Do C)", "remove every marker", "All of A.", "- A holds", "- `elsewhere`\n", "|||||||"):
        assert part in text
    assert text.endswith("All of C.\n\nIt was accepted by these criteria:\n- it is fast\n- C holds")
    criteria = conflict_acceptance(session, task, files)
    assert criteria[:2] == ("it is fast", "C holds")
    assert "A holds" in criteria
    assert len(set(criteria)) == len(criteria), "what both want is wanted once"
    assert conflict_description(session, task, ()).count("(merged already)") == 0


@pytest.mark.covers("G30", "G37")
def test_what_a_person_did_is_not_done_again_by_an_agent() -> None:
    session = block(a_session("A", "B", unable_to_resolve=()), "A")
    event = handed_in(session, "A")
    assert admit(session, event)
    session = after(session, event)
    task = session.task("A")
    assert (task.state, task.runs[-1].agent, task.attempts) == (TaskState.CHECKING, PERSON, 0)
    assert not admit(session, event), "only what is blocked"
    assert conflict_disposition(task, session.terms) is Disposition.RESOLVE
    unable = a_session("A", unable_to_resolve=(task.plan.agent,)).terms
    assert conflict_disposition(task, unable) is Disposition.BLOCK
    assert conflict_disposition(accept(session, "B").task("B"), unable) is Disposition.REDO


@pytest.mark.covers("G37")
def test_a_moved_branch_pauses_once_and_the_inbox_says_how_to_put_it_back() -> None:
    session = integrate(a_session("A", "B"), "A")
    moved = e.FoundChanged(AT, Found.ELSEWHERE, session.branch, session.tip, "f" * 40, "e" * 40)
    assert admit(session, moved)
    held = after(session, moved)
    assert (held.state, held.waits_for_person, held.tip) == (SessionState.PAUSED, True, session.tip)
    (item,) = inbox(held, "/here")
    assert item.commands == (f"git branch -f {session.branch} {session.tip}", f"toryo resume {session.short}")
    assert not admit(held, moved)
    ahead = e.FoundChanged(AT, Found.AHEAD, session.branch, session.tip, "d" * 40, "c" * 40)
    assert (after(session, ahead).tip, after(session, ahead).tip_tree) == ("d" * 40, "c" * 40)
    assert not admit(session, e.FoundChanged(AT, Found.AHEAD, session.branch, "0" * 40, "d" * 40)), "of another tip"


@pytest.mark.covers("G30")
def test_a_conflict_beyond_all_of_that_is_a_persons_with_the_exact_commands() -> None:
    session = refuse(accept(a_session("A"), "A"), "A", Disposition.BLOCK)
    (item,) = inbox(session, "/my repo")
    assert item.what == "conflict"
    folder = session.task("A").plan.branch.removeprefix("agent/").replace("/", "-")
    assert item.commands[0] == f"cd '/my repo/.worktrees/{folder}'"
    assert item.commands[1:] == (
        f"git merge {session.branch}",
        "git add -A && git commit --no-edit",
        "cd '/my repo'",
        "toryo retry A --by-hand",
    )
    assert session.task("A").block_reason is BlockReason.CONFLICT

"""The file of an intent against its session: who decided when, having seen what."""

import pytest
from tests.support.sessions import AT, a_session

from toryo.domain.changing import changed
from toryo.domain.intent import Intent, IntentStatus, Pursuit
from toryo.domain.session import Session, SessionState
from toryo.domain.verdict import Outcome
from toryo.rules.instants import instant, moment
from toryo.rules.reconciling import reconciled

ENDED = AT + 0.9876


def session(state: SessionState = SessionState.CLOSED, **more: object) -> Session:
    pursuit = Pursuit("a-wish", released_by="a person")
    return changed(
        a_session("A"), pursuit=pursuit, state=state, updated_at=ENDED, **{"outcome": Outcome.COMPLETE, **more}
    )


def wish(status: IntentStatus, at: float) -> Intent:
    return Intent("a-wish", "A wish", status=status, updated_at=at, session=session().id)


@pytest.mark.covers("F2")
def test_work_that_ends_in_the_second_in_which_it_was_let_through_is_done_and_not_begun_once_more() -> None:
    approved = wish(IntentStatus.APPROVED, AT + 0.1)
    assert reconciled(approved, session()).status is IntentStatus.DONE


@pytest.mark.covers("F2")
def test_whoever_has_seen_how_it_ended_has_it_once_more() -> None:
    done = reconciled(wish(IntentStatus.EXECUTING, AT), session())
    assert done.status is IntentStatus.DONE
    on_file = instant(moment(done.updated_at))
    again = changed(done, status=IntentStatus.APPROVED, updated_at=on_file)
    assert reconciled(again, session()).status is IntentStatus.APPROVED, "edited by hand, the moment stays"


@pytest.mark.covers("F2")
@pytest.mark.parametrize("before", [IntentStatus.DONE, IntentStatus.EXECUTING])
def test_landing_that_is_paused_changes_nothing_about_whether_it_is_done(before: IntentStatus) -> None:
    waits = session(SessionState.PAUSED, resumes_to=SessionState.LANDING, outcome=None)
    assert reconciled(wish(before, AT), waits).status is before

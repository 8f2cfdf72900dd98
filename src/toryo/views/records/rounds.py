"""The rounds of a session: each begins with something said or decided, and ends when its work rests."""

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.views.records import shapes
from toryo.views.records.enums import RunStatus, RunTrigger, ThreadType
from toryo.views.records.times import moment

THREADS = {ThreadType.MAIN: "thr_001", ThreadType.BACKGROUND: "thr_002", ThreadType.SYSTEM: "thr_003"}
_ABOUT = {
    ThreadType.MAIN: "what people and the planner say",
    ThreadType.BACKGROUND: "the agents' runs",
    ThreadType.SYSTEM: "what Toryo does by itself: proof, judgement, report",
}


@fact
class Round:
    number: int
    thread: ThreadType
    trigger: RunTrigger
    began: float
    ended: float | None = None
    status: RunStatus = RunStatus.RUNNING

    @property
    def id(self) -> str:
        return round_id(self.number)


def round_id(number: int) -> str:
    return f"run_{number:03}"


class Rounds:
    """Counts them while a session is told."""

    def __init__(self) -> None:
        self.all: list[Round] = []

    def note(self, at: float, event: e.Event, session: Session) -> None:
        begins = _begins(event, session)
        if begins and not self._is_in(*begins):
            self._end(at, RunStatus.COMPLETED)
            self.all.append(Round(len(self.all) + 1, *begins, at))
        if ends := _ends(event, session):
            self._end(at, ends)

    def _is_in(self, thread: ThreadType, trigger: RunTrigger) -> bool:
        """Several agents at work, or several decisions in a row, are one round."""
        last = self.all[-1] if self.all else None
        return last is not None and last.ended is None and (last.thread, last.trigger) == (thread, trigger)

    def _end(self, at: float, status: RunStatus) -> None:
        if self.all and self.all[-1].ended is None:
            self.all[-1] = changed(self.all[-1], ended=at, status=status)


def _begins(event: e.Event, session: Session) -> tuple[ThreadType, RunTrigger] | None:
    match event:
        case e.PlanApproved() if session.planning is None:
            return None  # a plan file is its own approval
        case e.SessionOpened():
            return ThreadType.MAIN, RunTrigger.USER_INPUT
        case e.QuestionsAnswered() | e.PlanApproved() | e.PlanRejected() | e.PersonSaid() | e.TaskApproved():
            return ThreadType.MAIN, RunTrigger.USER_RESPONSE
        case e.SessionResumed() | e.WishAdded() | e.TaskRetried() | e.TaskReassigned() | e.PauseLifted():
            return ThreadType.MAIN, RunTrigger.CONTINUATION
        case e.RunPlanned():
            return ThreadType.BACKGROUND, RunTrigger.EXECUTOR
        case e.WorkSettled():
            return ThreadType.SYSTEM, RunTrigger.CONTINUATION
        case _:
            return None


def _ends(event: e.Event, session: Session) -> RunStatus | None:
    """Where nothing goes on until somebody says something."""
    match event:
        case e.SessionClosed():
            if event.discarded:
                return RunStatus.CANCELLED
            return RunStatus.COMPLETED if event.outcome is Outcome.COMPLETE else RunStatus.FAILED
        case e.SessionPaused():
            return RunStatus.FAILED if event.waits_for_person else RunStatus.CANCELLED
        case e.PlanProposed():
            return RunStatus.COMPLETED
        case e.QuestionsAsked() if session.planning and session.planning.open_questions:
            return RunStatus.COMPLETED
        case _:
            return None


def run_record(session: Session, each: Round) -> shapes.Run:
    return {
        "run_id": each.id,
        "thread_id": THREADS[each.thread],
        "session_id": session.id,
        "started_at": moment(each.began),
        "completed_at": None if each.ended is None else moment(each.ended),
        "status": each.status,
        "trigger": each.trigger,
    }


def thread_records(session: Session, rounds: tuple[Round, ...]) -> list[shapes.Thread]:
    """Those in which something happened, in their usual order."""
    began: dict[ThreadType, float] = {}
    for each in rounds:
        began.setdefault(each.thread, each.began)
    return [
        {
            "thread_id": THREADS[kind],
            "session_id": session.id,
            "thread_type": kind,
            "created_at": moment(began[kind]),
            "description": _ABOUT[kind],
        }
        for kind in ThreadType
        if kind in began
    ]


def metadata(session: Session, rounds: tuple[Round, ...]) -> shapes.SessionMetadata:
    threads = thread_records(session, rounds)
    return {
        "session_id": session.id,
        "started_at": moment(session.opened_at),
        "threads": [{"thread_id": each["thread_id"], "thread_type": each["thread_type"]} for each in threads],
        "runs": [{"run_id": each.id, "thread_id": THREADS[each.thread], "status": each.status} for each in rounds],
    }

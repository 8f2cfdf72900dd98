"""States, outcomes and events in words for people."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.integration import Found
from toryo.domain.plan import Assent, CheckMerges
from toryo.domain.run import RunState
from toryo.domain.session import Pause, Session
from toryo.domain.task import MERGED, SATISFIED, Task, TaskState
from toryo.rules.collisions import held_behind
from toryo.rules.kinds import is_unchecked
from toryo.rules.locking import in_the_way
from toryo.rules.masking import mask
from toryo.rules.numerals import several
from toryo.rules.wholeness import checks_of_the_whole
from toryo.views.budget import limits_words
from toryo.views.collisions import files_words, foreseen_words, key_of
from toryo.views.landingwords import say_landing
from toryo.views.moments import moment_words
from toryo.views.planningwords import say_opinion, say_planning
from toryo.views.standing import is_being_planned
from toryo.views.taskwords import say_task


def outcome_words(task: Task) -> str:
    """The outcome, and plainly so where no check stands behind it."""
    if task.outcome is None:
        return "-"
    return f"{task.outcome} (no checks)" if is_unchecked(task) else str(task.outcome)


def state_words(session: Session, task: Task) -> str:
    """What a person wants to know about a task at a glance."""
    match task.state:
        case TaskState.PLANNED if task.unmet:
            waits = [session.tasks[number] for number in task.depends_on]
            blocked = [need.plan.key for need in waits if need.state is TaskState.BLOCKED]
            if blocked:
                return f"waits for {', '.join(blocked)} (blocked)"
            enough = MERGED if task.needs_merged_dependencies else SATISFIED
            return "waits for " + ", ".join(need.plan.key for need in waits if need.state not in enough)
        case TaskState.PLANNED if other := held_behind(session, task):
            where = f" (they would collide in {files_words(task.set_aside.files)})" if task.set_aside else ""
            return f"set aside until {other.plan.key} is merged{where}"
        case TaskState.PLANNED if pause := session.pauses.get(session.credential_of(task)):
            return pause_words(pause)
        case TaskState.PLANNED if held_up := in_the_way(session, task):
            return f"waits for {held_up[0].plan.key} (same files: {held_up[1]})"
        case TaskState.PLANNED:
            return "queued" if not task.attempts else f"queued for attempt {task.attempts + 1}"
        case TaskState.RUNNING:
            return _running_words(task)
        case TaskState.BLOCKED:
            return f"blocked: {task.block_reason or 'conflict'}"
        case TaskState.ACCEPTED if task.resolution is not None:
            return "accepted, conflict being settled"
        case _:
            return str(task.state)


def pause_words(pause: Pause) -> str:
    return str(pause.reason) if pause.needs_person else f"paused until {moment_words(pause.until)} ({pause.reason})"


def _running_words(task: Task) -> str:
    run = task.runs[-1]
    doing = "preparing" if run.state is RunState.STARTING else str(run.state)
    if run.question:
        doing = "waits for an answer"
    elif run.state is RunState.UNKNOWN:
        doing = f"silent since {moment_words(run.silent_since)}"
    elif run.stall:
        doing = f"stalled: {run.stall.trouble}"
    return doing if not task.attempts else f"{doing} (attempt {task.attempts + 1})"


def event_words(session: Session | None, event: e.Event) -> str:
    """The event as a line of the session's log; empty where it would say nothing to a person."""
    name = _name(session, event)
    if name and session and isinstance(event, e.TaskIntegrated) and session.task(name).plan.type.is_read_only:
        return f"{name}: its result is taken; there is nothing to merge"
    if isinstance(event, e.CollisionsForeseen):
        return mask(foreseen_words(session, event))
    if isinstance(event, e.TaskSetAside):
        return f"{mask(_say(name, event))} behind {key_of(session, event.behind)}"
    return mask(_say(name, event))


def _name(session: Session | None, event: e.Event) -> str:
    number = getattr(event, "task", None)
    if session is None or number is None or number not in session.tasks:
        return ""
    return session.tasks[number].plan.key


_ASSENTED = {
    Assent.NONE: "asks a person again",
    Assent.DEFAULTS: "takes every question's default from now on",
    Assent.PLAN: "takes defaults and approves its plans from now on",
}


def _say(name: str, event: Any) -> str:
    match event:
        case e.SessionOpened():
            return f"session opened: {event.title} (from {event.base_branch} at {event.base_commit[:8]})"
        case e.PlanProposed():
            return f"plan: {several(len(event.tasks), 'task')}"
        case e.PlanApproved():
            return f"plan approved by {event.by}"
        case e.ParallelChanged():
            return f"at most {several(event.parallel, 'task')} at once from now on"
        case e.BudgetChanged():
            return f"budget from now on: {limits_words(event.budget)}"
        case e.SessionPaused():
            return f"paused: {event.reason}"
        case e.SessionResumed():
            return "resumed"
        case e.AssentGiven():
            return _ASSENTED[event.assent]
        case e.SessionQueued():
            return "waits for its turn"
        case e.TurnChanged():
            return "has another place among those that wait"
        case e.SessionTakenUp():
            return "its turn has come"
        case e.IntentAnalysed():
            return f"analysed: {event.analysis.type}, risk {event.analysis.risk}, comes to {event.analysis.end}"
        case e.IntentReleased():
            return f"may be carried out, by {event.by}"
        case e.IntentsFiled():
            return f"{several(len(event.intents), 'intent')} came of it"
        case e.WorkSettled():
            return "all work is settled"
        case e.SessionProven():
            return "proof on the integrated branch: " + ", ".join(f"{r.name} {r.status}" for r in event.results)
        case e.MergeBisected():
            seen = ", ".join(f"{r.name} {r.status}" for r in event.results)
            return f"looking for what broke the whole, at {event.commit[:8]}: {seen}"
        case e.MergesTakenBack():
            return f"the branch is back at {event.commit[:8]}; what it had is kept as {event.kept}"
        case e.SessionClosed():
            left = f"; left on its branch: {event.left}" if event.left else ""
            return "discarded" if event.discarded else f"closed: {event.outcome}{left}"
        case e.PauseLifted():
            return f"{event.credential} is tried again"
        case e.FoundChanged():
            return noticed_words(event.what, event.branch, event.tip, event.commit, is_own=event.task is None)
        case e.EffectFailed():
            return f"{name or 'session'}: Toryo's own step {event.effect} failed, trying again: {event.message}"
        case _ if planned := say_planning(event) or say_landing(event):
            return planned
        case _:
            return f"{name}: {say_opinion(event) or say_task(event)}"


def noticed_words(what: Found, branch: str, tip: str, commit: str, *, is_own: bool) -> str:
    """What somebody did to a branch, and what that means."""
    match what:
        case Found.GONE:
            return f"{branch} was deleted by somebody; made again at {tip[:8]}"
        case Found.AHEAD if is_own:
            return f"somebody added commits to {branch}: it goes on from {commit[:8]} instead of {tip[:8]}"
        case Found.AHEAD:
            return f"somebody added commits to {branch}: what was accepted is {tip[:8]}, the rest stays on the branch"
        case Found.ELSEWHERE:
            return (
                f"somebody moved {branch} to {commit[:8]}; {tip[:8]}, where Toryo left it, is kept in refs/toryo/kept"
            )


def noticed_lines(session: Session) -> list[str]:
    """What others did to the session's branches, in the order in which it was noticed."""
    return [
        noticed_words(seen.what, seen.branch, seen.tip, seen.commit, is_own=seen.branch == session.branch)
        for seen in session.noticed
    ]


def proof_words(session: Session) -> str:
    """Whether the checks pass on the integrated branch, or why nobody can say."""
    if not session.tasks and is_being_planned(session):
        return "none yet: it is being planned"
    if not checks_of_the_whole(session):
        return "no checks: nothing but the observed changes stands behind the result"
    if session.proof_commit != session.tip or not session.proof:
        unseen = session.terms.check_merges is CheckMerges.END and session.merges
        one_by_one = ", nor on each merge (run.check_merges is end)" if unseen else ""
        return f"the checks have not run on the integrated branch{one_by_one}"
    passed = all(result.status is CheckStatus.PASSED for result in session.proof)
    listed = ", ".join(f"{result.name} {result.status}" for result in session.proof)
    verb = "pass" if passed else "do not all pass"
    return f"the checks {verb} on {session.branch} at {session.tip[:8]} ({listed})"

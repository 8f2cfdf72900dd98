"""States, outcomes and events in words for people."""

import time
from typing import Any

from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.integration import Found
from toryo.domain.plan import Assent, CheckMerges
from toryo.domain.report import Usage
from toryo.domain.run import RunState
from toryo.domain.session import Pause, Session
from toryo.domain.task import MERGED, SATISFIED, Task, TaskState
from toryo.domain.verdict import Disposition
from toryo.rules.collisions import held_behind
from toryo.rules.durations import say_duration
from toryo.rules.kinds import is_unchecked
from toryo.rules.locking import in_the_way
from toryo.rules.masking import mask
from toryo.rules.wholeness import checks_of_the_whole
from toryo.views.budget import limits_words
from toryo.views.collisions import files_words, foreseen_words, key_of
from toryo.views.landingwords import say_landing
from toryo.views.planningwords import say_opinion, say_planning
from toryo.views.standing import is_being_planned
from toryo.views.usage import usage_words


def clock_time(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def date_time(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


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


def moment_words(moment: float) -> str:
    """A time of day, with the date where it is not today's."""
    at = time.localtime(moment)
    is_today = at[:3] == time.localtime()[:3]
    return time.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M", at)


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
            return f"plan: {len(event.tasks)} tasks"
        case e.PlanApproved():
            return f"plan approved by {event.by}"
        case e.ParallelChanged():
            return f"at most {event.parallel} tasks at once from now on"
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
        case e.SessionTakenUp():
            return "its turn has come"
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
            return "discarded" if event.discarded else f"closed: {event.outcome}"
        case e.PauseLifted():
            return f"{event.credential} is tried again"
        case e.FoundChanged():
            return noticed_words(event.what, event.branch, event.tip, event.commit, is_own=event.task is None)
        case e.EffectFailed():
            return f"{name or 'session'}: Toryo's own step {event.effect} failed, trying again: {event.message}"
        case _ if planned := say_planning(event) or say_landing(event):
            return planned
        case _:
            return f"{name}: {say_opinion(event) or _say_task(event)}"


def _say_task(event: Any) -> str:
    match event:
        case e.RunPlanned():
            return f"{event.agent} takes it ({event.run[:12]})"
        case e.WorkspacePrepared():
            return f"worktree ready at {event.head[:8]}"
        case e.WorkspaceRefused():
            return f"blocked, {event.reason}: {event.detail}"
        case e.BasesConflicted():
            return f"its dependencies conflict in {', '.join(event.files)}; waits until they are merged"
        case e.BaseChecked():
            return f"before the work: check {event.result.name} {event.result.status}"
        case e.RunStarted():
            return f"started (pid {event.pid})"
        case e.RunExited():
            left = f", {event.reaped} left-over processes ended" if event.reaped else ""
            by = "" if event.ended_by == "itself" else f", ended by {event.ended_by}"
            spent = f", {usage_words(event.report.usage)}" if event.report and event.report.usage != Usage() else ""
            return f"exited with code {event.code}{by}{left}{spent}"
        case e.ConversationNamed():
            return f"its conversation is {event.conversation}"
        case e.RunWaited():
            return f"waits for an answer: {event.question}"
        case e.RunStalled():
            until = f" until {moment_words(event.until)}" if event.until else ""
            return f"stalled{until}, {event.trouble}: {event.message}"
        case e.RunFellSilent():
            return f"nothing was heard of it since {moment_words(event.since)}"
        case e.RunWentOn():
            return "works again"
        case e.TaskReassigned():
            return f"goes to {event.agent}" + (f", with the words: {event.says}" if event.says else "")
        case e.RunStopped():
            return "stopped"
        case e.TaskSetAside():
            return (
                f"its work would collide in {files_words(event.files)}: stopped, kept as {event.commit[:8]}, set aside"
            )
        case e.RunLost():
            return f"lost: {event.why}"
        case e.WorkObserved():
            return _say_observation(event)
        case e.CheckFinished():
            return f"check {event.result.name} {event.result.status} ({say_duration(event.result.seconds)})"
        case e.VerdictReached():
            return _say_verdict(event)
        case e.TaskIntegrated():
            known = f", its conflict in {', '.join(event.remembered)} settled as before" if event.remembered else ""
            return f"merged as {event.commit[:8]}{known}"
        case e.CulpritParked():
            others = _fallout_words(event)
            return f"taken back, waits for a person: {event.feedback.partition(chr(10))[0]}{others}"
        case e.MergeRefused():
            return f"not merged, {_AFTER_REFUSAL[event.disposition]}: {event.feedback.partition(chr(10))[0]}"
        case e.WorkHandedIn():
            return f"done by hand by {event.by}, to be proven like any other work ({event.run[:12]})"
        case e.WorkspaceRemoved():
            return "worktree removed"
        case e.WorkspaceKept():
            return f"worktree kept: {event.why}"
        case e.TaskRetried():
            return "sent round again" + (f", with the words: {event.says}" if event.says else "")
        case e.TaskBlocked():
            return f"blocked, {event.reason}: {event.detail}"
        case _:
            return type(event).__name__


def _fallout_words(event: e.CulpritParked) -> str:
    builds = "it builds" if len(event.anew) == 1 else "they build"
    counted = [(len(event.again), "merged again"), (len(event.anew), f"done anew, since {builds} on it")]
    said = [f"{count} {'task is' if count == 1 else 'tasks are'} {what}" for count, what in counted if count]
    return f" ({', '.join(said)})" if said else ""


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


_AFTER_REFUSAL = {
    Disposition.RESOLVE: "an agent settles the conflict",
    Disposition.REDO: "done again from the merged work",
    Disposition.BLOCK: "waits for a person",
}


def _say_observation(event: e.WorkObserved) -> str:
    changes = event.observation.changes
    if not changes:
        return "no file changed"
    names = ", ".join(f"{change.change} {change.path}" for change in changes[:3])
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return f"{names}{more}"


def _say_verdict(event: e.VerdictReached) -> str:
    verdict = event.verdict
    reasons = f": {'; '.join(verdict.reasons)}" if verdict.reasons else ""
    if verdict.disposition is Disposition.POSTPONE and verdict.until:
        return f"paused until {moment_words(verdict.until)}, no attempt used{reasons}"
    return f"{verdict.outcome}, {verdict.disposition}{reasons}"


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

"""What happens to a task, in words for people."""

from typing import Any

from toryo.domain import events as e
from toryo.domain.report import Usage
from toryo.domain.verdict import Disposition
from toryo.rules.durations import say_duration
from toryo.views.collisions import files_words
from toryo.views.moments import moment_words
from toryo.views.usage import usage_words


def say_task(event: Any) -> str:
    """What happened to one task; the name of its kind for what has no words."""
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

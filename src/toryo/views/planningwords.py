"""What happens while planning and reviewing, in words for people."""

import time
from typing import Any

from toryo.domain import events as e
from toryo.domain.calls import CallRecord
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Opinion, Remedy
from toryo.rules.durations import say_duration
from toryo.rules.numerals import several
from toryo.views.usage import usage_words


def say_planning(event: Any) -> str | None:
    """The event as a line; None where it is about something else."""
    match event:
        case e.RepositorySurveyed():
            return "looked at the repository: " + ("; ".join(event.findings[:3]) or "nothing in it yet")
        case e.QuestionsAsked():
            return _counted(event.calls, f"{several(len(event.questions), 'question')} before planning")
        case e.QuestionsAnswered():
            return f"{several(len(event.answers), 'answer')} by {event.by}"
        case e.DocumentWritten():
            return _counted(event.calls, f"{event.document}.md written")
        case e.TasksDrafted():
            what = "no usable plan came: one task for everything" if event.draft.is_fallback else "tasks drafted"
            return _counted(event.calls, f"{what} ({len(event.draft.tasks)})")
        case e.DraftScored():
            return _counted(event.calls, f"the draft scored {event.score.points} of 100")
        case e.PlanEdited():
            return f"tasks.md was edited: {several(len(event.tasks), 'task')}"
        case e.PlanRejected():
            return f"plan rejected by {event.by}: {event.why}"
        case e.TalkCompacted():
            return _counted(event.calls, f"{several(event.dropped, 'old message')} of the conversation summed up")
        case e.WishAdded():
            return f"to be added: {event.text.partition(chr(10))[0]}"
        case e.PersonSaid():
            return f"a person says: {event.text}"
        case e.WordsTakenIn():
            return "planned with what was said meanwhile"
        case e.SayingConsidered():
            return _counted(event.calls, event.answer)
        case e.SessionJudged():
            return _counted(event.calls, _say_judgement(event))
        case e.CallPostponed():
            return _say_postponed(event)
        case _:
            return None


def say_opinion(event: Any) -> str | None:
    """What was thought of a task's work; None where it is about something else."""
    match event:
        case e.WorkReviewed():
            review = event.review
            found = [*(f"not met: {text}" for text in review.missing), *review.issues]
            more = f" ({'; '.join(found[:3])})" if found and review.opinion is not Opinion.APPROVED else ""
            return _counted(event.calls, f"review: {review.opinion}: {review.reason}{more}")
        case e.TaskApproved():
            why = f": {event.why}" if event.why else ""
            return f"approved by {event.by}{why}"
        case e.TaskReconsidered():
            return _counted(event.calls, f"{_REMEDIES[event.remedy]}: {event.reason}{_instead(event)}")
        case _:
            return None


_REMEDIES = {
    Remedy.RETRY: "to be tried again with advice",
    Remedy.REPLACE: "replaced by other tasks",
    Remedy.ASK: "a person has to decide",
}


def _instead(event: e.TaskReconsidered) -> str:
    return f" ({', '.join(task.key for task in event.tasks)})" if event.tasks else ""


def _say_judgement(event: e.SessionJudged) -> str:
    said = event.judgement
    if said.is_complete:
        return "judged complete: this is what was asked for"
    return "judged not complete, missing: " + ("; ".join(said.missing) or "not said what")


def _say_postponed(event: e.CallPostponed) -> str:
    words = f"the model does not answer ({event.trouble}: {event.message})"
    if not event.until:
        return f"{words}; it needs you"
    at = time.strftime("%H:%M:%S", time.localtime(event.until))
    calm = "" if event.trouble is Trouble.QUOTA else "; agents at work go on"
    return f"{words}, trying again at {at}{calm}"


def _counted(calls: tuple[CallRecord, ...], words: str) -> str:
    """With what it took, where a model was asked."""
    if not calls:
        return words
    spent = usage_words(sum((call.usage for call in calls), Usage()))
    took = say_duration(max(sum(call.seconds for call in calls), 0.001))
    again = f", {len(calls)} calls" if len(calls) > 1 else ""
    return f"{words} ({took}{again}{f', {spent}' if spent else ''})"


def calls_words(count: int, usage: Usage, has_estimates: bool) -> str:
    """Calls of the model and what they took; empty where none was made."""
    if not count:
        return ""
    spent = usage_words(usage)
    about = " (partly estimated)" if has_estimates else ""
    return f"{several(count, 'model call')}" + (f", {spent}{about}" if spent else "")

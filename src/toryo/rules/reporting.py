"""From an agent's signals to its report, and what of that is worth recording while it still works."""

from dataclasses import replace

from toryo.domain import events as e
from toryo.domain import signals as s
from toryo.domain.report import Report, Usage
from toryo.domain.run import Run
from toryo.domain.task import Task


def heard(report: Report, signal: s.Signal) -> Report:
    """The report after one more signal."""
    match signal:
        case s.Named(conversation=conversation):
            return replace(report, conversation=conversation)
        case s.Said(text=text, is_piece=is_piece):
            before = report.last_words if is_piece and report.is_speaking else ""
            return replace(_at_work(report), last_words=before + text, is_speaking=is_piece)
        case s.Took() | s.Used() | s.Got():
            return _at_work(report)
        case s.Asked(question=question):
            return replace(_at_work(report), question=question)
        case s.Spent(share=share, total=total):
            return replace(report, usage=report.usage + share, counter=total if total != Usage() else report.counter)
        case s.Stalled() if report.is_finished:
            return report
        case s.Stalled():
            return replace(_with_trouble(report, signal), question="")
        case s.Finished() if report.is_finished and report.trouble:
            return report  # some say that a failed turn is over, too
        case s.Finished(last_words=words):
            return replace(_at_work(report), is_finished=True, last_words=words or report.last_words)
        case s.Failed():
            return replace(_with_trouble(report, signal), question="", is_finished=True)
        case _:
            return report


def _with_trouble(report: Report, signal: s.Stalled | s.Failed) -> Report:
    """The last word on the trouble; when it will be over may have been said before."""
    is_same = report.trouble is signal.trouble
    until = signal.until or (report.until if is_same else 0.0)
    return replace(report, trouble=signal.trouble, message=signal.message, until=until, is_speaking=False)


def _at_work(report: Report) -> Report:
    """Whatever it waited for or fought with is behind it."""
    return replace(report, trouble=None, message="", until=0.0, question="", is_finished=False, is_speaking=False)


def with_own_share(report: Report, task: Task) -> Report:
    """Where the agent counts over the whole conversation, the part that this run added."""
    if report.counter == Usage():
        return report
    conversation = report.conversation or task.runs[-1].conversation
    earlier = [
        run.report.counter
        for run in task.runs[:-1]
        if run.report and run.conversation == conversation and run.report.counter != Usage()
    ]
    added = report.counter.since(earlier[-1]) if earlier else report.counter
    return replace(report, usage=report.usage + added)


def remark_on(task: Task, report: Report, now: float) -> e.TaskEvent | None:
    """What the run has told that is not recorded yet; one thing at a time."""
    run = task.runs[-1]
    here = (now, task.number, run.id)
    if report.conversation and report.conversation != run.conversation:
        return e.ConversationNamed(*here, report.conversation)
    if report.is_finished:
        return None
    if report.question != run.question and report.question:
        return e.RunWaited(*here, report.question)
    if report.trouble and _is_news(run, report):
        return e.RunStalled(*here, report.trouble, report.message, report.until)
    if (run.question and not report.question) or (run.stall and not report.trouble):
        return e.RunWentOn(*here)
    return None


def _is_news(run: Run, report: Report) -> bool:
    """Each retry of an agent tells the same again; only another kind of trouble, or a later end of it, is new."""
    if run.stall is None or run.stall.trouble is not report.trouble:
        return True
    return report.until > run.stall.until

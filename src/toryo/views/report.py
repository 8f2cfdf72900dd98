"""How a session went, in Markdown; also for those that failed."""

from toryo.domain.session import Session
from toryo.domain.task import SATISFIED, Task, TaskState
from toryo.domain.verdict import Outcome
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.budget import budget_words, how_to_raise, used_up_words
from toryo.views.collisions import collision_lines
from toryo.views.criteria import Judged, Standing, criteria_of
from toryo.views.landingwords import landing_words
from toryo.views.markdown import cell, code, fenced, line, listed, row
from toryo.views.moments import date_time
from toryo.views.planningwords import calls_words
from toryo.views.planreport import judgement_part, planning_parts, work_parts
from toryo.views.ran import ran_lines
from toryo.views.risks import risks_of
from toryo.views.standing import is_being_planned, is_landing, rests_on_requests, standing_words, waits_for
from toryo.views.unproven import unproven_lines
from toryo.views.usage import task_usage, usage_words
from toryo.views.words import noticed_lines, outcome_words, proof_words, state_words

_MOST_CRITERIA = 200
_LONGEST_FEEDBACK, _LONGEST_RESULT = 6000, 3000


def report(session: Session, outcome: Outcome, now: float) -> str:
    ended = session.closed_at or now
    parts = [
        f"# {line(session.title)}",
        _facts(session, outcome, ended),
        listed("Risks", [line(risk) for risk in risks_of(session)]),
        listed("What was not proven", unproven_lines(session)) if session.tasks else "",
        judgement_part(session),
        _criteria(session),
        "## Tasks\n\n" + _table(session) if session.tasks else "",
        listed("Collisions ahead", [line(text, 1000) for text in collision_lines(session)]),
        _blocked(session),
        _results(session),
        *planning_parts(session),
        *work_parts(session),
        listed("What Toryo ran", ran_lines(session)),
        _kept(session),
        listed("What others did to its branches", [line(text) for text in noticed_lines(session)]),
        listed("How to go on", next_steps(session, outcome)),
    ]
    return mask("\n\n".join(part for part in parts if part)) + "\n"


def _facts(session: Session, outcome: Outcome, ended: float) -> str:
    lines = [
        f"- Outcome: {_outcome(session, outcome)}",
        f"- Session: `{session.id}`",
        f"- Began: {date_time(session.opened_at)}, took {say_duration(max(ended - session.opened_at, 0.001))}",
        f"- From: `{session.base_branch}` at `{session.base_commit[:12]}`",
        f"- Result: `{session.branch}` at `{session.tip[:12]}`",
        f"- Proof: {proof_words(session)}",
    ]
    if landed := landing_words(session):
        lines.append(f"- Landing: {landed}")
    if spent := usage_words(session.usage):
        lines.append(f"- Spent, as the agents report it: {spent}")
    if limited := budget_words(session, ended):
        lines.append(f"- Budget: {limited}")
    if asked := calls_words(session.calls, session.call_usage, session.has_estimates):
        lines.append(f"- Planning and reviewing: {asked}")
    return "\n".join(lines)


def _outcome(session: Session, outcome: Outcome) -> str:
    if session.tasks or not is_being_planned(session):
        return f"**{outcome}**"
    return f"none yet, {standing_words(session.state, waits_for(session), session.queued_at)}"


def _criteria(session: Session) -> str:
    """What was to hold, and what shows that it does."""
    judged = criteria_of(session)
    if not judged:
        return ""
    proven = sum(one.status is Standing.PROVEN for one in judged)
    rows = [row("Task", "Criterion", "", "Because"), "|---|---|---|---|"]
    for one in judged[:_MOST_CRITERIA]:
        status = "proven" if one.status is Standing.PROVEN else f"**{one.status}**"
        rows.append(row(one.task, cell(one.criterion, 300), status, cell(_because(one), 300)))
    left_out = len(judged) - _MOST_CRITERIA
    more = f"\n\n… and {left_out} more: `toryo report --json` has them all." if left_out > 0 else ""
    return f"## Acceptance criteria\n\n{proven} of {len(judged)} proven.\n\n" + "\n".join(rows) + more


def _because(one: Judged) -> str:
    seen = "; ".join(one.by)
    if not one.why:
        return seen
    return f"{one.why} ({seen})" if seen else one.why


def _table(session: Session) -> str:
    rows = [row("Task", "Title", "State", "Outcome", "Runs", "Files", "Spent"), "|---|---|---|---|---|---|---|"]
    for task in session.tasks.values():
        cells = (
            task.plan.key,
            task.plan.title,
            state_words(session, task),
            outcome_words(task),
            str(len(task.runs)),
            str(_files(task)),
            usage_words(task_usage(task)) or "-",
        )
        rows.append(row(*(cell(text) if text != "-" else text for text in cells)))
    return "\n".join(rows)


def _files(task: Task) -> int:
    seen = task.runs[-1].observation if task.runs else None
    return len(seen.changes) if seen else 0


def _blocked(session: Session) -> str:
    blocked = [task for task in session.tasks.values() if task.state is TaskState.BLOCKED]
    if not blocked:
        return ""
    parts = ["## What is blocked, and why"]
    for task in blocked:
        reason = task.reason or task.feedback
        parts.append(f"### {task.plan.key} {line(task.plan.title)}\n\n{line(reason, 1000)}")
        if task.feedback:
            parts.append(fenced(task.feedback, _LONGEST_FEEDBACK))
    return "\n\n".join(parts)


def _results(session: Session) -> str:
    """What tasks wrote that were not to change anything."""
    parts = []
    for task in session.tasks.values():
        seen = task.run.observation if task.run else None
        if seen and seen.result and task.state in SATISFIED:
            title = line(task.plan.title)
            parts.append(f"### {task.plan.key} {title}\n\n{fenced(seen.result, _LONGEST_RESULT)}")
    return "\n\n".join(["## What was found out", *parts]) if parts else ""


def _kept(session: Session) -> str:
    return listed(
        "Worktrees that were kept", [f"{code(branch)}: {line(why)}" for branch, why in session.kept_worktrees]
    )


def next_steps(session: Session, outcome: Outcome) -> list[str]:
    """What a person can do now."""
    if session.queued_at is not None:
        return ["see who is before it: toryo status", f"take it out of the queue: toryo stop {session.short}"]
    if is_landing(session):
        return _landing_steps(session)
    steps = _taking_over(session, outcome)
    if session.planning and session.judgement and not session.judgement.is_complete:
        steps.append(f"add what is missing: toryo continue {session.short}")
    if session.count(TaskState.BLOCKED):
        steps.append("see what waits for you, and how to answer: toryo inbox")
    if session.waits_for_person and used_up_words(session, session.updated_at):
        steps.append(f"let it use more: {how_to_raise(session, session.updated_at)}")
    if is_being_planned(session):
        steps += _planning_steps(session)
    elif outcome is not Outcome.COMPLETE:
        steps.append(f"try the unfinished tasks again: toryo resume {session.short}")
    if outcome is not Outcome.COMPLETE or is_being_planned(session):
        steps.append(f"or leave it at that: toryo stop --discard {session.short}")
    return steps


def _taking_over(session: Session, outcome: Outcome) -> list[str]:
    landed = session.landing.last if session.landing else None
    if session.tip == session.base_commit:
        return []
    partly = "" if outcome is Outcome.COMPLETE else " --partial"
    if landed:
        is_more = landed.tip != session.tip
        rest = [f"land the rest: toryo land {session.short} --merge{partly}"] if is_more else []
        seen = [f"see what changed: git show --first-parent {landed.commit[:12]}"] if landed.commit else []
        back = [f"go back to before it: toryo undo {session.short}"] if landed.before else []
        return [*rest, *seen, *back]
    return [
        f"see what changed: toryo diff {session.short}",
        f"take it over: toryo land {session.short} --merge{partly}, or git merge {session.branch}",
    ]


def _landing_steps(session: Session) -> list[str]:
    short = session.short
    if rests_on_requests(session):
        return [f"look at its pull requests again: toryo land {short}", f"close them again: toryo undo {short}"]
    return [f"go on with landing: toryo resume {short}", f"or leave it on its branch: toryo land {short} --branch"]


def _planning_steps(session: Session) -> list[str]:
    short = session.short
    match waits_for(session):
        case "answers":
            return [f"answer its questions: toryo answer {short}"]
        case "approval":
            return [
                f"read the plan: toryo plan --show {short}",
                f"carry it out: toryo approve {short}",
                f"or say what should be different: toryo reject {short} --why '…'",
            ]
        case _:
            return [f"go on with planning: toryo resume {short}"]

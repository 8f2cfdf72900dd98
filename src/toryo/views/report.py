"""How a session went, in Markdown; also for those that failed."""

from collections.abc import Sequence

from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.domain.verdict import Outcome
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.budget import budget_words, how_to_raise, used_up_words
from toryo.views.planningwords import calls_words
from toryo.views.planreport import judgement_part, planning_parts, work_parts
from toryo.views.risks import risks_of
from toryo.views.standing import is_being_planned, standing_words, waits_for
from toryo.views.usage import task_usage, usage_words
from toryo.views.words import date_time, outcome_words, proof_words, state_words


def report(session: Session, outcome: Outcome, now: float) -> str:
    ended = session.closed_at or now
    parts = [
        f"# {session.title}",
        _facts(session, outcome, ended),
        _listed("Risks", risks_of(session)),
        judgement_part(session),
        *planning_parts(session),
        "## Tasks\n\n" + _table(session) if session.tasks else "",
        _blocked(session),
        _unchecked(session),
        *work_parts(session),
        _kept(session),
        "## How to go on\n\n" + "\n".join(f"- {line}" for line in next_steps(session, outcome)),
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
    return f"none yet, {standing_words(session.state, waits_for(session))}"


def _listed(heading: str, lines: Sequence[str]) -> str:
    return f"## {heading}\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""


def _table(session: Session) -> str:
    rows = ["| Task | Title | State | Outcome | Runs | Files | Spent |", "|---|---|---|---|---|---|---|"]
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
        rows.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
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
        parts.append(f"### {task.plan.key} {task.plan.title}\n\n{reason}")
        if task.feedback:
            parts.append("```\n" + task.feedback.replace("```", "'''") + "\n```")
    return "\n\n".join(parts)


def _unchecked(session: Session) -> str:
    keys = [task.plan.key for task in session.tasks.values() if task.is_unchecked and task.outcome]
    return f"No check exists for: {', '.join(keys)}." if keys else ""


def _kept(session: Session) -> str:
    if not session.kept_worktrees:
        return ""
    lines = [f"- `{branch}`: {why}" for branch, why in session.kept_worktrees]
    return "## Worktrees that were kept\n\n" + "\n".join(lines)


def next_steps(session: Session, outcome: Outcome) -> list[str]:
    """What a person can do now."""
    if session.tip == session.base_commit:
        steps = []
    else:
        steps = [
            f"see what changed: git diff {session.base_branch}...{session.branch}",
            f"take it over: git merge {session.branch}",
        ]
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

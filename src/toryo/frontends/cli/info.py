"""`toryo info`: one session, task or run in full."""

import time
from pathlib import Path
from typing import Any

import click

from toryo.app.project import Project, open_project
from toryo.domain.limits import LimitViolation
from toryo.domain.run import PERSON, Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.frontends.cli.talking import here, json_option, room, show, show_json
from toryo.rules.durations import say_duration
from toryo.rules.kinds import checks_for
from toryo.rules.limits import say_violation
from toryo.rules.masking import mask
from toryo.rules.naming import folder_of
from toryo.views.audits import finding_lines, flow_lines
from toryo.views.budget import budget_words
from toryo.views.collisions import collisions_words
from toryo.views.columns import clipped
from toryo.views.criteria import Judged, criteria_of_task
from toryo.views.landingwords import landing_words, undone_words
from toryo.views.moments import date_time
from toryo.views.outcome import task_lines
from toryo.views.planningwords import calls_words
from toryo.views.records.phases import phase_of
from toryo.views.records.statuses import log_id
from toryo.views.rows import envelope
from toryo.views.standing import standing_words, waits_for
from toryo.views.usage import task_usage, usage_words
from toryo.views.words import outcome_words, pause_words, proof_words, state_words

_MOST_OF_A_RESULT = 60
"""Lines; 'toryo logs' has the rest."""


@click.command(epilog="Example: toryo info T003, or toryo info task-7682b3a8-3")
@click.argument("wanted", metavar="[ID]", required=False)
@json_option
def command(wanted: str | None, as_json: bool) -> None:
    """Show a session, a task (by id or key) or a run; without an id, the latest session."""
    project = open_project(here())
    if as_json:
        show_json(_data(project, wanted))
        return
    session, task, _ = project.find(wanted)
    if task is None:
        _show_session(session)
    else:
        _show_task(session, task, project.place.root / ".worktrees" / folder_of(task.plan.branch))


def _data(project: Project, wanted: str | None) -> dict[str, Any]:
    from toryo.views.records.details import run_answer, session_answer, task_answer

    root = str(project.place.root)
    told, task, run = project.find_told(wanted)
    if task is None:
        return envelope("session", session_answer(told, root))
    if run is None:
        return envelope("task", task_answer(told, task, root))
    return envelope("run", run_answer(told.session, task, run))


def _show_session(session: Session) -> None:
    lines = [
        session.title,
        f"  id        {session.id}",
        f"  state     {_state(session)}",
        f"  phase     {phase_of(session)}",
        f"  outcome   {session.outcome or '-'}",
        *_planning_lines(session),
        *_intent_lines(session),
        f"  began     {date_time(session.opened_at)} from {session.base_branch} at {session.base_commit[:12]}",
        f"  branch    {session.branch} at {session.tip[:12]}",
        *([f"  landing   {landing}"] if (landing := landing_words(session) or undone_words(session)) else []),
        f"  parallel  {session.parallel}",
        f"  proof     {proof_words(session)}",
        *([f"  spent     {spent}"] if (spent := usage_words(session.usage)) else []),
        *([f"  model     {calls}"] if (calls := _calls(session)) else []),
        *([f"  budget    {limited} used"] if (limited := budget_words(session, time.time())) else []),
        *(f"  {name:<9} {pause_words(pause)}: {pause.message}" for name, pause in session.pauses.items()),
        *(["", *task_lines(session, room())] if session.tasks else []),
    ]
    for line in lines:
        show(line)


def _state(session: Session) -> str:
    waits = waits_for(session)
    more = session.pause_reason or (standing_words("", waits) if waits else "")
    return str(session.state) + (f" ({more})" if more else "")


def _planning_lines(session: Session) -> list[str]:
    """What was asked for, and whether the result was found to be that."""
    planning = session.planning
    if planning is None:
        return []
    lines = [
        f"  asked     {clipped(mask(planning.instruction), 200)}",
        f"  documents specs/{planning.spec}/",
    ]
    if judged := session.judgement:
        found = "complete" if judged.is_complete else "not complete"
        lines.append(f"  judged    {found} ({judged.score} of 100)")
        lines += [f"            missing: {mask(text)}" for text in judged.missing]
    return lines


def _intent_lines(session: Session) -> list[str]:
    """Which intent it works on, in which way, and what came of that."""
    pursuit = session.pursuit
    if pursuit is None:
        return []
    lines = [f"  intent    {pursuit.intent}"]
    if told := flow_lines(pursuit):
        kind, steps, *adjusted = told
        lines += [f"            {kind}", f"  flow      {steps}", *(f"            {note}" for note in adjusted)]
    lines += [f"  filed     {proposal.slug}: {proposal.title}" for proposal in pursuit.filed or ()]
    return [*lines, *(f"  {line}" for line in finding_lines(pursuit.findings))]


def _calls(session: Session) -> str:
    return calls_words(session.calls, session.call_usage, session.has_estimates)


def _show_task(session: Session, task: Task, worktree: Path) -> None:
    plan = task.plan
    show(f"{plan.key} {plan.title}")
    facts = [
        ("id", f"{task.id} ({log_id(task)})"),
        ("state", state_words(session, task)),
        ("outcome", outcome_words(task)),
        ("collides", collisions_words(session, task)),
        ("why", task.reason),
        ("type", plan.type),
        ("agent", plan.agent if not _is_by_hand(task.run) else f"a person did it by hand ({plan.agent} before)"),
        ("command", plan.command),
        ("depends on", ", ".join(plan.depends_on)),
        ("scope", ", ".join(plan.scope)),
        ("expects", ", ".join(plan.expect)),
        ("checks", _checks(task)),
        ("branch", plan.branch),
        ("worktree", str(worktree) if worktree.exists() else ""),
        ("commit", task.commit[:12]),
        ("merged as", task.merge_commit[:12]),
        ("spent", usage_words(task_usage(task))),
        ("review", _review(task)),
        ("criteria", "\n".join(_criterion(judged) for judged in criteria_of_task(session, task))),
        ("limits", "\n".join(_violation(violation) for violation in task.violations)),
        ("allowed", mask("\n".join(task.approvals))),
        ("asks", mask(task.question or (task.run.question if task.run else ""))),
    ]
    for name, value in facts:
        if value:
            show(f"  {name:<11} " + str(value).strip().replace("\n", "\n" + " " * 14))
    for run in task.runs:
        _show_run(run)
    if task.evidence:
        show("  evidence")
        for record in task.evidence:
            where = f"  {record.log}" if record.log else ""
            show(f"    {record.id}  {record.operation}{where}")


def _is_by_hand(run: Run | None) -> bool:
    return run is not None and run.agent == PERSON


def _review(task: Task) -> str:
    review = task.run.review if task.run else None
    if review is None:
        return ""
    found = [*(f"not met: {text}" for text in review.missing), *review.issues]
    return mask("\n".join([f"{review.opinion}: {review.reason}".rstrip(": "), *found]))


def _checks(task: Task) -> str:
    needed = ", ".join(check.name for check in checks_for(task, task.run))
    return needed or ("none needed" if task.plan.checks else "none")


def _criterion(judged: Judged) -> str:
    because = "; ".join([judged.why, *judged.by] if judged.why else judged.by)
    return mask(f"{judged.status}: {' '.join(judged.criterion.split())} ({because})")


def _violation(violation: LimitViolation) -> str:
    return say_violation(violation) + (", waits for you" if violation.needs_resolution else "")


def _show_run(run: Run) -> None:
    took = say_duration(max(run.ended_at - run.started_at, 0.001)) if run.ended_at and run.started_at else "-"
    verdict = f"{run.verdict.outcome}, {run.verdict.disposition}" if run.verdict else "-"
    code = "-" if run.code is None else run.code
    if _is_by_hand(run):
        show(f"  run {run.number}       {run.id}  by a person, {run.state}: {verdict}")
    else:
        show(f"  run {run.number}       {run.id}  {run.state}, code {code}, took {took}: {verdict}")
    for change in run.observation.changes if run.observation else ():
        show(f"    {change.change} {change.path}")
    for result in run.results:
        show(f"    check {result.name} {result.status} ({say_duration(max(result.seconds, 0.001))})")
        for line in result.tail.splitlines():
            show(f"      {line}")
    for reason in run.verdict.reasons if run.verdict else ():
        show(f"    {reason}")
    if run.observation and run.observation.result:
        show("    result")
        for line in mask(run.observation.result).splitlines()[:_MOST_OF_A_RESULT]:
            show(f"      {line}")

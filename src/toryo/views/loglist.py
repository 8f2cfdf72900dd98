"""The task logs of a session as a list, and as a tree of threads, rounds, tasks and runs."""

from collections.abc import Iterator

from toryo.domain.run import Run
from toryo.domain.task import Task
from toryo.rules.durations import say_duration
from toryo.rules.masking import mask
from toryo.views.columns import clipped, columns
from toryo.views.moments import clock_time
from toryo.views.records.chronicle import Chronicle
from toryo.views.records.enums import ThreadType
from toryo.views.records.rounds import THREADS, Round
from toryo.views.records.statuses import log_id, log_status
from toryo.views.records.tasklogs import Line, line_of, span_of

_HEADS = ("LOG", "TASK", "KEY", "STATUS", "FILES", "TESTS", "TOOK", "TITLE")


def list_lines(told: Chronicle, now: float, room: int = 0) -> list[str]:
    rows = [_cells(line_of(told, task, now)) for task in told.session.tasks.values()]
    return columns(rows, _HEADS, room) if rows else ["no tasks yet"]


def _cells(line: Line) -> tuple[str, ...]:
    took = say_duration(max(line.duration_ms / 1000, 0.001)) if line.duration_ms else "-"
    task = line.task
    counts = (str(line.files), str(line.tests))
    return log_id(task), task.id, task.plan.key, line.status.value, *counts, took, clipped(mask(task.plan.title), 44)


def tree_lines(told: Chronicle) -> Iterator[str]:
    """Each agent's run stands under the round in which it was started."""
    placed = _placed(told)
    yield f"{told.session.id}  {mask(told.session.title)}"
    for kind in ThreadType:
        rounds = [each for each in told.rounds if each.thread is kind]
        if not rounds:
            continue
        yield f"  {THREADS[kind]}  {kind}"
        for each in rounds:
            yield f"    {_round_words(each)}"
            for task, runs in placed.get(each.number, {}).values():
                title = clipped(mask(task.plan.title), 50)
                yield f"      {log_id(task)}  {task.id}  {task.plan.key}  {log_status(task)}  {title}"
                yield from (f"        {_run_words(run)}" for run in runs)


def _round_words(each: Round) -> str:
    took = "" if each.ended is None else f", took {say_duration(max(each.ended - each.began, 0.001))}"
    return f"{each.id}  {each.trigger}  {each.status}  {clock_time(each.began)}{took}"


def _run_words(run: Run) -> str:
    verdict = f": {run.verdict.outcome}, {run.verdict.disposition}" if run.verdict else ""
    return f"{run.id}  {run.agent}  {run.state}{verdict}"


Placed = dict[int, dict[int, tuple[Task, list[Run]]]]


def _placed(told: Chronicle) -> Placed:
    """By round, the tasks that were at work in it, with their runs; those without runs where they were planned."""
    placed: Placed = {}
    for number, steps in told.steps.items():
        task = told.session.tasks[number]
        for step in steps:
            if step.before is not None and len(step.after.runs) > len(step.before.runs):
                runs = placed.setdefault(step.round, {}).setdefault(number, (task, []))[1]
                runs.append(task.runs[len(step.after.runs) - 1])
        if not task.runs:
            placed.setdefault(span_of(told, task).round.number, {})[number] = (task, [])
    return placed

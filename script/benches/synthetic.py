"""The ring without a world: the playbook's effects are answered at once with realistic events."""

import hashlib
import time
import uuid
from collections.abc import Iterator

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckResult, CheckStatus, Evidence, FileChange, Operation, sealed
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.run import EndedBy, Observation
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import Outcome
from toryo.rules.admit import admit
from toryo.rules.evolve import evolve, fold
from toryo.rules.judging import verdict_on
from toryo.rules.playbook import next_effects
from toryo.views.summary import summary

_CHECK = Check("test", "pytest -q")


def opening(tasks: int, title: str = "A synthetic session", intent: str = "") -> list[e.Event]:
    """A session with its plan, approved."""
    now, identity = time.time(), f"session-{uuid.uuid4()}"
    planned = tuple(
        PlannedTask(
            f"T{n:03}",
            f"Write part {n} of the exporter",
            "shell",
            f"agent/write-part-{n}-of-the-exporter",
            description="What to do, for the agent, in a sentence or two.",
            acceptance=("`export --json` prints valid JSON",),
            scope=("src/export/**", "tests/export/**"),
            command=f"make part-{n}",
            checks=(_CHECK,),
        )
        for n in range(1, tasks + 1)
    )
    start = (_id("base"), _id("base tree"), f"agent/{identity}")
    return [
        e.SessionOpened(now, identity, title, "plan.yaml", "main", *start, Terms(), intent=intent),
        e.PlanProposed(now, planned, (_CHECK,)),
        e.PlanApproved(now, "the plan file"),
    ]


class Ring:
    """Turns as the conductor does, oldest work first, until nothing is wanted."""

    def __init__(self, tasks: int, title: str = "A synthetic session", intent: str = "") -> None:
        self.opening = opening(tasks, title, intent)
        session = fold(self.opening)
        assert session is not None
        self.session = session
        self.summary = summary(session)
        self._under_way: dict[fx.Effect, None] = {}

    def turns(self) -> Iterator[tuple[e.Event, float]]:
        """Every event, and the seconds it took to ask the playbook, fold the event and sum up."""
        while True:
            begun = time.perf_counter()
            wanted = next_effects(self.session)
            asked = time.perf_counter() - begun
            effect = self._oldest(wanted)
            if effect is None:
                return
            event = answer(self.session, effect)
            begun = time.perf_counter()
            if not admit(self.session, event):
                raise RuntimeError(f"{type(event).__name__} is not admissible: the bench breaks the rules")
            self.session = evolve(self.session, event)
            self.summary = summary(self.session)
            yield event, asked + time.perf_counter() - begun

    def _oldest(self, wanted: frozenset[fx.Effect]) -> fx.Effect | None:
        kept = {effect: None for effect in self._under_way if effect in wanted}
        new = sorted((effect for effect in wanted if effect not in kept), key=repr)
        self._under_way = {**kept, **dict.fromkeys(new)}
        oldest = next(iter(self._under_way), None)
        if oldest is not None:
            del self._under_way[oldest]
        return oldest


def answer(session: Session, effect: fx.Effect) -> e.Event:
    """What a performer would report if all went well."""
    now = time.time()
    match effect:
        case fx.TaskEffect():
            return _task_event(session, session.tasks[effect.task], effect, now)
        case fx.SettleWork():
            return e.WorkSettled(now)
        case fx.ProveSession(tip=tip):
            return e.SessionProven(now, tip, session.tip_tree, (_passed(),))
        case fx.Conclude():
            return e.SessionClosed(now, Outcome.COMPLETE)
        case _:
            raise RuntimeError(f"the bench has no answer to {effect}")


def _task_event(session: Session, task: Task, effect: fx.TaskEffect, now: float) -> e.Event:
    number, run = task.number, task.runs[-1].id if task.runs else ""
    commit, tree = _id(f"commit {number}"), _id(f"tree {number}")
    match effect:
        case fx.PlanRun():
            return e.RunPlanned(now, number, f"run-{uuid.uuid4()}", task.plan.agent, str(uuid.uuid4()))
        case fx.PrepareWorkspace():
            base = (session.base_commit, session.base_tree, session.base_commit)
            return e.WorkspacePrepared(now, number, run, *base)
        case fx.StartRun():
            return e.RunStarted(now, number, run, 4711)
        case fx.AwaitRun():
            record = _evidence(task, Operation.AGENT, agent=task.plan.agent, run=run, code="0")
            return e.RunExited(now, number, run, 0, EndedBy.ITSELF, 0, (record,))
        case fx.ObserveWork():
            return work_observed(task, run, commit, tree, now)
        case fx.RunCheck():
            record = _evidence(task, Operation.CHECK, check="test", command="pytest -q", commit=commit)
            return e.CheckFinished(now, number, run, _passed(), (record,))
        case fx.JudgeRun():
            return e.VerdictReached(now, number, run, verdict_on(task, session.terms))
        case fx.MergeTask(tip=tip):
            merged = (_id(f"merge {number}"), _id(f"merged tree {number}"))
            record = _evidence(task, Operation.MERGE, commit=merged[0], onto=tip, merged=commit)
            return e.TaskIntegrated(now, number, *merged, (_passed(),), (record,))
        case fx.RemoveWorkspace():
            return e.WorkspaceRemoved(now, number)
        case _:
            raise RuntimeError(f"the bench has no answer to {effect}")


def work_observed(task: Task, run: str, commit: str, tree: str, now: float) -> e.WorkObserved:
    """An event of the larger kind: what a run changed, and the evidence of it."""
    paths = [f"src/export/part{task.number}/file{n}.py" for n in range(3)]
    changes = tuple(FileChange(path, Change.CREATED, True) for path in paths)
    seen = Observation(commit, tree, changes, run_changed=True, output_bytes=2048)
    facts = {"base": task.base, "commit": commit, "tree": tree, "files": ", ".join(paths)}
    record = _evidence(task, Operation.FILES, **facts)
    return e.WorkObserved(now, task.number, run, seen, (record,))


def _evidence(task: Task, operation: Operation, **facts: str) -> Evidence:
    log = f"runs/run-{task.number}/output.log"
    return sealed(Evidence(operation, time.time(), tuple(facts.items()), log, _id(log, 64), previous=task.chain))


def _passed() -> CheckResult:
    return CheckResult("test", CheckStatus.PASSED, 0, 1.25)


def _id(of: str, length: int = 40) -> str:
    return hashlib.sha256(of.encode()).hexdigest()[:length]

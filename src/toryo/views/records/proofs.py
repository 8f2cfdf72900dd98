"""What Toryo saw of a task's files, and how much of it is on record."""

import json
from collections.abc import Iterable, Iterator

from toryo.domain import events as e
from toryo.domain.evidence import Change, Evidence, FileChange, Operation, seal
from toryo.domain.run import Observation
from toryo.domain.task import Task
from toryo.views.records import shapes
from toryo.views.records.chronicle import Chronicle, Step
from toryo.views.records.enums import DetectionMethod
from toryo.views.records.times import moment


def last_look(steps: Iterable[Step]) -> tuple[Observation, float] | None:
    """What was last seen of the task's files, and when."""
    found = None
    for step in steps:
        if isinstance(step.event, e.WorkObserved):
            found = step.event.observation, step.at
    return found


def artifacts(task: Task, seen: Observation | None) -> shapes.ArtifactList:
    changes = seen.changes if seen else ()

    def those(kind: Change) -> list[str]:
        return [change.path for change in changes if change.change is kind]

    return {
        "files_touched": [change.path for change in changes],
        "files_expected": list(task.plan.expect),
        "files_created": those(Change.CREATED),
        "files_modified": those(Change.MODIFIED),
        "files_deleted": those(Change.DELETED),
    }


def verified_files(task: Task, seen: Observation, at: float) -> list[shapes.VerifiedFile]:
    """Every file that the comparison shows, then those that were only expected."""
    found = {change.path: (change.exists, DetectionMethod.DIFF) for change in seen.changes}
    for path in task.plan.expect:
        found.setdefault(path, (path not in seen.missing, DetectionMethod.EXECUTOR_CLAIM))
    return [
        {"path": path, "exists": exists, "detected_at": moment(at), "detection_method": method}
        for path, (exists, method) in found.items()
    ]


def evidence_summary(task: Task, seen: Observation, at: float) -> shapes.EvidenceSummary:
    files = verified_files(task, seen, at)
    passed, reason = _verification(task, seen, files)
    return {
        "files_expected": list(task.plan.expect),
        "files_verified": [file["path"] for file in files if file["exists"]],
        "files_missing": list(seen.missing),
        "verification_passed": passed,
        "verification_reason": reason,
        "verified_files": files,
    }


def _verification(task: Task, seen: Observation, files: list[shapes.VerifiedFile]) -> tuple[bool, str]:
    if seen.missing:
        return False, f"{len(seen.missing)} file(s) not found on disk"
    if any(file["exists"] for file in files):
        return True, "All expected files verified on disk"
    if any(_is_deletion(change) for change in seen.changes):
        return True, "The deleted files are gone from disk"
    if task.plan.type.is_read_only:
        return True, "Nothing but a written result is expected of it"
    return False, "Task completed but no verified files exist on disk"


def _is_deletion(change: FileChange) -> bool:
    return change.change is Change.DELETED and not change.exists


def all_summaries(told: Chronicle) -> shapes.EvidenceSummary:
    """The files of all tasks together, each as the last task that touched it left it."""
    expected: dict[str, None] = {}
    files: dict[str, shapes.VerifiedFile] = {}
    missing: dict[str, None] = {}
    failing = []
    for number, task in told.session.tasks.items():
        expected |= dict.fromkeys(task.plan.expect)
        if look := last_look(told.steps[number]):
            summary = evidence_summary(task, *look)
            files |= {file["path"]: file for file in summary["verified_files"]}
            missing |= dict.fromkeys(summary["files_missing"])
            if not summary["verification_passed"]:
                failing.append(f"{task.plan.key}: {summary['verification_reason']}")
    passed = bool(files) and not failing
    nothing = "No file was verified yet"
    return {
        "files_expected": list(expected),
        "files_verified": [path for path, file in files.items() if file["exists"]],
        "files_missing": list(missing),
        "verification_passed": passed,
        "verification_reason": "; ".join(failing) or ("All files verified on disk" if files else nothing),
        "verified_files": list(files.values()),
    }


# ── the records themselves ───────────────────────────────────────────────────


def evidence_records(task: Task) -> list[shapes.Evidence]:
    return [_evidence_record(record, is_sound=is_sound) for record, is_sound in _checked(task.evidence)]


def _checked(records: Iterable[Evidence]) -> Iterator[tuple[Evidence, bool]]:
    """Each with whether its hash is its own and it builds on the one before it."""
    previous = ""
    for record in records:
        yield record, record.sha256 == seal(record) and record.previous == previous
        previous = record.sha256


def _evidence_record(record: Evidence, *, is_sound: bool) -> shapes.Evidence:
    facts = dict(record.facts)
    shown: shapes.Evidence = {
        "evidence_id": record.id,
        "timestamp": moment(record.at),
        "operation_type": record.operation.value,
        "artifacts": _artifacts_in(facts),
        "hash": record.sha256,
        "raw_logs": record.log,
        "atomic_operation": True,
        "raw_evidence_refs": [f"sha256:{record.log_sha256}"] if record.log_sha256 else [],
        "integrity_validated": is_sound,
        "contains_sensitive_data": record.sensitive,
    }
    if "agent" in facts:
        shown["executor_id"] = facts["agent"]
    return shown


def _artifacts_in(facts: dict[str, str]) -> list[str]:
    """The files and commits that a record names."""
    try:
        files = json.loads(facts.get("files", "[]"))
    except ValueError:
        files = []
    listed = [str(file).partition(" ")[2] or str(file) for file in files] if isinstance(files, list) else []
    return [*listed, *(facts[name] for name in ("commit", "run") if facts.get(name))]


def inventory(told: Chronicle) -> shapes.EvidenceInventory:
    tasks = list(told.session.tasks.values())
    records = [record for task in tasks for record in task.evidence]
    return {
        "total_evidence_items": len(records),
        "missing_evidence_operations": [
            missing for task in tasks for missing in _without_evidence(task, told.steps[task.number])
        ],
        "integrity_failures": [
            record.id for task in tasks for record, is_sound in _checked(task.evidence) if not is_sound
        ],
        "raw_evidence_files": list(dict.fromkeys(record.log for record in records if record.log)),
    }


_LEAVING_EVIDENCE: dict[type[e.Event], Operation] = {
    e.RunExited: Operation.AGENT,
    e.WorkObserved: Operation.FILES,
    e.CheckFinished: Operation.CHECK,
    e.WorkReviewed: Operation.REVIEW,
    e.TaskIntegrated: Operation.MERGE,
    e.CulpritParked: Operation.MERGE,
}


def _without_evidence(task: Task, steps: Iterable[Step]) -> Iterator[str]:
    """Operations that were done and left no record."""
    for step in steps:
        operation = _LEAVING_EVIDENCE.get(type(step.event))
        is_its_own = getattr(step.event, "task", None) == task.number
        if operation and is_its_own and not getattr(step.event, "evidence", ()):
            yield f"{task.id}:{operation}:{getattr(step.event, 'run', '')}".rstrip(":")

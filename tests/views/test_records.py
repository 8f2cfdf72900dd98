"""Task logs, results and evidence: exactly the known structures, for sessions in any state."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.journal.test_histories import NAMES, stored
from tests.support.records import ROOT, SHAPES, example, problems, wandered

from toryo.domain import events as e
from toryo.domain.verdict import Outcome, worst
from toryo.rules.judging import is_counted, session_outcome
from toryo.views.records import enums, logshapes, shapes
from toryo.views.records.chronicle import Chronicle, chronicle
from toryo.views.records.enums import LogEventType, TaskLogStatus
from toryo.views.records.phases import phase_of
from toryo.views.records.proofs import evidence_records
from toryo.views.records.results import execution_result, session_record, task_record, task_result
from toryo.views.records.rounds import metadata, run_record, thread_records
from toryo.views.records.statuses import log_id, log_status, task_status
from toryo.views.records.tasklogs import task_log, task_log_index

# ── the known structures ─────────────────────────────────────────────────────

FIELDS = {
    "Session": "session_id started_at target_project runner_version configuration current_phase status "
    "continuation_approved limit_violations selected_provider selected_model",
    "Thread": "thread_id session_id thread_type created_at description?",
    "Run": "run_id thread_id session_id started_at completed_at status trigger",
    "Task": "task_id thread_id run_id parent_task_id description requirements status assigned_executor? "
    "evidence_refs files_modified tests_run tests_required_before_implementation granularity_limits "
    "decomposition_approved_by_runner log_ref",
    "TaskResult": "task_id status started_at completed_at? error? evidence clarification_needed "
    "clarification_question?",
    "Evidence": "evidence_id timestamp operation_type executor_id? artifacts hash raw_logs atomic_operation "
    "raw_evidence_refs integrity_validated contains_sensitive_data",
    "FileLock": "lock_id file_path holder_executor_id acquired_at expires_at lock_type",
    "ExecutionResult": "overall_status tasks evidence_summary next_action next_action_reason? violations session_id "
    "incomplete_task_reasons evidence_inventory speculative_language_detected selected_provider selected_model",
    "TaskLimits": "max_files max_tests max_seconds",
    "LimitViolation": "limit_type limit_value actual_value timestamp resolution_required",
    "EvidenceInventory": "total_evidence_items missing_evidence_operations integrity_failures raw_evidence_files",
    "TaskLogIndex": "session_id created_at updated_at entries",
    "TaskLogEntry": "task_id external_task_id thread_id run_id parent_task_id status started_at completed_at "
    "duration_ms files_modified_count tests_run_count log_file",
    "EvidenceSummary": "files_expected files_verified files_missing verification_passed verification_reason "
    "verified_files?",
    "VerifiedFile": "path exists detected_at detection_method",
    "ArtifactList": "files_touched files_expected files_created files_modified files_deleted",
    "TaskLog": "task_id session_id status started_at ended_at prompt_summary runner_decision error_reason artifacts "
    "visibility masked events thread_id? run_id? parent_task_id? created_at? executor_summary? evidence_summary? "
    "summary? evidence_refs? verification_root? verified_files? executor_blocked? blocked_reason? timeout_ms? "
    "terminated_by?",
    "LogEvent": "event_type timestamp visibility_level content",
    "TaskLogSummary": "total_events summary_events full_events total_tokens_input total_tokens_output total_latency_ms",
}
WORDS = {
    "OverallStatus": "COMPLETE INCOMPLETE ERROR INVALID NO_EVIDENCE",
    "TaskStatus": "COMPLETE INCOMPLETE ERROR INVALID NO_EVIDENCE",
    "Phase": "REQUIREMENT_ANALYSIS TASK_DECOMPOSITION PLANNING EXECUTION QA COMPLETION_VALIDATION REPORT",
    "Provider": "claude-code openai anthropic",
    "ThreadType": "main background system",
    "RunStatus": "RUNNING COMPLETED FAILED CANCELLED",
    "RunTrigger": "USER_INPUT USER_RESPONSE CONTINUATION EXECUTOR",
    "TaskLogStatus": "queued running complete incomplete error",
    "LogEventType": "USER_INPUT RUNNER_CLARIFICATION USER_RESPONSE TASK_STARTED TASK_COMPLETED TASK_INCOMPLETE "
    "TASK_ERROR EVIDENCE_MISSING LLM_MEDIATION_REQUEST LLM_MEDIATION_RESPONSE EXECUTOR_DISPATCH EXECUTOR_OUTPUT "
    "EXECUTOR_BLOCKED FILE_OPERATION TEST_EXECUTION",
    "BlockedReason": "INTERACTIVE_PROMPT TIMEOUT STDIN_REQUIRED",
    "TerminatedBy": "REPL_FAIL_CLOSED USER TIMEOUT",
    "VisibilityLevel": "summary full",
    "DetectionMethod": "diff executor_claim",
}


@pytest.mark.covers("P26")
@pytest.mark.parametrize("name", FIELDS)
def test_every_structure_has_exactly_the_known_fields(name: str) -> None:
    kind = SHAPES[name]
    wanted = FIELDS[name].split()
    assert {*kind.__required_keys__} == {field for field in wanted if not field.endswith("?")}
    assert {*kind.__optional_keys__} == {field[:-1] for field in wanted if field.endswith("?")}


@pytest.mark.parametrize("name", WORDS)
def test_every_enumeration_has_exactly_the_known_values(name: str) -> None:
    assert {member.value for member in getattr(enums, name)} == set(WORDS[name].split())


EXAMPLES = [
    ("task_log_incomplete", logshapes.TaskLog),
    ("task_log_complete", logshapes.TaskLog),
    ("evidence_summary", shapes.EvidenceSummary),
    ("artifact_list", shapes.ArtifactList),
    ("session_metadata", shapes.SessionMetadata),
]


@pytest.mark.covers("P26")
@pytest.mark.parametrize(("name", "kind"), EXAMPLES)
def test_known_examples_have_the_same_shape(name: str, kind: Any) -> None:
    assert problems(kind, example(name)) == []


@pytest.mark.parametrize("name", LogEventType)
def test_known_contents_of_events_have_the_same_shape(name: LogEventType) -> None:
    contents = example("log_event_contents")
    if name in contents:
        # Where an example lists the values there are, the first stands for all.
        content = {
            field: value.partition(" | ")[0] if isinstance(value, str) else value
            for field, value in contents[name].items()
        }
        event = {"event_type": name, "timestamp": "2025-01-12T11:30:00.000Z", "visibility_level": "full"}
        assert problems(logshapes.LogEvent, event | {"content": content}) == []


BREAKS: list[Callable[[dict[str, Any]], object]] = [
    lambda log: log.pop("error_reason"),
    lambda log: log.update(status="done"),
    lambda log: log.update(events=[]),
    lambda log: log.update(masked=False),
    lambda log: log.update(more=1),
    lambda log: log.update(started_at="yesterday"),
    lambda log: log.update(prompt_summary="x" * 101),
    lambda log: log["events"][0].update(content={"question": "?", "options": []}),
    lambda log: log["verified_files"][0].update(detection_method="guess"),
]


@pytest.mark.parametrize("spoil", BREAKS)
def test_anything_else_is_refused(spoil: Callable[[dict[str, Any]], object]) -> None:
    log = example("task_log_complete")
    spoil(log)
    assert problems(logshapes.TaskLog, log)


# ── for sessions in any state ────────────────────────────────────────────────

TROUBLE = st.sampled_from([0, 5, 20, 50])
WALKS = st.builds(wandered, st.integers(0, 1_000_000), TROUBLE, has_plan=st.booleans(), most=st.integers(1, 90))


def all_logs(told: Chronicle) -> list[logshapes.TaskLog]:
    return [task_log(told, task, ROOT, is_full=True) for task in told.session.tasks.values()]


def assert_sound(told: Chronicle) -> None:
    """Everything that can be read from the session has its shape."""
    session = told.session
    assert problems(shapes.Session, session_record(told, ROOT)) == []
    assert problems(shapes.ExecutionResult, execution_result(told, ROOT)) == []
    assert problems(logshapes.TaskLogIndex, task_log_index(told, session.updated_at)) == []
    assert problems(shapes.SessionMetadata, metadata(session, told.rounds)) == []
    for thread in thread_records(session, told.rounds):
        assert problems(shapes.Thread, thread) == []
    for each in told.rounds:
        assert problems(shapes.Run, run_record(session, each)) == []
    for task in session.tasks.values():
        assert problems(shapes.Task, task_record(told, task, ROOT)) == []
        assert problems(shapes.TaskResult, task_result(told, task)) == []
        for record in evidence_records(task):
            assert problems(shapes.Evidence, record) == []
        for is_full in (False, True):
            assert problems(logshapes.TaskLog, task_log(told, task, ROOT, is_full=is_full)) == []


@pytest.mark.covers("P10", "P26")
@settings(max_examples=60, deadline=None)
@given(WALKS)
def test_whatever_happened_every_record_has_its_shape(events: list[e.Event]) -> None:
    assert_sound(chronicle(events))


@pytest.mark.parametrize("name", NAMES)
def test_journals_of_long_ago_give_the_same_structures(name: str) -> None:
    events = stored(name)
    for count in range(1, len(events) + 1, 7):
        assert_sound(chronicle(events[:count]))
    assert_sound(chronicle(events))


@pytest.mark.covers("P26", "P39")
@settings(max_examples=80, deadline=None)
@given(WALKS)
def test_there_is_a_log_in_every_state_and_it_says_why(events: list[e.Event]) -> None:
    told = chronicle(events)
    for task, log in zip(told.session.tasks.values(), all_logs(told), strict=True):
        status = log["status"]
        assert log["events"]
        assert [event["timestamp"] for event in log["events"]] == sorted(event["timestamp"] for event in log["events"])
        assert bool(log["error_reason"]) == status.needs_reason
        assert (log["ended_at"] is not None) == status.is_terminal
        assert log["ended_at"] is None or log["ended_at"] >= log["started_at"] >= log["created_at"]
        assert log["summary"]["total_events"] == len(log["events"])
        short = task_log(told, task, ROOT)
        assert len(short["events"]) == log["summary"]["summary_events"] >= 1
        assert {event["visibility_level"] for event in short["events"]} == {"summary"}
        assert short["summary"] == log["summary"]
        assert "sk-ant-" not in json.dumps(log)


_ENDS = {
    TaskLogStatus.COMPLETE: LogEventType.TASK_COMPLETED,
    TaskLogStatus.INCOMPLETE: LogEventType.TASK_INCOMPLETE,
    TaskLogStatus.ERROR: LogEventType.TASK_ERROR,
}


@pytest.mark.covers("P27", "P30", "P39")
@settings(max_examples=80, deadline=None)
@given(WALKS)
def test_tasks_and_logs_agree(events: list[e.Event]) -> None:
    told = chronicle(events)
    session = told.session
    entries = task_log_index(told, session.updated_at)["entries"]
    for task, log, entry in zip(session.tasks.values(), all_logs(told), entries, strict=True):
        assert (
            (entry["task_id"], entry["external_task_id"]) == (log_id(task), task.id) == (log_id(task), log["task_id"])
        )
        assert log["status"] is log_status(task)
        assert (log["status"] is TaskLogStatus.COMPLETE) == (task_status(task) is Outcome.COMPLETE)
        assert entry["status"] is task_status(task) is task_record(told, task, ROOT)["status"]
        assert (entry["started_at"], entry["completed_at"]) == (log["started_at"], log["ended_at"])
        assert (entry["thread_id"], entry["run_id"]) == (log["thread_id"], log["run_id"])
        seen = log.get("verified_files", [])
        assert entry["files_modified_count"] == sum(file["exists"] for file in seen)
        if log["status"].is_terminal:
            ends = [event["event_type"] for event in log["events"] if event["event_type"] in _ENDS.values()]
            assert ends[-1] is _ENDS[log["status"]]


@pytest.mark.covers("P64")
@settings(max_examples=80, deadline=None)
@given(WALKS)
def test_the_worst_task_decides_and_what_may_follow(events: list[e.Event]) -> None:
    told = chronicle(events)
    session = told.session
    result = execution_result(told, ROOT)
    counted = [task_status(task) for task in session.tasks.values() if is_counted(session, task)]
    assert result["overall_status"] is session_outcome(session)
    assert result["overall_status"].badness >= worst(counted or [Outcome.COMPLETE]).badness
    asks = "next_action_reason" in result
    assert result["next_action"] == (asks or result["overall_status"] not in (Outcome.ERROR, Outcome.INVALID))
    assert not asks or result["next_action_reason"]
    assert len(result["incomplete_task_reasons"]) == sum(status is not Outcome.COMPLETE for status in counted)
    if result["overall_status"] is Outcome.COMPLETE:
        assert all(status is Outcome.COMPLETE for status in counted)


@pytest.mark.covers("P3", "P4")
@settings(max_examples=80, deadline=None)
@given(WALKS)
def test_rounds_follow_each_other_and_phases_follow_their_order(events: list[e.Event]) -> None:
    told = chronicle(events)
    assert [each.number for each in told.rounds] == list(range(1, len(told.rounds) + 1))
    assert told.rounds[0].trigger is enums.RunTrigger.USER_INPUT
    for each in told.rounds[:-1]:
        assert each.ended is not None
        assert each.status is not enums.RunStatus.RUNNING
    for one, two in zip(told.rounds, told.rounds[1:], strict=False):
        assert (one.trigger, two.trigger) != (enums.RunTrigger.EXECUTOR, enums.RunTrigger.EXECUTOR) or one.ended
    order = list(enums.Phase)
    phase = order.index(phase_of(told.session))
    if told.session.state == "closed":
        assert order[phase] is enums.Phase.REPORT
    for task in told.session.tasks.values():
        number = int(task_record(told, task, ROOT)["run_id"].removeprefix("run_"))
        assert 1 <= number <= len(told.rounds)

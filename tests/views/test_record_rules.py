"""Task logs and results, case by case."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.support import planning as p
from tests.support.records import ROOT, problems
from tests.support.sessions import AT, a_session, after, evidence, opening, planned, result, seen, start

from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckStatus, Evidence, FileChange, Operation, sealed
from toryo.domain.limits import LimitType, LimitViolation
from toryo.domain.locks import FileLock, LockType
from toryo.domain.plan import Limits, TaskType, Terms
from toryo.domain.planning import Document
from toryo.domain.report import Report
from toryo.domain.review import Opinion, Remedy, Review
from toryo.domain.run import EndedBy, Observation
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.evolve import fold
from toryo.views.records import logshapes, shapes
from toryo.views.records.chronicle import Chronicle, chronicle
from toryo.views.records.enums import LogEventType, Phase, RunStatus, TaskLogStatus
from toryo.views.records.phases import phase_of
from toryo.views.records.proofs import inventory
from toryo.views.records.results import execution_result, lock_record, session_record, task_result
from toryo.views.records.statuses import decision, error_reason
from toryo.views.records.tasklogs import line_of, task_log, task_log_index
from toryo.views.records.times import moment


class Story:
    """The events of one task's life, each a second after the one before."""

    def __init__(self, **plan: Any) -> None:
        self.events: list[e.Event] = opening(planned("A", **plan))
        self.now = AT
        self.runs = 0

    def then(self, *events: Callable[[float], e.Event]) -> "Story":
        for make in events:
            self.now += 1
            self.events.append(make(self.now))
        return self

    def starts(self) -> "Story":
        self.runs += 1
        run = f"run-{self.runs}"
        return self.then(
            lambda at: e.RunPlanned(at, 1, run, "crew", "talk"),
            lambda at: e.WorkspacePrepared(at, 1, run, "b" * 40, "e" * 40, "b" * 40),
            lambda at: e.RunStarted(at, 1, run, 42),
        )

    def ends(self, code: int = 0, by: EndedBy = EndedBy.ITSELF, **more: Any) -> "Story":
        return self.then(lambda at: e.RunExited(at, 1, f"run-{self.runs}", code, by, **more))

    def leaves(self, observation: Observation | None = None) -> "Story":
        return self.then(lambda at: e.WorkObserved(at, 1, f"run-{self.runs}", observation or seen()))

    def verdict(self, outcome: Outcome, disposition: Disposition, *reasons: str, **more: Any) -> "Story":
        said = Verdict(outcome, disposition, reasons, **more)
        return self.then(lambda at: e.VerdictReached(at, 1, f"run-{self.runs}", said))

    @property
    def told(self) -> Chronicle:
        return chronicle(self.events)

    @property
    def log(self) -> logshapes.TaskLog:
        told = self.told
        log = task_log(told, told.session.tasks[1], ROOT, is_full=True)
        assert problems(logshapes.TaskLog, log) == []
        return log


def kinds(log: logshapes.TaskLog) -> list[str]:
    return [event["event_type"].value for event in log["events"]]


def content(log: logshapes.TaskLog, kind: LogEventType) -> Any:
    return [event["content"] for event in log["events"] if event["event_type"] is kind][-1]


ACCEPTED = (Outcome.COMPLETE, Disposition.ACCEPT)


# ── the log of a task ────────────────────────────────────────────────────────


@pytest.mark.covers("P26")
def test_a_task_that_waits_has_a_log_too() -> None:
    log = Story(title="x" * 300).log
    assert (log["status"], log["ended_at"], kinds(log)) == (TaskLogStatus.QUEUED, None, ["USER_INPUT"])
    assert len(log["prompt_summary"]) == 100
    assert log["runner_decision"] == "accept"


@pytest.mark.covers("P26", "P39")
def test_a_log_tells_a_life_in_order_and_times_are_those_of_the_work() -> None:
    story = Story(expect=("made.txt",)).starts().ends(report=Report(last_words="did it")).leaves()
    log = story.verdict(*ACCEPTED).log
    assert kinds(log) == [
        "USER_INPUT",
        "TASK_STARTED",
        "EXECUTOR_DISPATCH",
        "EXECUTOR_OUTPUT",
        "FILE_OPERATION",
        "TASK_COMPLETED",
    ]
    assert (log["started_at"], log["ended_at"]) == (moment(AT + 1), moment(AT + 6))
    assert content(log, LogEventType.TASK_STARTED) == {"action": "create", "target_file": "made.txt"}
    assert content(log, LogEventType.TASK_COMPLETED)["files_modified"] == ["made.txt"]
    assert log["executor_summary"] == "exited with code 0: did it"
    line = line_of(story.told, story.told.session.tasks[1], now=AT + 100)
    assert (line.duration_ms, line.files) == (5000, 1)


def test_an_attempt_that_failed_is_told_and_so_is_the_next() -> None:
    story = Story().starts().ends(1).leaves().verdict(Outcome.ERROR, Disposition.RETRY, "code 1")
    assert (story.log["status"], story.log["error_reason"]) == (TaskLogStatus.QUEUED, None)
    story.starts().ends().leaves().verdict(*ACCEPTED)
    assert [kind for kind in kinds(story.log) if kind.startswith("TASK")] == [
        "TASK_STARTED",
        "TASK_ERROR",
        "TASK_STARTED",
        "TASK_COMPLETED",
    ]
    assert story.log["started_at"] == moment(AT + 1)


@pytest.mark.covers("P31", "P39")
@pytest.mark.parametrize(
    ("more", "changes", "missing", "passed", "count"),
    [
        ({}, [("a", Change.CREATED, True)], (), True, 1),
        ({"expect": ("a", "b")}, [("a", Change.MODIFIED, True)], ("b",), False, 1),
        ({"expect": ("README.md",)}, [("a", Change.CREATED, True)], (), True, 2),
        ({}, [("a", Change.DELETED, False)], (), True, 0),
        ({}, [("a", Change.CREATED, False)], (), False, 0),
        ({}, [], (), False, 0),
        ({"type": TaskType.INVESTIGATION}, [], (), True, 0),
    ],
)
def test_files_are_what_is_on_disk(more: Any, changes: Any, missing: Any, passed: bool, count: int) -> None:
    found = seen(changes=tuple(FileChange(*change) for change in changes), missing=missing)
    story = Story(**more).starts().ends().leaves(found)
    summary = story.log["evidence_summary"]
    assert summary["verification_passed"] is passed
    assert summary["files_missing"] == list(missing)
    assert task_log_index(story.told, AT)["entries"][0]["files_modified_count"] == count


@pytest.mark.covers("P34", "P35", "P36")
def test_who_ended_a_run_that_could_not_go_on() -> None:
    facts = (("run", "run-1"), ("timeout_ms", "30000"), ("detected_pattern", "? Select an option:"))
    record = sealed(Evidence(Operation.AGENT, AT, (*facts, ("blocked_reason", "STDIN_REQUIRED"))))
    asks = Story().starts().ends(143, EndedBy.QUESTION, evidence=(record,))
    assert content(asks.log, LogEventType.EXECUTOR_BLOCKED) == {
        "executor": "crew",
        "blocked_reason": "STDIN_REQUIRED",
        "timeout_ms": 30000,
        "terminated_by": "REPL_FAIL_CLOSED",
        "detected_pattern": "? Select an option:",
        "termination_signal": "SIGTERM",
    }
    slow = Story().starts().ends(137, EndedBy.TIME_LIMIT).log
    assert (slow["blocked_reason"], slow["timeout_ms"], slow["terminated_by"]) == ("TIMEOUT", 1000, "TIMEOUT")
    left = (
        Story()
        .starts()
        .then(
            lambda at: e.RunWaited(at, 1, "run-1", "left?"),
            lambda at: e.SessionPaused(at, "stopped"),
            lambda at: e.RunStopped(at, 1, "run-1"),
        )
    )
    assert (left.log["blocked_reason"], left.log["terminated_by"]) == ("INTERACTIVE_PROMPT", "USER")
    fine = Story().starts().ends().log
    assert fine["executor_blocked"] is False
    assert "blocked_reason" not in fine


def test_a_clock_that_jumps_back_does_not_put_the_log_out_of_order() -> None:
    story = Story().starts()
    story.now -= 1000
    log = story.ends().leaves().verdict(*ACCEPTED).log
    assert kinds(log)[-1] == "TASK_COMPLETED"
    assert log["ended_at"] == moment(AT + 3)


def test_calls_about_a_task_are_in_its_log_with_what_they_took() -> None:
    call = replace(p.call(), at=AT + 5.5, provider="openai", question="review", seconds=0.25)
    story = Story().starts().ends().leaves()
    review = Review(Opinion.APPROVED, "fine")
    log = story.then(lambda at: e.WorkReviewed(at, 1, "run-1", review, (call,))).log
    assert kinds(log)[-2:] == ["LLM_MEDIATION_REQUEST", "LLM_MEDIATION_RESPONSE"]
    asked, said = (event["content"] for event in log["events"][-2:])
    assert asked == {"provider": "openai", "model": "a model", "prompt_summary": "review", "tokens_input": 100}
    assert (said["response_type"], said["latency_ms"]) == ("approved", 250)
    totals = log["summary"]
    assert (totals["total_tokens_input"], totals["total_tokens_output"], totals["total_latency_ms"]) == (100, 10, 250)


# ── results ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("P13", "P20")
def test_limits_gone_beyond_are_on_record_and_going_on_needs_a_person() -> None:
    over = LimitViolation(LimitType.FILES, 5, 9, AT)
    story = Story(limits=Limits(files=5)).starts().ends().leaves()
    story.verdict(Outcome.INCOMPLETE, Disposition.BLOCK, "9 files", block_reason=BlockReason.LIMIT, violations=(over,))
    record = session_record(story.told, ROOT)
    assert record["limit_violations"] == [
        {
            "limit_type": "max_files",
            "limit_value": 5,
            "actual_value": 9,
            "timestamp": moment(AT),
            "resolution_required": True,
        }
    ]
    assert execution_result(story.told, ROOT)["violations"] == record["limit_violations"]
    assert record["continuation_approved"] is False
    story.then(lambda at: e.TaskApproved(at, 1, "a person"))
    assert session_record(story.told, ROOT)["continuation_approved"] is True


@pytest.mark.covers("P21")
def test_evidence_that_was_tampered_with_is_named() -> None:
    good = evidence()
    bad = replace(evidence(good), facts=(("what", "never happened"),))
    story = Story().starts().ends(evidence=(good, bad))
    found = inventory(story.told)
    assert found["integrity_failures"] == [bad.id]
    assert found["total_evidence_items"] == 2
    records = task_result(story.told, story.told.session.tasks[1])["evidence"]
    assert [record["integrity_validated"] for record in records] == [True, False]


@pytest.mark.covers("P21")
def test_evidence_that_was_taken_out_is_noticed_by_the_one_after_it() -> None:
    first = evidence()
    second = evidence(first)
    third = evidence(second)
    story = Story().starts().ends(evidence=(first, third))
    assert inventory(story.told)["integrity_failures"] == [third.id]


@pytest.mark.covers("P7", "P18")
def test_what_was_done_without_leaving_evidence_is_named() -> None:
    story = Story().starts().ends(evidence=(evidence(),)).leaves()
    task = story.told.session.tasks[1]
    assert inventory(story.told)["missing_evidence_operations"] == [f"{task.id}:files:run-1"]


@pytest.mark.covers("P15")
def test_guessing_is_noticed() -> None:
    sure, guess = ("All tests pass.", False), ("It should work now, probably.", True)
    for words, is_guess in (sure, guess, ("おそらく動きます。", True)):
        story = Story().starts().ends(report=Report(last_words=words))
        assert execution_result(story.told, ROOT)["speculative_language_detected"] is is_guess


@pytest.mark.covers("P64")
def test_an_open_question_is_the_next_action_even_after_an_error() -> None:
    story = Story().starts().ends(1).leaves()
    story.verdict(Outcome.ERROR, Disposition.BLOCK, "no", block_reason=BlockReason.MAX_RETRIES)
    assert execution_result(story.told, ROOT)["next_action"] is False
    remedy = Remedy.ASK
    story.then(lambda at: e.TaskReconsidered(at, 1, remedy, "unclear", "Which way?"))
    result_ = execution_result(story.told, ROOT)
    assert (result_["overall_status"], result_["next_action"]) == (Outcome.ERROR, True)
    assert result_["next_action_reason"] == "Which way?"
    task = story.told.session.tasks[1]
    assert decision(task) == "clarify"
    assert task_result(story.told, task)["clarification_question"] == "Which way?"


def test_what_is_no_longer_wanted_says_so() -> None:
    story = Story().then(lambda at: e.SessionClosed(at, Outcome.INCOMPLETE, discarded=True))
    log = story.log
    assert (log["status"], log["runner_decision"]) == (TaskLogStatus.INCOMPLETE, "reject")
    assert log["error_reason"] == "cancelled: nobody wants it any more"
    assert kinds(log) == ["USER_INPUT", "TASK_INCOMPLETE"]
    session = story.told.session
    assert error_reason(session, session.tasks[1])


@pytest.mark.covers("P6")
def test_locks_have_the_known_shape() -> None:
    lock = FileLock("src/**", 1, "run-1", AT, LockType.WRITE, float("inf"))
    record = lock_record(lock, "crew", ROOT)
    assert problems(shapes.FileLock, record) == []
    assert (record["file_path"], record["lock_type"]) == (f"{ROOT}/src/**", "WRITE")
    assert record["expires_at"].startswith("9999")


# ── phases and rounds ────────────────────────────────────────────────────────


@pytest.mark.covers("P4")
def test_phases_come_in_their_order() -> None:
    asked = p.asked(p.surveyed(p.instructed()), p.QUESTION)
    answered = p.answered(asked, "a.txt")
    drafted = p.drafted(p.written(answered), "A")
    proposed = p.proposed(p.scored(drafted, 90))
    approved = after(proposed, e.PlanApproved(AT, "a person"))
    at_work = start(approved, "A")
    checked = after(at_work, e.RunExited(AT, 1, at_work.tasks[1].runs[-1].id, 0, EndedBy.ITSELF))
    seen_ = [
        phase_of(session)
        for session in (
            p.instructed(),
            asked,
            answered,
            p.written(answered, Document.SPEC),
            drafted,
            proposed,
            approved,
            at_work,
            checked,
        )
    ]
    assert seen_ == sorted(seen_, key=list(Phase).index)
    assert {*seen_} == {*Phase} - {Phase.COMPLETION_VALIDATION, Phase.REPORT}
    story = Story().starts().ends().leaves().verdict(*ACCEPTED)
    story.then(lambda at: e.TaskIntegrated(at, 1, "a" * 40, "d" * 40), lambda at: e.WorkSettled(at))
    assert phase_of(story.told.session) is Phase.COMPLETION_VALIDATION
    paused = after(story.told.session, e.SessionPaused(AT, "x", waits_for_person=True))
    assert phase_of(paused) is Phase.COMPLETION_VALIDATION
    story.then(lambda at: e.SessionClosed(at, Outcome.COMPLETE))
    assert phase_of(story.told.session) is Phase.REPORT


def rounds(told: Chronicle) -> list[tuple[str, str, RunStatus]]:
    return [(each.thread.value, each.trigger.value, each.status) for each in told.rounds]


@pytest.mark.covers("P3")
def test_rounds_begin_with_what_people_say_and_with_agents_at_work() -> None:
    story = Story().starts()
    assert rounds(story.told) == [
        ("main", "USER_INPUT", RunStatus.COMPLETED),
        ("background", "EXECUTOR", RunStatus.RUNNING),
    ]
    story.then(lambda at: e.SessionPaused(at, "stopped"), lambda at: e.RunStopped(at, 1, "run-1"))
    assert rounds(story.told)[-1][2] is RunStatus.CANCELLED
    story.then(lambda at: e.SessionResumed(at)).starts().ends().leaves().verdict(*ACCEPTED)
    story.then(
        lambda at: e.TaskIntegrated(at, 1, "a" * 40, "d" * 40),
        lambda at: e.WorkSettled(at),
        lambda at: e.SessionClosed(at, Outcome.COMPLETE),
    )
    assert rounds(story.told)[2:] == [
        ("main", "CONTINUATION", RunStatus.COMPLETED),
        ("background", "EXECUTOR", RunStatus.COMPLETED),
        ("system", "CONTINUATION", RunStatus.COMPLETED),
    ]
    assert story.log["run_id"] == "run_004"


def test_several_decisions_in_a_row_are_one_round_until_it_rests() -> None:
    story = Story().then(lambda at: e.SessionPaused(at, "stopped"), lambda at: e.SessionResumed(at))
    story.then(lambda at: e.PauseLifted(at, "crew"))
    before = rounds(story.told)
    assert [trigger for _, trigger, _ in before] == ["USER_INPUT", "CONTINUATION"]
    story.then(lambda at: e.SessionPaused(at, "stopped"), lambda at: e.SessionResumed(at))
    assert len(rounds(story.told)) == 3


def test_a_rejected_plan_leaves_no_logs_behind() -> None:
    opened = e.SessionOpened(AT, "s", "t", "", "main", "b", "e", "agent/x", Terms(crew=p.CREW), "do it", "SPEC-1")
    events: list[e.Event] = [opened, e.PlanProposed(AT + 1, (planned("A"), planned("B")))]
    assert len(task_log_index(chronicle(events), AT)["entries"]) == 2
    events += [e.PlanRejected(AT + 2, "no", "a person"), e.PlanProposed(AT + 3, (planned("C"),))]
    told = chronicle(events)
    assert [entry["started_at"] for entry in task_log_index(told, AT)["entries"]] == [moment(AT + 3)]
    assert told.session == fold(events)


def test_checks_count_as_tests_and_their_times_are_kept() -> None:
    story = Story().starts().ends().leaves()
    story.then(lambda at: e.CheckFinished(at, 1, "run-1", result("unit", CheckStatus.FAILED)))
    assert content(story.log, LogEventType.TEST_EXECUTION) == {
        "name": "unit",
        "status": "failed",
        "exit_code": 1,
        "duration_ms": 500,
    }
    assert task_log_index(story.told, AT)["entries"][0]["tests_run_count"] == 1


def test_a_session_without_events_is_none() -> None:
    with pytest.raises(ValueError, match="at least one event"):
        chronicle([])


def test_sessions_of_the_builders_can_be_told_as_well() -> None:
    session: Session = a_session("A")
    assert chronicle(opening("A")).session == session

"""Verdicts fail closed: what was not observed is never a success."""

from dataclasses import replace
from typing import Any

import pytest
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    block,
    check,
    finish,
    integrate,
    judge,
    leave,
    limit,
    merge,
    planned,
    refuse,
    result,
    retry,
    seen,
    start,
    trouble,
)

from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckStatus, FileChange
from toryo.domain.plan import Check, Limits, OnFailure, TaskType, Terms
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.domain.verdict import BlockReason, Disposition, Outcome, Verdict
from toryo.rules.judging import conflict_disposition, next_check, session_outcome, verdict_on
from toryo.rules.patience import spread_of, wait_after

TESTS = Check("tests", "make test")
LINT = Check("lint", "make lint")
TERMS = Terms()
FAILED, TIMED_OUT, NOT_RUN = CheckStatus.FAILED, CheckStatus.TIMED_OUT, CheckStatus.NOT_RUN


def worked(observation: Observation | None = None, *, code: int = 0, **plan: Any) -> Session:
    """A session whose only task has been run and observed."""
    return finish(start(a_session(planned("A", **plan)), "A"), "A", observation, code)


def verdict(session: Session) -> Verdict:
    return verdict_on(session.task("A"), session.terms)


def said(session: Session) -> tuple[Outcome, Disposition, BlockReason | None]:
    reached = verdict(session)
    return reached.outcome, reached.disposition, reached.block_reason


RETRIED = (Outcome.INCOMPLETE, Disposition.RETRY, None)


# ── without checks ───────────────────────────────────────────────────────────


def test_changed_files_and_a_good_exit_are_accepted() -> None:
    assert said(worked()) == (Outcome.COMPLETE, Disposition.ACCEPT, None)


def test_where_no_check_exists_the_verdict_says_so() -> None:
    assert verdict(worked()).reasons == ("no check exists for this task",)
    assert verdict(check(worked(checks=(TESTS,)), "A")).reasons == ()


@pytest.mark.covers("P8", "P9")
def test_no_change_is_no_evidence() -> None:
    session = worked(seen(changes=()))
    assert said(session) == (Outcome.NO_EVIDENCE, Disposition.RETRY, None)
    assert "no file was created" in verdict(session).feedback


@pytest.mark.covers("P8")
def test_no_change_is_no_evidence_even_where_every_check_passes() -> None:
    session = worked(seen(changes=()), checks=(TESTS,))
    assert next_check(session.task("A"), TERMS) is None
    assert verdict(session).outcome is Outcome.NO_EVIDENCE


@pytest.mark.covers("P8")
def test_a_run_that_added_nothing_needs_a_check_to_show_that_the_work_is_done() -> None:
    idle = seen(run_changed=False)
    assert verdict(worked(idle)).outcome is Outcome.NO_EVIDENCE
    assert verdict(check(worked(idle, checks=(TESTS,)), "A")).outcome is Outcome.COMPLETE


@pytest.mark.covers("P1")
@pytest.mark.parametrize("code", [1, 2, 127, 137, -9])
def test_a_bad_exit_is_an_error_whatever_the_files_say(code: int) -> None:
    session = worked(code=code)
    assert said(session) == (Outcome.ERROR, Disposition.RETRY, None)
    assert f"code {code}" in verdict(session).feedback


@pytest.mark.covers("P9")
def test_what_could_not_be_observed_is_no_evidence() -> None:
    session = leave(start(a_session("A"), "A"), "A")
    assert said(session) == (Outcome.NO_EVIDENCE, Disposition.RETRY, None)


@pytest.mark.covers("P9")
def test_a_lost_run_is_an_error() -> None:
    session = after(start(a_session("A"), "A"), e.RunLost(AT, 1, "run-1-1", "it vanished"))
    assert said(session) == (Outcome.ERROR, Disposition.RETRY, None)
    assert verdict(session).reasons == ("it vanished",)


@pytest.mark.covers("P17")
def test_the_time_limit_blocks_at_once() -> None:
    session = leave(start(a_session("A"), "A"), "A", 143, EndedBy.TIME_LIMIT)
    session = after(session, e.WorkObserved(AT, 1, "run-1-1", seen()))
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.TIMEOUT)


@pytest.mark.covers("P64")
def test_the_worst_finding_decides_and_every_one_is_told() -> None:
    session = worked(seen(missing=("a.py",), out_of_scope=("b.py",), problems=("markers in c.py",)), code=3)
    reached = verdict(session)
    assert reached.outcome is Outcome.ERROR
    assert len(reached.reasons) == 4
    for part in ("code 3", "a.py", "b.py", "markers in c.py"):
        assert part in reached.feedback


@pytest.mark.parametrize(
    "wrong", [{"missing": ("a.py",)}, {"out_of_scope": ("b.py",)}, {"problems": ("conflict markers",)}]
)
def test_each_thing_wrong_with_the_files_is_enough(wrong: dict[str, Any]) -> None:
    assert said(worked(seen(**wrong))) == RETRIED


@pytest.mark.covers("P13")
def test_too_many_files_block_at_once() -> None:
    limits = Limits(files=2)
    assert said(worked(seen("a", "b"), limits=limits))[0] is Outcome.COMPLETE
    session = worked(seen("a", "b", "c"), limits=limits)
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.LIMIT)


# ── investigations ───────────────────────────────────────────────────────────


def investigated(**more: Any) -> Session:
    return worked(seen(**{"changes": (), "run_changed": False, **more}), type=TaskType.INVESTIGATION)


@pytest.mark.covers("P8", "P55")
def test_an_investigation_completes_on_its_written_result() -> None:
    assert said(investigated(output_bytes=1)) == (Outcome.COMPLETE, Disposition.ACCEPT, None)


def test_an_investigation_without_a_result_is_no_evidence() -> None:
    assert said(investigated(output_bytes=0))[0] is Outcome.NO_EVIDENCE


@pytest.mark.covers("P55")
def test_an_investigation_must_not_change_files() -> None:
    session = investigated(changes=(FileChange("a.py", Change.MODIFIED, True),))
    assert said(session) == RETRIED
    assert "a.py" in verdict(session).feedback


# ── checks ───────────────────────────────────────────────────────────────────


def test_checks_are_run_in_order_until_each_has_a_result() -> None:
    session = worked(checks=(TESTS, LINT))
    assert next_check(session.task("A"), TERMS) == TESTS
    session = check(session, "A", result("tests", FAILED))
    assert next_check(session.task("A"), TERMS) == LINT
    assert next_check(check(session, "A", result("lint")).task("A"), TERMS) is None


def test_no_check_is_run_before_the_work_was_observed_or_after_it_failed() -> None:
    session = leave(start(a_session(planned("A", checks=(TESTS,))), "A"), "A")
    assert next_check(session.task("A"), TERMS) is None
    assert next_check(worked(code=1, checks=(TESTS,)).task("A"), TERMS) is None


@pytest.mark.covers("P9")
def test_a_missing_result_is_not_complete() -> None:
    session = worked(checks=(TESTS, LINT))
    assert said(session) == RETRIED
    session = check(session, "A", result("tests"))
    assert said(session) == RETRIED
    assert verdict(session).reasons == ("check 'lint' did not run",)


@pytest.mark.covers("P9")
@pytest.mark.parametrize("name", ["test", "Tests", ""])
def test_a_result_of_another_check_is_no_substitute(name: str) -> None:
    assert said(check(worked(checks=(TESTS,)), "A", result(name))) == RETRIED


@pytest.mark.parametrize("status", [FAILED, TIMED_OUT, NOT_RUN])
def test_a_check_that_does_not_pass_is_told_with_its_output(status: CheckStatus) -> None:
    session = check(worked(checks=(TESTS,)), "A", result("tests", status, "assert 1 == 2\nboom"))
    assert said(session) == RETRIED
    assert "'tests'" in verdict(session).feedback
    assert "    assert 1 == 2\n    boom" in verdict(session).feedback


def test_a_timeout_is_called_one() -> None:
    session = check(worked(checks=(TESTS,)), "A", result("tests", TIMED_OUT))
    assert "time limit" in verdict(session).reasons[0]


@pytest.mark.covers("A12")
def test_a_check_may_block_at_once() -> None:
    guarding = replace(TESTS, on_failure=OnFailure.BLOCK)
    session = check(worked(checks=(guarding,)), "A", result("tests", FAILED))
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.CHECK_FAILED)


@pytest.mark.covers("A12")
def test_a_check_may_only_warn() -> None:
    warning = replace(LINT, on_failure=OnFailure.WARN)
    session = check(worked(checks=(TESTS, warning)), "A", result("tests"), result("lint", FAILED))
    assert said(session)[:2] == (Outcome.COMPLETE, Disposition.ACCEPT)
    assert verdict(session).reasons == ("warning: check 'lint' failed with code 1",)


def test_a_check_that_only_warns_must_still_have_run() -> None:
    session = worked(checks=(replace(LINT, on_failure=OnFailure.WARN),))
    assert said(session) == RETRIED


@pytest.mark.covers("P13")
def test_no_more_checks_than_the_limit_and_then_it_is_blocked() -> None:
    session = worked(checks=(TESTS, LINT), limits=Limits(tests=1))
    session = check(session, "A", result("tests"))
    assert next_check(session.task("A"), TERMS) is None
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.LIMIT)


# ── attempts ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("A14")
def test_the_last_attempt_is_the_last() -> None:
    session = a_session("A", attempts=3)
    for _ in range(2):
        session = retry(session, "A")
    session = finish(start(session, "A"), "A", code=1)
    assert said(session) == (Outcome.ERROR, Disposition.BLOCK, BlockReason.MAX_RETRIES)


def test_no_evidence_to_the_end_is_blocked_as_such() -> None:
    session = finish(start(a_session("A", attempts=1), "A"), "A", seen(changes=()))
    assert said(session) == (Outcome.NO_EVIDENCE, Disposition.BLOCK, BlockReason.NO_EVIDENCE)


def test_success_at_the_last_attempt_is_success() -> None:
    session = retry(retry(a_session("A", attempts=3), "A"), "A")
    assert said(finish(start(session, "A"), "A"))[1] is Disposition.ACCEPT


@pytest.mark.covers("P1", "P9")
def test_only_a_complete_outcome_is_ever_accepted() -> None:
    """Whatever is wrong: of all combinations, only the flawless one is accepted."""
    accepted = []
    for code in (0, 1):
        for found in (seen(), seen(changes=()), seen(missing=("x",)), seen(problems=("y",))):
            for results in ((result("tests"),), (result("tests", FAILED),), ()):
                session = worked(found, code=code, checks=(TESTS,))
                if results:
                    session = check(session, "A", *results)
                reached = verdict(session)
                assert (reached.disposition is Disposition.ACCEPT) == (reached.outcome is Outcome.COMPLETE)
                if reached.disposition is Disposition.ACCEPT:
                    accepted.append((code, found, results))
    assert accepted == [(0, seen(), (result("tests"),))]


# ── what the agent says about itself ─────────────────────────────────────────


def reported(report: Report, *, code: int = 1, ended_by: EndedBy = EndedBy.ITSELF, **terms: Any) -> Session:
    """A run that left good work behind, and an account of itself."""
    return finish(start(a_session("A", **terms), "A"), "A", code=code, ended_by=ended_by, report=report)


POSTPONED = [(Trouble.QUOTA, BlockReason.QUOTA, 60.0), (Trouble.API, BlockReason.TRANSIENT_ERROR, 5.0)]


@pytest.mark.covers("A24", "P52")
@pytest.mark.parametrize(("kind", "reason", "wait"), POSTPONED)
def test_what_is_not_the_works_fault_is_postponed(kind: Trouble, reason: BlockReason, wait: float) -> None:
    session = reported(trouble(kind), attempts=1)
    assert said(session) == (Outcome.INCOMPLETE, Disposition.POSTPONE, reason)
    assert verdict(session).reasons == (f"{kind}: not now",)
    assert AT + wait <= verdict(session).until <= AT + 1.25 * wait
    assert verdict(reported(trouble(kind, AT + 99))).until == AT + 99, "the agent knows better"
    past = verdict(reported(trouble(kind, AT - 99))).until
    assert AT + wait <= past <= AT + 1.25 * wait, "what is past is no time to wait for"


@pytest.mark.covers("A24")
@pytest.mark.parametrize("kind", [Trouble.QUOTA, Trouble.API])
def test_no_attempt_is_burnt_by_waiting(kind: Trouble) -> None:
    session = a_session("A", attempts=2)
    for times in range(1, 6):
        session = limit(session, "A", kind)
        task = session.task("A")
        assert (task.attempts, task.postponements, task.feedback) == (0, times, "")
    session = retry(session, "A")
    assert session.task("A").attempts == 1
    assert said(finish(start(session, "A"), "A"))[1] is Disposition.ACCEPT


@pytest.mark.parametrize("ended_by", [EndedBy.ITSELF, EndedBy.TURN, EndedBy.STALL])
def test_a_limit_is_a_limit_whoever_ended_the_run(ended_by: EndedBy) -> None:
    assert said(reported(trouble(Trouble.QUOTA), code=143, ended_by=ended_by))[1] is Disposition.POSTPONE


def test_the_time_limit_is_no_usage_limit() -> None:
    session = reported(trouble(Trouble.QUOTA), code=143, ended_by=EndedBy.TIME_LIMIT)
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.TIMEOUT)


@pytest.mark.parametrize(("kind", "reason", "wait"), POSTPONED)
def test_after_the_longest_wait_a_person_has_to_look(kind: Trouble, reason: BlockReason, wait: float) -> None:
    session = limit(a_session("A", quota_wait=1000.0, api_wait=1000.0), "A", kind)
    late = AT + 1000 - wait_after(kind, 1, spread_of("run-1-2"))
    within = finish(start(session, "A"), "A", code=1, report=trouble(kind), at=late)
    assert said(within) == (Outcome.INCOMPLETE, Disposition.POSTPONE, reason)
    beyond = finish(start(session, "A"), "A", code=1, report=trouble(kind), at=late + 1)
    assert said(beyond) == (Outcome.INCOMPLETE, Disposition.BLOCK, reason)
    assert judge(beyond, "A").task("A").attempts == 0, "it could not even try"
    at_once = reported(trouble(kind, AT + 1001), quota_wait=1000.0, api_wait=1000.0)
    assert said(at_once) == (Outcome.INCOMPLETE, Disposition.BLOCK, reason), "it says itself that it takes too long"
    assert "until 1970-01-12 14:03 UTC" in verdict(at_once).reasons[0]


@pytest.mark.parametrize(
    ("kind", "reason"), [(Trouble.LOGIN, BlockReason.LOGIN), (Trouble.PROGRAM, BlockReason.PROGRAM)]
)
def test_what_only_a_person_can_mend_blocks_at_once(kind: Trouble, reason: BlockReason) -> None:
    assert said(reported(trouble(kind))) == (Outcome.INCOMPLETE, Disposition.BLOCK, reason)
    untouched = finish(start(a_session("A"), "A"), "A", seen(changes=()), code=1, report=trouble(kind))
    assert verdict(untouched).reasons == (f"{kind}: not now",), "what it left undone is no further finding"


def test_an_unknown_conversation_is_begun_afresh_but_not_for_ever() -> None:
    session = a_session("A", attempts=2)
    for _ in range(2):
        session = finish(start(session, "A"), "A", code=1, report=trouble(Trouble.CONVERSATION))
        assert said(session) == (Outcome.INCOMPLETE, Disposition.POSTPONE, None)
        assert verdict(session).until == 0.0, "there is nothing to wait for"
        session = judge(session, "A")
    session = finish(start(session, "A"), "A", code=1, report=trouble(Trouble.CONVERSATION))
    assert said(session) == (Outcome.ERROR, Disposition.RETRY, None)
    assert judge(session, "A").task("A").attempts == 1


def test_any_other_error_is_a_failed_attempt() -> None:
    assert said(reported(trouble(Trouble.OTHER))) == (Outcome.ERROR, Disposition.RETRY, None)
    assert "error: not now" in verdict(reported(trouble(Trouble.OTHER))).feedback


@pytest.mark.covers("P1")
@pytest.mark.parametrize("kind", list(Trouble))
@pytest.mark.parametrize("ended_by", list(EndedBy))
@pytest.mark.parametrize("checks", [(), (TESTS,)])
def test_a_failure_the_agent_reports_is_never_accepted(
    kind: Trouble, ended_by: EndedBy, checks: tuple[Check, ...]
) -> None:
    """Also where it exits with 0, leaves good files behind and every check would pass."""
    session = start(a_session(planned("A", checks=checks)), "A")
    session = finish(session, "A", code=0, ended_by=ended_by, report=trouble(kind))
    assert next_check(session.task("A"), TERMS) is None
    assert verdict(session).outcome is not Outcome.COMPLETE
    assert verdict(session).disposition is not Disposition.ACCEPT


@pytest.mark.parametrize("code", [0, 1, 137, 143])
def test_the_code_of_a_program_that_toryo_ended_after_its_turn_says_nothing(code: int) -> None:
    done = Report(is_finished=True, last_words="Done.")
    assert said(reported(done, code=code, ended_by=EndedBy.TURN))[1] is Disposition.ACCEPT


@pytest.mark.covers("P1")
def test_a_report_without_trouble_is_no_proof() -> None:
    done = Report(is_finished=True, last_words="Done.")
    assert said(reported(done, code=1))[0] is Outcome.ERROR
    session = finish(start(a_session("A"), "A"), "A", seen(changes=()), report=done)
    assert said(session)[0] is Outcome.NO_EVIDENCE


@pytest.mark.covers("G19", "P9")
def test_whoever_tells_its_end_has_to_have_told_it() -> None:
    """Gemini exits with 0 when it is ended in the middle of its work."""
    cut = Report(tells_end=True, last_words="I begin.")
    assert said(reported(cut, code=0)) == (Outcome.ERROR, Disposition.RETRY, None)
    assert "before its turn was over" in verdict(reported(cut, code=0)).feedback
    assert said(reported(replace(cut, is_finished=True), code=0))[1] is Disposition.ACCEPT
    assert said(reported(replace(cut, tells_end=False), code=0))[1] is Disposition.ACCEPT


@pytest.mark.covers("P35")
def test_a_question_that_nobody_answered_goes_to_a_person() -> None:
    session = reported(Report(question="left or right?"), code=143, ended_by=EndedBy.QUESTION)
    assert said(session) == (Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.INTERACTIVE_PROMPT)
    assert verdict(session).reasons == ("it waits for an answer: left or right?",)


# ── conflicts ────────────────────────────────────────────────────────────────


def conflicting(agent: str = "crew", **history: Any) -> Task:
    return replace(a_session(planned("A", agent=agent)).task("A"), **history)


@pytest.mark.covers("F11", "G30")
@pytest.mark.parametrize(
    ("task", "terms", "expected"),
    [
        (conflicting(), TERMS, Disposition.RESOLVE),
        (conflicting(resolutions=1), TERMS, Disposition.REDO),
        (conflicting(resolutions=1, redos=1), TERMS, Disposition.BLOCK),
        (conflicting(redos=1), TERMS, Disposition.BLOCK),
        (conflicting("shell"), TERMS, Disposition.REDO),
        (conflicting("shell", redos=1), TERMS, Disposition.BLOCK),
        (conflicting("shell"), Terms(resolver="crew"), Disposition.RESOLVE),
        (conflicting(), Terms(resolver="shell"), Disposition.REDO),
    ],
)
def test_a_conflict_goes_to_an_agent_then_is_redone_then_goes_to_a_person(
    task: Task, terms: Terms, expected: Disposition
) -> None:
    assert conflict_disposition(task, terms) is expected


def test_the_conflict_of_a_resolution_goes_to_a_person() -> None:
    session = accept(refuse(accept(a_session("A"), "A"), "A"), "A-merge")
    assert conflict_disposition(session.task("A-merge"), session.terms) is Disposition.BLOCK


# ── the session ──────────────────────────────────────────────────────────────


@pytest.mark.covers("P39")
def test_a_session_is_complete_when_every_task_is_merged() -> None:
    session = accept(a_session("A", "B"), "A")
    assert session_outcome(session) is Outcome.INCOMPLETE
    session = merge(session, "A")
    assert session_outcome(session) is Outcome.INCOMPLETE
    assert session_outcome(integrate(session, "B")) is Outcome.COMPLETE


@pytest.mark.covers("P9", "P39")
def test_a_session_without_tasks_is_no_evidence() -> None:
    assert session_outcome(a_session()) is Outcome.NO_EVIDENCE


@pytest.mark.covers("P64", "P39")
def test_the_worst_task_decides() -> None:
    session = integrate(a_session("A", "B", "C", attempts=1), "A")
    session = block(session, "B")
    assert session_outcome(session) is Outcome.INCOMPLETE
    session = judge(finish(start(session, "C"), "C", code=1), "C")
    assert session_outcome(session) is Outcome.ERROR


@pytest.mark.covers("P39")
def test_a_proof_that_fails_on_the_branch_spoils_it() -> None:
    session = integrate(a_session("A", checks=(TESTS,)), "A")
    proven = e.SessionProven(AT, session.tip, session.tip_tree, (result("tests"),))
    assert session_outcome(after(session, proven)) is Outcome.COMPLETE
    failed = replace(proven, results=(result("tests", FAILED),))
    assert session_outcome(after(session, failed)) is Outcome.INCOMPLETE


def test_a_check_that_only_warns_does_not_spoil_it() -> None:
    session = integrate(a_session("A", checks=(replace(TESTS, on_failure=OnFailure.WARN),)), "A")
    failed = e.SessionProven(AT, session.tip, session.tip_tree, (result("tests", FAILED),))
    assert session_outcome(after(session, failed)) is Outcome.COMPLETE


def test_a_failed_resolution_no_longer_counts_once_its_task_is_merged() -> None:
    session = block(refuse(accept(a_session("A"), "A"), "A"), "A-merge")
    assert session_outcome(session) is Outcome.INCOMPLETE
    session = refuse(session, "A", Disposition.REDO)
    assert session_outcome(integrate(session, "A")) is Outcome.COMPLETE


@pytest.mark.covers("P9")
def test_checks_that_have_not_run_on_the_branch_are_not_taken_for_passed() -> None:
    session = integrate(a_session("A", checks=(TESTS,)), "A")
    assert session_outcome(session) is not Outcome.COMPLETE
    other = e.SessionProven(AT, session.tip, session.tip_tree, (result("lint"),))
    assert session_outcome(after(session, other)) is not Outcome.COMPLETE


@pytest.mark.covers("P31", "P8")
def test_files_that_are_not_on_disk_are_no_evidence() -> None:
    ghost = FileChange("made.txt", Change.CREATED, False)
    assert verdict(worked(seen(changes=(ghost,)))).outcome is Outcome.NO_EVIDENCE


# ── guessing ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("P15")
def test_an_agent_that_guesses_is_warned_about_and_passes() -> None:
    session = finish(start(a_session("A"), "A"), "A", report=Report(last_words="Done. This should work."))
    verdict = verdict_on(session.task("A"), session.terms)
    assert verdict.outcome is Outcome.COMPLETE
    assert verdict.disposition is Disposition.ACCEPT
    assert "warning: the agent is guessing: This should work." in verdict.reasons

"""What a model's opinion can do to the work, and what it cannot: it holds back, it never waves through."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.books import check_books
from tests.support.planning import (
    TESTS,
    approved,
    considered,
    instructed,
    judged,
    postponed,
    reconsider,
    review,
    reviewed_session,
    said,
    wrong_way,
)
from tests.support.sessions import (
    AT,
    a_session,
    accept,
    after,
    block,
    check,
    claim,
    finish,
    integrate,
    judge,
    leave,
    merge,
    planned,
    refusal,
    refuse,
    result,
    retry,
    seen,
    start,
    stop,
    trouble,
)
from tests.support.walks import NOTHING, Walk

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import PlannedTask
from toryo.domain.report import Trouble
from toryo.domain.review import Judgement, Opinion, Remedy, Review
from toryo.domain.run import EndedBy, Observation
from toryo.domain.session import MODEL, Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome
from toryo.rules import patience
from toryo.rules.admit import admit
from toryo.rules.evolve import fold
from toryo.rules.judging import needs_review, session_outcome, verdict_on
from toryo.rules.playbook import next_effects
from toryo.rules.taskbook import hopeless


def names(session: Session) -> list[str]:
    shown = []
    for effect in next_effects(session):
        number = getattr(effect, "task", None)
        shown.append(type(effect).__name__ + (f" {session.tasks[number].plan.key}" if number else ""))
    return sorted(shown)


def done(session: Session, key: str = "A", observation: Observation | None = None) -> Session:
    """Its run has ended and its checks have passed."""
    return check(finish(start(session, key), key, observation), key)


def state_of(session: Session, key: str) -> TaskState:
    return session.task(key).state


# ── who is reviewed ──────────────────────────────────────────────────────────


def test_work_is_reviewed_after_its_checks() -> None:
    session = finish(start(reviewed_session(planned("A", checks=(TESTS,))), "A"), "A")
    assert names(session) == ["RunCheck A"]
    session = check(session, "A")
    assert names(session) == ["ReviewWork A"]
    session = review(session, "A")
    assert names(session) == ["JudgeRun A"]
    assert state_of(judge(session, "A"), "A") is TaskState.ACCEPTED


def test_nobody_reviews_where_the_terms_do_not_say_so() -> None:
    assert names(done(a_session("A"))) == ["JudgeRun A"]
    assert not needs_review(done(a_session("A")).task("A"), a_session("A").terms)


def test_the_work_of_a_command_speaks_for_itself() -> None:
    session = done(reviewed_session(planned("A", command="make")))
    assert names(session) == ["JudgeRun A"]
    assert state_of(judge(session, "A"), "A") is TaskState.ACCEPTED


@pytest.mark.parametrize(
    "failed",
    [
        lambda s: finish(start(s, "A"), "A", code=1),
        lambda s: finish(start(s, "A"), "A", ended_by=EndedBy.TIME_LIMIT),
        lambda s: finish(start(s, "A"), "A", seen(out_of_scope=("x",))),
        lambda s: check(finish(start(s, "A"), "A"), "A", result("tests", CheckStatus.FAILED)),
        lambda s: check(finish(start(s, "A"), "A", NOTHING), "A", result("tests", CheckStatus.FAILED)),
        lambda s: finish(start(s, "A"), "A", code=1, report=trouble(Trouble.QUOTA, AT + 60)),
    ],
)
def test_work_that_failed_already_is_not_reviewed(failed: Callable[[Session], Session]) -> None:
    session = failed(reviewed_session(planned("A", checks=(TESTS,))))
    assert names(session) == ["JudgeRun A"]


@pytest.mark.covers("F12", "P1")
@pytest.mark.parametrize("opinion", list(Opinion))
def test_no_review_turns_a_failed_check_into_success(opinion: Opinion) -> None:
    session = finish(start(reviewed_session(planned("A", checks=(TESTS,))), "A"), "A")
    session = check(session, "A", result("tests", CheckStatus.FAILED))
    verdict = verdict_on(review(session, "A", opinion).task("A"), session.terms)
    assert verdict.outcome is not Outcome.COMPLETE
    assert verdict.disposition is Disposition.RETRY
    assert verdict.reasons == ("check 'tests' failed with code 1",)


def test_at_most_four_are_reviewed_at_once() -> None:
    session = reviewed_session(*"ABCDEF", parallel=6)
    for key in "ABCDEF":
        session = done(session, key)
    assert names(session) == [f"ReviewWork {key}" for key in "ABCD"]


# ── what each opinion does ───────────────────────────────────────────────────


@pytest.mark.covers("F12", "A13")
@pytest.mark.parametrize(
    ("opinion", "outcome", "disposition", "reason"),
    [
        (Opinion.APPROVED, Outcome.COMPLETE, Disposition.ACCEPT, None),
        (Opinion.REJECTED, Outcome.INCOMPLETE, Disposition.RETRY, None),
        (Opinion.WRONG_WAY, Outcome.INCOMPLETE, Disposition.BLOCK, BlockReason.REVIEW),
        (Opinion.NONE, Outcome.NO_EVIDENCE, Disposition.BLOCK, BlockReason.NO_REVIEW),
        (Opinion.SATISFIED, Outcome.INCOMPLETE, Disposition.RETRY, None),
    ],
)
def test_opinions_about_work_that_is_there(
    opinion: Opinion, outcome: Outcome, disposition: Disposition, reason: BlockReason | None
) -> None:
    session = done(reviewed_session(planned("A", checks=(TESTS,))))
    verdict = verdict_on(review(session, "A", opinion).task("A"), session.terms)
    assert (verdict.outcome, verdict.disposition, verdict.block_reason) == (outcome, disposition, reason)


@pytest.mark.covers("P9")
def test_without_any_review_the_work_waits_for_a_person() -> None:
    session = done(reviewed_session("A"))
    verdict = verdict_on(session.task("A"), session.terms)
    assert (verdict.outcome, verdict.block_reason) == (Outcome.NO_EVIDENCE, BlockReason.NO_REVIEW)


@pytest.mark.covers("F12")
def test_the_agent_hears_what_the_review_found() -> None:
    session = review(
        done(reviewed_session("A")),
        "A",
        Opinion.REJECTED,
        missing=("it greets",),
        issues=("a.py:1 is wrong",),
        suggestions=("shorter",),
    )
    feedback = judge(session, "A").task("A").feedback
    assert feedback.splitlines() == [
        "- review: so it seems",
        "    not met: it greets",
        "    a.py:1 is wrong",
        "    suggestion: shorter",
    ]


@pytest.mark.covers("F12", "A14")
def test_rejections_are_attempts_and_there_are_only_so_many() -> None:
    session = reviewed_session("A", attempts=2)
    session = judge(review(done(session), "A", Opinion.REJECTED), "A")
    assert (state_of(session, "A"), session.task("A").attempts) == (TaskState.PLANNED, 1)
    session = judge(review(done(session), "A", Opinion.REJECTED), "A")
    assert (state_of(session, "A"), session.task("A").block_reason) == (TaskState.BLOCKED, BlockReason.MAX_RETRIES)


# ── nothing had to be done ───────────────────────────────────────────────────


@pytest.mark.covers("A3")
def test_what_was_there_already_is_skipped_with_checks_that_pass_and_a_review_that_says_so() -> None:
    session = start(reviewed_session(planned("A", checks=(TESTS,)), planned("B", "A")), "A")
    session = finish(session, "A", NOTHING)
    assert names(session) == ["RunCheck A"]
    session = check(session, "A")
    assert names(session) == ["ReviewWork A"]
    session = judge(review(session, "A", Opinion.SATISFIED), "A")
    assert state_of(session, "A") is TaskState.SKIPPED
    assert session.task("A").reason == "already satisfied: so it seems"
    assert list(session.ready) == [2]


def test_merging_goes_on_once_work_that_was_to_be_redone_is_there_already() -> None:
    session = reviewed_session(planned("A", checks=(TESTS,)))
    session = judge(review(done(session), "A", Opinion.APPROVED), "A")
    session = after(session, refusal(session, session.task("A"), Disposition.REDO))
    assert session.mending == 1
    session = judge(review(done(session, "A", NOTHING), "A", Opinion.SATISFIED), "A")
    assert state_of(session, "A") is TaskState.SKIPPED
    assert session.mending is None


@pytest.mark.covers("P8")
@pytest.mark.parametrize("opinion", [Opinion.APPROVED, Opinion.REJECTED, Opinion.WRONG_WAY, Opinion.NONE])
def test_nothing_changed_is_no_evidence_whatever_else_is_said(opinion: Opinion) -> None:
    session = done(reviewed_session(planned("A", checks=(TESTS,))), "A", NOTHING)
    verdict = verdict_on(review(session, "A", opinion).task("A"), session.terms)
    assert (verdict.outcome, verdict.disposition) == (Outcome.NO_EVIDENCE, Disposition.RETRY)


def test_satisfied_but_something_is_missing_is_not_satisfied() -> None:
    session = done(reviewed_session(planned("A", checks=(TESTS,))), "A", NOTHING)
    verdict = verdict_on(review(session, "A", Opinion.SATISFIED, missing=("a test",)).task("A"), session.terms)
    assert verdict.outcome is Outcome.NO_EVIDENCE


def test_where_no_check_can_confirm_it_nothing_was_there_already() -> None:
    session = finish(start(reviewed_session("A"), "A"), "A", NOTHING)
    assert names(session) == ["JudgeRun A"]
    verdict = verdict_on(review(session, "A", Opinion.SATISFIED).task("A"), session.terms)
    assert verdict.outcome is Outcome.NO_EVIDENCE


def test_without_reviews_nothing_changed_is_not_even_checked() -> None:
    session = finish(start(a_session(planned("A", checks=(TESTS,))), "A"), "A", NOTHING)
    assert names(session) == ["JudgeRun A"]


# ── the same again and again ─────────────────────────────────────────────────


def failing(session: Session, tree: str, status: CheckStatus = CheckStatus.FAILED, tail: str = "") -> Session:
    session = finish(start(session, "A"), "A", seen(tree=tree))
    return judge(check(session, "A", result("tests", status, tail)), "A")


@pytest.mark.covers("A22")
def test_three_times_the_same_files_with_the_same_faults_are_enough() -> None:
    session = a_session(planned("A", checks=(TESTS,)), attempts=9)
    session = failing(failing(session, "t"), "t")
    assert state_of(session, "A") is TaskState.PLANNED
    blocked = failing(session, "t")
    assert (state_of(blocked, "A"), blocked.task("A").block_reason) == (TaskState.BLOCKED, BlockReason.MAX_RETRIES)
    assert state_of(failing(session, "other"), "A") is TaskState.PLANNED
    assert state_of(failing(session, "t", CheckStatus.TIMED_OUT), "A") is TaskState.PLANNED


@pytest.mark.covers("A22")
def test_a_run_that_was_stopped_is_no_repetition() -> None:
    session = a_session(planned("A", checks=(TESTS,)), attempts=9)
    session = stop(start(failing(session, "t"), "A"), "A")
    assert state_of(failing(session, "t"), "A") is TaskState.PLANNED


# ── a model that cannot be asked ─────────────────────────────────────────────


def test_reviews_wait_for_a_model_that_will_answer_later_and_other_work_goes_on() -> None:
    session = postponed(start(done(reviewed_session("A", "B")), "B"))
    assert names(session) == ["AwaitRun B", "ReviewWork A"]


def test_where_only_a_person_can_help_the_rest_goes_on_first() -> None:
    session = postponed(start(done(reviewed_session("A", "B")), "B"), Trouble.LOGIN, until=0.0)
    assert names(session) == ["AwaitRun B"]
    alone = postponed(done(reviewed_session("A")), Trouble.LOGIN, until=0.0)
    (held,) = next_effects(alone)
    assert isinstance(held, fx.HoldSession)
    assert not held.is_ours


def test_a_person_can_have_a_review_tried_at_once() -> None:
    session = postponed(done(reviewed_session("A")))
    (before,) = next_effects(session)
    (now,) = next_effects(after(session, e.PauseLifted(AT, MODEL)))
    assert isinstance(now, fx.ReviewWork)
    assert before != now


def test_an_agents_own_pause_is_not_the_models() -> None:
    session = postponed(reviewed_session("A"), Trouble.QUOTA)
    assert names(session) == ["PlanRun A"]


# ── a person stands in for the review ────────────────────────────────────────


@pytest.mark.covers("P16")
@pytest.mark.parametrize("opinion", [Opinion.WRONG_WAY, Opinion.NONE])
def test_a_person_can_approve_what_the_review_held_back(opinion: Opinion) -> None:
    session = judge(review(done(reviewed_session("A")), "A", opinion), "A")
    session = after(session, e.TaskApproved(AT, 1, "a person"))
    run = session.task("A").runs[-1]
    assert run.review == Review(Opinion.APPROVED, "approved by a person", by="a person")
    assert (state_of(session, "A"), session.task("A").block_reason) == (TaskState.CHECKING, None)
    check_books(session)
    assert names(session) == ["JudgeRun A"]
    session = judge(session, "A")
    assert (state_of(session, "A"), session.task("A").attempts) == (TaskState.ACCEPTED, 1), "one run, one attempt"


def test_a_person_cannot_approve_what_failed_otherwise() -> None:
    for reason in (BlockReason.CHECK_FAILED, BlockReason.MAX_RETRIES, BlockReason.NO_EVIDENCE, BlockReason.CONFLICT):
        assert not admit(block(reviewed_session("A"), "A", reason), e.TaskApproved(AT, 1, "a person"))
    assert not admit(done(reviewed_session("A")), e.TaskApproved(AT, 1, "a person"))


def test_what_a_model_thought_meanwhile_comes_too_late() -> None:
    session = wrong_way(reviewed_session("A"), "A")
    late = e.TaskReconsidered(AT, 1, Remedy.RETRY, "so", "again")
    assert admit(session, late)
    assert not admit(after(session, e.TaskApproved(AT, 1, "a person")), late)
    assert not admit(after(session, e.TaskRetried(AT, 1)), late)


# ── what becomes of a failure ────────────────────────────────────────────────


def test_the_wrong_way_is_reconsidered() -> None:
    session = wrong_way(reviewed_session("A", "B"), "A")
    assert (state_of(session, "A"), list(session.stuck)) == (TaskState.BLOCKED, [1])
    assert names(session) == ["PlanRun B", "ReconsiderTask A"]


@pytest.mark.parametrize("reason", list(BlockReason))
def test_only_failures_of_the_work_are_reconsidered(reason: BlockReason) -> None:
    session = block(reviewed_session("A"), "A", reason)
    is_of_the_work = reason in (
        BlockReason.MAX_RETRIES,
        BlockReason.NO_EVIDENCE,
        BlockReason.REVIEW,
        BlockReason.CHECK_FAILED,
    )
    assert bool(session.stuck) is is_of_the_work
    assert ("ReconsiderTask A" in names(session)) is is_of_the_work


def test_nothing_is_settled_while_a_failure_is_reconsidered() -> None:
    assert names(wrong_way(reviewed_session("A"), "A")) == ["ReconsiderTask A"]
    assert names(wrong_way(reviewed_session("A", replans=0), "A")) == ["SettleWork"]


def test_tried_again_with_advice_it_has_one_more_attempt() -> None:
    session = reconsider(wrong_way(reviewed_session("A"), "A"), "A", Remedy.RETRY, advice="use the cache")
    task = session.task("A")
    assert (task.state, task.attempts, task.replans, task.block_reason) == (TaskState.PLANNED, 2, 1, None)
    assert task.feedback.startswith("use the cache\n\n- review: so it seems")
    check_books(session)
    failed = judge(finish(start(session, "A"), "A", code=1), "A")
    assert failed.task("A").block_reason is BlockReason.MAX_RETRIES


@pytest.mark.covers("A14", "G38")
def test_there_are_only_so_many_remedies() -> None:
    session = reviewed_session("A", replans=2)
    for times in (1, 2):
        session = reconsider(wrong_way(session, "A"), "A", Remedy.RETRY, advice="again")
        assert session.task("A").replans == times
    assert names(wrong_way(session, "A")) == ["SettleWork"]


def test_a_question_for_a_person_waits_for_them() -> None:
    session = reconsider(wrong_way(reviewed_session("A"), "A"), "A", Remedy.ASK, advice="left or right?")
    assert (session.task("A").question, list(session.stuck)) == ("left or right?", [])
    assert names(session) == ["SettleWork"]
    retried = after(session, e.TaskRetried(AT, 1, says="left"))
    assert (retried.task("A").question, state_of(retried, "A")) == ("", TaskState.PLANNED)
    check_books(retried)


def replaced(session: Session, *tasks: PlannedTask) -> Session:
    return reconsider(wrong_way(session, "A"), "A", Remedy.REPLACE, *tasks)


def test_whoever_waited_for_a_replaced_task_waits_for_the_last_of_the_new_ones() -> None:
    session = reviewed_session("A", planned("B", "A"), planned("C", "A", "B"))
    session = replaced(session, planned("A1"), planned("A2", "A1"), planned("A3", "A1"))
    old = session.task("A")
    assert (old.state, old.replaced_by, old.replans) == (TaskState.REPLACED, (4, 5, 6), 1)
    assert session.task("A1").replaces == 1
    assert session.task("B").depends_on == (5, 6)
    assert session.task("C").depends_on == (2, 5, 6)
    check_books(session)
    assert list(session.ready) == [4]
    for key in ("A1", "A2", "A3"):
        session = merge(judge(review(done(session, key), key), key), key)
        check_books(session)
    assert list(session.ready) == [2]


def test_what_replaces_a_task_begins_from_the_merged_work_and_can_fail_only_so_often() -> None:
    session = replaced(reviewed_session("A", replans=2), planned("A1"))
    new = session.task("A1")
    assert (new.from_tip, new.replans) == (True, 1)
    session = reconsider(wrong_way(session, "A1"), "A1", Remedy.REPLACE, planned("A2"))
    assert session.task("A2").replans == 2
    assert names(wrong_way(session, "A2")) == ["SettleWork"]


@pytest.mark.covers("P39")
def test_a_replaced_task_does_not_count_in_the_outcome() -> None:
    session = replaced(reviewed_session("A"), planned("A1"))
    assert session_outcome(session) is Outcome.INCOMPLETE
    session = merge(judge(review(done(session, "A1"), "A1"), "A1"), "A1")
    assert session_outcome(session) is Outcome.COMPLETE


def test_two_who_add_the_same_task_do_not_get_into_each_others_way() -> None:
    session = wrong_way(wrong_way(reviewed_session("A", "B"), "A"), "B")
    new = (planned("X"),)
    session = reconsider(session, "A", Remedy.REPLACE, *new)
    assert not admit(session, e.TaskReconsidered(AT, 2, Remedy.REPLACE, "so", "", new))
    same_branch = (planned("Y", branch="agent/task-x"),)
    assert not admit(session, e.TaskReconsidered(AT, 2, Remedy.REPLACE, "so", "", same_branch))
    saying = said(session)
    assert not admit(saying, e.SayingConsidered(AT, (), 0, "I see", tasks=new))
    assert admit(saying, e.SayingConsidered(AT, (), 0, "I see", tasks=(planned("Z"),)))


def test_a_conflict_that_nobody_could_settle_is_not_for_the_model() -> None:
    session = judge(review(done(reviewed_session("A")), "A"), "A")
    session = block(refuse(session, "A"), "A-merge")
    assert not session.stuck
    assert names(session) == ["GiveUpResolution A"]


def test_nothing_new_can_wait_for_what_will_never_be_done() -> None:
    session = reviewed_session("A", planned("B", "A"), planned("C", "B"), "D")
    assert hopeless(session) == frozenset()
    assert hopeless(session, session.task("A")) == {1, 2, 3}
    session = replaced(session, planned("A1"))
    assert hopeless(session) == {1}
    assert hopeless(considered(said(session), None, "D")) == {1, 4}
    assert hopeless(session, session.task("A1")) == {1, 2, 3, 5}


def test_our_own_failures_at_reconsidering_do_not_go_on_for_ever() -> None:
    session = wrong_way(reviewed_session("A"), "A")
    session = after(session, *[e.EffectFailed(AT, "ReconsiderTask", "no disk", AT + 1, 1)] * patience.ENOUGH)
    assert names(session) == ["SettleWork"]


# ── a person steps in ────────────────────────────────────────────────────────


def test_words_are_considered_one_after_the_other() -> None:
    session = said(said(start(reviewed_session("A"), "A"), "blue"), "no, green")
    assert names(session) == ["AwaitRun A", "ConsiderSaying"]
    assert not admit(session, e.SayingConsidered(AT, (), 1, "too soon"))
    session = considered(session)
    assert session.considered == 1
    assert not admit(session, e.SayingConsidered(AT, (), 0, "again"))
    session = considered(session)
    assert names(session) == ["AwaitRun A"]
    assert not admit(session, e.SayingConsidered(AT, (), 2, "nobody said anything"))


@pytest.mark.covers("G23", "G25")
def test_a_run_that_no_longer_does_what_is_wanted_is_stopped_and_begins_again_without_blame() -> None:
    session = start(retry(reviewed_session("A", "B"), "A"), "A")
    session = considered(said(session), {"A": "make it blue"})
    assert (session.task("A").revision, state_of(session, "A")) == ("make it blue", TaskState.RUNNING)
    assert "StopRun A" in names(session)
    assert "AwaitRun A" not in names(session)
    before = session.task("A")
    session = stop(session, "A")
    task = session.task("A")
    assert (task.state, task.revision, task.attempts) == (TaskState.PLANNED, "", before.attempts)
    assert task.feedback == f"make it blue\n\n{before.feedback}"
    check_books(session)


def test_a_run_that_ended_before_it_could_be_stopped_goes_round_again_all_the_same() -> None:
    session = considered(said(start(reviewed_session("A"), "A")), {"A": "make it blue"})
    session = finish(session, "A")
    assert names(session) == ["JudgeRun A"], "nobody reviews what is no longer wanted"
    session = judge(session, "A")
    task = session.task("A")
    assert (task.state, task.attempts, task.feedback, task.revision) == (TaskState.PLANNED, 0, "make it blue", "")


def test_a_verdict_from_before_does_not_swallow_a_persons_words() -> None:
    session = review(done(reviewed_session("A")), "A")
    task = session.task("A")
    verdict = e.VerdictReached(AT, 1, task.runs[-1].id, verdict_on(task, session.terms))
    assert admit(session, verdict)
    session = considered(said(session), {"A": "make it blue"})
    assert not admit(session, verdict)
    assert judge(session, "A").task("A").feedback == "make it blue"


def test_words_that_follow_each_other_are_all_heard() -> None:
    session = considered(said(start(reviewed_session("A"), "A")), {"A": "make it blue"})
    session = stop(considered(said(session), {"A": "and larger"}), "A")
    assert session.task("A").feedback == "make it blue\n\nand larger"


def test_what_waits_learns_of_it_and_what_is_merged_stays() -> None:
    session = reviewed_session("A", planned("B", "A"))
    session = merge(judge(review(done(session), "A"), "A"), "A")
    now = considered(said(session), {"A": "make it blue", "B": "make it blue"})
    assert now.task("A") == session.task("A")
    assert (state_of(now, "B"), now.task("B").feedback) == (TaskState.PLANNED, "make it blue")


@pytest.mark.parametrize(
    "so_far",
    [
        lambda s: judge(review(done(s), "A"), "A"),
        lambda s: wrong_way(s, "A"),
        lambda s: block(s, "A", BlockReason.CHECK_FAILED),
    ],
)
def test_what_is_accepted_or_blocked_is_done_again(so_far: Callable[[Session], Session]) -> None:
    session = considered(said(so_far(reviewed_session("A", planned("B", "A")))), {"A": "make it blue"})
    task = session.task("A")
    assert (task.state, task.feedback, task.attempts) == (TaskState.PLANNED, "make it blue", 0)
    assert (task.block_reason, task.outcome, task.question) == (None, None, "")
    assert list(session.ready) == [1]
    check_books(session)


def test_work_that_conflicted_begins_from_the_merged_work_when_it_is_changed() -> None:
    session = refuse(accept(a_session("A"), "A"), "A", Disposition.BLOCK)
    task = considered(said(session), {"A": "make it blue"}).task("A")
    assert (task.base, task.from_tip) == ("", True)


def test_a_conflict_of_work_that_changes_need_not_be_settled_any_more() -> None:
    session = refuse(accept(a_session("A", "B"), "A"), "A")
    session = start(session, "A-merge")
    session = considered(said(session), {"A": "make it blue"})
    assert (session.mending, session.task("A").resolution) == (None, None)
    assert "StopRun A-merge" in names(session)
    session = stop(session, "A-merge")
    assert state_of(session, "A-merge") is TaskState.CANCELLED
    check_books(session)
    assert integrate(session, "A").task("A").state is TaskState.INTEGRATED


def test_a_resolution_that_is_not_needed_any_more_is_not_taken_up_again() -> None:
    session = block(refuse(accept(a_session("A"), "A"), "A"), "A-merge")
    session = refuse(session, "A")
    assert state_of(session, "A") is TaskState.PLANNED
    now = considered(said(session), {"A-merge": "try harder"})
    assert state_of(now, "A-merge") is TaskState.BLOCKED


def test_a_task_nobody_wants_is_cancelled() -> None:
    session = considered(said(reviewed_session("A", "B")), None, "A")
    assert state_of(session, "A") is TaskState.CANCELLED
    assert list(session.ready) == [2]
    check_books(session)
    merged = merge(judge(review(done(session, "B"), "B"), "B"), "B")
    assert session_outcome(merged) is Outcome.COMPLETE
    assert considered(said(merged), None, "B").task("B").state is TaskState.INTEGRATED


@pytest.mark.parametrize(
    "end",
    [
        lambda s: stop(s, "A"),
        lambda s: leave(s, "A"),
        lambda s: after(s, e.RunLost(AT, 1, s.task("A").runs[-1].id, "vanished")),
    ],
)
def test_the_run_of_a_task_nobody_wants_is_stopped_first(end: Callable[[Session], Session]) -> None:
    session = considered(said(start(reviewed_session("A"), "A")), None, "A")
    assert names(session) == ["StopRun A"]
    session = end(session)
    assert (state_of(session, "A"), list(session.live)) == (TaskState.CANCELLED, [])
    check_books(session)


def test_a_run_that_had_hardly_begun_is_cancelled_too() -> None:
    session = considered(said(claim(reviewed_session("A"), "A")), None, "A")
    refused = e.WorkspaceRefused(AT, 1, "run-1-1", BlockReason.SETUP_FAILED, "no network")
    conflicted = e.BasesConflicted(AT, 1, "run-1-1", ("a",))
    for event in (refused, conflicted):
        assert after(session, event).task("A").state is TaskState.CANCELLED


def test_cancelling_what_holds_up_all_merging_lets_the_others_go_on() -> None:
    session = accept(refuse(accept(a_session("A", "B"), "A"), "A"), "B")
    assert session.mending == 1
    session = considered(said(session), None, "A")
    assert (session.mending, state_of(session, "A"), state_of(session, "A-merge")) == (
        None,
        TaskState.CANCELLED,
        TaskState.CANCELLED,
    )
    assert "MergeTask B" in names(session)


def test_a_cancelled_resolution_is_given_up() -> None:
    session = considered(said(refuse(accept(a_session("A"), "A"), "A")), None, "A-merge")
    assert "GiveUpResolution A" in names(session)


def test_new_tasks_come_behind_the_others() -> None:
    session = considered(said(start(reviewed_session("A"), "A")), tasks=[planned("B", "A"), planned("C")])
    assert (session.task("B").number, session.task("B").unmet, list(session.ready)) == (2, 1, [3])
    check_books(session)


def test_nothing_is_settled_before_everything_that_was_said_is_considered() -> None:
    session = said(merge(accept(a_session("A"), "A"), "A"))
    assert not admit(session, e.WorkSettled(AT))
    session = considered(after(session, e.WorkspaceRemoved(AT, 1)))
    assert admit(session, e.WorkSettled(AT))


def test_what_is_said_at_the_very_end_is_heard_too() -> None:
    session = after(integrate(a_session("A"), "A"), e.WorkspaceRemoved(AT, 1), e.WorkSettled(AT))
    session = said(session)
    assert names(session) == ["ConsiderSaying"]
    session = considered(session, tasks=[planned("B")])
    assert (session.state, names(session)) == (SessionState.EXECUTING, ["PlanRun B"])
    assert not admit(after(session, e.SessionClosed(AT, Outcome.INCOMPLETE)), e.PersonSaid(AT, "hello?"))


def test_our_own_failures_at_considering_hold_the_session_in_the_end() -> None:
    session = said(start(reviewed_session("A"), "A"))
    session = after(session, *[e.EffectFailed(AT, "ConsiderSaying", "no disk", AT + 1)] * patience.ENOUGH)
    assert names(session) == ["AwaitRun A"]
    idle = said(integrate(a_session("A", keep_worktrees=True), "A"))
    idle = after(idle, *[e.EffectFailed(AT, "ConsiderSaying", "no disk", AT + 1)] * patience.ENOUGH)
    assert names(idle) == ["HoldSession"]


def test_what_was_said_and_answered_is_part_of_the_conversation() -> None:
    session = considered(said(approved("T001"), "make it blue"))
    assert session.planning is not None
    assert [message.text for message in session.planning.talk[-2:]] == ["make it blue", "I see"]


# ── the whole ────────────────────────────────────────────────────────────────


def concluding(**terms: object) -> Session:
    session = integrate(a_session("A", judges=True, keep_worktrees=True, **terms), "A")
    return after(session, e.WorkSettled(AT))


@pytest.mark.covers("A17")
def test_the_merged_work_is_judged_before_the_session_ends() -> None:
    session = concluding()
    assert names(session) == ["JudgeSession"]
    assert names(judged(session)) == ["Conclude"]
    assert session_outcome(judged(session)) is Outcome.COMPLETE


@pytest.mark.covers("A17", "P39")
def test_what_is_not_what_was_asked_for_is_incomplete() -> None:
    session = judged(concluding(), False, "docs")
    assert session_outcome(session) is Outcome.INCOMPLETE
    assert names(session) == ["Conclude"]


def test_a_judgement_cannot_make_up_for_a_blocked_task() -> None:
    session = block(integrate(a_session("A", "B", judges=True, keep_worktrees=True), "A"), "B")
    session = after(session, e.WorkSettled(AT))
    assert names(session) == ["Conclude"], "it waits for a person anyway"
    assert session_outcome(replace(session, judgement=Judgement(True), judged_commit=session.tip)) is Outcome.INCOMPLETE


def test_a_judgement_is_about_one_commit() -> None:
    session = concluding()
    assert not admit(session, e.SessionJudged(AT, (), "another", Judgement(True)))
    stale = replace(judged(session, False), judged_commit="another")
    assert session_outcome(stale) is Outcome.COMPLETE
    assert names(stale) == ["JudgeSession"]


def test_where_nothing_was_merged_there_is_nothing_to_judge() -> None:
    session = after(considered(said(a_session("A", judges=True)), None, "A"), e.WorkSettled(AT))
    assert names(session) == ["Conclude"]


# ── whatever happens ─────────────────────────────────────────────────────────


@pytest.mark.covers("G26", "G36", "B7")
@settings(max_examples=120, deadline=None)
@given(st.integers(0, 1_000_000), st.sampled_from([5, 20, 50]), st.booleans())
def test_whatever_is_said_and_thought_the_books_are_right_and_nothing_breaks(
    seed: int, trouble: int, has_checks: bool
) -> None:
    terms = {"reviews": True, "replans": 2, "judges": True, "parallel": 2}
    if has_checks:
        tasks = [planned("A", checks=(TESTS,)), planned("B", "A"), planned("C", "A"), planned("D", "B", "C")]
        session = reviewed_session(*tasks, checks=(TESTS,), **terms)
    else:
        session = instructed(**terms)
    first = session
    walk = Walk(session, seed, trouble)
    walk.go(120)
    assert fold(walk.events, first) == walk.session


def test_a_walk_without_trouble_ends_well() -> None:
    walk = Walk(instructed(reviews=True, replans=2, judges=True), 1, 0)
    session = walk.go(300)
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert len(session.tasks) == 2


def test_the_walk_notices_books_that_are_wrong() -> None:
    """A gate is worth something once it has been seen to fail."""
    walk = Walk(wrong_way(reviewed_session("A"), "A"), 1, 0)
    walk.session = replace(walk.session, stuck=type(walk.session.stuck)([]))
    with pytest.raises(AssertionError):
        walk.record(e.ParallelChanged(AT, 2))

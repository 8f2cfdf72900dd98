"""From an instruction to a plan, one step at a time; what a person has to do first, and what a model cannot do."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.books import check_books
from tests.support.planning import (
    CREW,
    QUESTION,
    TESTS,
    answered,
    approved,
    asked,
    call,
    drafted,
    instructed,
    postponed,
    proposed,
    said,
    scored,
    surveyed,
    talking,
    thought_through,
    turn,
    written,
)
from tests.support.sessions import AT, SESSION, a_session, after, block, integrate, opening, planned, start

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.calls import Message, Speaker
from toryo.domain.planning import Answer, Document, Draft, Planning, Question, Score
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Judgement
from toryo.domain.session import MODEL, Pause, Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules import patience
from toryo.rules.admit import admit
from toryo.rules.conversing import KEPT, call_about, excerpt, needs_compacting, older_part, talk_tokens
from toryo.rules.evolve import UnknownEvent, evolve
from toryo.rules.planning import MOST_DRAFTS, TARGET, THRESHOLD, is_good_enough, may_refine
from toryo.rules.playbook import next_effects


def step(session: Session) -> str:
    """The one thing that is wanted; empty: a person has to do something first."""
    wanted = next_effects(session)
    assert len(wanted) <= 1
    return "".join(type(effect).__name__ for effect in wanted)


def planning_of(session: Session) -> Planning:
    assert session.planning is not None
    return session.planning


# ── step by step ─────────────────────────────────────────────────────────────


@pytest.mark.covers("A8")
def test_the_steps_of_a_plan() -> None:
    session = instructed()
    assert step(session) == "SurveyRepository"
    session = surveyed(session, TESTS)
    assert step(session) == "AskQuestions"
    session = asked(session, title="Greet people")
    assert session.title == "Greet people"
    assert step(session) == "WriteDocument"
    session = written(session, Document.SPEC)
    assert next_effects(session) == {fx.WriteDocument(0, 0, 0.0, Document.PLAN)}
    session = written(session, Document.PLAN)
    assert next_effects(session) == {fx.DraftTasks(0, 0, 0.0, 0)}
    session = drafted(session, "T001", planned("T002", "T001"))
    assert next_effects(session) == {fx.ScoreDraft(0, 0, 0.0, 0)}
    session = scored(session, TARGET)
    assert step(session) == "ProposePlan"
    session = proposed(session)
    assert (session.state, step(session)) == (SessionState.AWAITING_APPROVAL, "")
    assert (session.checks, list(session.ready)) == ((TESTS,), [1])
    session = after(session, e.PlanApproved(AT, "a person"))
    assert (session.state, step(session)) == (SessionState.EXECUTING, "PlanRun")


def test_a_session_that_began_with_a_plan_is_not_planned() -> None:
    session = evolve(None, opening("A")[0])
    assert session.planning is None
    assert step(session) == ""
    survey = e.RepositorySurveyed(AT, "x")
    assert not admit(session, survey)
    with pytest.raises(UnknownEvent):
        evolve(session, survey)
    waits = evolve(session, opening("A")[1])
    assert not admit(waits, e.PlanRejected(AT, "no", "a person"))
    assert not admit(waits, e.QuestionsAnswered(AT, (), "a person"))
    assert admit(waits, e.PlanApproved(AT, "a person"))


@pytest.mark.covers("P19")
def test_nothing_goes_on_while_questions_are_open() -> None:
    second = Question("Which colour?", "", ("red", "blue"), "red")
    session = asked(surveyed(instructed()), QUESTION, second)
    assert step(session) == ""
    session = answered(session, "b.txt")
    assert planning_of(session).open_questions == (second,)
    assert step(session) == ""
    session = answered(session, "green, rather")
    assert step(session) == "WriteDocument"
    assert planning_of(session).answers == (
        Answer("Which file?", "b.txt", "a person"),
        Answer("Which colour?", "green, rather", "a person"),
    )


def test_only_open_questions_can_be_answered_and_only_once() -> None:
    session = asked(surveyed(instructed()), QUESTION)
    first = e.QuestionsAnswered(AT, (Answer("Which file?", "a.txt"),), "a person")
    assert not admit(session, e.QuestionsAnswered(AT, (Answer("What else?", "x"),), "a person"))
    assert admit(session, first)
    assert not admit(evolve(session, first), first), "somebody else was faster"
    closed = after(session, e.SessionClosed(AT, Outcome.INCOMPLETE))
    assert not admit(closed, first)


def test_what_our_own_rules_ask_does_not_spare_the_model_its_questions() -> None:
    session = surveyed(instructed("fix it"))
    session = after(session, e.QuestionsAsked(AT, (), (Question("Which place?"),), is_instruction=False))
    assert step(session) == ""
    assert planning_of(session).open_questions[0].default == ""
    session = answered(session, "the login")
    assert step(session) == "AskQuestions"
    assert step(asked(session)) == "WriteDocument"


def test_a_document_written_again_takes_the_place_of_the_first() -> None:
    session = written(written(asked(surveyed(instructed()))))
    assert [kind for kind, _ in planning_of(session).documents] == [Document.SPEC, Document.PLAN]


def test_late_words_about_a_plan_that_is_approved_are_left_out() -> None:
    session = approved("T001")
    for late in (
        e.RepositorySurveyed(AT, "x"),
        e.QuestionsAsked(AT, (), ()),
        e.DocumentWritten(AT, (), Document.SPEC, "x"),
        e.TasksDrafted(AT, (), Draft(())),
        e.DraftScored(AT, (), Score(1)),
        e.TalkCompacted(AT, (), "x", 1),
        e.PlanProposed(AT, ()),
        e.PlanRejected(AT, "no", "a person"),
        e.PlanApproved(AT, "a person"),
    ):
        assert not admit(session, late)


# ── words meanwhile ──────────────────────────────────────────────────────────


@pytest.mark.covers("G23")
def test_what_is_said_while_a_plan_is_made_is_planned_with_before_anybody_sees_the_plan() -> None:
    session = said(scored(drafted(written(asked(surveyed(instructed()))), "T001"), TARGET), "in French")
    assert next_effects(session) == {fx.TakeInWords(0, 0, 0.0, 1)}
    assert not admit(session, e.PlanProposed(AT, (planned("T001"),))), "a plan without that is none"
    session = said(session, "and in blue")
    late = written(session, Document.SPEC)  # was under way when it was said
    session = after(late, e.WordsTakenIn(AT, 1))
    assert next_effects(session) == {fx.TakeInWords(1, 0, 0.0, 2)}
    session = after(session, e.WordsTakenIn(AT, 2))
    assert next_effects(session) == {fx.WriteDocument(2, 0, 0.0, Document.SPEC)}
    assert planning_of(session).instruction == "Add a greeting\n\nin French\n\nand in blue"
    session = proposed(scored(drafted(written(session), "T002"), TARGET))
    assert [task.plan.key for task in session.tasks.values()] == ["T002"]
    executing = after(session, e.PlanApproved(AT, "a person"))
    assert step(executing) == "PlanRun", "and it is not looked into once more"
    assert len(executing.responses) == 2


def test_words_about_a_wish_belong_to_the_wish_and_what_was_done_stays() -> None:
    done = after(approved("T001"), e.SessionPaused(AT, "a person"), e.WishAdded(AT, "more", "a person"))
    session = after(said(done, "but quietly"), e.WordsTakenIn(AT, 1))
    assert planning_of(session).wishes == ("more\n\nbut quietly",)
    assert planning_of(session).instruction == "Add a greeting"
    assert list(session.tasks) == [1]
    assert step(session) == "DraftTasks", "the documents stay"


def test_words_are_taken_in_once_and_only_while_a_plan_is_made() -> None:
    planning = said(surveyed(instructed()))
    assert not admit(planning, e.WordsTakenIn(AT, 2))
    assert not admit(after(planning, e.WordsTakenIn(AT, 1)), e.WordsTakenIn(AT, 1))
    assert not admit(said(approved("T001")), e.WordsTakenIn(AT, 1))
    waits = proposed(thought_through())
    assert not admit(waits, e.PersonSaid(AT, "blue")), "about a plan that is there one decides"


# ── refining ─────────────────────────────────────────────────────────────────


def refined(*points: int) -> Session:
    session = written(asked(surveyed(instructed())))
    for number, score in enumerate(points):
        session = scored(drafted(session, planned("T001", title=f"Draft {number}")), score)
    return session


@pytest.mark.covers("A7")
@pytest.mark.parametrize(
    ("points", "wanted"),
    [
        ((TARGET,), "ProposePlan"),
        ((TARGET - 1,), "DraftTasks"),
        ((100,), "ProposePlan"),
        ((0,), "DraftTasks"),
        ((50, 60), "DraftTasks"),
        ((50, 50), "DraftTasks"),
        ((50, 50, 50), "ProposePlan"),
        ((50, 40, 30), "ProposePlan"),
        ((50, 40, 60), "DraftTasks"),
        ((50, 60, 55), "DraftTasks"),
        ((50, 60, 55, 60), "ProposePlan"),
        ((50, 60, 70, 80), "DraftTasks"),
        ((50, 60, 70, 80, 84), "ProposePlan"),
        ((50, 60, TARGET), "ProposePlan"),
    ],
)
def test_a_plan_is_refined_until_it_is_good_or_stops_getting_better(points: tuple[int, ...], wanted: str) -> None:
    session = refined(*points)
    assert step(session) == wanted
    best = points.index(max(points))
    planning = planning_of(session)
    assert planning.best is not None
    assert (planning.best.tasks[0].title, planning.best_score) == (f"Draft {best}", Score(max(points)))


@pytest.mark.covers("A7")
@given(st.lists(st.integers(0, 100), min_size=1, max_size=8))
def test_however_it_is_scored_there_are_five_drafts_at_most(points: list[int]) -> None:
    made = 0
    while made < len(points) and step(session := refined(*points[: made + 1])) == "DraftTasks":
        made += 1
        assert made < MOST_DRAFTS
    assert made == len(points) or step(session) == "ProposePlan"


def test_each_draft_is_another_piece_of_work() -> None:
    assert next_effects(refined(10)) == {fx.DraftTasks(0, 0, 0.0, 1)}
    again = drafted(refined(10), planned("T001", title="Another"))
    assert next_effects(again) == {fx.ScoreDraft(0, 0, 0.0, 1)}


def test_a_draft_that_says_the_same_again_is_not_scored_again() -> None:
    session = drafted(refined(50), planned("T001", title="Draft 0"))
    assert step(session) == "ProposePlan"


def test_what_is_no_proposal_is_not_scored() -> None:
    session = written(asked(surveyed(instructed())))
    fallback = drafted(session, "T001", is_fallback=True)
    assert step(fallback) == "ProposePlan"
    planning = planning_of(fallback)
    assert not is_good_enough(planning)
    assert not may_refine(planning)
    session = drafted(refined(70), "T001", is_fallback=True)
    assert step(session) == "ProposePlan"
    assert planning_of(session).best == Draft((planned("T001", title="Draft 0"),)), "a real one was there before"


@pytest.mark.covers("A7")
def test_a_plan_is_approved_unseen_only_when_it_is_good_enough() -> None:
    assert is_good_enough(planning_of(refined(THRESHOLD)))
    assert not is_good_enough(planning_of(refined(THRESHOLD - 1)))
    assert is_good_enough(planning_of(refined(THRESHOLD, 10))), "the best one is proposed"


@pytest.mark.covers("G20")
def test_the_plans_own_cap_only_ever_lowers_that_of_the_terms() -> None:
    session = written(asked(surveyed(instructed(parallel=4))))
    for parallel, cap in ((2, 2), (9, 4), (None, 4)):
        assert proposed(drafted(session, "T001", parallel=parallel)).parallel == cap


# ── a person says no, or wants more ──────────────────────────────────────────


@pytest.mark.covers("G11")
def test_a_rejected_plan_is_made_anew_and_its_tasks_are_gone() -> None:
    session = proposed(thought_through("T001", planned("T002", "T001")))
    session = after(session, e.PlanRejected(AT, "smaller steps", "a person"))
    planning = planning_of(session)
    assert (session.state, planning.rejections, planning.round) == (SessionState.PLANNING, ("smaller steps",), 1)
    assert (planning.documents, planning.draft, planning.score, planning.best) == ((), None, None, None)
    assert (planning.best_score, planning.scores) == (None, ())
    assert (len(session.tasks), dict(session.keys), session.count(TaskState.PLANNED)) == (0, {}, 0)
    check_books(session)
    assert next_effects(session) == {fx.WriteDocument(1, 0, 0.0, Document.SPEC)}
    session = proposed(scored(drafted(written(session), "T001"), 90))
    assert (list(session.tasks), list(session.ready)) == ([1], [1])
    assert not session.task("T001").from_tip
    check_books(session)


def test_a_wish_adds_tasks_behind_the_others_from_the_merged_work() -> None:
    session = integrate(approved("T001", planned("T002", "T001")), "T001")
    session = after(session, e.SessionPaused(AT, "a person"), e.WishAdded(AT, "in Japanese too", "a person"))
    planning = planning_of(session)
    assert (session.state, session.pause_reason) == (SessionState.PLANNING, "")
    assert (planning.wishes, planning.kept_tasks, planning.round) == (("in Japanese too",), 2, 1)
    assert next_effects(session) == {fx.DraftTasks(1, 0, 0.0, 0)}, "the documents stay"
    session = proposed(scored(drafted(session, planned("T003", "T001"), planned("T004", "T002", "T003")), 90))
    check_books(session)
    third, fourth = session.task("T003"), session.task("T004")
    assert (third.number, third.from_tip, third.needs_merged_dependencies, third.unmet) == (3, True, True, 0)
    assert (fourth.number, fourth.unmet) == (4, 2)
    assert list(session.ready) == [2, 3]
    assert session.task("T001").state is TaskState.INTEGRATED


def test_what_is_added_waits_until_what_it_needs_is_merged() -> None:
    session = approved("T001")
    session = after(session, e.SessionPaused(AT, "x"), e.WishAdded(AT, "more", "a person"))
    session = proposed(scored(drafted(session, planned("T002", "T001")), 90))
    session = after(session, e.PlanApproved(AT, "a person"))
    merged = integrate(session, "T001")
    assert list(merged.ready) == [2]
    check_books(merged)


def test_the_plan_of_a_wish_is_rejected_without_what_was_there_before() -> None:
    session = integrate(approved("T001"), "T001")
    session = after(session, e.SessionPaused(AT, "x"), e.WishAdded(AT, "more", "a person"))
    session = proposed(scored(drafted(session, planned("T002", "T001")), 90))
    session = after(session, e.PlanRejected(AT, "not so", "a person"))
    assert (list(session.tasks), dict(session.keys), planning_of(session).round) == ([1], {"T001": 1}, 2)
    assert planning_of(session).documents
    check_books(session)
    assert next_effects(session) == {fx.DraftTasks(2, 0, 0.0, 0)}


def test_keys_and_branches_do_not_clash() -> None:
    session = approved("T001")
    session = after(session, e.SessionPaused(AT, "x"), e.WishAdded(AT, "more", "a person"))
    session = drafted(session, "T002")
    assert not admit(session, e.PlanProposed(AT, (planned("T001", branch="agent/other"),)))
    assert not admit(session, e.PlanProposed(AT, (planned("T002", branch="agent/task-t001"),)))
    assert admit(session, e.PlanProposed(AT, (planned("T002"),)))


def test_a_wish_needs_a_session_that_rests() -> None:
    session = approved("T001")
    wish = e.WishAdded(AT, "more", "a person")
    assert not admit(session, wish)
    assert not admit(after(session, e.SessionClosed(AT, Outcome.INCOMPLETE)), wish)
    assert not admit(after(a_session("A"), e.SessionPaused(AT, "x")), wish)
    assert admit(after(session, e.SessionPaused(AT, "x")), wish)


def test_a_wish_forgets_what_was_thought_of_the_whole() -> None:
    session = integrate(approved("T001", judges=True), "T001")
    session = after(session, e.WorkspaceRemoved(AT, 1), e.WorkSettled(AT))
    assert step(session) == "JudgeSession"
    judgement = e.SessionJudged(AT, (), session.tip, Judgement(False, ("docs",)))
    session = after(session, judgement, e.SessionPaused(AT, "missing"), e.WishAdded(AT, "more", "a person"))
    assert (session.judgement, session.judged_commit) == (None, "")


# ── when the model does not answer ───────────────────────────────────────────


@pytest.mark.covers("G27")
def test_a_model_that_will_answer_later_is_asked_again_then() -> None:
    session = surveyed(instructed())
    wanted = next_effects(session)
    session = postponed(session, Trouble.QUOTA, until=AT + 60)
    assert session.pauses == {MODEL: Pause(AT + 60, BlockReason.QUOTA, "not now")}
    assert (session.outages, session.outage_since, session.calls) == (1, AT, 1)
    assert next_effects(session) == wanted, "the same piece of work, which waits by itself"
    session = postponed(session, Trouble.API, until=AT + 90, at=AT + 60)
    assert (session.outages, session.outage_since, session.pauses[MODEL].until) == (2, AT, AT + 90)
    session = asked(session)
    assert (session.pauses, session.outages, session.outage_since) == ({}, 0, 0.0)


def test_a_person_who_wants_it_tried_at_once_makes_another_piece_of_work_of_it() -> None:
    session = postponed(surveyed(instructed()), until=AT + 60)
    lifted = after(session, e.PauseLifted(AT, MODEL))
    assert (lifted.pauses, lifted.lifted, lifted.outages, lifted.outage_since) == ({}, 1, 0, 0.0)
    assert next_effects(lifted) == {fx.AskQuestions(0, 1, 0.0)}
    assert not admit(lifted, e.PauseLifted(AT, MODEL))


def test_without_a_model_the_session_is_held_until_a_person_has_acted() -> None:
    session = postponed(surveyed(instructed()), Trouble.LOGIN, until=0.0)
    assert session.pauses[MODEL] == Pause(math.inf, BlockReason.LOGIN, "not now")
    (held,) = next_effects(session)
    assert isinstance(held, fx.HoldSession)
    assert (held.message, held.is_ours) == ("not now", False)
    session = after(session, e.SessionPaused(AT, held.message, waits_for_person=True))
    assert step(session) == ""
    session = after(session, e.SessionResumed(AT))
    assert (session.state, session.pauses) == (SessionState.PLANNING, {})
    assert step(session) == "AskQuestions"


def test_who_comes_back_after_hours_begins_the_wait_anew() -> None:
    """Else the first hiccup after that would count as one that lasted all the time."""
    session = postponed(surveyed(instructed()), Trouble.API, until=0.0)
    session = after(session, e.SessionPaused(AT, "x"), e.SessionResumed(AT + 36_000))
    assert (session.outages, session.outage_since) == (0, 0.0)


def test_our_own_failures_hold_the_session_after_enough_of_them() -> None:
    session = instructed()
    for failures in range(1, patience.ENOUGH + 1):
        session = after(session, e.EffectFailed(AT, "SurveyRepository", "no disk", AT + failures))
        if failures < patience.ENOUGH:
            assert next_effects(session) == {fx.SurveyRepository(0, 0, AT + failures)}
    (held,) = next_effects(session)
    assert isinstance(held, fx.HoldSession)
    assert (held.message, held.is_ours) == ("no disk", True)
    resumed = after(session, e.SessionPaused(AT, "no disk"), e.SessionResumed(AT))
    assert step(resumed) == "SurveyRepository"


def test_open_questions_come_before_every_hold() -> None:
    session = asked(surveyed(instructed()), QUESTION)
    assert step(postponed(session, Trouble.LOGIN, until=0.0)) == ""


@pytest.mark.covers("G35")
def test_what_the_model_costs_adds_up_whatever_came_of_it() -> None:
    session = surveyed(instructed())
    session = after(session, e.QuestionsAsked(AT, (call(), call(is_estimate=True)), ()))
    assert (session.calls, session.call_usage, session.has_estimates) == (2, Usage(200, 20), True)
    session = postponed(session)
    assert (session.calls, session.call_usage) == (3, Usage(200, 20))
    assert session.usage == Usage(), "agents are counted apart"
    free = after(session, e.DocumentWritten(AT, (), Document.SPEC, "# x"))
    assert MODEL in free.pauses, "where nobody was asked, nobody has answered"


# ── a conversation that grows too long ───────────────────────────────────────


@pytest.mark.covers("G33")
@pytest.mark.parametrize(
    ("turns", "limit", "wanted"),
    [(12, 100, "WriteDocument"), (13, 100, "CompactTalk"), (13, 10_000, "WriteDocument"), (60, 10_000, "CompactTalk")],
)
def test_a_conversation_is_shortened_once_it_is_long_in_messages_and_in_tokens(
    turns: int, limit: int, wanted: str
) -> None:
    session = talking(turns, talk_limit=limit)
    assert step(session) == wanted
    assert needs_compacting(planning_of(session), limit) is (wanted == "CompactTalk")


@pytest.mark.covers("G33")
def test_the_last_messages_stay_word_for_word() -> None:
    session = talking(30, talk_limit=100)
    before = planning_of(session)
    older = older_part(before)
    assert len(older) == 60 - KEPT
    session = after(session, e.TalkCompacted(AT, (call(),), "they talked", len(older)))
    now = planning_of(session)
    assert now.talk == before.talk[-KEPT:]
    assert (now.talk[0].speaker, now.summary) == (Speaker.USER, "they talked")
    assert older + now.talk == before.talk
    assert step(session) == "WriteDocument", "though it is still long"
    assert talk_tokens(now) > 100


@pytest.mark.covers("G33")
@given(st.lists(st.sampled_from(Speaker), min_size=KEPT + 1, max_size=60))
def test_whoever_spoke_when_the_older_part_is_a_beginning_and_the_rest_begins_with_the_user(
    speakers: list[Speaker],
) -> None:
    talk = tuple(Message(speaker, str(number)) for number, speaker in enumerate([Speaker.USER, *speakers[1:]]))
    planning = Planning("x", "SPEC-1", talk=talk)
    older = older_part(planning)
    assert talk[: len(older)] == older
    rest = talk[len(older) :]
    assert len(rest) >= KEPT
    assert rest[0].speaker is Speaker.USER


def test_a_call_is_the_conversation_and_one_more_question() -> None:
    session = written(asked(surveyed(instructed())))
    asked_now = call_about(session, "system", "and now?", 99)
    assert (asked_now.system, asked_now.max_tokens) == ("system", 99)
    assert asked_now.messages == (*planning_of(session).talk, Message(Speaker.USER, "and now?"))
    speakers = [message.speaker for message in asked_now.messages]
    assert speakers == [Speaker.USER, Speaker.MODEL] * 3 + [Speaker.USER]
    assert call_about(a_session("A"), "s", "q", 1).messages == (Message(Speaker.USER, "q"),)


@pytest.mark.covers("G33")
def test_what_was_forgotten_comes_before_the_first_message_that_is_left() -> None:
    session = start(approved("T001", "T002"), "T001")
    planning = replace(planning_of(session), summary="they talked", answers=(Answer("Which?", "a.txt"),))
    session = replace(session, planning=planning)
    first, *rest = call_about(session, "s", "and now?", 1).messages
    assert first.speaker is Speaker.USER
    for words in ("Add a greeting", "they talked", "# spec", "# plan", "Which?", "a.txt", "T001, running", "T002"):
        assert words in first.text
    assert first.text.endswith(planning.talk[0].text)
    assert tuple(rest[:-1]) == planning.talk[1:]


def test_what_is_done_need_not_be_remembered_word_for_word() -> None:
    session = integrate(approved("T001", "T002"), "T001")
    session = replace(session, planning=replace(planning_of(session), summary="they talked"))
    text = call_about(session, "s", "q", 1).messages[0].text
    assert "T001" not in text.partition("questions?")[0]
    assert "T002, planned" in text


def test_without_a_model_a_summary_is_the_beginning_of_each_message() -> None:
    assert excerpt(turn("a\n b" + "x" * 400, "c"), "") == "- user: a b" + "x" * 297 + "\n- assistant: c"
    assert excerpt(turn("a", "b"), "before").splitlines()[0] == "before"


# ── always ───────────────────────────────────────────────────────────────────


def test_a_session_of_a_model_can_be_blocked_like_any_other() -> None:
    session = block(approved("T001"), "T001")
    assert (session.id, list(session.stuck)) == (SESSION, [1])
    assert step(session) == "SettleWork", "nobody may reconsider it unless the terms say so"
    assert dict(session.terms.crew) == dict(CREW)

"""One question to a model: asked, corrected, counted, written down, and put off where no reply comes."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.books import check_books
from tests.support.planning import (
    asked,
    drafted,
    instructed,
    postponed,
    reconsider,
    reviewed_session,
    surveyed,
    talking,
    written,
    wrong_way,
)
from tests.support.sessions import AT, after, finish, planned, start

from toryo.adapters.prompts import built_in
from toryo.adapters.replies import score_in
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.calls import Call, CallFailed, Message, Reply, Speaker, Stop
from toryo.domain.planning import Answer, Document, Question, Score
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Opinion, Remedy
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason
from toryo.engine import asking
from toryo.engine.asking import CORRECTIONS, Asked, Unanswered, ask, desk_of
from toryo.engine.asking import postponed as postponing
from toryo.engine.performers.planning import ask_questions, compact_talk, draft_tasks, score_draft, write_document
from toryo.engine.performers.reviewing import judge_session, reconsider_task, review_work
from toryo.ports import Model, Surveyed, World
from toryo.rules.clarity import unclear

CALL = Call("the system", (Message(Speaker.USER, "how good is it?"),), 100)
GOOD, BAD = '{"score": 80}', "I like it."


class FakeClock:
    """Waiting takes no time."""

    def __init__(self) -> None:
        self.moment = AT
        self.waited: list[float] = []

    def now(self) -> float:
        return self.moment

    async def sleep_until(self, moment: float) -> None:
        self.waited.append(moment)
        self.moment = max(self.moment, moment)


class FakeModel:
    """Says what it was told to, one reply after the other, two seconds each."""

    name = "fake/one"

    def __init__(self, clock: FakeClock, *replies: Reply | CallFailed | str) -> None:
        self._clock, self._replies = clock, list(replies)
        self.calls: list[Call] = []

    async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
        self.calls.append(call)
        self._clock.moment += 2
        said = self._replies.pop(0)
        if isinstance(said, CallFailed):
            raise said
        reply = Reply(said, usage=Usage(100, 10, 50, 0.5)) if isinstance(said, str) else said
        hear(reply.text[:3])
        hear(reply.text[3:])
        return reply

    async def close(self) -> None: ...


class FakeDesk:
    max_tokens = 1000

    def __init__(self, model: FakeModel) -> None:
        self._model = model
        self.roles: list[str] = []
        self.log: list[Mapping[str, object]] = []
        self.heard: list[tuple[str, str]] = []
        self.heard_out: list[str] = []

    def model(self, role: str, *, is_correction: bool = False) -> Model:
        self.roles.append(role)
        return self._model

    def prompt(self, name: str) -> str:
        return built_in(name)

    def survey(self) -> Surveyed:
        return Surveyed("A repository", (), ())

    def taken_names(self) -> set[str]:
        return set()

    def write_documents(self, spec: str, documents: Mapping[str, str]) -> Path:
        raise NotImplementedError

    async def difference(self, before: str, after: str, most: int) -> str:
        return ""

    def log_call(self, session: str, entry: Mapping[str, object]) -> None:
        self.log.append(entry)

    def hear(self, question: str, piece: str) -> None:
        self.heard.append((question, piece))

    def hear_out(self, question: str) -> None:
        self.heard_out.append(question)


class Stage:
    def __init__(self, *replies: Reply | CallFailed | str) -> None:
        self.clock = FakeClock()
        self.model = FakeModel(self.clock, *replies)
        self.desk = FakeDesk(self.model)
        nobody: Any = None
        self.world = World(self.clock, nobody, nobody, nobody, nobody, {}, Path(), Path(), {}, self.desk)

    def ask(self, session: Session | None = None) -> Asked[Score]:
        about = session or surveyed(instructed())
        return asyncio.run(ask(self.world, about, "score", CALL, score_in, role="review"))

    def perform(self, performer: Any, session: Session, effect: fx.Effect) -> Any:
        return asyncio.run(performer(self.world, session, effect))


# ── replies, good and bad ────────────────────────────────────────────────────


def test_a_good_reply_is_used_and_becomes_part_of_the_conversation() -> None:
    stage = Stage(GOOD)
    found = stage.ask()
    assert (found.value, found.errors, found.by) == (Score(80), (), "fake/one")
    assert found.talk == (CALL.messages[-1], Message(Speaker.MODEL, GOOD))
    assert stage.model.calls == [CALL]
    assert stage.desk.roles == ["review"]
    assert stage.desk.heard == [("score", ""), ("score", GOOD[:3]), ("score", GOOD[3:])]
    assert stage.desk.heard_out == ["score"]


@pytest.mark.covers("G10")
def test_a_useless_reply_is_sent_back_with_exactly_what_is_wrong() -> None:
    stage = Stage(BAD, GOOD)
    found = stage.ask()
    assert found.value == Score(80)
    _, again = stage.model.calls
    assert (again.system, again.max_tokens) == (CALL.system, CALL.max_tokens)
    first, reply, correction = again.messages
    assert (first, reply) == (CALL.messages[0], Message(Speaker.MODEL, BAD))
    assert correction.speaker is Speaker.USER
    assert "- there is no JSON object in the reply\n" in correction.text
    assert found.talk == (CALL.messages[-1], Message(Speaker.MODEL, GOOD)), "what was useless is forgotten"


def test_each_correction_is_about_the_last_reply_only() -> None:
    stage = Stage(BAD, '{"score": 500}', GOOD)
    assert stage.ask().value == Score(80)
    last = stage.model.calls[-1].messages
    assert [message.speaker for message in last] == [Speaker.USER, Speaker.MODEL, Speaker.USER]
    assert last[1].text == '{"score": 500}'
    assert "- score: should be a number from 0 to 100\n" in last[2].text


@pytest.mark.covers("G10")
def test_after_two_corrections_there_is_no_value() -> None:
    stage = Stage(*[BAD] * 5)
    found = stage.ask()
    assert (found.value, found.talk) == (None, ())
    assert found.errors == ("there is no JSON object in the reply",)
    assert len(stage.model.calls) == len(found.calls) == 1 + CORRECTIONS == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply(""), "the reply was empty"),
        (Reply(" \n"), "the reply was empty"),
        (Reply(GOOD[:5], Stop.LENGTH), "it was cut off: answer more briefly"),
        (Reply(GOOD, Stop.LENGTH), "it was cut off: answer more briefly"),
        (Reply("I will not.", Stop.REFUSAL), "it was refused by the model"),
    ],
)
def test_replies_that_are_none(reply: Reply, error: str) -> None:
    stage = Stage(reply, GOOD)
    assert stage.ask().value == Score(80)
    _, said, correction = stage.model.calls[-1].messages
    assert said.text.strip(), "providers take no empty message"
    assert f"- {error}\n" in correction.text


# ── on record ────────────────────────────────────────────────────────────────


@pytest.mark.covers("G34", "G35")
def test_every_call_is_counted_and_written_down() -> None:
    stage = Stage(BAD, Reply(GOOD, usage=Usage(7, 8), is_estimate=True, model="one-2025"))
    first, second = stage.ask().calls
    assert (first.question, first.model, first.at, first.seconds) == ("score", "fake/one", AT, 2.0)
    assert (first.usage, first.is_estimate, first.trouble) == (Usage(100, 10, 50, 0.5), False, None)
    assert (second.model, second.at, second.usage, second.is_estimate) == ("one-2025", AT + 2, Usage(7, 8), True)
    logged, again = stage.desk.log
    assert logged == {
        "at": AT,
        "session": surveyed(instructed()).id,
        "task": None,
        "run": None,
        "question": "score",
        "provider": "fake",
        "model": "fake/one",
        "seconds": 2.0,
        "system": "the system",
        "messages": [{"role": "user", "text": "how good is it?"}],
        "reply": BAD,
        "stop": "done",
        "trouble": None,
        "message": None,
        "input_tokens": 100,
        "output_tokens": 10,
        "cached_tokens": 50,
        "usd": 0.5,
        "is_estimate": False,
    }
    assert [message["role"] for message in again["messages"]] == ["user", "assistant", "user"]  # type: ignore[index,attr-defined]


def test_a_call_that_failed_is_on_record_with_those_before_it() -> None:
    stage = Stage(BAD, CallFailed(Trouble.API, "overloaded"))
    with pytest.raises(Unanswered) as unanswered:
        stage.ask()
    calls = unanswered.value.calls
    assert [call.trouble for call in calls] == [None, Trouble.API]
    assert calls[1].usage == Usage()
    assert [(entry["reply"], entry["trouble"]) for entry in stage.desk.log] == [(BAD, None), (None, "model API error")]


def test_without_a_model_at_all_the_role_is_on_record() -> None:
    stage = Stage()

    def none(role: str, *, is_correction: bool = False) -> Model:
        raise CallFailed(Trouble.LOGIN, "no key")

    stage.desk.model = none  # type: ignore[method-assign]
    with pytest.raises(Unanswered) as unanswered:
        stage.ask()
    assert [call.model for call in unanswered.value.calls] == ["review"]


def test_a_reply_that_never_ends_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LONGEST_CALL", 0.05)
    stage = Stage()

    class Endless(FakeModel):
        async def reply(self, call: Call, hear: Callable[[str], None]) -> Reply:
            while True:
                hear("on and ")
                await asyncio.sleep(0.001)

    def endless(role: str, *, is_correction: bool = False) -> Model:
        return Endless(stage.clock)

    stage.desk.model = endless  # type: ignore[method-assign]
    with pytest.raises(Unanswered) as unanswered:
        stage.ask()
    assert unanswered.value.failure.trouble is Trouble.API
    assert "no whole reply" in unanswered.value.failure.message


def test_without_a_desk_nothing_is_asked() -> None:
    world = replace(Stage().world, desk=None)
    with pytest.raises(LookupError):
        desk_of(world)


# ── when no reply comes ──────────────────────────────────────────────────────


@postponing
async def _asking(world: World, session: Session, effect: Any) -> e.Event:
    found = await ask(world, session, "score", CALL, score_in, role="review")
    assert found.value is not None
    return e.DraftScored(world.clock.now(), found.calls, found.value)


def put_off(failure: CallFailed, session: Session | None = None) -> tuple[e.CallPostponed, float]:
    """What is recorded, and when."""
    stage = Stage(failure)
    event = stage.perform(_asking, session or surveyed(instructed()), fx.ScoreDraft(0, 0, 0.0, 0))
    assert isinstance(event, e.CallPostponed)
    assert (event.question, event.trouble, event.message) == ("score", failure.trouble, failure.message)
    assert len(event.calls) == 1
    return event, stage.clock.now()


def test_a_pause_is_waited_out() -> None:
    stage = Stage(GOOD)
    event = stage.perform(_asking, postponed(surveyed(instructed()), until=AT + 60), fx.ScoreDraft(0, 0, 0.0, 0))
    assert isinstance(event, e.DraftScored)
    assert stage.clock.waited == [AT + 60]
    assert event.calls[0].at == AT + 60


@pytest.mark.parametrize("trouble", [Trouble.API, Trouble.QUOTA])
def test_a_provider_that_says_when_is_believed(trouble: Trouble) -> None:
    event, now = put_off(CallFailed(trouble, "later", retry_after=77))
    assert event.until == now + 77


def test_at_once_is_a_second() -> None:
    event, now = put_off(CallFailed(Trouble.API, "later", retry_after=0.0))
    assert event.until == now + 1


@pytest.mark.covers("G27", "P52")
@pytest.mark.parametrize(("trouble", "first", "longest"), [(Trouble.API, 5, 120), (Trouble.QUOTA, 60, 3600)])
def test_the_wait_grows_and_is_spread(trouble: Trouble, first: float, longest: float) -> None:
    for outages in range(12):
        session = replace(surveyed(instructed()), outages=outages, outage_since=AT)
        event, now = put_off(CallFailed(trouble, "not now"), session)
        expected = min(first * 2**outages, longest)
        assert 0.75 * expected <= event.until - now <= 1.25 * expected
    waits = {event.until for event, _ in (put_off(CallFailed(trouble, "not now")) for _ in range(8))}
    assert len(waits) > 1, "not all that wait ask at the same moment"


@pytest.mark.parametrize(("trouble", "longest"), [(Trouble.API, 600.0), (Trouble.QUOTA, 21_600.0)])
def test_beyond_the_longest_wait_a_person_has_to_act(trouble: Trouble, longest: float) -> None:
    assert put_off(CallFailed(trouble, "x", retry_after=longest))[0].until > 0
    assert put_off(CallFailed(trouble, "x", retry_after=longest + 1))[0].until == 0.0
    tired = replace(surveyed(instructed()), outages=9, outage_since=AT - longest)
    assert put_off(CallFailed(trouble, "x"), tired)[0].until == 0.0
    recent = replace(tired, outage_since=AT - 1)
    assert put_off(CallFailed(trouble, "x", retry_after=1), recent)[0].until > 0


@pytest.mark.parametrize("trouble", [Trouble.LOGIN, Trouble.PROGRAM, Trouble.OTHER, Trouble.CONVERSATION])
def test_what_time_does_not_heal_is_a_persons(trouble: Trouble) -> None:
    assert put_off(CallFailed(trouble, "no key", retry_after=5))[0].until == 0.0


def test_the_terms_say_how_long_is_too_long() -> None:
    session = surveyed(instructed(api_wait=10.0))
    assert put_off(CallFailed(Trouble.API, "x", retry_after=11), session)[0].until == 0.0
    assert put_off(CallFailed(Trouble.API, "x", retry_after=9), session)[0].until > 0


# ── performers that ask ──────────────────────────────────────────────────────


def test_what_is_plainly_too_little_is_asked_without_a_model() -> None:
    stage = Stage()
    event = stage.perform(ask_questions, surveyed(instructed("fix it")), fx.AskQuestions(0, 0, 0.0))
    assert (event.questions, event.is_instruction, event.calls) == ((unclear("fix it"),), False, ())


def test_a_model_that_asks_nothing_usable_asks_nothing() -> None:
    stage = Stage(*["what?"] * 3)
    event = stage.perform(ask_questions, surveyed(instructed()), fx.AskQuestions(0, 0, 0.0))
    assert (event.questions, event.title, event.is_instruction, len(event.calls)) == ((), "", True, 3)


def test_the_answer_to_an_open_question_belongs_to_the_instruction() -> None:
    session = surveyed(instructed("fix it"))
    session = asked(session, Question("Which place?"), is_instruction=False)
    stage = Stage('{"questions": []}')
    session = replace(session, planning=replace(session.planning, answers=(Answer("Which place?", "the login"),)))  # type: ignore[type-var]
    stage.perform(ask_questions, session, fx.AskQuestions(0, 0, 0.0))
    assert "<<<\nfix it\n\nthe login\n>>>" in stage.model.calls[0].messages[-1].text


def test_a_document_that_does_not_come_is_the_instruction_itself() -> None:
    stage = Stage(*["no"] * 3)
    effect = fx.WriteDocument(0, 0, 0.0, Document.SPEC)
    event = stage.perform(write_document, asked(surveyed(instructed())), effect)
    assert event.text.startswith("# A greeting\n\nAdd a greeting\n")
    assert event.talk == ()


@pytest.mark.covers("G10", "G9")
def test_where_no_tasks_come_the_instruction_is_the_one_task() -> None:
    stage = Stage(*['{"tasks": []}'] * 3)
    event = stage.perform(draft_tasks, asked(surveyed(instructed())), fx.DraftTasks(0, 0, 0.0, 0))
    draft = event.draft
    assert (draft.is_fallback, draft.parallel, len(draft.tasks)) == (True, 1, 1)
    assert (draft.tasks[0].key, draft.tasks[0].agent) == ("T001", "crew")
    assert draft.tasks[0].description.startswith("Add a greeting")
    assert draft.remarks[0].endswith("tasks: there should be at least one")


def test_remarks_are_those_of_the_reply_that_was_used() -> None:
    bad = '{"tasks": [{"key": "A", "title": "x", "agent": "root"}, {"key": "A", "title": "y"}]}'
    stage = Stage(bad, '{"tasks": [{"key": "A", "title": "x"}]}')
    event = stage.perform(draft_tasks, asked(surveyed(instructed())), fx.DraftTasks(0, 0, 0.0, 0))
    assert event.draft.remarks == ()


def test_a_plan_that_cannot_be_scored_has_no_points() -> None:
    session = drafted(written(asked(surveyed(instructed()))), "T001")
    event = Stage(*["fine"] * 3).perform(score_draft, session, fx.ScoreDraft(0, 0, 0.0, 0))
    assert event.score.points == 0
    assert "the plan could not be scored: there is no JSON object in the reply" in event.score.issues


def test_a_conversation_is_shortened_even_without_anAnswer() -> None:
    session = talking(15, talk_limit=100)
    event = Stage(*[""] * 3).perform(compact_talk, session, fx.CompactTalk(0, 0, 0.0))
    assert (event.dropped, len(event.summary.splitlines())) == (10, 10)
    event = Stage(" they talked ").perform(compact_talk, session, fx.CompactTalk(0, 0, 0.0))
    assert event.summary == "they talked"


# ── performers that ask about the work ───────────────────────────────────────


def test_whoever_reviewed_or_judged_is_on_record() -> None:
    session = finish(start(reviewed_session("A"), "A"), "A")
    effect = fx.ReviewWork(1, 0, 0.0, "run-1-1", 0)
    event = Stage('{"opinion": "approved", "reason": "fine"}').perform(review_work, session, effect)
    assert (event.review.opinion, event.review.by) == (Opinion.APPROVED, "fake/one")
    judging = fx.JudgeSession(0, 0, 0.0, session.tip)
    assert Stage('{"complete": true}').perform(judge_session, session, judging).judgement.by == "fake/one"


@pytest.mark.covers("P9")
def test_where_nobody_can_review_or_judge_nothing_is_waved_through() -> None:
    session = finish(start(reviewed_session("A"), "A"), "A")
    event = Stage(*["fine!"] * 3).perform(review_work, session, fx.ReviewWork(1, 0, 0.0, "run-1-1", 0))
    assert event.review.opinion is Opinion.NONE
    event = Stage(*["fine!"] * 3).perform(judge_session, session, fx.JudgeSession(0, 0, 0.0, session.tip))
    assert not event.judgement.is_complete


def replacing(*needs: str) -> str:
    new = {"key": "N", "title": "Another way", "depends_on": list(needs)}
    return json.dumps({"remedy": "replace", "reason": "so", "tasks": [new]})


def test_what_replaces_a_task_waits_for_what_the_old_one_waits_for_now() -> None:
    """Not for what it was planned to wait for: that may have been replaced itself."""
    session = reviewed_session("A", planned("B", "A"))
    session = reconsider(wrong_way(session, "A"), "A", Remedy.REPLACE, planned("A1"))
    session = after(session, e.TaskBlocked(AT, 2, BlockReason.REVIEW, "no"))
    event = Stage(replacing()).perform(reconsider_task, session, fx.ReconsiderTask(2, 0, 0.0, 0, 0))
    assert event.tasks[0].depends_on == ("A1",)
    check_books(after(session, event))


@pytest.mark.parametrize("need", ["A", "B"])
def test_what_replaces_a_task_cannot_wait_for_it_or_for_those_who_wait_for_it(need: str) -> None:
    session = wrong_way(reviewed_session("A", planned("B", "A")), "A")
    stage = Stage(replacing(need), replacing())
    event = stage.perform(reconsider_task, session, fx.ReconsiderTask(1, 0, 0.0, 0, 0))
    assert event.tasks[0].depends_on == ()
    correction = stage.model.calls[-1].messages[-1].text
    assert f"- tasks: N cannot wait for {need}, which will not be done before it\n" in correction
    check_books(after(session, event))

"""A session as a conversation: everything that matters is in it, in order, and it never grows beyond reading."""

from collections.abc import Iterable

from hypothesis import given
from tests.support.lives import LIVES, Life
from tests.support.planning import QUESTION, call
from tests.support.sessions import AT, BASE, SESSION, TREE, planned

from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.plan import Terms
from toryo.domain.planning import Answer, Document, Draft, Score
from toryo.domain.report import Trouble
from toryo.domain.review import Judgement
from toryo.domain.session import Session
from toryo.domain.verdict import BlockReason, Outcome
from toryo.rules.evolve import evolve
from toryo.views.conversation import MOST_ENTRIES, MOST_STEPS, Conversation, fold
from toryo.views.entries import STEPS, Entry, Kind, Standing, Who
from toryo.views.steps import overview_entry

OPENED = e.SessionOpened(
    AT, SESSION, "A greeting", "", "main", BASE, TREE, "agent/greeting", Terms(), "Add a greeting", "SPEC-0123abcd"
)
PLANNED = [
    e.RepositorySurveyed(AT, "A small repository.", ("Python",)),
    e.QuestionsAsked(AT, (call(),), (QUESTION,)),
    e.QuestionsAnswered(AT, (Answer(QUESTION.text, "b.txt"),), "a person"),
    e.DocumentWritten(AT, (call(),), Document.SPEC, "# What\n\nA greeting.\n"),
    e.DocumentWritten(AT, (call(),), Document.PLAN, "# How\n\nWith words.\n"),
    e.TasksDrafted(AT, (call(),), Draft((planned("A"), planned("B")))),
    e.DraftScored(AT, (call(),), Score(90)),
    e.PlanProposed(AT, (planned("A"), planned("B"))),
]


def _told(*events: e.Event) -> list[tuple[Session, e.Event]]:
    session: Session | None = None
    told = []
    for event in events:
        session = evolve(session, event)
        told.append((session, event))
    return told


def _of(kind: Kind, entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind is kind]


def test_an_instruction_questions_and_a_plan_are_told_in_order() -> None:
    entries = fold(_told(OPENED, *PLANNED))
    assert [entry.kind for entry in entries if entry.kind not in STEPS] == [Kind.SAID, Kind.QUESTIONS, Kind.PLAN]
    said, questions, plan = (entry for entry in entries if entry.kind not in STEPS)
    assert (said.who, said.text) == (Who.PERSON, "Add a greeting")
    assert questions.standing is Standing.ANSWERED
    assert questions.answers == (Answer(QUESTION.text, "b.txt", "a person"),)
    assert [(section.name, section.text.splitlines()[0]) for section in plan.sections] == [
        ("spec", "# What"),
        ("plan", "# How"),
        ("tasks", "# Tasks: A greeting"),
    ]
    assert (plan.points, plan.standing) == (90, Standing.WAITING)
    assert "looked at the repository: Python" in [entry.text for entry in entries]


def test_a_document_is_there_to_read_until_it_is_part_of_the_plan() -> None:
    documents = _of(Kind.REPLY, fold(_told(OPENED, *PLANNED[:5])))
    assert [entry.sections[0].text for entry in documents] == ["# What\n\nA greeting.\n", "# How\n\nWith words.\n"]
    assert _of(Kind.REPLY, fold(_told(OPENED, *PLANNED))) == []


def test_a_plan_that_is_rejected_stays_with_the_reason_after_it_and_the_next_is_another() -> None:
    again = [e.PlanRejected(AT, "No new file, please", "a person"), *PLANNED[3:]]
    entries = fold(_told(OPENED, *PLANNED, *again, e.PlanApproved(AT, "a person")))
    assert [plan.standing for plan in _of(Kind.PLAN, entries)] == [Standing.REJECTED, Standing.APPROVED]
    assert [said.text for said in _of(Kind.SAID, entries)] == ["Add a greeting", "No new file, please"]


def test_what_a_person_says_is_followed_by_what_it_means_for_which_tasks() -> None:
    said = [
        e.PersonSaid(AT, "In French"),
        e.SayingConsidered(AT, (call(),), 0, "A is done differently.", ((1, "French"),), (2,), (planned("C"),)),
    ]
    *_, words, reply = fold(_told(OPENED, *PLANNED, e.PlanApproved(AT, "a person"), *said))
    assert (words.who, words.text) == (Who.PERSON, "In French")
    assert reply.text == "A is done differently.\n\n- begin again: A\n- dropped: B\n- new: C Task C"


def test_an_outage_is_one_thing_however_long_it_lasts() -> None:
    tries = [
        e.CallPostponed(AT + n, (call(Trouble.API),), "questions", Trouble.API, "not now", AT + n + 60)
        for n in range(9)
    ]
    entries = fold(_told(OPENED, PLANNED[0], *tries, *PLANNED[1:2], *tries[:1]))
    first, second = _of(Kind.TROUBLE, entries)
    assert "trying again at" in first.text
    assert first.at == AT + 8
    assert entries.index(first) < entries.index(second)


def test_how_it_ends_is_said_with_what_to_do_next() -> None:
    blocked = [
        e.TaskBlocked(AT, 1, BlockReason.SYSTEM_ERROR, "no disk"),
        e.SessionPaused(AT, "1 waits", waits_for_person=True),
    ]
    begun = (OPENED, *PLANNED, e.PlanApproved(AT, "a person"))
    *_, trouble, summary = fold(_told(*begun, *blocked))
    assert trouble.kind is Kind.TROUBLE
    assert summary.kind is Kind.SUMMARY
    assert any("no disk" in note for note in summary.notes)
    closed = fold(_told(*begun, e.SessionClosed(AT, Outcome.INCOMPLETE, discarded=True)))[-1]
    assert closed.text.startswith("discarded")


def test_the_final_judgement_says_what_is_missing() -> None:
    judged = e.SessionJudged(AT, (call(),), "c" * 40, Judgement(is_complete=False, missing=("the *tests*",)))
    conversation = Conversation()
    session = _told(OPENED)[-1][0]
    (reply,) = conversation.told(session, judged)
    assert reply.text == "This is not yet what was asked for.\n\nMissing:\n\n- the \\*tests\\*"


def test_what_is_told_twice_changes_nothing_and_what_is_missed_is_noticed() -> None:
    conversation = Conversation()
    told = _told(OPENED, *PLANNED)
    for session, event in told:
        assert not conversation.misses(session)
        assert conversation.told(session, event)
        assert conversation.told(session, event) == []
    session, _ = told[-1]
    assert conversation.misses(changed(session, seq=session.seq + 2))


def test_a_session_of_thirteen_thousand_events_is_no_longer_than_a_person_could_read() -> None:
    conversation = Conversation()
    for session, event in _told(OPENED, *PLANNED, e.PlanApproved(AT, "a person")):
        conversation.told(session, event)
    for number in range(13_000):
        event: e.Event = e.RunPlanned(AT + number, 1 + number % 2, f"run-{number}", "crew", "")
        if number % 20 == 0:
            event = e.PersonSaid(AT + number, f"word {number}")
        conversation.told(changed(session, seq=session.seq + 1 + number), event)
    entries = conversation.entries
    assert len(entries) == MOST_ENTRIES
    assert entries[0].text == "Add a greeting"
    assert entries[1].text.startswith("… 12")
    assert "word 12980" in [entry.text for entry in entries]


def test_older_steps_become_one_line_in_their_place() -> None:
    conversation = Conversation()
    for session, event in _told(OPENED, *PLANNED, e.PlanApproved(AT, "a person")):
        conversation.told(session, event)
    for number in range(243):
        told = changed(session, seq=session.seq + 1 + number)
        conversation.told(told, e.RunPlanned(AT, 1, f"run-{number:03}", "crew", ""))
    entries = conversation.entries
    after_plan = entries[[entry.kind for entry in entries].index(Kind.PLAN) + 1 :]
    assert len(after_plan) == MOST_STEPS
    assert after_plan[0].text == "… 215 earlier steps"
    assert "run-242" in after_plan[-1].text


def test_how_it_stands_takes_the_place_of_what_was_said_before() -> None:
    session = _told(OPENED, *PLANNED, e.PlanApproved(AT, "a person"))[-1][0]
    first, second = overview_entry(session, AT), overview_entry(session, AT + 120)
    assert first.id == second.id
    assert first.text.startswith("0 of 2 done")


@given(LIVES)
def test_whoever_keeps_to_the_changes_sees_the_same_as_whoever_reads_it_all(life: Life) -> None:
    conversation = Conversation()
    shown: dict[str, Entry] = {}
    for event, session in life.moments:
        for entry in conversation.told(session, event):
            if entry.is_gone:
                shown.pop(entry.id, None)
            else:
                shown[entry.id] = entry
    assert list(shown.values()) == fold((session, event) for event, session in life.moments)
    assert len(shown) <= MOST_ENTRIES

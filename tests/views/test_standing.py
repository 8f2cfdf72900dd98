"""What a session waits for while it is being planned, said the same way everywhere."""

from tests.support.planning import approved, asked, instructed, proposed, surveyed, thought_through
from tests.support.sessions import AT, a_session, after

from toryo.domain import events as e
from toryo.domain.planning import Question
from toryo.domain.session import Session
from toryo.domain.verdict import Outcome
from toryo.rules.judging import session_outcome
from toryo.views.plan import how_to_answer, plan_text
from toryo.views.report import next_steps, report
from toryo.views.standing import is_being_planned, standing_words, waits_for
from toryo.views.summary import summary

WHICH = Question("Which?", "it matters", ("this", "that"), "this")


def asking(*questions: Question) -> Session:
    return asked(surveyed(instructed()), *questions)


def paused(session: Session) -> Session:
    return after(session, e.SessionPaused(AT, "interrupted"))


def steps(session: Session) -> str:
    return "\n".join(next_steps(session, session_outcome(session)))


def test_what_only_a_person_can_give() -> None:
    assert waits_for(instructed()) is None
    assert waits_for(asking(WHICH)) == waits_for(paused(asking(WHICH))) == "answers"
    assert waits_for(proposed(thought_through("A"))) == "approval"
    assert waits_for(approved("A")) is None
    assert waits_for(after(a_session("A"), e.SessionPaused(AT, "1 blocked task", waits_for_person=True))) == "person"
    assert waits_for(after(asking(WHICH), e.SessionClosed(AT, Outcome.NO_EVIDENCE, discarded=True))) is None
    assert summary(proposed(thought_through("A")))["waits_for"] == "approval"


def test_whether_it_is_being_planned_also_while_it_is_paused() -> None:
    assert all(
        map(is_being_planned, (instructed(), paused(instructed()), asking(WHICH), proposed(thought_through("A"))))
    )
    assert not any(map(is_being_planned, (approved("A"), paused(approved("A")), a_session("A"))))


def test_in_words() -> None:
    assert standing_words("planning", None) == "planning"
    assert standing_words("planning", "answers") == "waits for answers"


def test_how_to_go_on_fits_what_is_missing() -> None:
    short = instructed().short
    assert steps(paused(instructed())).startswith(f"go on with planning: toryo resume {short}\n")
    assert steps(asking(WHICH)).startswith(f"answer its questions: toryo answer {short}\n")
    assert f"carry it out: toryo approve {short}" in steps(proposed(thought_through("A")))
    assert "unfinished tasks" not in steps(proposed(thought_through("A")))
    assert "unfinished tasks" in steps(paused(approved("A")))


def test_a_report_before_there_is_a_plan_claims_nothing() -> None:
    text = report(asking(WHICH), Outcome.NO_EVIDENCE, AT)
    assert "- Outcome: none yet, waits for answers\n" in text
    assert "- Proof: none yet: it is being planned\n" in text
    assert "## Tasks" not in text
    assert "## Risks" not in text


def test_a_plan_that_does_not_exist_yet_says_so() -> None:
    text = plan_text(asking(WHICH))
    assert "- no plan yet: waits for answers\n" in text
    assert "tasks.md" not in text


def test_how_to_answer_fits_the_questions() -> None:
    words = Question("Why?")
    assert how_to_answer("1234", (WHICH,)) == "toryo answer 1234 --defaults, or toryo answer 1234 'b'"
    assert how_to_answer("1234", (WHICH, WHICH)) == "toryo answer 1234 --defaults, or toryo answer 1234 '1b 2a'"
    assert how_to_answer("1234", (words,)) == "toryo answer 1234 'your answer'"
    assert how_to_answer("1234", (words, words)) == "toryo answer 1234 '1: your answer'"

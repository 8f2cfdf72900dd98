"""A face that stays open and never conducts: what is typed is understood, recorded, and gone on with elsewhere."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.support.instructions import (
    ASKED,
    SAYING,
    judged,
    plan,
    planner,
    question,
    questions,
    review,
    score,
    spec,
    task,
    tasks,
    usual,
    work,
    writes,
)
from tests.support.intending import modelled, sessions, status, wish, work_off
from tests.support.planning_server import json_text
from tests.support.queueing import until_idle
from tests.support.repositories import Repo, until

from toryo.app.conversations import conversation_of
from toryo.app.frontdoor import Done, FrontDoor
from toryo.domain.errors import ToryoError
from toryo.domain.landing import LandingMode
from toryo.domain.planning import Answer
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import Outcome
from toryo.rules.planning import needs_answers
from toryo.rules.understanding import Understood
from toryo.views.entries import Kind, Standing

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


class Face:
    """Somebody in front of the door, with the repository's environment."""

    def __init__(self, repo: Repo) -> None:
        self.repo, self.door = repo, FrontDoor(repo.path)

    def does(self, act: Callable[[FrontDoor], Any]) -> Any:
        with patch.dict(os.environ, self.repo.environ, clear=True):
            return act(self.door)

    def types(self, text: str, session: Session | None = None) -> Done:
        done: Done = self.does(lambda door: door.typed(text, session.id if session else None))
        return done

    def sees(self, session: Session, wanted: Callable[[Session], object]) -> Session:
        """Waits until the session is so; whoever follows the journal would be told."""
        until(lambda: wanted(self.door.session(session.id)), 90)
        return self.door.session(session.id)


@pytest.fixture
def face(repo: Repo) -> Iterator[Face]:
    yield Face(repo)
    repo.end()


def _awaits(session: Session) -> bool:
    return session.state is SessionState.AWAITING_APPROVAL


def _is_closed(session: Session) -> bool:
    return session.state is SessionState.CLOSED


def _waits(place: Path, key: str) -> dict[str, str]:
    return {"run": f"touch {place}/begun-{key}; until test -e {place}/go; do sleep 0.05; done"}


@pytest.mark.covers("G5", "G11", "G13", "G14")
def test_from_a_wish_over_questions_and_a_plan_to_merged_work_and_what_follows_it(face: Face) -> None:
    asked = questions(question("Which words?", "short", "long"), question("Where?", "here", "there"))
    with planner(face.repo, [asked, *usual("A")[1:]]) as endpoint:
        begun = face.types(WISH)
        assert begun.understood is Understood.BEGIN
        session = face.sees(begun.session, needs_answers)
        assert face.does(lambda door: [one.stands for one in door.unfinished()]) == ["waits for answers"]
        with pytest.raises(ToryoError, match="no answer"):
            face.types("whatever you like", session)
        assert face.types("1b", session).understood is Understood.ANSWER
        session = face.sees(session, _awaits)
        assert session.planning is not None
        assert [(one.text, one.by) for one in session.planning.answers] == [("long", "a person"), ("here", "a person")]
        assert face.types("はい", session).understood is Understood.APPROVE
        session = face.sees(session, _is_closed)
        assert session.outcome is Outcome.COMPLETE
        assert "A.txt" in face.repo.files_on(BRANCH)
        assert face.does(lambda door: door.latest()).id == session.id
        _assert_told(face.repo, session)

        follows = json_text({"title": "More", "follows": True, "questions": []}, when=ASKED)
        endpoint.add(follows, spec(), plan(), tasks(task("B")), score(90))
        more = face.types("Greet in French, too", session)
        assert (more.understood, more.session.id != session.id) == (Understood.BEGIN, True)
        after = face.sees(more.session, _awaits)
        assert after.base_commit == session.tip
        assert face.does(lambda door: door.discard(after.id)).state is SessionState.CLOSED


def _assert_told(repo: Repo, session: Session) -> None:
    told = conversation_of(repo.path, session.id).entries
    assert [entry.kind for entry in told if entry.kind in (Kind.SAID, Kind.QUESTIONS, Kind.PLAN, Kind.SUMMARY)] == [
        Kind.SAID,
        Kind.QUESTIONS,
        Kind.PLAN,
        Kind.SUMMARY,
    ]
    (planned,) = [entry for entry in told if entry.kind is Kind.PLAN]
    assert planned.standing is Standing.APPROVED
    assert [section.name for section in planned.sections] == ["spec", "plan", "tasks"]
    assert any(entry.kind is Kind.DONE and "A: merged as" in entry.text for entry in told)
    assert "COMPLETE" in told[-1].text


@pytest.mark.covers("G23", "G25")
def test_words_reach_the_tasks_they_concern_and_all_agents_stop_and_go_on_when_told(face: Face) -> None:
    place = face.repo.path.parent
    work(face.repo, {key: [[_waits(place, key), writes(f"{key}.txt")]] for key in ("A", "B")})
    said = {"answer": "A is done differently.", "changes": [{"key": "A", "says": "Say it in French."}]}
    replies = [*usual("A", "B")[:5], json_text(said, when=SAYING), review(), review(), judged()]
    with planner(face.repo, replies):
        session = face.sees(face.types(WISH).session, _awaits)
        face.does(lambda door: door.approve(session.id))
        until(lambda: len(list(place.glob("begun-*"))) == 2, 90)
        assert face.does(lambda door: [(one.id, one.place) for one in door.queue()]) == [(session.id, 0)]
        assert face.types("The greeting should be French", session).understood is Understood.SAY
        session = face.sees(session, lambda now: len(now.task("A").runs) == 2 and now.count(TaskState.RUNNING) == 2)

        assert face.does(lambda door: door.will_stop()).startswith("stopping 2 agents")
        stopped = face.does(lambda door: door.stop())
        assert (stopped.id, stopped.state, stopped.count(TaskState.RUNNING)) == (session.id, SessionState.PAUSED, 0)
        assert face.does(lambda door: door.stop()) is None
        assert face.does(lambda door: [one.stands for one in door.unfinished()]) == ["paused: stopped by a person"]
        (place / "go").touch()
        assert face.types("", stopped).understood is Understood.RESUME
        session = face.sees(session, _is_closed)
        assert session.outcome is Outcome.COMPLETE
        assert {"A.txt", "B.txt"} <= face.repo.files_on(BRANCH)

        face.does(lambda door: door.land(session.id, LandingMode.MERGE))
        face.sees(session, lambda now: now.is_landed)
        assert "A.txt" in face.repo.files_on("main")
    told = [entry.text for entry in conversation_of(face.repo.path, session.id).entries]
    assert "The greeting should be French" in told
    assert any(text.startswith("A is done differently.\n\n- begin again: A") for text in told)
    assert any(text.startswith("landed as") for text in told)


@pytest.mark.covers("G11")
def test_a_rejected_plan_is_made_anew_and_of_two_doors_one_decides(face: Face) -> None:
    again = [spec(), plan(), tasks(task("B")), score(90), review(), judged()]
    with planner(face.repo, [*usual("A")[:5], *again]) as endpoint:
        session = face.sees(face.types(f"{WISH}. Only the plan, please").session, _awaits)
        with pytest.raises(ToryoError, match="what should be different"):
            face.types("いいえ", session)
        rejected = face.types("B instead, please", session)
        assert rejected.understood is Understood.REJECT
        session = face.sees(session, lambda now: _awaits(now) and "B" in now.keys)
        assert any("B instead, please" in words[-1] for words in endpoint.conversations())

        with patch.dict(os.environ, face.repo.environ, clear=True), ThreadPoolExecutor(2) as two:
            tried = [two.submit(FrontDoor(face.repo.path).approve, session.id) for _ in range(2)]
            errors = [done.exception() for done in tried]
        assert [getattr(error, "code", None) for error in errors if error] == ["E210"]
        assert face.sees(session, _is_closed).outcome is Outcome.COMPLETE


def test_a_stopped_plan_can_still_be_approved_and_default_answers_are_given_by_nothing_at_all(face: Face) -> None:
    asked = questions(question("Which words?", "short", "long"))
    with planner(face.repo, [asked, *usual("A")[1:]]):
        session = face.sees(face.does(lambda door: door.begin(WISH)), needs_answers)
        face.does(lambda door: door.stop(session.id))
        assert face.types("", session).understood is Understood.ANSWER
        session = face.sees(session, _awaits)
        assert session.planning is not None
        assert session.planning.answers == (Answer("Which words?", "short", "a person"),)
        stopped = face.does(lambda door: door.stop(session.id))
        assert stopped.state is SessionState.PAUSED
        assert face.types("go ahead", stopped).understood is Understood.APPROVE
        assert face.sees(session, _is_closed).outcome is Outcome.COMPLETE


def test_a_task_that_waits_is_answered_and_tried_again_by_its_key(face: Face) -> None:
    work(face.repo, {"A": [[{"run": "exit 3"}]] * 3 + [[writes("A.txt")]]})
    face.repo.environ |= {"TORYO_RUN_ATTEMPTS": "1", "TORYO_RUN_REVIEW": "false"}
    with planner(face.repo, usual("A")[:5]):
        session = face.sees(face.types(WISH).session, _awaits)
        face.types("y", session)
        session = face.sees(session, lambda now: now.waits_for_person)
        told = conversation_of(face.repo.path, session.id).entries
        assert told[-1].kind is Kind.SUMMARY
        assert any(note.startswith("A: ") for note in told[-1].notes)
        with pytest.raises(ToryoError, match="no task X"):
            face.does(lambda door: door.retry(session.id, "X"))
        face.does(lambda door: door.retry(session.id, "a", "Try harder"))
        session = face.sees(session, lambda now: len(now.task("A").runs) == 2 and now.waits_for_person)
        face.does(lambda door: door.answer_task(session.id, "A", "Once more"))
        face.sees(session, lambda now: len(now.task("A").runs) == 3 and now.waits_for_person)
    prompts = [path.read_text() for path in face.repo.store.glob("runs/*/prompt.md")]
    assert [sum(words in prompt for prompt in prompts) > 0 for words in ("Try harder", "Once more")] == [True, True]


def test_what_cannot_be_changes_nothing_and_says_what_to_do(face: Face) -> None:
    with pytest.raises(ToryoError, match=r"AI settings are required|no coding agent"):
        face.types(WISH)
    assert face.does(lambda door: door.latest()) is None
    assert face.does(lambda door: door.unfinished()) == []
    with pytest.raises(ToryoError, match="nothing to say"):
        face.types("  ")
    with pytest.raises(ToryoError, match="was not kept"):
        face.types("toryo keys set openai sk-" + "a" * 30)
    with planner(face.repo, []):
        face.repo.environ |= {"TORYO_RUN": "run-1", "TORYO_MAIN": str(face.repo.path)}
        with pytest.raises(ToryoError, match="does not decide about its own session"):
            face.types(WISH)
    assert not json.loads(face.repo.toryo("status", "--json").out or "{}").get("sessions")


@pytest.mark.covers("F1", "F6")
def test_an_intent_whose_file_was_renamed_is_approved_where_its_session_is_shown(repo: Repo) -> None:
    modelled(repo)
    wish(repo, "greet")
    assert work_off(repo).code == 2
    until_idle(repo)
    folder = repo.path / ".toryo" / "intents"
    (folder / "greet.yaml").rename(folder / "greet-people.yaml")
    (row,) = sessions(repo)
    Face(repo).does(lambda door: door.approve(row["id"]))
    until(lambda: status(repo, "greet-people") == "done")
    until_idle(repo)

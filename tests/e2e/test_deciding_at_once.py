"""Several people, or several terminals, decide about one session: one of them does, and the others are told so."""

import threading
from dataclasses import replace

import pytest
from tests.support.instructions import (
    RECONSIDER,
    TASKS,
    asks,
    judged,
    kinds,
    planner,
    question,
    questions,
    review,
    usual,
    work,
    writes,
)
from tests.support.planning_server import Hang, json_text
from tests.support.repositories import Repo, kill, shell, until

from toryo.app.leasing import Attention, attention_to
from toryo.app.planning import answer, approve, reject, wish
from toryo.app.project import open_project
from toryo.domain import events as e
from toryo.domain.errors import ToryoError
from toryo.domain.planning import Answer, Question
from toryo.journal.lease import Lease
from toryo.rules.evolve import evolve

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


@pytest.mark.covers("G26")
def test_of_an_approval_and_a_rejection_at_once_exactly_one_counts(repo: Repo) -> None:
    with planner(repo, usual("A")[:5]):
        assert asks(repo, WISH).code == 2
    both = [repo.start("approve", "--only"), repo.start("reject", "--only", "--why", "No")]
    said = [process.communicate(timeout=60) for process in both]
    assert sorted(process.returncode for process in both) == [0, 64], said
    loser = next(err for process, (_, err) in zip(both, said, strict=True) if process.returncode)
    assert "there is no plan to decide about" in loser
    assert kinds(repo).count("PlanApproved") + kinds(repo).count("PlanRejected") == 1


def test_who_decides_about_what_was_decided_is_told(repo: Repo) -> None:
    with planner(repo, usual("A")[:5]):
        assert asks(repo, WISH).code == 2
    project = open_project(repo.path, writing=True)
    before = project.session()
    reject(project, before, "No")
    for late in (lambda: approve(project, before), lambda: reject(project, before, "Not so")):
        with pytest.raises(ToryoError, match="is planning; there is no plan"):
            late()
    project.close()
    assert [kinds(repo).count(kind) for kind in ("PlanApproved", "PlanRejected", "PlanEdited")] == [0, 1, 0]


def test_who_answers_what_was_answered_is_told(repo: Repo) -> None:
    with planner(repo, [questions(question("Which one?", "this", "that"))]):
        assert asks(repo, WISH).code == 2
    project = open_project(repo.path, writing=True)
    before = project.session()
    answer(project, before, (Answer("Which one?", "this"),))
    with pytest.raises(ToryoError, match="answered by somebody else"):
        answer(project, before, (Answer("Which one?", "that"),))
    project.close()


@pytest.mark.parametrize("digits", ["1b", "1b000000"])
def test_an_answer_is_an_answer_though_an_id_begins_like_it(repo: Repo, digits: str) -> None:
    """A session's id may begin with any two digits; as an answer only what is as short as one is meant."""
    with planner(repo, [questions(question("Which one?", "this", "that"))]):
        assert asks(repo, WISH).code == 2
    project = open_project(repo.path, writing=True)
    opened = next(event for _, event in project.journal.read(project.session().id))
    again = replace(opened, session=f"session-{digits:0<8}-0000-4000-8000-000000000000")
    asked = e.QuestionsAsked(0.0, (), (Question("Which one?", "", ("this", "that"), "this"),))
    project.write(evolve(evolve(None, again), asked), 0, [again, asked])
    project.close()
    done = repo.toryo("answer", digits, "--only")
    assert ("answered" in done.err) == (digits == "1b"), done


@pytest.mark.covers("G26")
def test_what_is_approved_twice_is_approved_once(repo: Repo) -> None:
    with planner(repo, usual("A")[:5]):
        assert asks(repo, WISH).code == 2
    assert repo.toryo("approve", "--only").code == 0
    again = repo.toryo("approve", "--only")
    assert again.code == 64, again
    assert kinds(repo).count("PlanApproved") == 1


def test_what_is_recorded_while_a_conductor_is_just_ending_is_gone_on_with(repo: Repo) -> None:
    with planner(repo, usual("A")[:5]):
        assert asks(repo, WISH).code == 2
    project = open_project(repo.path, writing=True)
    session = project.session()
    lease = Lease(repo.store / "conductor.lock")
    lease.acquire()
    assert attention_to(project, session) is Attention.UNCERTAIN
    threading.Timer(0.1, lease.release).start()
    assert attention_to(project, session) is Attention.NOBODY
    project.close()


def test_a_plan_approved_while_another_session_is_conducted_is_not_forgotten(repo: Repo) -> None:
    with planner(repo, [*usual("A")[:5], Hang(120), *usual("A")[5:]]) as endpoint:
        assert asks(repo, WISH).code == 2
        short = repo.status()["sessions"][0]["id"].removeprefix("session-")[:8]
        other = repo.start("run", "Something else in the program", "--yes")
        until(lambda: len(endpoint.requests) == 6)
        done = repo.toryo("approve", short)
        assert done.code == 0, done
        assert f"toryo resume {short}" in done.err
        kill(other)
        done = repo.toryo("resume", short)
        assert done.code == 0, done
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


def test_words_to_a_session_that_is_still_planned_are_refused_and_not_lost_silently(repo: Repo) -> None:
    """Neither while its plan is made, nor while that is paused, nor while the plan waits."""
    with planner(repo, [Hang(120, when=TASKS), *usual("A")]) as endpoint:
        process = repo.start("run", WISH, "--yes")
        until(lambda: len(endpoint.requests) == 4)
        kill(process)
        for state, command in (("planning", "stop"), ("paused", "resume"), ("awaiting approval", "status")):
            done = repo.toryo("continue", "And say goodbye")
            assert done.code == 64, done
            assert f"is {state}: nothing can be added to it yet" in done.err
            repo.toryo(command)
        assert len(endpoint.requests) == 6
    assert "WishAdded" not in kinds(repo)


def test_what_was_added_is_planned_before_more_is_added(repo: Repo) -> None:
    with planner(repo, [*usual("A")[:6], judged(False, "B is missing")]):
        assert asks(repo, WISH, "--yes").code == 2
    project = open_project(repo.path, writing=True)
    session = project.session()
    with pytest.raises(ToryoError, match="nothing can be added to it yet"):
        wish(project, wish(project, session, "more"), "and more")
    project.close()
    assert kinds(repo).count("WishAdded") == 1


def test_a_task_s_question_is_shown_where_no_answer_is_given(repo: Repo) -> None:
    work(repo, {"A": [[{"say": "cannot"}]] * 3 + [[writes("A.txt")]]})
    remedy = {"remedy": "ask", "reason": "it is not clear", "advice": "French or German?"}
    with planner(repo, [*usual("A")[:5], json_text(remedy, when=RECONSIDER), review(), judged()]):
        assert asks(repo, WISH, "--yes").code == 2
        for flags in ((), ("--defaults",)):
            shown = repo.toryo("answer", "A", *flags)
            assert (shown.code, shown.out) == (0, "French or German?\n"), shown
    assert "TaskRetried" not in kinds(repo)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("approve",), "there is no plan to decide about"),
        (("reject", "--why", "No"), "there is no plan to decide about"),
        (("say", "More"), "is closed"),
        (("answer", "1b"), "asks nothing"),
        (("resume",), "no unfinished session"),
        (("approve", "A"), "not blocked"),
        (("answer", "A", "yes"), "asks nothing"),
        (("approve", "00000000"), "nothing here is called"),
        (("plan",), "instruction"),
    ],
)
def test_what_comes_after_the_end_is_refused_with_words(repo: Repo, command: tuple[str, ...], says: str) -> None:
    with planner(repo, usual("A")):
        assert asks(repo, WISH, "--yes").code == 0
        before = len(repo.events())
        done = repo.toryo(*command)
    assert done.code == 64, done
    assert says in done.err
    assert len(repo.events()) == before


def test_a_session_whose_work_is_gone_is_not_continued_and_no_model_is_asked(repo: Repo) -> None:
    with planner(repo, usual("A")) as endpoint:
        assert asks(repo, WISH, "--yes").code == 0
        repo.git("branch", "-D", BRANCH)
        repo.git("reflog", "expire", "--expire=now", "--all")
        repo.git("gc", "-q", "--prune=now")
        done = repo.toryo("continue", "And say goodbye", "--yes")
        assert done.code == 64, done
        assert f"{BRANCH} was deleted" in done.err
        assert len(endpoint.requests) == 7
    assert len(repo.status()["sessions"]) == 1


@pytest.mark.covers("G2")
def test_a_session_that_lost_its_model_waits_in_the_inbox_and_goes_on_with_one(repo: Repo) -> None:
    with planner(repo, usual("A")) as endpoint:
        assert asks(repo, WISH).code == 2
        with_model = dict(repo.environ)
        for name in endpoint.environ("openai"):
            del repo.environ[name]
        assert repo.toryo("approve").code == 2
        inbox = repo.toryo("inbox")
        assert inbox.code == 2, inbox
        assert "AI settings are required" in inbox.out
        repo.environ.update(with_model)
        done = repo.toryo("resume")
        assert done.code == 0, done
        assert repo.toryo("inbox").code == 0
    assert len(repo.info("A")["task"]["runs"]) == 1


def test_a_plan_file_has_no_planner_to_talk_to(repo: Repo) -> None:
    assert repo.run(shell("A", "exit 1")).code == 1
    for command in (("say", "Hello"), ("continue", "More of it"), ("reject", "--why", "No")):
        done = repo.toryo(*command)
        assert done.code == 64, done
        assert "began with a plan" in done.err or "no plan to decide about" in done.err

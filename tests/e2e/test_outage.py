"""A model that does not answer: agents go on, the person is told, and it goes on by itself; or waits for a person."""

import signal

import pytest
from tests.support.crews import closed_port
from tests.support.instructions import (
    REVIEW,
    TASKS,
    asks,
    judged,
    kinds,
    plan,
    planner,
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
from tests.support.planning_server import BreakOff, Hang, Prepared, Raw, Refuse, model_endpoint
from tests.support.repositories import Repo, kill, until

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


@pytest.mark.covers("G27")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_it_is_asked_again_when_the_provider_says(repo: Repo, status: int, provider: str) -> None:
    """Twice in a row, in the middle of planning."""
    no = Refuse(status, "Not now", retry_after=0.2, when=TASKS)
    with planner(repo, [no, no, *usual("A")], provider) as endpoint:
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
        assert len(endpoint.requests) == 9
    assert done.err.count("the model does not answer") == 2
    assert "trying again at" in done.err
    assert kinds(repo).count("CallPostponed") == 2
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


@pytest.mark.covers("G27", "P52")
@pytest.mark.parametrize(
    "fault",
    [
        BreakOff(when=TASKS),
        Raw(b"data: {half", when=TASKS),
        Raw(b"<html>502</html>", "text/html", when=TASKS),
    ],
    ids=["cut off", "half an event", "a page"],
)
def test_after_a_broken_reply_it_waits_by_itself_and_asks_again(repo: Repo, fault: Prepared) -> None:
    with planner(repo, [fault, *usual("A")]) as endpoint:
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
        assert len(endpoint.requests) == 8


@pytest.mark.covers("G27", "B2")
def test_a_model_that_falls_silent_is_asked_again(repo: Repo) -> None:
    repo.environ["TORYO_MODEL_TIMEOUT"] = "1s"
    with planner(repo, [Hang(60, when=TASKS), *usual("A")]) as endpoint:
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
        assert len(endpoint.requests) == 8
    assert done.err.count("the model does not answer") == 1


@pytest.mark.covers("G27")
def test_it_goes_on_by_itself_once_somebody_is_at_the_other_end(repo: Repo) -> None:
    port = closed_port()
    with planner(repo, []):
        repo.environ["TORYO_MODEL_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
        process = repo.start("run", WISH, "--yes")
        until(lambda: "CallPostponed" in kinds(repo))
        with model_endpoint(usual("A"), port):
            _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


@pytest.mark.covers("G27")
def test_agents_at_work_are_left_alone(repo: Repo) -> None:
    """While the review of one task waits for the model, the other task's agent works on, in its one run."""
    begun = repo.path.parent / "begun"
    go = repo.path.parent / "go"
    waits = {"run": f"touch {begun}; until test -e {go}; do sleep 0.05; done"}
    work(repo, {"A": [[writes("A.txt")]], "B": [[waits, writes("B.txt")]]})
    no = Refuse(429, "Slow down", retry_after=600, when=f"{REVIEW}")
    replies = [*usual("A", "B")[:5], no, review(), review(), judged()]
    with planner(repo, replies):
        process = repo.start("run", WISH, "--yes")
        until(begun.exists)
        until(lambda: "the model: paused until" in repo.toryo("inbox").out)
        assert repo.tasks()["B"]["state"] == "running"
        go.touch()
        until(lambda: repo.tasks()["B"]["state"] == "checking")
        repo.toryo("resume", "--now")
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert [len(repo.info(key)["task"]["runs"]) for key in ("A", "B")] == [1, 1]


@pytest.mark.covers("G27")
def test_a_wrong_key_waits_for_the_person_and_nothing_is_lost(repo: Repo) -> None:
    no = Refuse(401, "Incorrect API key", when=TASKS)
    with planner(repo, [no, *usual("A")]) as endpoint:
        done = asks(repo, WISH, "--yes")
        assert done.code == 2, done
        assert "the model cannot be asked" in done.out
        assert "Incorrect API key" in done.out
        assert len(endpoint.requests) == 4
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        assert len(endpoint.requests) == 8  # questions, specification and plan are not asked for again
    assert kinds(repo).count("DocumentWritten") == 2


@pytest.mark.covers("G27")
def test_beyond_the_patience_it_waits_for_a_person(repo: Repo) -> None:
    repo.environ["TORYO_RUN_API_WAIT"] = "1s"
    with planner(repo, [Refuse(503, "Down", retry_after=30, when=TASKS), *usual("A")]):
        done = asks(repo, WISH, "--yes")
        assert done.code == 2, done
        assert "it needs you" in done.err


def test_nobody_at_the_other_end(repo: Repo) -> None:
    repo.environ["TORYO_RUN_API_WAIT"] = "1s"
    with planner(repo, []):
        repo.environ["TORYO_MODEL_BASE_URL"] = "http://127.0.0.1:9/v1"
        done = asks(repo, WISH, "--yes")
    assert done.code == 2, done
    assert "127.0.0.1:9" in done.err


def test_something_is_seen_before_the_model_says_a_word_and_ctrl_c_ends_it(repo: Repo) -> None:
    with planner(repo, [Hang(120), *usual("A")]) as endpoint:
        process = repo.start("run", WISH, "--yes")
        assert process.stderr is not None
        seen = ""
        while "asking the model: questions" not in seen:
            line = process.stderr.readline()
            assert line, seen
            seen += line
        until(lambda: endpoint.requests)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 130
        assert endpoint.wait_until_idle()
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


@pytest.mark.covers("B2", "A8")
def test_killed_in_the_middle_of_a_call_it_asks_that_question_again_and_no_other(repo: Repo) -> None:
    replies = [questions(), spec(), Hang(120), plan(), tasks(task("A")), score(90), review(), judged()]
    with planner(repo, replies) as end:
        process = repo.start("run", WISH, "--yes")
        until(lambda: len(end.requests) == 3)
        kill(process)
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        assert len(end.requests) == 8
    assert kinds(repo).count("DocumentWritten") == 2

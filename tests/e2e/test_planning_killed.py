"""Killed while a model thinks: the same question is asked again, no other, and no work is done twice."""

import pytest
from tests.support.instructions import (
    ASKED,
    COMPACT,
    JUDGE,
    PLAN,
    RECONSIDER,
    REVIEW,
    SAYING,
    SCORE,
    SPEC,
    TASKS,
    asks,
    judged,
    kinds,
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
from tests.support.planning_server import Answer, Endpoint, Hang, json_text
from tests.support.repositories import Repo, kill, until

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


def _is_asked(endpoint: Endpoint, words: str, times: int = 1) -> bool:
    return sum(words in texts[-1] for texts in endpoint.conversations()) == times


def _kill_when_asked(repo: Repo, endpoint: Endpoint, words: str, *command: str) -> None:
    process = repo.start(*command)
    until(lambda: _is_asked(endpoint, words))
    kill(process)


def _assert_asked_twice_and_nothing_else(endpoint: Endpoint, words: str) -> None:
    asked = [texts[-1] for texts in endpoint.conversations()]
    again = [text for text in set(asked) if asked.count(text) > 1]
    assert len(again) == 1, again
    assert words in again[0]
    assert asked.count(again[0]) == 2
    assert endpoint.left_over == []


def _assert_clean(repo: Repo, *files: str) -> None:
    assert repo.files_on(BRANCH) == {"README.md", *files}
    assert repo.git("status", "--porcelain") in ("", "?? specs/")
    assert repo.git("branch", "--format=%(refname:short)").splitlines() == [BRANCH, "main"]
    assert len(repo.git("worktree", "list").splitlines()) == 1
    assert len(list((repo.path / "specs").iterdir())) == 1


@pytest.mark.covers("B2", "A8")
@pytest.mark.parametrize("words", [ASKED, SPEC, PLAN, TASKS, SCORE, REVIEW, JUDGE])
def test_on_the_way_from_words_to_merged_code(repo: Repo, words: str) -> None:
    one_by_one = [*usual()[:3], tasks(task("A"), task("B", "A")), score(90), review(), review(), judged()]
    with planner(repo, [Hang(120, when=words), *one_by_one]) as endpoint:
        _kill_when_asked(repo, endpoint, words, "run", WISH, "--yes")
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        _assert_asked_twice_and_nothing_else(endpoint, words)
    assert [len(repo.info(key)["task"]["runs"]) for key in ("A", "B")] == [1, 1]
    assert [kinds(repo).count(kind) for kind in ("PlanProposed", "PlanApproved", "SessionJudged")] == [1, 1, 1]
    _assert_clean(repo, "A.txt", "B.txt")


@pytest.mark.covers("B2")
def test_while_a_failed_task_is_reconsidered(repo: Repo) -> None:
    work(repo, {"A": [[{"say": "cannot"}]] * 3, "A1": [[writes("A.txt")]]})
    remedy = {"remedy": "replace", "reason": "too large", "tasks": [task("A1")]}
    hang = Hang(120, when=RECONSIDER)
    with planner(repo, [hang, *usual("A")[:5], json_text(remedy, when=RECONSIDER), review(), judged()]) as endpoint:
        _kill_when_asked(repo, endpoint, RECONSIDER, "run", WISH, "--yes")
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        _assert_asked_twice_and_nothing_else(endpoint, RECONSIDER)
    assert [len(repo.info(key)["task"]["runs"]) for key in ("A", "A1")] == [3, 1]
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


@pytest.mark.covers("B2")
def test_while_a_saying_is_considered_the_agent_works_on_and_is_not_begun_again(repo: Repo) -> None:
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {"A": [[waits, writes("A.txt")]], "B": [[writes("B.txt")]]})
    said = json_text({"answer": "B as well.", "tasks": [task("B")]}, when=SAYING)
    replies = [Hang(120, when=SAYING), *usual("A")[:5], said, review(), review(), judged()]
    with planner(repo, replies) as endpoint:
        process = repo.start("run", WISH, "--yes")
        until((place / "begun").exists)
        assert repo.toryo("say", "B as well, please").code == 0
        until(lambda: _is_asked(endpoint, SAYING))
        kill(process)
        (place / "go").touch()
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        _assert_asked_twice_and_nothing_else(endpoint, SAYING)
    assert [len(repo.info(key)["task"]["runs"]) for key in ("A", "B")] == [1, 1]
    assert kinds(repo).count("PersonSaid") == 1
    _assert_clean(repo, "A.txt", "B.txt")


@pytest.mark.covers("B2")
def test_while_something_is_added_to_a_session(repo: Repo) -> None:
    more = [tasks(task("B")), score(90), review(), judged()]
    with planner(repo, [*usual("A")[:6], judged(False, "B is missing"), Hang(120, when="B is missing"), *more]) as end:
        assert asks(repo, WISH, "--yes").code == 2
        _kill_when_asked(repo, end, "B is missing", "continue", "--yes")
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        _assert_asked_twice_and_nothing_else(end, TASKS)
    assert kinds(repo).count("WishAdded") == 1
    assert [len(repo.info(key)["task"]["runs"]) for key in ("A", "B")] == [1, 1]
    _assert_clean(repo, "A.txt", "B.txt")


@pytest.mark.covers("B2")
def test_while_a_long_conversation_is_summed_up(repo: Repo) -> None:
    repo.environ["TORYO_MODEL_CONTEXT"] = "4000"
    long = "# Long\n\n## Summary\n\n" + "\n".join(f"Line {n} of a long document." for n in range(400))
    rounds = [[spec(f"{long}\nspec {n}\n"), plan(f"{long}\nplan {n}\n"), tasks(task("A")), score(90)] for n in range(4)]
    summary = Answer("They asked for a greeting, and rejected three plans.", when=COMPACT)
    replies = [
        Hang(120, when=COMPACT),
        summary,
        questions(),
        *(reply for replies in rounds for reply in replies),
    ]
    with planner(repo, [*replies, review(), judged()]) as endpoint:
        assert asks(repo, WISH).code == 2
        for n in range(2):
            assert repo.toryo("reject", "--why", f"Reason number {n}").code == 2
        _kill_when_asked(repo, endpoint, COMPACT, "reject", "--why", "Reason number 2")
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        assert _is_asked(endpoint, COMPACT, 2)
        assert endpoint.left_over == []
    assert kinds(repo).count("TalkCompacted") == 1
    _assert_clean(repo, "A.txt")


@pytest.mark.covers("B2")
def test_while_a_plan_is_made_anew_the_reason_is_not_forgotten(repo: Repo) -> None:
    again = [spec(), plan(), tasks(task("B")), score(95), review(), judged()]
    with planner(repo, [*usual("A")[:5], Hang(120, when="Only B"), *again]) as endpoint:
        assert asks(repo, WISH).code == 2
        _kill_when_asked(repo, endpoint, "Only B", "reject", "--why", "Only B, please")
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        assert endpoint.left_over == []
    assert list(repo.tasks()) == ["B"]
    _assert_clean(repo, "B.txt")


@pytest.mark.covers("B2", "A8")
def test_while_questions_are_open_or_a_plan_waits_it_waits_on(repo: Repo) -> None:
    asked = questions(question("Which one?", "this", "that"))
    with planner(repo, [asked, *usual("A")[1:]]) as endpoint:
        assert asks(repo, WISH).code == 2
        again = repo.toryo("resume")
        assert again.code == 2, again
        assert "Which one?" in again.err
        assert repo.toryo("answer", "1b", "--only").code == 0
        assert repo.toryo("resume").code == 2
        again = repo.toryo("resume")
        assert again.code == 2, again
        assert "toryo approve" in again.err
        assert len(endpoint.requests) == 5
        assert repo.toryo("approve", "--only").code == 0
        done = repo.toryo("resume")
        assert done.code == 0, done
        assert endpoint.left_over == []
    _assert_clean(repo, "A.txt")

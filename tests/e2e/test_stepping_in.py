"""A person's words while the work goes on, and what becomes of tasks that fail."""

import json

import pytest
from tests.support.instructions import (
    RECONSIDER,
    SAYING,
    SPEC,
    asks,
    judged,
    planner,
    review,
    task,
    tasks,
    usual,
    work,
    writes,
)
from tests.support.planning_server import Answer, Hang, json_text
from tests.support.repositories import Repo, until

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


@pytest.mark.covers("G23")
def test_only_the_tasks_concerned_are_stopped_and_begin_again(repo: Repo) -> None:
    place = repo.path.parent
    waits = [{"run": f"touch {place}/begun-$TORYO_TASK; until test -e {place}/go; do sleep 0.05; done"}]
    work(repo, {key: [[*waits, writes(f"{key}.txt")]] for key in ("A", "B")})
    said = {"answer": "A is done differently.", "changes": [{"key": "A", "says": "Say it in French."}]}
    with planner(repo, [*usual("A", "B")[:5], json_text(said, when=SAYING), review(), review(), judged()]) as endpoint:
        process = repo.start("run", WISH, "--yes")
        until(lambda: len(list(place.glob("begun-*"))) == 2)
        told = repo.toryo("say", "The greeting should be French")
        assert told.code == 0, told
        until(lambda: len(repo.info("A")["task"]["runs"]) == 2)
        (place / "go").touch()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "A is done differently." in err
        asked = next(text for text in endpoint.conversations() if SAYING in text[-1])
        assert "The greeting should be French" in asked[-1]
    first, second = repo.info("A")["task"]["runs"]
    assert first["state"] == "stopped"
    assert repo.info("A")["task"]["attempts"] == 1
    assert "Say it in French." in (repo.store / "runs" / second["id"] / "prompt.md").read_text()
    assert len(repo.info("B")["task"]["runs"]) == 1


@pytest.mark.covers("G23")
def test_what_is_said_while_the_plan_is_made_is_planned_with(repo: Repo) -> None:
    first, *rest = usual("A")
    with planner(repo, [first, Hang(60, "# Without it", when=SPEC), *rest]) as endpoint:
        process = repo.start("run", WISH, "--yes")
        until(lambda: any(SPEC in text[-1] for text in endpoint.conversations()))
        assert repo.toryo("say", "挨拶はフランス語で").code == 0
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "planned with what was said meanwhile" in err
        without, with_it = [text[-1] for text in endpoint.conversations() if SPEC in text[-1]]
        assert "挨拶はフランス語で" not in without
        assert f"{WISH}\n\n挨拶はフランス語で" in with_it
        assert not any(SAYING in text[-1] for text in endpoint.conversations()), "it is not looked into once more"
    assert "挨拶はフランス語で” → it was planned with that" in repo.toryo("report").out


@pytest.mark.covers("G11", "G23")
def test_what_is_said_about_a_plan_of_a_session_that_was_stopped_has_it_made_anew(repo: Repo) -> None:
    with planner(repo, [*usual("A")[:5], *usual("B")[1:]]) as endpoint:
        assert asks(repo, WISH).code == 2
        assert repo.toryo("stop").code == 0
        told = repo.toryo("say", "In French, please")
        assert told.code == 2, told
        assert any("In French, please" in text[-1] for text in endpoint.conversations())
        assert list(repo.tasks()) == ["B"]
        assert repo.toryo("stop").code == 0
        assert repo.status()["sessions"][0]["state"] == "paused"
        approved = repo.toryo("approve")
        assert approved.code == 0, approved
        assert endpoint.left_over == []
    assert "B.txt" in repo.files_on(BRANCH)


@pytest.mark.covers("G23")
def test_what_is_no_longer_wanted_is_dropped_and_what_is_new_is_added(repo: Repo) -> None:
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {"A": [[waits, writes("A.txt")]], "B": [[writes("B.txt")]], "C": [[writes("C.txt")]]})
    said = {"answer": "C instead of B.", "cancel": ["B"], "tasks": [task("C", "A")]}
    planned = tasks(task("A"), task("B", "A"))
    replies = [*usual("A")[:3], planned, usual("A")[4], json_text(said, when=SAYING), review(), review(), judged()]
    with planner(repo, replies):
        process = repo.start("run", WISH, "--yes")
        until((place / "begun").exists)
        repo.toryo("say", "No B; do C instead")
        until(lambda: "C" in repo.tasks())
        (place / "go").touch()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert repo.files_on(BRANCH) == {"README.md", "A.txt", "C.txt"}
    assert repo.tasks()["B"]["state"] == "cancelled"


@pytest.mark.covers("G23")
def test_what_waited_for_a_task_that_is_dropped_goes_on_without_it(repo: Repo) -> None:
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {"A": [[waits, writes("A.txt")]], "B": [[writes("B.txt")]]})
    said = {"answer": "Without A, then.", "cancel": ["A"]}
    planned = tasks(task("A"), task("B", "A"))
    with planner(repo, [*usual("A")[:3], planned, usual("A")[4], json_text(said, when=SAYING), review(), judged()]):
        process = repo.start("run", WISH, "--yes")
        until((place / "begun").exists)
        repo.toryo("say", "A is not needed after all")
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert repo.files_on(BRANCH) == {"README.md", "B.txt"}
    assert repo.tasks()["A"]["state"] == "cancelled"


@pytest.mark.covers("G23", "P9")
def test_words_that_nobody_understands_change_nothing(repo: Repo) -> None:
    place = repo.path.parent
    waits = {"run": f"touch {place}/begun; until test -e {place}/go; do sleep 0.05; done"}
    work(repo, {"A": [[waits, writes("A.txt")]]})
    useless = [Answer("Hm.", when=SAYING), Answer("Hm."), Answer("Hm.")]
    with planner(repo, [*usual("A")[:5], *useless, review(), judged()]):
        process = repo.start("run", WISH, "--yes")
        until((place / "begun").exists)
        repo.toryo("say", "Bla")
        until(lambda: "SayingConsidered" in [event["kind"] for event in repo.events()])
        (place / "go").touch()
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "nothing was changed" in err
    assert len(repo.info("A")["task"]["runs"]) == 1


@pytest.mark.covers("G38", "A14")
def test_a_task_that_failed_is_replaced_and_its_dependents_wait_for_the_new_ones(repo: Repo) -> None:
    work(repo, {"A": [[{"say": "cannot"}]] * 3, "A1": [[writes("A.txt")]], "B": [[writes("B.txt")]]})
    remedy = {"remedy": "replace", "reason": "too large", "tasks": [task("A1", scope=["**"])]}
    planned = tasks(task("A", scope=["*.txt"]), task("B", "A"))
    begun = [*usual("A")[:3], planned, usual("A")[4]]
    replies = [*begun, json_text(remedy, when=RECONSIDER), review(), review(), judged()]
    with planner(repo, replies):
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
    made = repo.tasks()
    assert (made["A"]["state"], made["A1"]["state"], made["B"]["state"]) == ("replaced", "integrated", "integrated")
    assert made["A1"]["replaces"] == "A"
    assert repo.info("A1")["task"]["scope"] == ["*.txt"]  # what the model may not widen
    assert repo.files_on(BRANCH) == {"README.md", "A.txt", "B.txt"}


def _fails_three_times(repo: Repo) -> dict[str, str]:
    count = repo.path.parent / "count"
    return {"run": f"echo x >> {count}; test $(wc -l < {count}) -gt 3 && echo done > A.txt"}


@pytest.mark.covers("G38")
def test_a_failed_task_gets_advice_for_one_more_attempt(repo: Repo) -> None:
    work(repo, {"A": [[_fails_three_times(repo)]]})
    remedy = {"remedy": "retry", "reason": "it looked in the wrong place", "advice": "Write the file A.txt."}
    with planner(repo, [*usual("A")[:5], json_text(remedy, when=RECONSIDER), review(), judged()]):
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
    runs = repo.info("A")["task"]["runs"]
    assert len(runs) == 4
    assert "Write the file A.txt." in (repo.store / "runs" / runs[-1]["id"] / "prompt.md").read_text()


@pytest.mark.covers("G38", "P55")
def test_a_question_about_a_failed_task_goes_to_the_inbox_and_the_answer_to_its_agent(repo: Repo) -> None:
    work(repo, {"A": [[_fails_three_times(repo)]]})
    remedy = {"remedy": "ask", "reason": "it is not clear", "advice": "French or German?"}
    with planner(repo, [*usual("A")[:5], json_text(remedy, when=RECONSIDER), review(), judged()]):
        assert asks(repo, WISH, "--yes").code == 2
        (item,) = json.loads(repo.toryo("inbox", "--json").out)["items"]
        assert (item["what"], item["says"]) == ("question", "French or German?")
        done = repo.toryo("answer", "A", "German, please")
        assert done.code == 0, done
    runs = repo.info("A")["task"]["runs"]
    assert "German, please" in (repo.store / "runs" / runs[-1]["id"] / "prompt.md").read_text()


@pytest.mark.covers("P16")
def test_a_person_can_stand_in_for_a_review_but_not_for_the_other_proofs(repo: Repo) -> None:
    useless = [Answer("Hm.") for _ in range(3)]
    with planner(repo, [*usual("A")[:5], *useless, judged()]):
        done = asks(repo, WISH, "--yes")
        assert done.code == 2, done
        assert repo.tasks()["A"]["block_reason"] == "no review to be had"
        done = repo.toryo("approve", "A")
        assert done.code == 0, done
    assert "A.txt" in repo.files_on(BRANCH)


@pytest.mark.covers("P14", "P16", "P20")
def test_a_person_can_let_a_task_go_beyond_its_limits(repo: Repo) -> None:
    repo.environ["TORYO_LIMITS_FILES"] = "1"
    work(repo, {"A": [[writes("A.txt"), writes("B.txt")]]})
    with planner(repo, [*usual("A")[:5], review(), judged()]):
        done = asks(repo, WISH, "--yes")
        assert done.code == 2, done
        assert repo.tasks()["A"]["block_reason"] == "limit"
        (item,) = json.loads(repo.toryo("inbox", "--json").out)["items"]
        assert item["do"].startswith("toryo approve A")
        done = repo.toryo("approve", "A")
        assert done.code == 0, done
    assert repo.files_on(BRANCH) == {"README.md", "A.txt", "B.txt"}
    assert len(repo.info("A")["task"]["runs"]) == 1


@pytest.mark.covers("A3")
def test_what_was_there_already_is_skipped_when_checks_and_review_agree(repo: Repo) -> None:
    repo.write(".toryo/config.toml", '[checks.test]\ncommand = "test -e README.md"\n')
    repo.commit("checks")
    work(repo, {"A": [[{"say": "nothing to do"}]], "B": [[writes("B.txt")]]})
    replies = [*usual("A", "B")[:5], review("already satisfied", of="Work A"), review(of="Work B"), judged()]
    with planner(repo, replies):
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
    assert repo.tasks()["A"]["state"] == "skipped"
    assert len(repo.info("A")["task"]["runs"]) == 1

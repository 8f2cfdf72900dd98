"""What a person decides about intents: by name, several at once, and with what it leads to."""

import json
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import (
    RECONSIDER,
    judged,
    plan,
    planner,
    question,
    review,
    score,
    spec,
    task,
    tasks,
    work,
    writes,
)
from tests.support.intending import modelled
from tests.support.intents import analysed, intent_file, read_intent
from tests.support.planning_server import json_text
from tests.support.queueing import until_idle
from tests.support.repositories import Done, Repo, until

PLANNED = (spec(), plan(), tasks(task("A")), score(90), review(), judged())


def inbox(repo: Repo) -> list[dict[str, Any]]:
    answer = json.loads(repo.toryo("inbox", "--json").out)
    assert_answer("inbox", answer)
    return list(answer["items"])


def decisions(done: Done) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(done.out)
    assert_answer("approve (decisions)", answer)
    return answer


@pytest.mark.covers("F5", "F6")
def test_an_intent_is_approved_asks_is_answered_and_becomes_merged_work(repo: Repo) -> None:
    intent_file(repo, "say-hello", "Say hello", risk="med")
    asks = analysed("questions", "high", questions=[question("Which words?", "hello", "good day")])
    with planner(repo, [asks, analysed(), *PLANNED]) as endpoint:
        (item,) = inbox(repo)
        assert (item["what"], item["intent"], item["session"], item["risk"]) == ("approval", "say-hello", None, "med")
        assert item["can"] == ["approve", "reject"]
        assert repo.toryo("approve", "say-hello", "--now").code == 0
        (item,) = until(lambda: [one for one in inbox(repo) if one["what"] == "questions"])
        assert (item["intent"], item["risk"], item["id"]) == ("say-hello", "high", "say-hello")
        assert "1. Which words?" in item["says"]
        until_idle(repo)
        assert "toryo answer say-hello" in repo.toryo("answer", "say-hello").err
        assert repo.toryo("answer", "say-hello", "1b").code == 0
        until_idle(repo)
        asked_again = "\n".join(endpoint.conversations()[1])
    assert "Which words? → good day" in asked_again
    assert read_intent(repo, "say-hello")["clarifications"][0]["answer"] == "good day"
    (session,) = repo.status()["sessions"]
    assert (session["intent"], session["outcome"]) == ("say-hello", "COMPLETE"), repo.toryo("logs").out
    said = read_intent(repo, "say-hello")
    assert (said["status"], said["risk"]) == ("done", "med"), "nobody watches, and yet its file says how it ended"
    (told,) = json.loads(repo.toryo("history", "say-hello", "--json").out)["histories"]
    assert told["outcome"] == "success"
    assert "A.txt" in repo.files_on(session["branch"])
    assert inbox(repo) == []


@pytest.mark.covers("F6")
def test_several_are_approved_at_once_and_none_where_one_cannot_be(repo: Repo) -> None:
    asks = ("clarifications:", "- question: How?", "  answer: null")
    for slug in ("one", "two", "three"):
        intent_file(repo, slug)
    intent_file(repo, "unclear", "Unclear", *asks)
    refused = repo.toryo("approve", "one,unclear", "nonsense")
    assert refused.code == 64
    assert "nothing was decided" in refused.err
    assert all(f"{name}: " in refused.err for name in ("unclear", "nonsense"))
    assert read_intent(repo, "one")["status"] == "proposed"

    done = repo.toryo("approve", "one,two", "thr", "--json")
    assert [row["id"] for row in decisions(done)["decided"]] == ["one", "two", "three"]
    assert {read_intent(repo, slug)["status"] for slug in ("one", "two", "three")} == {"approved"}
    assert "toryo watch" in done.err, "nobody watches: it is said how they begin"
    assert repo.toryo("approve", "one").code == 0, "said twice is the same"

    assert repo.toryo("answer", "unclear", "like this").code == 0
    assert read_intent(repo, "unclear")["clarifications"] == [{"question": "How?", "answer": "like this"}]
    assert repo.toryo("answer", "unclear", "or so").code == 64, "nothing is asked any more"
    assert repo.toryo("approve", "unclear").code == 0


@pytest.mark.covers("F6")
def test_a_name_of_two_things_is_refused_and_the_file_names_the_intent(repo: Repo) -> None:
    with planner(repo, [analysed()]):
        intent_file(repo, "first")
        assert repo.toryo("approve", "first", "--now").code == 0
        until_idle(repo)
        (session,) = repo.status()["sessions"]
        begins = session["id"].removeprefix("session-")[:6]
        intent_file(repo, begins)
        refused = repo.toryo("approve", begins)
        assert (refused.code, "E205" in refused.err) == (64, True), refused
        assert f"{begins}.yaml" in refused.err
        assert session["id"] in refused.err
        assert repo.toryo("approve", f"{begins}.yaml").code == 0
        assert read_intent(repo, begins)["status"] == "approved"


@pytest.mark.covers("F5", "F6")
def test_what_failed_is_in_the_inbox_with_its_feedback_and_goes_round_again_with_words(repo: Repo) -> None:
    failed = ("feedback:", "- task: T001 Write it", "  says: the tests fail in dates.py")
    intent_file(repo, "fix-dates", "Fix dates", *failed, status="error", body="All of them.")
    (item,) = inbox(repo)
    assert (item["what"], item["can"]) == ("error", ["retry", "reject"])
    assert "T001 Write it: the tests fail in dates.py" in item["says"]
    with planner(repo, [analysed(), *PLANNED]) as endpoint:
        assert repo.toryo("retry", "fix-dates", "--say", "日付はISOで", "--now").code == 0
        until_idle(repo)
        told = "\n".join(endpoint.conversations()[0])
    assert "All of them." in told
    assert "日付はISOで" in told
    assert repo.status()["sessions"][0]["outcome"] == "COMPLETE"
    again = repo.toryo("retry", "fix-dates", "--by-hand")
    assert again.code == 64


@pytest.mark.covers("F6")
def test_a_rejected_intent_takes_its_session_with_it_and_all_is_kept(repo: Repo) -> None:
    work(repo, {"A": [[writes("A.txt")]], "B": [[{"say": "Shall I?"}]]})
    both = tasks(task("A"), task("B"))
    unclear = json_text({"remedy": "ask", "reason": "it is not clear", "advice": "Shall I?"}, when=RECONSIDER)
    intent_file(repo, "greet", "Greet")
    with planner(repo, [analysed(), spec(), plan(), both, score(90), review(), unclear]):
        assert repo.toryo("approve", "greet", "--now").code == 0
        until_idle(repo)
        (item,) = inbox(repo)
        assert (item["intent"], item["task"], item["what"]) == ("greet", "B", "question")
        assert read_intent(repo, "greet")["feedback"][0]["task"] == "B: Work B"
        assert item["do"] == f"toryo answer {item['id'].removeprefix('task-')} 'your answer'"
        done = repo.toryo("reject", "greet", "--why", "done by hand")
    assert done.code == 0, done
    said = read_intent(repo, "greet")
    assert (said["status"], said["reason"]) == ("rejected", "done by hand")
    (session,) = repo.status()["sessions"]
    assert session["state"] == "closed"
    assert "A.txt" in repo.files_on(session["branch"])
    assert inbox(repo) == []
    assert repo.toryo("reject", "greet", "--why", "again").code == 64


@pytest.mark.covers("G39")
def test_a_run_does_not_decide_about_intents(repo: Repo) -> None:
    intent_file(repo, "mine")
    repo.environ |= {"TORYO_RUN": "run-1", "TORYO_MAIN": str(repo.path)}
    for command in (("approve", "mine"), ("answer", "mine", "x"), ("reject", "mine", "--why", "x"), ("retry", "mine")):
        refused = repo.toryo(*command)
        assert (refused.code, "E216" in refused.err) == (73, True), refused
    assert read_intent(repo, "mine")["status"] == "proposed"


@pytest.mark.covers("G39")
@pytest.mark.parametrize("flags", [(), ("--project",)])
def test_a_run_does_not_switch_autonomy_on(repo: Repo, flags: tuple[str, ...]) -> None:
    environ, repo.environ = repo.environ, {**repo.environ, "TORYO_RUN": "run-1", "TORYO_MAIN": str(repo.path)}
    refused = repo.toryo("config", "set", *flags, "autonomy.enabled", "true")
    assert (refused.code, "E216" in refused.err) == (73, True), refused
    repo.environ = environ
    (line,) = [line for line in repo.toryo("config", "show").out.splitlines() if line.startswith("autonomy.enabled ")]
    assert line.split()[1:] == ["false", "default"]
    assert repo.toryo("config", "set", *flags, "autonomy.enabled", "true").code == 0


@pytest.mark.covers("F2", "F5")
def test_what_is_done_and_not_what_was_asked_for_is_added_to_by_trying_once_more(repo: Repo) -> None:
    intent_file(repo, "say-hello", "Say hello", risk="low", status="approved")
    incomplete = [analysed(), *PLANNED[:-1], judged(False, "B is missing")]
    more = [tasks(task("B")), score(90), review(), judged(False, "C is missing")]
    third = [tasks(task("C")), score(90), review(), judged(False, "D is missing")]
    last = [tasks(task("D")), score(90), review(), judged()]
    with planner(repo, [*incomplete, *more, *third, *last]) as endpoint:
        assert repo.toryo("watch", "--once").code == 2
        (item,) = inbox(repo)
        assert (item["what"], item["id"], item["can"]) == ("not complete", "say-hello", ["retry", "reject"])
        assert "toryo retry say-hello" in item["do"]
        until_idle(repo)
        assert repo.toryo("retry", "say-hello", "--say", "B in French, please").code == 0
        until(lambda: any("B in French, please" in text[-1] for text in endpoint.conversations()))
        until_idle(repo)
        assert read_intent(repo, "say-hello")["status"] == "blocked"
        text = (repo.path / ".toryo/intents/say-hello.yaml").read_text()
        repo.write(".toryo/intents/say-hello.yaml", text.replace("status: blocked", "status: approved"))
        done = repo.toryo("watch", "--once")
        assert done.code == 2, done
        until_idle(repo)
        assert repo.toryo("approve", "say-hello", "--now").code == 0
        until(lambda: read_intent(repo, "say-hello")["status"] == "done")
        until_idle(repo)
        assert endpoint.left_over == []
        assert any("C is missing" in text[-1] for text in endpoint.conversations())
    (session,) = repo.status()["sessions"]
    assert {"A.txt", "B.txt", "C.txt", "D.txt"} <= repo.files_on(session["branch"])


@pytest.mark.covers("F5", "G40")
def test_what_the_inbox_says_to_type_is_about_that_task_though_others_have_the_same_key(repo: Repo) -> None:
    for slug in ("alpha", "beta"):
        intent_file(repo, slug, f"Do {slug}", risk="low", status="approved")
    modelled(repo)
    work(repo, {"A": [[{"exit": 3}]]})
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    assert repo.toryo("watch", "--once").code == 1
    until_idle(repo)
    for item in inbox(repo):
        command = item["do"].split()[1:3]
        assert (command[0], item["task"]) == ("answer", "A")
        assert repo.toryo(*command, f"for {item['intent']}").code == 1
        prompts = sorted((repo.store / "runs").glob("*/prompt.md"), key=lambda path: path.stat().st_mtime)
        assert f"for {item['intent']}" in prompts[-1].read_text()
    tasks = {row["intent"]: repo.info(row["id"])["tasks"][0] for row in repo.status()["sessions"]}
    assert {slug: len(repo.info(task["id"])["task"]["runs"]) for slug, task in tasks.items()} == {"alpha": 2, "beta": 2}

"""What an intent comes to, and the way it goes by its type: with a model that is scripted and agents that are real."""

from typing import Any

import pytest
from tests.support.instructions import (
    SPEC,
    judged,
    kinds,
    plan,
    planner,
    question,
    review,
    score,
    task,
    tasks,
    usual,
    work,
    writes,
)
from tests.support.pursuing import INTENT, analysed, pursued, released, wish, wishes
from tests.support.queueing import until_idle
from tests.support.repositories import Repo

CHECK = "for one in tests/*.sh; do sh $one || exit 1; done"


def rests(repo: Repo, short: str) -> dict[str, Any]:
    """Conducts the session to where it rests; how it stands then."""
    repo.toryo("resume", short, "--yes")
    found: dict[str, Any] = repo.info(short)["session"]
    return found


@pytest.mark.covers("F7", "F8")
def test_a_fix_begins_with_a_test_that_was_seen_to_fail(repo: Repo) -> None:
    repo.write("tests/old.sh", "true\n")
    repo.commit("tests")
    repo.environ["TORYO_CHECKS_TEST_COMMAND"] = CHECK
    wish(repo, "greet", "The greeting is wrong", status="approved")
    replies = [analysed(type_="fix"), plan(), tasks(task("T001")), score(90), review(), review(), judged()]
    work(
        repo, {"T000": [[writes("tests/bug.sh", "grep -q hello app.txt\n")]], "T001": [[writes("app.txt", "hello\n")]]}
    )
    with planner(repo, replies) as endpoint:
        short = pursued(repo, "greet")
        held = rests(repo, short)
        assert (held["state"], held["waits_for"], held["pursuit"]["type"]) == ("planning", "release", "fix")
        released(repo, short)
        done = rests(repo, short)
        assert (done["state"], done["outcome"]) == ("closed", "COMPLETE"), repo.toryo("status")
        assert not endpoint.left_over
        assert not any(SPEC in "".join(said) for said in endpoint.conversations())
    test, fix = repo.info("T000")["task"], repo.info("T001")["task"]
    assert (test["state"], test["unchecked"], fix["depends_on"]) == ("integrated", True, ["T000"])
    before = [event for event in repo.events() if event["kind"] == "BaseChecked"]
    assert [event["result"]["status"] for event in before] == ["failed"]
    assert repo.files_on(done["branch"]) >= {"tests/bug.sh", "app.txt"}
    assert done["pursuit"]["steps"] == ["analyse", "plan", "tasks", "reproduce", "implement", "review", "judge"]
    assert "session: session-" in wishes(repo)["greet"]


@pytest.mark.covers("F8")
def test_what_is_too_much_for_one_plan_becomes_several_intents(repo: Repo) -> None:
    parts = [
        {"title": "Read the file", "body": "token = ghp_aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234", "risk": "low"},
        {"title": "書き出す", "type": "feature", "risk": "high"},
        {"title": "../../etc: show it", "risk": "med", "type": "docs"},
    ]
    wish(repo, "all", "Everything at once", risk="med")
    wish(repo, "read-the-file", "A person has this already")
    with planner(repo, [analysed("intents", risk="low", intents=parts)]):
        short = pursued(repo, "all")
        assert rests(repo, short)["waits_for"] == "release"
        assert len(wishes(repo)) == 2
        released(repo, short)
        done = rests(repo, short)
    assert (done["state"], done["outcome"], done["branch"] in repo.git("branch")) == ("closed", "COMPLETE", False)
    first, second, third = done["pursuit"]["intents"]
    files = wishes(repo)
    assert (first, third) == ("read-the-file-2", "etc-show-it")
    assert len(files) == 5
    for slug, status in ((first, "approved"), (second, "proposed"), (third, "approved")):
        assert f"status: {status}" in files[slug], "no riskier than what was approved, or it waits"
        assert "parent: all" in files[slug]
    assert "ghp_" not in "".join(files.values())
    created = [next(line for line in files[slug].splitlines() if "created_at" in line) for slug in (first, second)]
    assert created == sorted(created), "in the order in which they were thought of"


@pytest.mark.covers("F8")
def test_questions_wait_for_a_person_and_the_answer_is_used_and_no_fourth_time(repo: Repo) -> None:
    wish(repo, "export", "Export it", risk="high", type="docs")
    other = "Which other format?"
    with planner(
        repo,
        [
            analysed("questions", questions=[question("Which format?", "JSON", "CSV")]),
            analysed("questions", questions=[question(other, "XML", "YAML")]),
            analysed("questions", questions=[question("And which third?", "A", "B")]),
            analysed(type_="feature", risk="low"),
        ],
    ) as endpoint:
        short = pursued(repo, "export")
        assert repo.toryo("resume", short, "--detach").code == 0
        until_idle(repo)
        assert repo.info(short)["session"]["waits_for"] == "answers", "no default is taken unasked"
        assert repo.toryo("answer", short, "CSV").code == 2
        assert repo.toryo("answer", short, "YAML").code == 2
        held = repo.info(short)["session"]
        asked = ["".join(said) for said in endpoint.conversations()]
    assert [text.count(INTENT) > 0 for text in asked] == [True] * 4
    assert "Which format? → CSV" in asked[1]
    assert "Enough was asked already" in asked[2]
    assert "enough was asked" in asked[3], "sent back"
    assert (held["waits_for"], held["pursuit"]["type"], held["pursuit"]["risk"]) == ("release", "docs", "high")
    assert "approve" in held["pursuit"]["steps"]


@pytest.mark.covers("F4")
def test_without_a_usable_analysis_it_counts_as_risky_and_its_plan_waits_for_a_person(repo: Repo) -> None:
    wish(repo, "thing", "Do the thing", risk="low", status="approved")
    for number in range(60):
        wish(repo, f"other-{number:03}", f"Another matter, number {number}")
    wish(repo, "related", "The thing, done right")
    bad = ["ignore all rules", '{"end": "tasks", "type": "rm -rf /", "risk": "none"}', '{"end": []}']
    with planner(repo, bad) as endpoint:
        short = pursued(repo, "thing")
        held = rests(repo, short)
        asked = "".join(endpoint.conversations()[0])
    assert (held["pursuit"]["type"], held["pursuit"]["risk"]) == ("feature", "high")
    assert "no usable analysis came" in held["pursuit"]["why"]
    assert "- related: The thing, done right (proposed)" in asked
    assert asked.count("Another matter") == 49
    assert "and 11 more, less related" in asked
    with planner(repo, usual("A")[1:5]):
        released(repo, short)
        repo.toryo("resume", short, "--detach")
        until_idle(repo)
    assert repo.info(short)["session"]["waits_for"] == "approval"
    assert kinds(repo)[-1] == "PlanProposed"


@pytest.mark.covers("F10")
def test_how_hard_a_task_is_decides_who_does_it(repo: Repo) -> None:
    repo.write(
        ".toryo/config.toml",
        '[agents.strong]\ncommand = ["sh", "-c", "echo strong > B.txt"]\n'
        '[complexity]\nhigh = "strong"\nlow = "scripted"\n',
    )
    planned = [task("A", complexity="low"), task("B", complexity="high"), task("C", complexity="rather")]
    replies = [*usual()[:3], tasks(*planned), score(90), *(review() for _ in planned), judged()]
    with planner(repo, replies):
        done = repo.toryo("run", "Make three files", "--yes")
    assert done.code == 0, done
    assert {key: row["agent"] for key, row in repo.tasks().items()} == {"A": "scripted", "B": "strong", "C": "scripted"}
    assert repo.show(repo.status()["sessions"][0]["branch"], "B.txt") == "strong"
    repo.write(".toryo/config.toml", '[complexity]\nhigh = "stron"\nlow = "shell"\nmed = "scripted/large"\n')
    wrong = repo.toryo("config", "show")
    assert wrong.code == 64
    for words in (
        "no coding agent 'stron'",
        "no coding agent 'shell'",
        "only claude, codex, gemini, opencode take a model",
    ):
        assert words in wrong.err

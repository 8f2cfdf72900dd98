"""Intents that are worked off by whoever watches: what may run does, what may not waits, and nothing runs twice."""

import json
from contextlib import closing
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import RECONSIDER, planner, question, work, writes
from tests.support.intending import (
    analysed,
    carried_out,
    edit,
    intent,
    sessions,
    status,
    wish,
    work_off,
)
from tests.support.planning_server import json_text
from tests.support.queueing import PATIENCE, until_idle
from tests.support.repositories import Repo, until

from toryo.app.intents import find_intent
from toryo.app.planning import answer
from toryo.app.project import open_project
from toryo.app.pursuing import answer_from_file
from toryo.domain.errors import ToryoError
from toryo.domain.planning import Answer


@pytest.mark.covers("F2", "F6")
def test_an_approved_one_becomes_merged_work(repo: Repo) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="med")
    with planner(repo, [analysed(risk="med"), *carried_out("A")]) as endpoint:
        done = work_off(repo)
        assert endpoint.left_over == []
    assert done.code == 0, done
    assert "plan approved by a person, with its intent" in done.out
    (session,) = sessions(repo)
    said = intent(repo, "greet")
    assert (said["status"], said["session"]) == ("done", session["id"])
    assert session["outcome"] == "COMPLETE"
    assert "A.txt" in repo.files_on(session["branch"])
    until_idle(repo)
    again = work_off(repo)
    assert again.code == 0, again
    assert len(sessions(repo)) == 1


@pytest.mark.covers("F4", "G39")
def test_low_risk_runs_by_itself_only_with_autonomy_and_a_budget_and_never_more_than_low(repo: Repo) -> None:
    wish(repo, "harmless")
    wish(repo, "said-low", risk="low", type="fix")
    replies = [analysed(), *carried_out("A"), analysed(type_="fix", risk="high")]
    with planner(repo, replies) as endpoint:
        done = work_off(repo)
        assert done.code == 2, done
        assert "harmless: waits for your approval: autonomy is off" in done.out
        said = intent(repo, "harmless")
        assert (status(repo, "harmless"), said["type"], said["risk"]) == ("proposed", "docs", "low")
        assert "session" not in intent(repo, "said-low"), "nobody would let it through: no model is asked"
        repo.environ["TORYO_AUTONOMY_ENABLED"] = "true"
        assert "needs a budget" in work_off(repo).out
        assert status(repo, "harmless") == "proposed"
        repo.environ["TORYO_BUDGET_RUNS"] = "20"
        done = work_off(repo)
        assert done.code == 2, done
        assert status(repo, "harmless") == "done"
        assert status(repo, "said-low") == "proposed"
        assert "said-low: waits for your approval: its risk is high" in done.out, done
        assert endpoint.left_over == []
    released = {row["intent"]: row["released_by"] for row in sessions(repo)}
    assert released == {"harmless": "autonomy", "said-low": None}


@pytest.mark.covers("F4", "G39")
def test_no_more_run_by_themselves_in_a_day_than_are_allowed(repo: Repo) -> None:
    repo.environ |= {"TORYO_AUTONOMY_ENABLED": "true", "TORYO_BUDGET_RUNS": "20", "TORYO_AUTONOMY_PER_DAY": "1"}
    wish(repo, "one")
    wish(repo, "two")
    with planner(repo, [analysed(), *carried_out("A"), analysed()]):
        done = work_off(repo)
    assert (status(repo, "one"), status(repo, "two")) == ("done", "proposed")
    assert "1 went through by themselves within a day" in done.out


@pytest.mark.covers("F6", "F8")
def test_a_question_is_asked_answered_in_the_file_and_used(repo: Repo) -> None:
    wish(repo, "greet", status="approved")
    asked = analysed("questions", questions=[question("Which greeting?", "Hello", "Hi")])
    with planner(repo, [asked, analysed(risk="med"), *carried_out("A")]) as endpoint:
        done = work_off(repo)
        assert done.code == 2, done
        assert "greet: waits for your answers" in done.out
        (open_,) = intent(repo, "greet")["clarifications"]
        assert (open_["question"], open_["answer"], open_["options"]) == ("Which greeting?", None, ["Hello", "Hi"])
        assert work_off(repo).code == 2, "nothing more comes of it by itself"
        edit(repo, "greet", clarifications=[{**open_, "answer": "Ahoy"}])
        done = work_off(repo)
        assert done.code == 0, done
        assert endpoint.left_over == []
        assert "Ahoy" in endpoint.conversations()[1][-1]
    assert status(repo, "greet") == "done"
    assert len(sessions(repo)) == 1


@pytest.mark.covers("F8")
def test_who_answers_and_who_watches_the_file_do_not_get_into_each_others_way(repo: Repo) -> None:
    wish(repo, "greet", status="approved")
    asked = analysed("questions", questions=[question("Which greeting?", "Hello", "Hi")])
    with planner(repo, [asked]):
        assert work_off(repo).code == 2
        until_idle(repo)
        with closing(open_project(repo.path, writing=True)) as project:
            before = project.load(intent(repo, "greet")["session"])
            done = repo.toryo("answer", "greet", "Ahoy", "--only")
            assert done.code == 0, done
            assert answer_from_file(project, find_intent(project, "greet"), before) is None, "it was said directly"
            said = answer(project, before, (Answer("Which greeting?", "Ahoy"),))
            assert said.planning == project.load(before.id).planning, "who says the same is not refused"
            with pytest.raises(ToryoError, match="answered by somebody else"):
                answer(project, before, (Answer("Which greeting?", "Hi"),))


@pytest.mark.covers("F6")
def test_a_question_over_several_lines_is_one_question_and_its_answer_goes_to_it(repo: Repo) -> None:
    wish(repo, "greet", status="approved")
    asked = analysed("questions", risk="high", questions=[question("Which\ngreeting  is\tmeant?", "Hello", "Hi")])
    with planner(repo, [asked, analysed(risk="med"), *carried_out("A")]) as endpoint:
        assert work_off(repo).code == 2
        assert "risk" not in intent(repo, "greet"), "what is judged before the answers is not final"
        assert repo.toryo("answer", "greet", "1b").code == 0
        until_idle(repo)
        assert work_off(repo).code == 0
        assert "Hi" in endpoint.conversations()[1][-1]
        assert endpoint.left_over == []
    said = intent(repo, "greet")
    (one,) = said["clarifications"]
    assert (one["question"], one["answer"]) == ("Which greeting is meant?", "Hi")
    assert (said["status"], said["risk"]) == ("done", "med")


@pytest.mark.covers("F2")
def test_what_fails_lands_with_its_feedback_what_succeeded_is_kept_and_approved_again_it_goes_on(repo: Repo) -> None:
    wish(repo, "half", status="approved", type="docs", risk="low")
    work(repo, {"A": [[writes("A.txt")]], "B": [[{"exit": 3}]]})
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"
    given_up = json_text({"remedy": "ask", "reason": "it is broken", "advice": "What now?"}, when=RECONSIDER)
    replies = [analysed(), *carried_out("A", "B"), given_up]
    with planner(repo, replies):
        done = work_off(repo)
        assert done.code == 2, done
        said = intent(repo, "half")
        assert said["status"] == "blocked"
        assert said["feedback"][0]["task"].startswith("B: ")
        says = said["feedback"][0]["says"]
        assert says.startswith("max retries: What now?: the agent exited with code 3")
        assert says.count("exited with code 3") == 1, says
        (session,) = sessions(repo)
        assert "A.txt" in repo.files_on(session["branch"])
        assert work_off(repo).code == 2, "it is not tried again by itself"
        assert status(repo, "half") == "blocked"
        work(repo, {"B": [[writes("B.txt")]]})
        edit(repo, "half", status="approved")
        done = work_off(repo)
        assert done.code == 0, done
    said = intent(repo, "half")
    assert said["status"] == "done"
    assert "feedback" not in said or not said["feedback"]
    assert len(sessions(repo)) == 1
    assert {"A.txt", "B.txt"} <= repo.files_on(session["branch"])


@pytest.mark.covers("F8")
def test_parts_take_the_place_of_what_is_too_much_and_it_is_done_when_they_are(repo: Repo) -> None:
    wish(repo, "much", status="approved")
    parts = [{"title": f"Part {name}", "body": "…", "type": "docs", "risk": "low"} for name in ("one", "two")]
    first = analysed("intents", risk="med", type_="feature", intents=parts)
    repo.environ |= {"TORYO_AUTONOMY_ENABLED": "true", "TORYO_BUDGET_RUNS": "20"}
    replies = [first, analysed(), *carried_out("A"), analysed(), *carried_out("B")]
    with planner(repo, replies) as endpoint:
        done = work_off(repo)
        assert done.code == 0, done
        assert endpoint.left_over == []
    assert {slug: status(repo, slug) for slug in ("much", "part-one", "part-two")} == {
        "much": "done",
        "part-one": "done",
        "part-two": "done",
    }
    assert intent(repo, "part-one")["parent"] == "much"
    assert len(sessions(repo)) == 3


def test_rejected_while_it_is_looked_into_its_session_is_closed(repo: Repo) -> None:
    wish(repo, "no", status="approved")
    with planner(repo, [analysed("questions", questions=[question("Which?", "a", "b")])]):
        work_off(repo)
        edit(repo, "no", status="rejected")
        assert work_off(repo).code == 0
    assert status(repo, "no") == "rejected"
    assert [row["state"] for row in sessions(repo)] == ["closed"]


def test_an_old_buffer_of_an_editor_starts_nothing_and_a_broken_file_stops_nobody(repo: Repo) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    path = repo.path / ".toryo" / "intents" / "greet.yaml"
    before = path.read_bytes()
    repo.write(".toryo/intents/broken.yaml", "title: [never closed\n")
    with planner(repo, [analysed(), *carried_out("A")]):
        done = work_off(repo)
        assert ".toryo/intents/broken.yaml:" in done.out
        assert done.code == 2, "somebody has to see to the broken one"
        assert status(repo, "greet") == "done"
        path.write_bytes(before)
        done = work_off(repo)
    assert status(repo, "greet") == "done", done
    assert len(sessions(repo)) == 1
    assert (repo.path / ".toryo/intents/broken.yaml").read_text() == "title: [never closed\n"


@pytest.mark.covers("F5")
def test_where_nothing_can_begin_whichever_is_the_first_says_why(repo: Repo) -> None:
    for slug in ("one", "two"):
        wish(repo, slug, status="approved", type="docs", risk="low")
    watching = repo.start("watch")
    until(lambda: "no coding agent" in intent(repo, "one").get("reason", ""))
    assert [item["id"] for item in _inbox(repo)] == ["one"]
    assert repo.toryo("reject", "one", "--why", "not now").code == 0
    until(lambda: "no coding agent" in intent(repo, "two").get("reason", ""))
    assert [(item["id"], item["what"]) for item in _inbox(repo)] == [("two", "hindered")]
    assert repo.toryo("watch", "--stop").code == 0
    watching.communicate(timeout=PATIENCE)


@pytest.mark.covers("F5")
def test_what_cannot_begin_is_said_in_the_file_and_the_inbox_and_tried_once_what_is_missing_is_there(
    repo: Repo,
) -> None:
    wish(repo, "greet", status="approved", type="docs", risk="low")
    assert _inbox(repo) == [], "it may begin: nobody has to decide anything"
    done = work_off(repo)
    assert done.code == 2, done
    said = intent(repo, "greet")
    assert (said["status"], "session" in said) == ("approved", False)
    assert said["reason"].startswith("cannot begin: ")
    assert "no coding agent" in said["reason"]
    (item,) = _inbox(repo)
    assert (item["what"], item["id"], item["can"]) == ("hindered", "greet", ["reject"])
    assert "no coding agent" in item["says"]
    assert item["says"].count("cannot begin") == 1
    assert "toryo watch" in item["do"]
    shown = repo.toryo("inbox")
    assert (shown.code, "will begin with" in shown.err) == (2, False), shown
    with planner(repo, [analysed(), *carried_out("A")]):
        repo.git("switch", "-q", "--detach")
        assert work_off(repo).code == 2
        assert "HEAD is detached" in intent(repo, "greet")["reason"]
        repo.git("switch", "-q", "main")
        assert work_off(repo).code == 0
    assert status(repo, "greet") == "done"
    assert _inbox(repo) == []


@pytest.mark.covers("F5")
def test_a_proposed_one_that_could_not_be_looked_into_says_so_in_the_inbox(repo: Repo) -> None:
    wish(repo, "greet")
    assert work_off(repo).code == 2
    (item,) = _inbox(repo)
    assert (item["what"], item["can"]) == ("approval", ["approve", "reject"])
    assert "could not be looked into: no coding agent" in item["says"]


def _inbox(repo: Repo) -> list[dict[str, Any]]:
    answer = json.loads(repo.toryo("inbox", "--json").out)
    assert_answer("inbox", answer)
    return list(answer["items"])

"""The report of a real session: per acceptance criterion what shows that it holds, and what nothing shows."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from markdown_it import MarkdownIt
from tests.support.instructions import (
    RECONSIDER,
    asks,
    judged,
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
from tests.support.planning_server import json_text
from tests.support.repositories import Repo, shell

HOSTILE = "| x |\n# owned\n<script>alert(1)</script> [click](http://evil.example) ```\n- [x] done `open"
CHECK = '[checks.test]\ncommand = "test -e README.md"\n'


def reviewed(repo: Repo, acceptance: list[str], *said: Mapping[str, Any], **more: Any) -> str:
    """The report of a session with one task, whose review said this about its criteria."""
    repo.write(".toryo/config.toml", CHECK)
    repo.commit("a check")
    work(repo, {"A": [[writes("A.txt", "one\ntwo\n")]]})
    replies = [questions(), spec(), plan(), tasks(task("A", acceptance=acceptance)), score(90)]
    with planner(repo, [*replies, review(criteria=list(said), **more), judged()]):
        done = asks(repo, "Make A.txt beside README.md", "--yes")
        assert done.code == 0, done
    return repo.toryo("report").out


def met(number: int, evidence: str) -> dict[str, Any]:
    return {"number": number, "met": True, "evidence": evidence}


def statuses(repo: Repo) -> list[tuple[str, str | None]]:
    return [(one["status"], one["why"]) for one in repo.info("A")["task"]["criteria"]]


@pytest.mark.covers("B6", "P10", "A13")
def test_each_criterion_with_what_shows_that_it_holds(repo: Repo) -> None:
    acceptance = ["`A.txt` has two lines", "ファイルがある", "it is fast", "it is safe", "it is small"]
    text = reviewed(
        repo, acceptance, met(1, "A.txt:2, check:test"), met(2, "B.txt:1"), met(3, "A.txt:9"), met(4, "yes")
    )
    assert statuses(repo) == [
        ("proven", None),
        ("not proven", "the review cites B.txt:1, which is not there"),
        ("not proven", "the review cites A.txt:9, but the file has 2 lines"),
        ("not proven", "the review cites nothing that can be looked up"),
        ("not proven", "the review does not speak of it"),
    ]
    commit = repo.tasks()["A"]["commit"][:8]
    assert (
        f"| A | `A.txt` has two lines | proven | check test passed on {commit}; reviewed: A.txt:2; files: A.txt |"
        in text
    )
    assert "1 of 5 proven." in text
    assert "- A, “ファイルがある”: the review cites B.txt:1, which is not there" in text
    assert "- A: its review cites what is not there (2 times)" in text
    order = ["## Risks", "## What was not proven", "## Acceptance criteria", "## Tasks", "## How to go on"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "- check test, `test -e README.md`: exit code 0" in text


@pytest.mark.covers("B6")
def test_what_a_model_makes_up_about_criteria_counts_for_nothing(repo: Repo) -> None:
    said = [met(7, "A.txt:1"), {"criterion": "it is blue", "met": True, "evidence": "A.txt:1"}]
    text = reviewed(repo, ["it is there"], *said)
    assert statuses(repo) == [("not proven", "the review does not speak of it")]
    assert "A: the review speaks of a criterion that the task does not have: it is blue" in text


@pytest.mark.covers("B6", "A13")
def test_a_criterion_said_not_to_be_met_goes_back_to_the_agent(repo: Repo) -> None:
    work(repo, {"A": [[writes("A.txt")], [writes("A.txt", "more\n")]]})
    unmet = [{"criterion": "A.txt exists", "met": False, "evidence": "A.txt is empty"}]
    replies = [*usual()[:3], tasks(task("A")), score(90), review("rejected", criteria=unmet), review(), judged()]
    with planner(repo, replies):
        assert asks(repo, "Make A.txt beside README.md", "--yes").code == 0
    runs = repo.info("A")["task"]["runs"]
    assert [run["outcome"] for run in runs] == ["INCOMPLETE", "COMPLETE"]
    brief = (repo.store / "runs" / runs[1]["id"] / "prompt.md").read_text()
    assert "not met: A.txt exists" in brief


@pytest.mark.covers("B6")
def test_approving_what_is_not_met_is_no_usable_reply(repo: Repo) -> None:
    unmet = [{"number": 1, "met": False}]
    replies = [*usual()[:3], tasks(task("A")), score(90), review(criteria=unmet), review(of="cannot be used"), judged()]
    with planner(repo, replies):
        assert asks(repo, "Make A.txt beside README.md", "--yes").code == 0
    reviews = [event for event in repo.events() if event["kind"] == "WorkReviewed"]
    assert len(reviews) == 1


@pytest.mark.covers("B6", "P10")
def test_hostile_text_stays_text(repo: Repo) -> None:
    text = reviewed(repo, [HOSTILE, "fine"], met(1, f"A.txt:1 {HOSTILE}"), met(2, HOSTILE), suggestions=[HOSTILE])
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert not [heading for heading in headings if "owned" in heading]
    inner = [child.type for token in tokens for child in token.children or ()]
    assert not {"html_inline", "link_open", "image"} & set(inner)
    assert "html_block" not in [token.type for token in tokens]
    (criteria, _) = [token for token in tokens if token.type == "table_open"]
    assert criteria.map is not None
    assert criteria.map[1] - criteria.map[0] == 4, "a head, a rule, and two criteria"
    cells = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "td_open"]
    assert "fine" in cells


@pytest.mark.covers("B6", "P10", "P1")
def test_a_plan_file_without_a_model_is_proven_as_far_as_its_checks_go(repo: Repo) -> None:
    checked = shell("T1", "echo x > a.txt", acceptance=["a.txt | exists", "速い"])
    done = repo.run(checked, shell("T2", "echo x > b.txt", acceptance=["b"], checks=[]), checks="test -e README.md")
    assert done.code == 0, done
    report = repo.toryo("report").out
    commit = repo.tasks()["T1"]["commit"][:8]
    why = "checks passed; no review looked at this criterion"
    assert (
        f"| T1 | a.txt \\| exists | **not proven** | {why} (check check passed on {commit}; files: a.txt) |" in report
    )
    assert f"- T1, 2 criteria: {why}" in report
    assert "- T2, “b”: no check ran; no review looked at this criterion" in report
    assert "- no check exists for T2" in report
    data = json.loads(repo.toryo("report", "--json").out)
    assert [one["status"] for one in data["tasks"][0]["criteria"]] == ["not proven", "not proven"]


@pytest.mark.covers("B6", "P16")
def test_a_person_in_place_of_the_review_proves_nothing_and_is_named(repo: Repo) -> None:
    asking = json_text({"remedy": "ask", "reason": "unclear", "question": "Is it good?"}, when=RECONSIDER)
    replies = [*usual()[:3], tasks(task("A")), score(90), review("wrong way"), asking, judged()]
    with planner(repo, replies):
        asks(repo, "Make A.txt beside README.md", "--yes")
        assert repo.tasks()["A"]["block_reason"] == "rejected by the review"
        assert repo.toryo("approve", "A").code == 0
    assert statuses(repo) == [("not proven", "a person approved it in place of the review: approved by a person")]


@pytest.mark.covers("P10", "P1")
def test_what_an_agent_claims_of_work_that_did_not_hold_up(repo: Repo) -> None:
    done = repo.run(
        shell("T1", "echo x > a.txt", acceptance=["it works"]),
        checks={"no": {"command": "false", "on_failure": "block"}},
    )
    assert done.code == 2
    report = repo.toryo("report").out
    assert "- T1 Task T1: blocked: check failed: check 'no' failed with code 1" in report
    assert "| T1 | it works | **not proven** | its task is not done: blocked: check failed |" in report

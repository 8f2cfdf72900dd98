"""What is noted and kept while an intent is worked off: observations of its agents, and how it went."""

import json

import pytest
from tests.support.instructions import planner, work, writes
from tests.support.intending import analysed, carried_out, status, wish, work_off
from tests.support.repositories import Repo

NOTED = '"$TORYO_BIN" observe "greet has no test" --file A.txt && cd / && "$TORYO_BIN" observe --no-such-option'


@pytest.mark.covers("F13", "F15")
def test_what_an_agent_notes_is_kept_with_its_intent_and_how_that_went_is_told_afterwards(repo: Repo) -> None:
    repo.environ["TORYO_AUTONOMY_REFLECT"] = "false"
    wish(repo, "greet", status="approved", type="docs", risk="low")
    work(repo, {"A": [[writes("A.txt"), {"run": NOTED}]]})
    with planner(repo, [analysed(), *carried_out("A")]):
        assert work_off(repo).code == 0
    assert status(repo, "greet") == "done", "what an agent notes badly does not fail its task"
    (one,) = json.loads(repo.toryo("observe", "--list", "--json").out)["observations"]
    assert (one["source"], one["intent_id"], one["processed"]) == ("implement", "greet", False)
    assert one["evidence"] == [{"type": "file", "ref": "A.txt"}], "a path of the repository, not of the worktree"
    (told,) = json.loads(repo.toryo("history", "greet", "--json").out)["histories"]
    assert (told["outcome"], told["intent_type"], told["intent_risk"]) == ("success", "docs", "low")
    assert told["flow"]["steps"] == ["analyse", "tasks", "document", "review"]
    assert [(step["step"], step["task"]) for step in told["step_results"]] == [
        *(("analyse", None), ("tasks", None), ("implement", "A"), ("review", "A"))
    ]
    assert told["step_results"][1]["result"] == "1 task"
    assert told["observations"] == [one["id"]]
    assert "success" in repo.toryo("history").out
    assert repo.toryo("history", "--failed").out == ""
    assert repo.toryo("history", "nothing").code == 64

"""`toryo observe`: one command for agents at work, which never is the reason that a task fails."""

import json

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import planner, work, writes
from tests.support.intending import analysed, carried_out, sessions, status, wish, work_off
from tests.support.repositories import Repo


@pytest.mark.covers("F13", "F15")
def test_an_agent_notes_from_its_worktree_and_it_is_found_with_its_intent(repo: Repo) -> None:
    notes = '"$TORYO_BIN" observe "this is done twice" --file A.txt && mkdir deep && cd deep && '
    notes += '"$TORYO_BIN" observe "and that too" --file ../A.txt && cd .. && rmdir deep'
    work(repo, {"A": [[writes("A.txt"), {"run": notes}]]})
    wish(repo, "greet", status="approved", type="docs", risk="low")
    repo.environ["TORYO_AUTONOMY_REFLECT"] = "false"
    with planner(repo, [analysed(), *carried_out("A")]):
        done = work_off(repo)
    assert done.code == 0, done
    shown = json.loads(repo.toryo("observe", "--list", "--json").out)
    assert_answer("observe --list", shown)
    assert [(one["content"], one["intent_id"], one["source"], one["evidence"]) for one in shown["observations"]] == [
        ("this is done twice", "greet", "implement", [{"type": "file", "ref": "A.txt"}]),
        ("and that too", "greet", "implement", [{"type": "file", "ref": "A.txt"}]),
    ]
    (session,) = sessions(repo)
    assert session["outcome"] == "COMPLETE"
    assert "observations" not in repo.toryo("report", session["id"]).out, "a note is no change outside its worktree"
    assert not any(".toryo" in path for path in repo.files_on(session["branch"]))
    kept = json.loads(repo.toryo("history", "greet", "--json").out)
    assert_answer("history", kept)
    (told,) = kept["histories"]
    assert sorted(told["observations"]) == sorted(one["id"] for one in shown["observations"])


@pytest.mark.covers("F13")
@pytest.mark.parametrize(
    "words",
    [
        ('"$TORYO_BIN" observe'),
        ('"$TORYO_BIN" observe --nonsense x'),
        ('TORYO_MAIN=/nowhere "$TORYO_BIN" observe x; cd / && TORYO_MAIN=/ "$TORYO_BIN" observe x --file y'),
        ('chmod 500 "$TORYO_MAIN/.toryo"; "$TORYO_BIN" observe "kept aside"; chmod 700 "$TORYO_MAIN/.toryo"'),
    ],
    ids=["no words", "an unknown option", "no repository", "no room"],
)
def test_what_cannot_be_noted_fails_no_task(repo: Repo, words: str) -> None:
    work(repo, {"A": [[writes("A.txt"), {"run": f"set -e; {words}"}]]})
    wish(repo, "greet", status="approved", type="docs", risk="low")
    with planner(repo, [analysed(), *carried_out("A")]):
        done = work_off(repo)
    assert done.code == 0, done
    assert status(repo, "greet") == "done"
    assert len(repo.info("A")["task"]["runs"]) == 1


def test_a_person_is_told_what_was_wrong(repo: Repo) -> None:
    assert repo.toryo("observe").code == 64
    assert "E290" in repo.toryo("observe", "  ").err
    outside = repo.toryo("observe", "x", cwd=repo.path.parent)
    assert outside.code == 64, outside
    noted = repo.toryo("observe", "x", "--json")
    assert_answer("observe", json.loads(noted.out))

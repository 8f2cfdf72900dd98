"""A person does a blocked task by hand: proven and merged like any other work, and nobody else can."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell


def blocked_by_conflict(repo: Repo) -> dict[str, object]:
    """The second to be merged collides with the first; done again from there, it fails."""
    repo.write("list", "top\nnothing\nbottom\n")
    repo.commit("a list")
    tasks = [
        shell(key, f"grep -q nothing list || exit 3; sed -i 's/nothing/from {key}/' list; echo {key} > part-{key}")
        for key in "AB"
    ]
    done = repo.run(*tasks, checks="! grep -q '<<<<' list")
    assert done.code == 1, done
    items = json.loads(repo.toryo("inbox", "--json").out)["items"]
    assert [item["what"] for item in items] == ["conflict"], items
    item: dict[str, object] = items[0]
    return item


@pytest.mark.covers("G30", "A15", "F11")
def test_the_inbox_says_how_and_that_works(repo: Repo) -> None:
    item = blocked_by_conflict(repo)
    key, commands = str(item["task"]), item["commands"]
    assert isinstance(commands, list)
    go, merge, commit, back, hand_in = commands
    assert shlex.split(back) == ["cd", str(repo.path)]
    shown = repo.toryo("inbox").out
    assert all(f"      {command}\n" in shown for command in commands), shown
    folder = Path(shlex.split(go)[1])
    too_early = repo.toryo(*shlex.split(hand_in)[1:])
    assert (too_early.code, "E226" in too_early.err) == (64, True), too_early
    run_in(repo, folder, merge, check=False)
    unsettled = repo.toryo(*shlex.split(hand_in)[1:])
    assert (unsettled.code, "E227" in unsettled.err) == (64, True), unsettled
    assert "list" in unsettled.err
    (folder / "list").write_text("top\nboth\nbottom\n")
    run_in(repo, folder, commit)
    done = repo.toryo(*shlex.split(hand_in)[1:])
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "list") == "top\nboth\nbottom"
    run = repo.info(key)["task"]["runs"][-1]
    assert (run["agent"], run["outcome"]) == ("person", "COMPLETE"), run
    changed = repo.git("diff", "--name-only", "main", "agent/the-plan").split()
    assert changed == ["list", "part-A", "part-B"]
    observed = [event for event in repo.events() if event["kind"] == "WorkObserved"][-1]["observation"]
    other = "B" if key == "A" else "A"
    assert f"part-{other}" not in [change["path"] for change in observed["changes"]], "that is not this task's work"
    verified = repo.toryo("verify")
    assert verified.code == 0, verified


def test_work_by_hand_is_proven_like_any_other_and_does_not_go_to_an_agent(repo: Repo) -> None:
    done = repo.run(shell("A", "echo wrong > a; exit 1"), checks="grep -q right a")
    assert done.code != 0
    folder = repo.path / ".worktrees" / "task-a"
    (folder / "a").write_text("still not\n")
    done = repo.toryo("retry", "A", "--by-hand")
    assert done.code == 2, done
    task = repo.info("A")["task"]
    assert (task["state"], task["runs"][-1]["agent"]) == ("blocked", "person")
    assert "failed" in task["runs"][-1]["reasons"][0]
    (folder / "a").write_text("right\n")  # not committed: that is done for the person
    done = repo.toryo("retry", "A", "--by-hand", "--json")
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "a") == "right"
    assert repo.toryo("verify").code == 0
    shown = repo.toryo("info", "A").out
    assert "a person did it by hand" in shown
    assert "  by a person, " in shown


def test_nothing_is_tried_again_in_a_closed_session(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a; exit 1")).code != 0
    assert repo.toryo("stop", "--discard").code == 0
    for flags in ([], ["--by-hand"], ["--say", "once more"]):
        refused = repo.toryo("retry", "A", *flags)
        assert (refused.code, "E206" in refused.err) == (64, True), refused


def test_what_cannot_be_handed_in(repo: Repo) -> None:
    """Not without a worktree, not what is not blocked, not with words for an agent, and not by a run."""
    repo.run(shell("A", "exit 1"), shell("B", "echo b > b"))
    both = repo.toryo("retry", "A", "--by-hand", "--say", "x")
    assert (both.code, "no agent" in both.err) == (64, True), both
    assert "E208" in repo.toryo("retry", "B", "--by-hand").err
    folder = repo.path / ".worktrees" / "task-a"
    (folder / "a").write_text("a\n")
    repo.environ |= {"TORYO_RUN": "run-1", "TORYO_MAIN": str(repo.path)}
    by_a_run = repo.toryo("retry", "A", "--by-hand")
    assert (by_a_run.code, "E216" in by_a_run.err) == (73, True), by_a_run
    for name in ("TORYO_RUN", "TORYO_MAIN"):
        del repo.environ[name]
    repo.git("worktree", "remove", "--force", str(folder))
    gone = repo.toryo("retry", "A", "--by-hand")
    assert (gone.code, "E225" in gone.err) == (64, True), gone
    assert not any(event["kind"] == "WorkHandedIn" for event in repo.events())


def run_in(repo: Repo, folder: Path, command: str, *, check: bool = True) -> None:
    env = {
        **repo.environ,
        **{f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    subprocess.run(command, shell=True, cwd=folder, env=env, check=check, capture_output=True)

"""Two tasks that do not go together: settled by an agent, or done again from the merged work."""

import shutil
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell

_SCENARIO = """
A:
  - - replace: {path: list, old: nothing, new: from A}
B:
  - - replace: {path: list, old: nothing, new: from B}
A-merge: &merge
%s
B-merge: *merge
"""


def scripted(repo: Repo, merge_steps: str) -> None:
    repo.write("list", "top\nnothing\nbottom\n")
    repo.commit("a list")
    repo.write(".toryo/scenario.yaml", _SCENARIO % merge_steps)
    repo.write(".toryo/config.toml", '[agents.scripted]\nscenario = "scenario.yaml"\n')


def both() -> list[dict[str, str]]:
    return [{"key": key, "title": f"Task {key}", "agent": "scripted"} for key in "AB"]


@pytest.mark.covers("G30", "A15")
def test_an_agent_brings_both_sides_together(repo: Repo) -> None:
    scripted(repo, "  - - resolve: list")
    done = repo.run(*both(), checks="! grep -q '<<<<' list")
    assert done.code == 0, done
    assert sorted(repo.show("agent/the-plan", "list").splitlines()) == ["bottom", "from A", "from B", "top"]
    resolution = next(task for task in repo.tasks().values() if task["resolves"])
    assert (resolution["type"], resolution["state"]) == ("integration", "integrated")


def told() -> list[dict[str, object]]:
    """The same two, saying what they are about."""
    return [
        {**task, "description": f"{task['key']} has to be seen.", "acceptance": [f"{task['key']} is on the list"]}
        for task in both()
    ]


@pytest.mark.covers("G30", "A15", "F11")
def test_a_conflict_settled_once_is_settled_by_git_until_that_does_not_hold(repo: Repo) -> None:
    scripted(repo, "  - - run: cp $TORYO_PROMPT ../../../prompt.md; cp list ../../../markers\n    - resolve: list")
    assert repo.run(*told()).code == 0
    resolution = next(task for task in repo.tasks().values() if task["resolves"])
    prompt = (repo.path.parent / "prompt.md").read_text()
    for key in "AB":
        assert f"{key} has to be seen." in prompt
        assert f"- {key} is on the list" in prompt.partition("## Acceptance criteria")[2], "both sides' have to hold"
    other = "A" if resolution["resolves"] == "B" else "B"
    assert f"- `list` (also changed by {other})" in prompt
    assert "|||||||" in (repo.path.parent / "markers").read_text(), "what both began from is shown"
    runs = [run["conversation"] for key in (resolution["key"], *"AB") for run in repo.info(key)["task"]["runs"]]
    assert len(set(runs)) == 3, "who settles it is neither of the authors"

    assert repo.run(*told()).code == 0
    events = repo.events()
    assert "MergeRefused" not in {event["kind"] for event in events}
    assert [event.get("remembered", []) for event in events if event["kind"] == "TaskIntegrated"] == [[], ["list"]]
    branch = repo.status()["sessions"][0]["branch"]
    assert sorted(repo.show(branch, "list").splitlines()) == ["bottom", "from A", "from B", "top"]
    assert "settled as before" in repo.toryo("logs", "--events").out
    assert repo.toryo("verify").code == 0
    assert not (repo.path / ".git" / "rr-cache").exists()

    text = repo.path.joinpath(".toryo/scenario.yaml").read_text()
    better = "A-merge: &merge\n  - - write: {path: list, text: both}\nB-merge: *merge\n"
    repo.write(".toryo/scenario.yaml", text.partition("A-merge:")[0] + better)
    done = repo.run(*told(), checks='test "$(grep -c from list)" -lt 2')
    assert done.code == 0, done
    refused = [event for event in repo.events() if event["kind"] == "MergeRefused"]
    assert [event["disposition"] for event in refused] == ["resolve"]
    assert "settled as the same one was before" in refused[0]["feedback"]
    assert repo.show(repo.status()["sessions"][0]["branch"], "list") == "both"
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("G30", "P49")
def test_markers_left_in_are_seen_even_without_checks_and_the_retry_can_mend_them(repo: Repo) -> None:
    scripted(repo, "  - - say: looks fine to me\n  - - resolve: list")
    done = repo.run(*both())
    assert done.code == 0, done
    assert "<<<<" not in repo.show("agent/the-plan", "list")
    resolution = next(task for task in repo.tasks().values() if task["resolves"])
    first = repo.info(resolution["key"])["task"]["runs"][0]
    assert "conflict markers are left" in first["reasons"][0]


@pytest.mark.covers("G30")
def test_an_agent_that_undoes_the_merge_is_caught(repo: Repo) -> None:
    scripted(repo, "  - - run: git merge --abort\n    - write: {path: other, text: x}")
    done = repo.run(*both())
    reasons = [event["verdict"]["reasons"] for event in repo.events() if event["kind"] == "VerdictReached"
               and event["verdict"]["disposition"] != "accept"]  # fmt: skip
    assert any("the merge was undone" in " ".join(found) for found in reasons)
    # Three failed attempts at settling it, then the task is done again from the merged work, where its
    # scenario finds nothing to replace: over to a person, with the other task safely merged.
    assert done.code == 1, done
    states = {key: task["state"] for key, task in repo.tasks().items() if key in "AB"}
    assert sorted(states.values()) == ["blocked", "integrated"]


@pytest.mark.covers("F11")
def test_shell_tasks_that_collide_are_done_again_from_the_merged_work(repo: Repo) -> None:
    repo.write("n", "0\n")
    repo.commit("n")
    tasks = [shell(key, f"echo $(cat n){key} > n; echo {key} > {key}") for key in "ABCD"]
    done = repo.run(*tasks, checks="true", flags=["--parallel", "4"])
    assert done.code == 0, done
    assert sorted(repo.show("agent/the-plan", "n")) == ["0", "A", "B", "C", "D"]
    refusals = [event for event in repo.events() if event["kind"] == "MergeRefused"]
    assert refusals
    assert {event["disposition"] for event in refusals} == {"redo"}
    kept = repo.git("for-each-ref", "--format=%(refname)", "refs/toryo/kept").splitlines()
    assert len(kept) == len(refusals), "the first try of each is still reachable"


@pytest.mark.covers("A15")
def test_work_that_passes_alone_but_not_together_is_not_merged(repo: Repo) -> None:
    check = 'test "$(ls part-* | wc -l)" -lt 2'
    done = repo.run(shell("A", "echo a > part-a"), shell("B", "echo b > part-b"), checks=check)
    assert done.code == 2, done
    states = sorted(task["state"] for task in repo.tasks().values())
    assert states == ["blocked", "integrated"]
    assert len([name for name in repo.files_on("agent/the-plan") if name.startswith("part-")]) == 1
    refused = next(event for event in repo.events() if event["kind"] == "MergeRefused")
    assert "not merged with the rest" in refused["feedback"]


@pytest.mark.covers("G21", "A10")
def test_dependencies_that_conflict_are_merged_before_their_dependent_starts(repo: Repo) -> None:
    repo.write("n", "0\n")
    repo.commit("n")
    done = repo.run(
        shell("A", "echo $(cat n)A > n"),
        shell("B", "echo $(cat n)B > n"),
        shell("C", "cat n > c", depends_on=["A", "B"]),
    )
    assert done.code == 0, done
    assert sorted(repo.show("agent/the-plan", "c")) == ["0", "A", "B"]


@pytest.mark.covers("A15")
def test_the_branch_only_ever_holds_checked_work(repo: Repo) -> None:
    log = repo.path.parent / "checked"
    tasks = [shell(key, f"echo {key} > {key}") for key in "ABC"]
    done = repo.run(*tasks, checks=f"git write-tree >> {log}; git rev-parse HEAD^{{tree}} >> {log}")
    assert done.code == 0, done
    checked = set(log.read_text().split())
    first_parents = repo.git("log", "--first-parent", "--format=%T", "main..agent/the-plan").split()
    assert len(first_parents) == 3
    assert set(first_parents) <= checked


@pytest.mark.covers("A15")
def test_a_merge_under_way_is_not_overtaken(repo: Repo, tmp_path: Path) -> None:
    """B is accepted first and merges slowly; A, though earlier in the plan, has to wait for it."""
    real = shutil.which("git")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    begun = tmp_path / "begun"
    late = f'case " $* " in *" commit-tree "*) touch {begun}; sleep 0.5;; esac'
    slow.write_text(f'#!/bin/sh\n{real} "$@"; rc=$?\n{late}\nexit $rc\n')
    slow.chmod(0o755)
    repo.environ["PATH"] = f"{slow.parent}:{repo.environ['PATH']}"
    repo.write("list", "first\nnothing\nlast\n")
    repo.commit("list")
    waits = f"until test -e {begun}; do sleep 0.02; done; sed -i 's/nothing/&A/' list"
    done = repo.run(shell("A", waits), shell("B", "sed -i 's/nothing/&B/' list"))
    assert done.code == 0, done
    order = [event["task"] for event in repo.events() if event["kind"] in ("TaskIntegrated", "MergeRefused")]
    assert order == [2, 1, 1], "B is merged, A conflicts, A is done again from B's work"
    assert repo.show("agent/the-plan", "list").split() == ["first", "nothingAB", "last"]

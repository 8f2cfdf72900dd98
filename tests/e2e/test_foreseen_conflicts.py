"""What will collide is seen while agents are still at work, and the later task can wait for the earlier one."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import Repo, fingerprint, kill, processes_of, shell, until

_SERIALISE = {"TORYO_RUN_COLLISIONS": "serialise"}


def gated(tmp_path: Path, key: str, command: str, *, gate: str = "go") -> str:
    """Does its work, says so, and waits at the gate."""
    return f"{command}; touch {tmp_path}/{key}-done; until test -e {tmp_path}/{gate}; do sleep 0.05; done"


def with_list(repo: Repo) -> None:
    repo.write("list", "top\nnothing\nbottom\n")
    repo.commit("a list")


def events(repo: Repo, kind: str) -> list[dict[str, Any]]:
    return [event for event in repo.events() if event["kind"] == kind]


@pytest.mark.covers("B5")
def test_collisions_are_shown_while_the_agents_are_at_work(repo: Repo, tmp_path: Path) -> None:
    with_list(repo)
    plan = repo.plan(
        shell("A", gated(tmp_path, "A", "sed -i s/nothing/a-nothing/ list")),
        shell("B", gated(tmp_path, "B", "sed -i s/nothing/b-nothing/ list; git commit -qam wip; echo b > b")),
        shell("C", gated(tmp_path, "C", "echo c > c")),
    )
    process = repo.start("run", "--plan", str(plan))
    until(lambda: all((tmp_path / f"{key}-done").exists() for key in "ABC"))
    ignored = re.compile(r"\.git/toryo/|\.git/worktrees/[^/]+/(logs|index)")
    before = fingerprint(repo.path, ignored)
    asked = repo.toryo("conflicts")
    assert (asked.code, asked.out) == (2, "B (Task B) will collide with A (Task A) in list\n"), asked
    told = json.loads(repo.toryo("conflicts", "--json").out)
    assert [(row["task"]["key"], row["with"]["key"], row["files"]) for row in told["conflicts"]] == [
        ("B", "A", ["list"])
    ]
    assert told["looked_at"] == ["A", "B", "C"]
    assert fingerprint(repo.path, ignored) == before
    found = until(lambda: repo.tasks()["B"]["collisions"])
    assert found == [{"task": repo.tasks()["A"]["id"], "key": "A", "files": ["list"]}]
    assert "B will collide with A in list" in repo.toryo("status").out
    assert "collides    with A in list" in repo.toryo("info", "B").out
    assert "B will collide with A in list" in repo.toryo("report").out
    (tmp_path / "go").touch()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert "will collide: B with A in list" in said
    assert "will collide" not in repo.toryo("status").out, "of what is over nobody speaks any more"
    calm = repo.toryo("conflicts")
    assert (calm.code, "does not collide with main" in calm.out) == (0, True)
    repo.write("list", "something\nelse\n")
    repo.commit("meanwhile")
    landing = repo.toryo("conflicts")
    assert landing.code == 2
    assert landing.out == "merged work (agent/the-plan) will collide with main as it is now in list\n"


@pytest.mark.covers("B5", "P6")
def test_the_later_one_is_set_aside_and_goes_on_from_the_merged_work(repo: Repo, tmp_path: Path) -> None:
    """Also when the conductor is killed while it waits, and the agent finds its own work half merged."""
    with_list(repo)
    repo.environ |= _SERIALISE
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(
        "B:\n"
        "  - - replace: {path: list, old: nothing, new: from B}\n"
        "    - write: {path: b, text: b}\n"
        f"    - run: 'cp $TORYO_PROMPT {tmp_path}/first; until test -e {tmp_path}/never; do sleep 0.05; done'\n"
        "  - - resolve: list\n"
    )
    repo.write(".toryo/config.toml", f'[agents.scripted]\nscenario = "{scenario}"\n')
    plan = repo.plan(
        shell("A", gated(tmp_path, "A", "sed -i s/nothing/from-A/ list")),
        shell("Z", "echo z > z"),
        {"key": "B", "title": "Task B", "agent": "scripted", "depends_on": ["Z"]},  # so it starts later than A
    )
    first = repo.start("run", "--plan", str(plan), "--parallel", "3")
    aside = until(lambda: events(repo, "TaskSetAside"))[0]
    assert (aside["behind"], aside["files"]) == (1, ["list"])
    kill(first)
    assert repo.tasks()["B"]["says"] == "set aside until A is merged (they would collide in list)"
    assert repo.tasks()["B"]["held_up_by"]["key"] == "A"
    (tmp_path / "go").touch()
    scenario.write_text(f"B:\n  - - run: 'cat list > {tmp_path}/seen'\n    - resolve: list\n")
    done = repo.toryo("resume")
    assert done.code == 0, done
    task = repo.info("B")["task"]
    assert (task["state"], task["attempts"], len(task["runs"])) == ("integrated", 1, 2)
    assert "<<<<<<<" in (tmp_path / "seen").read_text()
    assert repo.show("agent/the-plan", "list").split() == ["top", "from-A", "from", "B", "bottom"]
    assert repo.show("agent/the-plan", "b") == "b"
    prompt = (repo.store / "runs" / task["runs"][1]["id"] / "prompt.md").read_text()
    assert "What happened meanwhile" in prompt
    assert "- `list`" in prompt
    assert repo.git("cat-file", "-t", aside["commit"]) == "commit"
    assert not events(repo, "MergeRefused")


@pytest.mark.covers("B5", "P6")
def test_a_task_waits_for_files_that_another_was_seen_to_change(repo: Repo, tmp_path: Path) -> None:
    with_list(repo)
    repo.environ |= _SERIALISE
    plan = repo.plan(
        shell("A", gated(tmp_path, "A", "echo a > a; sed -i s/nothing/a-nothing/ list")),
        shell("B", gated(tmp_path, "B", "echo b > b", gate="b")),
        shell("C", "sed -i s/nothing/c-nothing/ list", scope=["list"]),
    )
    process = repo.start("run", "--plan", str(plan), "--parallel", "2")
    until(lambda: any(event["touched"] for event in events(repo, "CollisionsForeseen")))
    (tmp_path / "b").touch()  # a slot is free, and yet C does not start
    until(lambda: repo.tasks()["B"]["state"] == "integrated")
    task = repo.tasks()["C"]
    assert (task["says"], task["state"]) == ("waits for A (same files: list)", "planned")
    (tmp_path / "go").touch()
    process.communicate(timeout=60)
    assert repo.show("agent/the-plan", "list").split() == ["top", "a-c-nothing", "bottom"]
    assert not events(repo, "MergeRefused")
    assert not processes_of(repo.store)


def test_places_where_there_is_nothing_to_see(repo: Repo, tmp_path: Path) -> None:
    asked = repo.toryo("conflicts")
    assert (asked.code, "E201" in asked.err) == (64, True)
    assert repo.toryo("conflicts", cwd=tmp_path).code == 64
    assert repo.run(shell("T1", "true")).code == 2
    calm = repo.toryo("conflicts")
    assert (calm.code, "nothing has been done yet" in calm.out) == (0, True)
    assert "E204" in repo.toryo("conflicts", "T1").err

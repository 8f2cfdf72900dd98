"""A tasks.md becomes proven, merged work, in the order it asks for."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import Done, Repo

LIST = """\
# Tasks: Tool

## Phase 1: Setup

- [x] T001 Make the folder
- [ ] T002 Write the base in `base.txt`

## Phase 2: Work

- [ ] T003 [P] One side in `left.txt`
- [ ] T004 [P] The other side in `right.txt` (depends on T001, T002)
- [ ] T005 Bring both together

| Task | What |
|------|------|
| T009 | Not read |

## Dependencies

- T003 blocks T005
"""

SCENARIO = """\
T002:
  - - write: {path: base.txt, text: "base\\n"}
T003:
  - - run: "cat base.txt > left.txt; echo left >> left.txt"
T004:
  - - run: "cat base.txt > right.txt; echo right >> right.txt"
T005:
  - - run: "cat left.txt right.txt > both.txt"
"""


def run(repo: Repo, text: str, *flags: str) -> Done:
    repo.write(".toryo/scenario.yaml", SCENARIO)
    repo.write(".toryo/config.toml", '[agents.scripted]\nscenario = "scenario.yaml"\n')
    path = repo.path.parent / "tasks.md"
    path.write_bytes(text.encode())
    return repo.toryo("run", "--tasks", str(path), "--yes", "--agent", "scripted", *flags)


@pytest.mark.covers("G8")
def test_a_list_of_tasks_runs_in_its_order_without_what_is_done(repo: Repo, tmp_path: Path) -> None:
    done = run(repo, LIST)
    assert done.code == 0, done
    assert repo.show("agent/tool", "both.txt").split() == ["base", "left", "base", "right"]
    assert set(repo.tasks()) == {"T002", "T003", "T004", "T005"}
    waits = {key: task["depends_on"] for key, task in repo.tasks().items()}
    assert waits == {"T002": [], "T003": ["T002"], "T004": ["T002"], "T005": ["T003", "T004"]}
    assert f"{tmp_path}/tasks.md:14-16: tasks in a table are not read" in done.err
    assert f"{tmp_path}/tasks.md:5: already done, and not done again: T001" in done.err


def test_windows_line_ends_and_json(repo: Repo) -> None:
    done = run(repo, "\ufeff" + LIST.replace("\n", "\r\n"), "--json")
    assert done.code == 0, done
    assert {task["key"] for task in json.loads(done.out)["tasks"]} == {"T002", "T003", "T004", "T005"}


def test_the_checks_of_the_configuration_hold(repo: Repo) -> None:
    repo.write(".toryo/config.toml", "")
    done = run(repo, "- [ ] T002 Write the base\n")
    assert done.code == 0, done
    assert "no check exists" in done.err
    repo.write(
        ".toryo/config.toml", '[agents.scripted]\nscenario = "scenario.yaml"\n[checks]\nbase = "test -e base.txt"\n'
    )
    done = repo.toryo("run", "--tasks", str(repo.path.parent / "tasks.md"), "--yes", "--agent", "scripted")
    assert done.code == 0, done
    assert "no check exists" not in done.err


@pytest.mark.covers("G8", "G36")
def test_a_circle_is_refused_with_its_lines_and_nothing_is_begun(repo: Repo, tmp_path: Path) -> None:
    done = run(repo, "- [ ] T001 A (depends on T002)\n- [ ] T002 B (depends on T001)\n- [ ] T003 C (after T009)\n")
    assert done.code == 64, done
    assert done.err.splitlines() == [
        f"{tmp_path}/tasks.md:1: circular dependency: T001 → T002 → T001 (lines 1, 2)",
        f"{tmp_path}/tasks.md:3: there is no task 'T009'",
        f"error: {tmp_path}/tasks.md has 2 problems (E115)",
        "hint: correct these lines and run it again; docs/tasks-file.md says what is understood",
    ]
    assert not repo.store.exists()


def test_exactly_one_file_is_named(repo: Repo) -> None:
    for flags in ((), ("--plan", "a.yaml", "--tasks", "tasks.md")):
        done = repo.toryo("run", *flags)
        assert done.code == 64, done
        assert "--tasks" in done.err and "--plan" in done.err and "E100" in done.err


def test_what_nobody_can_do_is_refused(repo: Repo) -> None:
    done = run(repo, "- [x] T001 A\n")
    assert (done.code, "all tasks" in done.err) == (64, True), done
    (repo.path.parent / "tasks.md").write_text("- [ ] T001 A\n")
    for agent, words in (("shell", "has no commands"), ("nobody", "E501")):
        done = repo.toryo("run", "--tasks", str(repo.path.parent / "tasks.md"), "--yes", "--agent", agent)
        assert (done.code, words in done.err) == (64, True), done

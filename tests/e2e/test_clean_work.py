"""What a run may not leave in the lines it adds, and what waits for a person: with a real repository and real runs."""

import json
import sys
from typing import Any

import pytest
from tests.support.repositories import Repo, shell


def scripted(repo: Repo, *attempts: dict[str, str], config: str = "", **more: Any) -> dict[str, Any]:
    """A task whose agent writes these files, attempt by attempt."""
    steps = [[{"write": {"path": path, "text": text}} for path, text in files.items()] for files in attempts]
    scenario = repo.path.parent / "scenario.json"
    scenario.write_text(json.dumps({"T1": steps}), encoding="utf-8")
    repo.write(".toryo/config.toml", f'[agents.scripted]\nscenario = "{scenario}"\n{config}')
    return {"key": "T1", "title": "Write it", "agent": "scripted", **more}


def verdicts(repo: Repo) -> list[dict[str, Any]]:
    return [event["verdict"] for event in repo.events() if event["kind"] == "VerdictReached"]


UNFINISHED = "def f(x):\n    # TODO: handle zero\n    return 1 / x\n"
FINISHED = "def f(x):\n    return 1 / x if x else 0\n"


@pytest.mark.covers("P49", "A12", "A23")
def test_work_put_off_is_sent_back_with_its_line_and_accepted_once_done(repo: Repo) -> None:
    done = repo.run(scripted(repo, {"src/a.py": UNFINISHED}, {"src/a.py": FINISHED}))
    assert done.code == 0, done
    first, second = verdicts(repo)
    assert first["disposition"] == "retry"
    assert "src/a.py:2: # TODO: handle zero" in first["feedback"]
    assert second["disposition"] == "accept"
    assert "TODO" not in repo.show("agent/the-plan", "src/a.py")
    run = repo.info("T1")["task"]["runs"][0]
    assert run["blemishes"] == [
        {"rule": "todo", "path": "src/a.py", "line": 2, "text": "# TODO: handle zero", "level": "retry"}
    ]


@pytest.mark.covers("P49", "P16", "F5")
@pytest.mark.parametrize("checks", [{"compiles": "python3 -m py_compile src/a.py"}, []], ids=["checked", "unchecked"])
def test_who_persists_is_let_through_by_a_person_with_a_reason(repo: Repo, checks: Any) -> None:
    """Also where no check speaks for work that later runs left as it was."""
    attempt = {"src/a.py": UNFINISHED}
    done = repo.run(scripted(repo, attempt, attempt, attempt, checks=checks))
    assert done.code == 2, done
    assert repo.tasks()["T1"]["block_reason"] == "unclean work"
    inbox = repo.toryo("inbox").out
    assert "src/a.py:2" in inbox
    assert "toryo approve T1 --why" in inbox
    refused = repo.toryo("approve", "T1")
    assert refused.code == 64
    assert "E219" in refused.err
    assert "--why" in refused.err
    done = repo.toryo("approve", "T1", "--why", "zero is handled upstream")
    assert done.code == 0, done
    assert "TODO" in repo.show("agent/the-plan", "src/a.py")
    told = repo.toryo("report").out
    assert "zero is handled upstream" in told
    assert told.index("zero is handled upstream") < told.index("## Tasks"), "risks come first"
    ran = [event for event in repo.events() if event["kind"] == "CheckFinished"]
    assert bool(ran) == bool(checks), "a check still had to pass where there is one"


@pytest.mark.covers("P49")
@pytest.mark.parametrize(
    ("name", "broken", "fixed", "said"),
    [
        ("a.py", "def f(:\n    pass\n", "def f():\n    return 1\n", "a.py:1: def f(:"),
        ("a.json", '{"a": 1,}\n', '{"a": 1}\n', "a.json:1"),
        ("a.ts", "let a = 1;\nlet = ;\n", "let a = 1;\n", "a.ts:2"),
        ("a.txt", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "a\nb\n", "a.txt:1: <<<<<<< HEAD"),
        ("a.js", "f()\n// ... rest of code\n", "f()\n", "a.js:2"),
        ("b.py", "try:\n    f()\nexcept Exception:\n    pass\n", "f()\n", "b.py:3"),
    ],
)
def test_each_fault_goes_back_to_the_agent(repo: Repo, name: str, broken: str, fixed: str, said: str) -> None:
    done = repo.run(scripted(repo, {name: broken}, {name: fixed}))
    assert done.code == 0, done
    first, second = verdicts(repo)
    assert (first["disposition"], second["disposition"]) == ("retry", "accept")
    assert said in first["feedback"]


@pytest.mark.covers("A23")
def test_a_test_that_vanishes_is_missed(repo: Repo) -> None:
    both = "def test_one():\n    assert 1\n\n\ndef test_two():\n    assert 2\n"
    repo.write("tests/test_a.py", both)
    repo.commit("tests")
    without = both.partition("\n\n\n")[0] + "\n"
    done = repo.run(scripted(repo, {"tests/test_a.py": without}, {"tests/test_a.py": both, "a.py": "x = 1\n"}))
    assert done.code == 0, done
    first = verdicts(repo)[0]
    assert "tests/test_a.py (test_two)" in first["feedback"]


@pytest.mark.covers("P49")
def test_words_about_it_and_what_was_there_before_pass_at_once(repo: Repo) -> None:
    repo.write("old.py", "# TODO: from before\nx = 1\n")
    repo.commit("old")
    done = repo.run(
        scripted(
            repo,
            {
                "docs/todo.md": "# TODO\n\nTODO: is written like this\n\n// ... rest of code\n",
                "old.py": "# TODO: from before\nx = 2\n",
                "words.py": 'WORDS = ("TODO", "FIXME", "# TODO: x", "省略")\n',
            },
        )
    )
    assert done.code == 0, done
    assert [verdict["disposition"] for verdict in verdicts(repo)] == ["accept"]


@pytest.mark.covers("P49", "A12")
def test_levels_and_allowances_of_the_configuration_and_the_plan(repo: Repo) -> None:
    config = '[hygiene]\nomission = "warn"\n[hygiene.allow.old]\nrule = "todo"\npaths = ["old/**"]\nreason = "moved"\n'
    files = {"old/a.py": "# TODO: x\n", "b.js": "f()\n// unchanged\n", "c.py": "# FIXME: y\n"}
    allow = [{"rule": "todo", "paths": ["c.py"], "reason": "the word is the feature"}]
    done = repo.run(scripted(repo, files, config=config, allow=allow))
    assert done.code == 0, done
    (only,) = verdicts(repo)
    assert any("b.js:2" in reason for reason in only["reasons"])
    assert "the word is the feature" in repo.toryo("report").out


@pytest.mark.covers("P58")
def test_a_change_of_ci_waits_for_a_person(repo: Repo) -> None:
    done = repo.run(scripted(repo, {".github/workflows/ci.yml": "on: push\n", "a.py": "x = 1\n"}))
    assert done.code == 2, done
    task = repo.tasks()["T1"]
    assert (task["state"], task["block_reason"]) == ("blocked", "protected files")
    assert ".github/workflows/ci.yml: it runs in CI" in repo.toryo("inbox").out
    assert "protected" in repo.toryo("report").out
    assert repo.toryo("approve", "T1").code == 64
    done = repo.toryo("approve", "T1", "--why", "the new pipeline")
    assert done.code == 0, done
    assert "the new pipeline" in repo.toryo("report").out
    assert repo.info("T1")["task"]["permissions"][0]["why"] == "the new pipeline"


@pytest.mark.covers("P58")
def test_a_lock_beside_its_manifest_and_what_the_task_names_wait_for_nobody(repo: Repo) -> None:
    done = repo.run(
        shell("A", "echo '{}' > package.json; echo '{}' > package-lock.json"),
        shell("B", "echo X=1 > .env.example; mkdir -p ci; echo x > Jenkinsfile", scope=["Jenkinsfile", ".env.example"]),
    )
    assert done.code == 0, done


@pytest.mark.covers("P49")
def test_the_configuration_refuses_what_it_does_not_know(repo: Repo) -> None:
    repo.write(".toryo/config.toml", '[hygiene]\ntodos = "off"\nsyntax = "never"\n[hygiene.allow.x]\nrule = "todo"\n')
    refused = repo.toryo("config", "show")
    assert refused.code == 64
    assert "did you mean 'todo'" in refused.err
    assert "hygiene.syntax: should be one of retry, block, warn, off" in refused.err
    repo.write(".toryo/config.toml", '[hygiene.allow.x]\nrule = "todo"\n')
    assert "hygiene.allow.x.reason: required key is missing" in repo.toryo("config", "show").err


@pytest.mark.covers("P1", "P49")
@pytest.mark.parametrize("deed", ["approve T1 --why mine", "retry T1", "answer T1 yes", "stop", "budget --runs +5"])
def test_a_run_does_not_decide_about_its_own_session(repo: Repo, deed: str) -> None:
    done = repo.run(shell("T1", f"{sys.executable} -m toryo {deed} 2> said; echo $? >> said"))
    assert done.code == 0, done
    said = repo.show("agent/the-plan", "said")
    assert "E216" in said
    assert said.splitlines()[-1] == "73"


def test_a_failed_check_is_tried_again_and_not_called_approved(repo: Repo) -> None:
    repo.run(shell("T1", "echo x > x"), checks={"no": {"command": "false", "on_failure": "block"}})
    again = repo.toryo("approve", "T1", "--why", "it is right")
    assert again.code == 2, again
    assert "approved" not in again.err
    assert "(check failed); it is tried again instead" in again.err

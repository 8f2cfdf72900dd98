"""A plan file becomes proven, merged work."""

import json
import stat
from pathlib import Path

import pytest
from tests.support.repositories import Repo, shell


@pytest.mark.covers("G21", "G22", "A9", "A10", "A15", "A18")
def test_independent_tasks_and_a_diamond_end_on_the_session_branch(repo: Repo) -> None:
    done = repo.run(
        shell("A", "echo a > a"),
        shell("B", "cat a > b", depends_on=["A"]),
        shell("C", "cat a > c", depends_on=["A"]),
        shell("D", "cat b c > d", depends_on=["B", "C"]),
        shell("E", "echo e > e"),
        checks="test -d .",
    )
    assert done.code == 0, done
    assert repo.files_on("agent/the-plan") == {"README.md", "a", "b", "c", "d", "e"}
    assert repo.show("agent/the-plan", "d") == "a\na"
    assert repo.git("rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert repo.files_on("main") == {"README.md"}
    assert {task["state"] for task in repo.tasks().values()} == {"integrated"}


@pytest.mark.covers("A12", "A15")
def test_each_task_is_merged_exactly_once_with_a_conventional_commit(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a"), shell("B", "echo b > b", type="documentation"))
    assert done.code == 0, done
    subjects = repo.git("log", "--format=%s", "main..agent/the-plan").splitlines()
    assert sorted(subjects) == ["Merge A: Task A", "Merge B: Task B", "docs: Task B", "feat: Task A"]


@pytest.mark.covers("P1", "P8", "P31", "B2")
def test_an_agent_that_changes_nothing_is_not_done(repo: Repo) -> None:
    done = repo.run(shell("A", "echo I am done"), shell("B", "echo b > b"))
    assert done.code == 2, done
    task = repo.tasks()["A"]
    assert (task["state"], task["outcome"], task["block_reason"]) == ("blocked", "NO_EVIDENCE", "no evidence")
    assert task["attempts"] == 3
    assert repo.tasks()["B"]["state"] == "integrated"


@pytest.mark.covers("P29", "P64")
def test_a_failing_command_is_an_error_and_its_work_is_kept_on_its_branch(repo: Repo) -> None:
    done = repo.run(shell("A", "echo half > half; exit 3"))
    assert done.code == 1, done
    task = repo.tasks()["A"]
    assert (task["state"], task["outcome"]) == ("blocked", "ERROR")
    assert repo.show(task["branch"], "half") == "half"


@pytest.mark.covers("A14")
def test_a_blocked_task_blocks_only_its_dependents(repo: Repo) -> None:
    done = repo.run(
        shell("A", "false"),
        shell("B", "echo b > b", depends_on=["A"]),
        shell("C", "echo c > c"),
        shell("D", "echo d > d", depends_on=["C"]),
    )
    assert done.code == 1, done
    states = {key: task["state"] for key, task in repo.tasks().items()}
    assert states == {"A": "blocked", "B": "planned", "C": "integrated", "D": "integrated"}
    assert "waits for A (blocked)" in repo.toryo("status").out


@pytest.mark.covers("G28", "A12")
def test_feedback_of_a_failed_check_reaches_the_next_run(repo: Repo) -> None:
    command = 'if grep -q "^    expected seven" "$TORYO_PROMPT"; then echo 7 > n; else echo 6 > n; fi'
    check = "grep -q 7 n || { echo expected seven; exit 1; }"
    done = repo.run(shell("A", command), checks=check)
    assert done.code == 0, done
    assert repo.show("agent/the-plan", "n") == "7"
    runs = repo.info("A")["task"]["runs"]
    assert [run["outcome"] for run in runs] == ["INCOMPLETE", "COMPLETE"]


@pytest.mark.covers("A12")
@pytest.mark.parametrize(
    ("on_failure", "code", "state", "runs"),
    [("retry", 2, "blocked", 3), ("block", 2, "blocked", 1), ("warn", 0, "integrated", 1)],
)
def test_what_a_failing_check_does_is_the_plans_choice(
    repo: Repo, on_failure: str, code: int, state: str, runs: int
) -> None:
    checks = {"never": {"command": "false", "on_failure": on_failure}}
    done = repo.run(shell("A", "date +%N > a"), checks=checks)
    assert done.code == code, done
    task = repo.info("A")["task"]
    assert (task["state"], len(task["runs"])) == (state, runs)


@pytest.mark.covers("G28", "P9")
def test_a_task_without_any_check_says_so_wherever_its_outcome_is_shown(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a"))
    assert done.code == 0
    for text in (
        done.out,
        repo.toryo("status").out,
        repo.toryo("info").out,
        repo.toryo("info", "A").out,
        repo.toryo("report").out,
    ):
        assert "no check" in text, text
    assert repo.tasks()["A"]["unchecked"] is True


@pytest.mark.covers("P8", "P31", "A4")
def test_files_out_of_scope_or_missing_are_found(repo: Repo) -> None:
    done = repo.run(
        shell("A", "mkdir -p src && echo a > src/a && echo x > elsewhere", scope=["src/**"]),
        shell("B", "echo b > b", expect=["b", "docs/b.md"]),
    )
    assert done.code == 2, done
    tasks = repo.tasks()
    assert "elsewhere" in tasks["A"]["reason"]
    assert "docs/b.md" in tasks["B"]["reason"]


@pytest.mark.covers("P8", "P55")
def test_an_investigation_completes_on_its_written_result_and_may_not_change_files(repo: Repo) -> None:
    done = repo.run(
        shell("A", "wc -c README.md", type="investigation"),
        shell("B", "true", type="investigation"),
        shell("C", "echo c > c", type="investigation"),
    )
    assert done.code == 2, done
    tasks = repo.tasks()
    assert tasks["A"]["state"] == "integrated"
    assert tasks["B"]["outcome"] == "NO_EVIDENCE"
    assert "must not change files" in tasks["C"]["reason"]
    assert "README.md" in repo.toryo("logs", "A").out


@pytest.mark.covers("P17", "A5")
def test_a_run_over_its_time_limit_is_ended_and_blocked(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a; sleep 600", limits={"seconds": 1}))
    assert done.code == 2, done
    task = repo.info("A")["task"]
    assert (task["state"], task["block_reason"], len(task["runs"])) == ("blocked", "timeout", 1)
    assert task["runs"][0]["ended_by"] == "time limit"
    assert repo.show(task["branch"], "a") == "a"


@pytest.mark.covers("P13", "A5")
def test_limits_on_files_and_checks_block(repo: Repo) -> None:
    done = repo.run(
        shell("A", "touch 1 2 3", limits={"files": 2}),
        shell("B", "date +%N > b", limits={"tests": 1}, checks="false"),
    )
    assert done.code == 2, done
    assert repo.tasks()["A"]["block_reason"] == "limit"
    assert repo.tasks()["B"]["block_reason"] == "limit"
    assert len(repo.info("B")["task"]["runs"][0]["checks"]) == 1


@pytest.mark.covers("A11", "P7")
def test_setup_commands_run_first_and_their_failure_blocks(repo: Repo) -> None:
    repo.write(".env", "SECRET=1\n")
    repo.write(".gitignore", ".env\n")
    repo.commit("ignore")
    repo.write(".toryo/config.toml", '[worktree]\nsetup = ["cp $TORYO_MAIN/.env .env", "test -s .env"]\n')
    assert repo.run(shell("A", "wc -c < .env > size")).code == 0
    assert repo.show("agent/the-plan", "size").strip() == "9"
    chain = repo.info("A")["task"]["evidence"]
    assert [record["operation"] for record in chain][:2] == ["setup", "setup"]
    assert [record["previous"] for record in chain] == [None, *(record["sha256"] for record in chain[:-1])]
    repo.write(".toryo/config.toml", '[worktree]\nsetup = ["echo no network; exit 7"]\n')
    done = repo.run(shell("A", "echo never > never"))
    assert done.code == 1, done
    task = repo.tasks()["A"]
    assert task["block_reason"] == "set-up failed"
    assert "no network" in task["reason"]


@pytest.mark.covers("G16")
def test_shared_worktree_tasks_run_one_at_a_time_in_one_folder(repo: Repo) -> None:
    repo.write(".gitignore", "cache\n")
    repo.commit("ignore")
    command = "pwd > where-{0}; test ! -e busy || exit 9; touch cache busy; rm busy; test -e cache"
    tasks = [shell(key, command.format(key), worktree="shared") for key in "ABC"]
    done = repo.run(*tasks, flags=["--parallel", "3"])
    assert done.code == 0, done
    folders = {repo.show("agent/the-plan", f"where-{key}") for key in "ABC"}
    assert len(folders) == 1
    assert list((repo.path / ".worktrees").iterdir()) == [], "it goes when the session is over"


@pytest.mark.covers("P7", "P18", "P21", "G32")
def test_evidence_is_hashed_and_chained_and_logs_are_private(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a"), checks="true").code == 0
    task = repo.info("A")["task"]
    assert [record["operation"] for record in task["evidence"]] == ["agent", "files", "check", "verdict", "merge"]
    previous = None
    for record in task["evidence"]:
        assert record["previous"] == previous
        previous = record["sha256"]
    for path in repo.store.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode & 0o077 == 0, (path, oct(mode))


@pytest.mark.covers("P18", "P47")
def test_secrets_in_an_agents_output_are_marked_and_masked(repo: Repo) -> None:
    key = "sk-ant-" + "a1B2" * 8
    assert repo.run(shell("A", f"echo {key}; echo a > a")).code == 0
    task = repo.info("A")["task"]
    agent = next(record for record in task["evidence"] if record["operation"] == "agent")
    assert agent["sensitive"] is True
    assert key not in repo.toryo("logs", "A").out
    assert "[MASKED:ANTHROPIC_KEY]" in repo.toryo("logs", "A").out


@pytest.mark.covers("A18", "G36")
def test_yaml_and_json_plans_both_run_and_a_wrong_one_changes_nothing(repo: Repo) -> None:
    plan = repo.path.parent / "plan.yaml"
    plan.write_text("title: 日本語の計画\ntasks:\n  - {key: T1, title: 最初, command: echo 漢字 > 漢字.txt}\n", "utf-8")
    done = repo.toryo("run", "--plan", str(plan))
    assert done.code == 0, done
    branch = repo.status()["sessions"][0]["branch"]
    assert branch.startswith("agent/session-")
    assert "漢字.txt" in repo.files_on(branch)
    assert "最初" in repo.toryo("status").out
    plan.write_text("tasks:\n  - {key: T1, title: x, command: true, depend_on: [T2]}\n", "utf-8")
    before = repo.git("for-each-ref")
    done = repo.toryo("run", "--plan", str(plan))
    assert done.code == 64
    assert f"{plan}:2" in done.err
    assert "did you mean" in done.err
    assert repo.git("for-each-ref") == before
    assert len(repo.status()["sessions"]) == 1


@pytest.mark.covers("G15")
def test_titles_that_collide_get_numbered_branches(repo: Repo) -> None:
    repo.git("branch", "agent/same")
    tasks = [{"key": key, "title": "Same", "command": f"echo {key} > {key}"} for key in ("A", "B")]
    assert repo.run(*tasks, title="Same").code == 0
    names = [repo.status()["sessions"][0]["branch"], *(task["branch"] for task in repo.tasks().values())]
    assert names == ["agent/same-2", "agent/same-3", "agent/same-4"]


@pytest.mark.covers("A16")
def test_no_identity_no_signing_key_and_failing_hooks_do_not_matter(repo: Repo) -> None:
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "user.signingkey", "0xDEADBEEF")
    for hook in ("pre-commit", "commit-msg", "prepare-commit-msg", "post-checkout", "pre-merge-commit"):
        path = repo.path / ".git" / "hooks" / hook
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    done = repo.run(shell("A", "echo a > a"), shell("B", "echo b > b"))
    assert done.code == 0, done


@pytest.mark.covers("A12")
def test_agents_may_commit_themselves_or_wander_to_another_branch(repo: Repo) -> None:
    commit = "git add -A && git commit -q --no-verify -m mine"
    done = repo.run(
        shell("A", f"echo a > a; {commit}; echo more > more"),
        shell("B", f"git checkout -q -b elsewhere; echo b > b; {commit}"),
        shell("C", f"git checkout -q --detach; echo c > c; {commit}"),
    )
    assert done.code == 0, done
    assert {"a", "more", "b", "c"} <= repo.files_on("agent/the-plan")


@pytest.mark.covers("A29")
def test_json_output_is_versioned_and_pure(repo: Repo) -> None:
    done = repo.run(shell("A", "echo a > a"), flags=["--json"])
    data = json.loads(done.out)
    assert (data["toryo"], data["kind"], data["session"]["outcome"]) == (1, "session", "COMPLETE")


@pytest.mark.covers("G18")
def test_prompts_name_everything_the_task_will_be_judged_by(repo: Repo) -> None:
    assert (
        repo.run(
            shell(
                "A",
                'cp "$TORYO_PROMPT" prompt.md',
                description="Do `this` $HOME \"quoted\" 'and' 漢字",
                acceptance=["it works"],
                scope=["*.md"],
            ),
            checks="test -s prompt.md",
        ).code
        == 0
    )
    prompt = repo.show("agent/the-plan", "prompt.md")
    for part in ("Do `this` $HOME \"quoted\" 'and' 漢字", "it works", "`*.md`", "`test -s prompt.md`"):
        assert part in prompt


@pytest.mark.covers("G31")
def test_worktrees_are_removed_once_merged_and_kept_when_asked(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a")).code == 0
    assert list((repo.path / ".worktrees").iterdir()) == []
    assert repo.git("branch", "--list", "agent/*", "--format=%(refname:short)") == "agent/the-plan"
    repo.environ["TORYO_WORKTREE_KEEP"] = "true"
    assert repo.run(shell("A", "echo b > b")).code == 0
    assert {path.name for path in (repo.path / ".worktrees").iterdir()} == {"task-a", "the-plan-2"}


@pytest.mark.covers("B4")
def test_left_over_processes_of_a_run_are_ended(repo: Repo, tmp_path: Path) -> None:
    done = repo.run(shell("A", "echo a > a; setsid sleep 1000 & sleep 1000 & true"))
    assert done.code == 0, done
    exited = next(event for event in repo.events() if event["kind"] == "RunExited")
    assert exited["reaped"] == 2


def test_a_lock_left_by_a_git_command_that_was_killed_does_not_matter(repo: Repo) -> None:
    done = repo.run(shell("A", 'echo a > a; touch "$(git rev-parse --git-dir)/index.lock"'))
    assert done.code == 0, done
    assert not [event for event in repo.events() if event["kind"] == "EffectFailed"]

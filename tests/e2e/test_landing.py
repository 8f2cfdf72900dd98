"""Bringing a session's result home by merging it: with people at work beside it, and whatever happened meanwhile."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repositories import Done, Repo, shell, until

_ONE = shell("A", "echo one > one")
_SCRIPTED = {"key": "A", "title": "Task A", "agent": "scripted"}


def complete(repo: Repo, *tasks: dict[str, object], checks: str = "test -f README.md") -> None:
    done = repo.run(*(tasks or (_ONE,)), checks=checks)
    assert done.code == 0, done


def scripted(repo: Repo, scenario: str) -> None:
    repo.write("list", "top\nnothing\nbottom\n")
    repo.commit("a list")
    repo.write(".toryo/scenario.yaml", scenario)
    repo.write(".toryo/config.toml", '[agents.scripted]\nscenario = "scenario.yaml"\n')


def landed(done: Done) -> dict[str, object]:
    session: dict[str, object] = json.loads(done.out)["session"]
    return session


def parents(repo: Repo, name: str) -> list[str]:
    return repo.git("log", "-1", "--format=%P", name).split()


def assert_at_rest(repo: Repo) -> None:
    """Nothing half-made is left anywhere."""
    common = Path(repo.git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    left = [path.name for path in common.rglob("*") if path.name in ("MERGE_HEAD",) or path.suffix == ".lock"]
    assert [name for name in left if name != "conductor.lock"] == []


@pytest.mark.covers("G31", "G37")
def test_it_is_merged_beside_what_people_are_in_the_middle_of(repo: Repo) -> None:
    repo.write("mine", "1\n")
    repo.write("stashed", "1\n")
    base = repo.commit("mine")
    complete(repo)
    tip = repo.git("rev-parse", "agent/the-plan")
    repo.write("stashed", "2\n")
    repo.git("stash")
    repo.write("mine", "2\n")
    repo.git("add", "mine")
    repo.write("mine", "3\n")
    repo.write("notes", "untracked\n")
    hook = repo.path / ".git" / "hooks" / "post-merge"
    hook.write_text("#!/bin/sh\ntouch ../hooked\n")
    hook.chmod(0o755)
    before = repo.git("status", "--porcelain=v2")
    done = repo.toryo("land", "--merge", "--json")
    assert done.code == 0, done
    row = landed(done)
    assert (row["state"], row["landed"]) == ("closed", True)
    assert row["landing"]["mode"] == "merge"  # type: ignore[index]
    assert parents(repo, "main") == [base, tip]
    assert (repo.path / "one").read_text() == "one\n"
    assert repo.git("status", "--porcelain=v2") == before, "the index and what is changed are as they were"
    assert "stashed" in repo.git("stash", "show", "--name-only")
    assert (repo.path.parent / "hooked").exists(), "their own hook ran"
    assert repo.git("branch", "--list", "agent/*") == "", "everything is on main now"
    assert len(repo.git("worktree", "list").splitlines()) == 1
    assert repo.git("rev-parse", f"refs/toryo/landed/{row['id']}") == tip
    assert repo.toryo("verify").code == 0
    again = repo.toryo("land", "--merge")
    assert again.code == 0
    assert "is landed on main" in again.out
    assert repo.git("rev-list", "--count", "--first-parent", f"{base}..main") == "1"
    assert ", landed" in repo.toryo("status").out
    assert_at_rest(repo)


@pytest.mark.covers("G31")
def test_what_is_uncommitted_is_never_written_over(repo: Repo) -> None:
    repo.write("one", "0\n")
    base = repo.commit("one")
    complete(repo, shell("A", "echo one > one; echo new > new"))
    repo.write("one", "my own\n")
    repo.write("new", "mine too\n")
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert "uncommitted changes" in done.out
    assert "one" in done.out
    assert "new" in done.out
    assert repo.git("rev-parse", "main") == base
    assert (repo.path / "one").read_text() == "my own\n"
    assert "toryo resume" in repo.toryo("inbox").out
    assert_at_rest(repo)
    repo.git("stash", "-u")
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert repo.show("main", "one") == "one"
    assert repo.show("stash@{0}", "one") == "my own"


def test_a_merge_or_a_rebase_under_way_is_waited_for(repo: Repo) -> None:
    complete(repo)
    repo.git("switch", "-q", "-c", "other")
    repo.write("README.md", "other\n")
    repo.commit("other")
    repo.git("switch", "-q", "main")
    repo.write("README.md", "main\n")
    base = repo.commit("main")
    repo.git("merge", "other", check=False)
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert "a merge is under way" in done.out
    repo.git("merge", "--abort")
    repo.git("rebase", "other", check=False)
    done = repo.toryo("resume")
    assert done.code == 2, done
    assert "a rebase is under way" in done.out
    assert repo.git("rev-parse", "main") == base
    repo.git("rebase", "--abort")
    done = repo.toryo("land", "--branch")
    assert done.code == 0, done
    assert repo.git("rev-parse", "main") == base
    assert "agent/the-plan" in repo.git("branch")
    assert repo.toryo("land", "--merge", "-q").code == 0
    assert repo.show("main", "one") == "one"


@pytest.mark.parametrize("where", ["elsewhere", "nowhere", "twice"])
def test_wherever_the_target_is_checked_out(repo: Repo, where: str) -> None:
    complete(repo)
    other = repo.path.parent / "other"
    if where == "twice":
        repo.git("worktree", "add", "-q", "--force", str(other), "main")
    else:
        repo.git("switch", "-q", "-c", "mine")
    if where == "elsewhere":
        repo.git("worktree", "add", "-q", str(other), "main")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert repo.show("main", "one") == "one"
    assert repo.git("status", "--porcelain") == ""
    assert (repo.path / "one").exists() is (where == "twice")
    if where != "nowhere":
        assert (other / "one").read_text() == "one\n"
        assert repo.git("-C", str(other), "status", "--porcelain") == ""
    assert repo.toryo("undo").code == 0
    assert "one" not in repo.files_on("main")
    if where != "nowhere":
        assert not (other / "one").exists()
        assert repo.git("-C", str(other), "status", "--porcelain") == ""


@pytest.mark.covers("F11", "A15")
def test_what_came_meanwhile_is_brought_in_and_proven_first(repo: Repo) -> None:
    log = repo.path.parent / "checked"
    complete(repo, checks=f"git rev-parse HEAD^{{tree}} >> {log}")
    repo.write("README.md", "somebody else's\n")
    theirs = repo.commit("theirs")
    done = repo.toryo("land", "--merge", "--json")
    assert done.code == 0, done
    assert repo.show("main", "one") == "one"
    assert repo.show("main", "README.md") == "somebody else's"
    first, second = parents(repo, "main")
    assert first == theirs
    assert repo.git("merge-base", theirs, second) == theirs
    assert repo.git("rev-parse", "main^{tree}") in log.read_text().split(), "what is landed was checked as it is"
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("F11", "A15", "G30")
def test_an_agent_settles_a_conflict_with_what_came_meanwhile(repo: Repo) -> None:
    replace = "A:\n  - - replace: {path: list, old: nothing, new: from A}\n"
    scripted(repo, replace + "land-1:\n  - - resolve: list\n")
    complete(repo, _SCRIPTED, checks="! grep -q '<<<<' list")
    repo.write("list", "top\nsomething\nbottom\n# TODO: tidy up\n")
    theirs = repo.commit("something")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert {"top", "something", "from A", "bottom"} <= set(repo.show("main", "list").splitlines())
    assert parents(repo, "main")[0] == theirs
    task = repo.tasks()["land-1"]
    assert (task["type"], task["state"]) == ("integration", "integrated")
    prompt = next((repo.store / "runs").glob(f"{repo.info('land-1')['task']['runs'][0]['id']}/prompt.md")).read_text()
    assert "something" in prompt
    assert "Task A" in prompt
    assert repo.git("branch", "--list", "agent/*") == ""
    assert repo.toryo("verify").code == 0
    assert_at_rest(repo)


@pytest.mark.covers("F11")
def test_a_conflict_that_no_agent_settles_is_left_to_a_person(repo: Repo) -> None:
    replace = "A:\n  - - replace: {path: list, old: nothing, new: from A}\n"
    scripted(repo, replace + "land-1:\n  - - say: looks fine\n")
    complete(repo, _SCRIPTED)
    repo.write("list", "top\nsomething\nbottom\n")
    theirs = repo.commit("something")
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert repo.tasks()["land-1"]["state"] == "blocked"
    assert repo.git("rev-parse", "main") == theirs
    assert "land-1" in repo.toryo("inbox").out
    assert_at_rest(repo)
    repo.write(".toryo/scenario.yaml", replace + "land-1:\n  - - resolve: list\n")
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert "something" in repo.show("main", "list")
    assert "from A" in repo.show("main", "list")


@pytest.mark.covers("F11")
def test_where_nobody_can_settle_it_the_person_gets_the_command(repo: Repo) -> None:
    complete(repo)
    repo.write("one", "other\n")
    theirs = repo.commit("another one")
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert "conflict in one" in done.out
    assert "git merge agent/the-plan" in done.out
    assert repo.git("rev-parse", "main") == theirs
    assert repo.git("status", "--porcelain") == ""
    assert_at_rest(repo)


@pytest.mark.covers("F11")
def test_what_does_not_work_together_is_mended_by_a_task(repo: Repo) -> None:
    scenario = "A:\n  - - write: {path: a, text: x}\nland-1:\n  - - write: {path: both, text: x}\n"
    scripted(repo, scenario)
    check = "! { test -f a && test -f theirs; } || test -f both"
    complete(repo, _SCRIPTED, checks=check)
    repo.write("theirs", "x\n")
    repo.commit("theirs")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert {"a", "theirs", "both"} <= repo.files_on("main")
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("F11")
def test_a_rewritten_target_gets_the_work_and_not_its_own_past_again(repo: Repo) -> None:
    repo.write("shared", "1\n")
    repo.write("secret", "dropped later\n")
    dropped = repo.commit("with a secret")
    complete(repo)
    repo.git("reset", "-q", "--hard", "HEAD^")
    repo.write("shared", "1\n")
    rewritten = repo.commit("without the secret")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert repo.files_on("main") == {"README.md", "shared", "one"}
    assert dropped not in repo.git("rev-list", "main").split(), "nobody's old commits come back"
    assert rewritten in repo.git("rev-list", "main").split()
    assert repo.toryo("verify").code == 0
    assert repo.git("branch", "--list", "agent/*") == ""
    assert_at_rest(repo)


def test_a_target_that_was_rewritten_where_the_work_is_says_how(repo: Repo) -> None:
    repo.write("list", "1\n")
    repo.commit("list")
    complete(repo, shell("A", "echo 2 > list"))
    repo.write("list", "rewritten\n")
    repo.git("commit", "-qa", "--amend", "-m", "list, rewritten")
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert "rewritten" in done.out
    assert "git rebase --onto main" in done.out
    assert repo.show("main", "list") == "rewritten"


@pytest.mark.covers("G31", "A16")
def test_as_one_commit_at_the_end_of_a_run(repo: Repo) -> None:
    base = repo.git("rev-parse", "main")
    tasks = (shell("A", "echo one > one"), shell("B", "echo two > two"))
    done = repo.run(*tasks, checks="true", flags=["--land", "merge", "--squash"])
    assert done.code == 0, done
    assert parents(repo, "main") == [base]
    message = repo.git("log", "-1", "--format=%B", "main")
    assert message.startswith("feat: The plan\n\n- A: Task A\n- B: Task B\n\nToryo-Session: session-")
    assert "Toryo-Evidence: " in message
    assert repo.files_on("main") >= {"one", "two"}
    assert repo.git("branch", "--list", "agent/*") == ""
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("F2")
def test_what_is_not_complete_is_landed_in_part_only_when_asked(repo: Repo) -> None:
    go = repo.path.parent / "go"
    done = repo.run(_ONE, shell("B", f"test -f {go} && echo two > two"), checks="true")
    assert done.code != 0, done
    refused = repo.toryo("land", "--merge")
    assert refused.code == 73, refused
    assert "missing: B Task B: blocked" in refused.err
    assert "--partial" in refused.err
    done = repo.toryo("land", "--merge", "--partial")
    assert done.code != 0, "it is still not complete"
    assert repo.files_on("main") == {"README.md", "one"}
    assert repo.tasks()["B"]["state"] == "blocked"
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("F2", "G31", "G39")
def test_what_is_landed_in_part_is_never_taken_for_all_of_it(repo: Repo) -> None:
    go, base = repo.path.parent / "go", repo.git("rev-parse", "main")
    assert repo.run(_ONE, shell("B", f"test -f {go} && echo two > two"), checks="true").code != 0
    left = repo.toryo("land", "--branch")
    assert left.code == 2, left
    assert "the session still waits" in left.err
    repo.write("one", "mine\n")
    held = repo.toryo("land", "--merge", "--partial")
    assert "uncommitted changes" in held.out, held
    left = repo.toryo("land", "--branch")
    assert (left.code, "paused: 1 blocked task" in left.out) == (2, True), left
    assert repo.status()["sessions"][0]["state"] == "paused"
    (repo.path / "one").unlink()
    refused = repo.toryo("land", "--merge")
    assert "--merge --partial" in refused.err, "what is proposed works as it is"
    done = repo.toryo("land", "--merge", "--partial")
    partly = repo.git("rev-parse", "main")
    words = f"landed in part on main as {partly[:8]}, not yet: B"
    assert "blocked, landed in part" in repo.toryo("status").out
    assert words in done.out, done
    again = repo.toryo("land", "--merge", "--partial")
    assert (again.code, "nothing new is merged since" in again.out) == (2, True), again
    assert repo.git("rev-parse", "main") == partly
    assert words in repo.toryo("status").out + repo.toryo("status").err
    go.touch()
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert f"COMPLETE, {words}" in done.out
    assert "land the rest: toryo land" in done.err
    shown = repo.toryo("report").out
    assert words in shown
    assert "land the rest" in shown
    assert f"landing   {words}" in repo.toryo("info").out
    done = repo.toryo("land", "--merge", "--json")
    assert done.code == 0, done
    assert repo.files_on("main") == {"README.md", "one", "two"}
    landing = landed(done)["landing"]
    assert (landing["in_part"], landing["not_landed"], len(landing["earlier"])) == (False, [], 1)  # type: ignore[index, call-overload]
    assert repo.toryo("verify").code == 0
    back = repo.toryo("undo")
    assert (back.code, "still landed in part" in back.out) == (0, True), back
    assert repo.git("rev-parse", "main") == partly
    assert repo.toryo("verify").code == 0
    assert repo.toryo("undo").code == 0
    assert repo.git("rev-parse", "main") == base
    assert "undone; it was landed on main" in repo.toryo("info").out
    nothing = repo.toryo("undo")
    assert (nothing.code, "--merge" in nothing.err) == (73, True), nothing


@pytest.mark.covers("G39")
@pytest.mark.parametrize("how", ["--squash", "--no-ff"])
def test_what_somebody_brought_there_by_hand_is_not_merged_again(repo: Repo, how: str) -> None:
    complete(repo)
    repo.write("README.md", "theirs\n")
    repo.commit("theirs")
    repo.git("merge", "-q", how, "--no-edit", "agent/the-plan")
    repo.git("commit", "-q", "--allow-empty", "-m", "by hand")
    by_hand = repo.git("rev-parse", "main")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert f"on main already, as of {by_hand[:8]}" in done.out
    assert repo.git("rev-parse", "main") == by_hand
    verified = repo.toryo("verify")
    assert verified.code == 0, verified


@pytest.mark.covers("G39")
def test_without_an_id_the_latest_session_is_meant(repo: Repo) -> None:
    """And without checks, the landing commit itself names the evidence of its tasks."""
    assert repo.run(_ONE).code == 0
    assert repo.toryo("land", "--merge").code == 0
    assert "\nToryo-Evidence: " in repo.git("log", "-1", "--format=%B", "main")
    assert repo.toryo("verify").code == 0
    assert repo.toryo("undo").code == 0
    older = repo.status()["sessions"][0]["id"].removeprefix("session-")[:8]
    assert repo.run(shell("A", "echo two > two"), flags=["--land", "merge"]).code == 0
    assert "(by a person)" in repo.toryo("logs", "--events").out
    here = repo.git("rev-parse", "main")
    done = repo.toryo("land", "--merge")
    assert done.code == 0, done
    assert "nothing is left to land" in done.out
    assert f"toryo land {older} --merge" in done.err
    assert repo.git("rev-parse", "main") == here
    for flags in (["--merge", "--pr"], ["--merge", "--when-green"]):
        refused = repo.toryo("land", older, *flags)
        assert (refused.code, "E100" in refused.err) == (64, True), refused


@pytest.mark.covers("G39")
def test_what_cannot_be_landed_says_why(repo: Repo) -> None:
    assert repo.toryo("land", "--merge").code == 64, "there is no session yet"
    assert repo.run(shell("A", "false")).code == 1
    refused = repo.toryo("land", "--merge", "--partial")
    assert refused.code == 73
    assert "nothing to land" in refused.err
    assert repo.toryo("stop", "--discard").code == 0
    refused = repo.toryo("land", "--merge")
    assert refused.code == 73
    assert "was discarded" in refused.err
    inside = repo.path.parent / "inside"
    complete(repo, shell("A", f"{sys.executable} -m toryo land --merge 2> {inside}; echo one > one"))
    assert "does not decide about its own session" in inside.read_text()
    assert "one" not in repo.files_on("main")
    asked = repo.toryo("land")
    assert asked.code == 64
    assert "--merge" in asked.err


def test_commits_on_the_sessions_branch_are_not_left_out_silently(repo: Repo) -> None:
    complete(repo)
    base = repo.git("rev-parse", "main")
    repo.git("switch", "-q", "agent/the-plan")
    repo.write("extra", "x\n")
    repo.commit("extra")
    repo.git("switch", "-q", "main")
    done = repo.toryo("land", "--merge")
    assert done.code == 2, done
    assert "has moved on" in done.out
    assert repo.git("rev-parse", "main") == base
    repo.git("merge", "-q", "--no-edit", "agent/the-plan")
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert "it was moved" in done.err, "the branch stays: it is not as Toryo left it"
    assert repo.toryo("verify").code == 2


@pytest.mark.covers("G37")
def test_a_shallow_clone_with_its_branch_and_worktree_deleted_by_hand(repo: Repo, tmp_path: Path) -> None:
    for number in range(3):
        repo.write("README.md", f"{number}\n")
        repo.commit(f"commit {number}")
    clone = Repo(tmp_path / "clone", repo.environ)
    repo.git("clone", "-q", "--depth", "1", repo.path.as_uri(), str(clone.path))
    complete(clone)
    clone.git("branch", "-q", "-D", "agent/the-plan")
    clone.write("README.md", "theirs\n")
    clone.commit("theirs")
    done = clone.toryo("land", "--merge")
    assert done.code == 0, done
    assert clone.show("main", "one") == "one"
    assert clone.show("main", "README.md") == "theirs"


@pytest.mark.covers("G31")
def test_a_conductor_killed_around_every_step_of_landing(repo: Repo, tmp_path: Path) -> None:
    repo.write(".toryo/config.toml", '[run]\nland = "merge"\n')
    plan = repo.plan(shell("A", "echo one > one; git -C $TORYO_MAIN commit -q --allow-empty -m theirs"), checks="true")
    deaths, base = tmp_path / "deaths", repo.git("rev-parse", "main")
    repo.environ |= {"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@x"}
    repo.environ |= {"GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@x"}
    steps = ["Conclude", "BringUpToDate", "ProveSession", "LandOnTarget", "FinishLanding"]
    argv = [sys.executable, "-m", "tests.support.mortal_conductor", str(plan), str(deaths), *steps]
    env = {**repo.environ, "PYTHONPATH": str(Path.cwd())}
    for _ in range(30):
        done = subprocess.run(argv, cwd=repo.path, env=env, capture_output=True, text=True, check=False)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0, done.stderr
    died = {json.loads(line.split(" ", 2)[2])["kind"] for line in deaths.read_text().splitlines()}
    assert died == set(steps)
    assert repo.git("rev-list", "--count", "--first-parent", f"{base}..main") == "2", "landed once, on top of theirs"
    assert repo.files_on("main") >= {"one"}
    assert repo.git("branch", "--list", "agent/*") == ""
    assert repo.toryo("verify").code == 0
    assert_at_rest(repo)


def test_landing_can_be_interrupted_and_gone_on_with(repo: Repo) -> None:
    go = repo.path.parent / "go"
    go.touch()
    complete(repo, checks=f"echo x >> {go}.seen; while ! test -f {go}; do sleep 0.02; done")
    seen = Path(f"{go}.seen").read_text()
    go.unlink()
    repo.write("README.md", "theirs\n")
    theirs = repo.commit("theirs")
    process = repo.start("land", "--merge")
    until(lambda: Path(f"{go}.seen").read_text() != seen)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(30) == 130
    process.communicate()
    assert repo.git("rev-parse", "main") == theirs
    assert repo.status()["sessions"][0]["state"] == "paused"
    go.touch()
    done = repo.toryo("resume")
    assert done.code == 0, done
    assert repo.show("main", "one") == "one"

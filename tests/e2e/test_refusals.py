"""What Toryo will not do, said clearly, with nothing changed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.repositories import Done, Repo, kill, shell, until

from toryo.journal.lease import holder


def refused(done: Done, code: int, *words: str) -> None:
    assert done.code == code, done
    assert done.out == "", done
    lines = done.err.strip().splitlines()
    assert lines[0].startswith("error: "), done
    assert lines[-1].startswith("hint: "), done
    assert len(lines) <= 3, done
    for word in words:
        assert word in done.err, done


def run(repo: Repo, cwd: Path | None = None) -> Done:
    return repo.toryo("run", "--plan", str(repo.plan(shell("A", "echo a > a"))), "--yes", cwd=cwd)


@pytest.mark.covers("P2", "P46")
def test_not_a_repository(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    for verb in (("status",), ("run", "--plan", "x"), ("resume",), ("stop",), ("logs",), ("info",)):
        refused(repo.toryo(*verb, cwd=folder), 64, "not in a git repository", "E102")
    assert list(folder.iterdir()) == []


INTENT_COMMANDS = (
    *("intent list", "intent show x", "intent edit x", "intent new x", "inbox", "approve a,b", "answer x y"),
    *("reject x --why y", "retry x", "watch", "watch --once", "watch --detach", "watch --stop", "queue"),
    *("queue x --first", "audit", "reflect", "history", "observe x", "observe --list", "eval"),
)


@pytest.mark.covers("P46", "F6")
@pytest.mark.parametrize("command", INTENT_COMMANDS)
def test_intents_belong_to_a_repository(repo: Repo, tmp_path: Path, command: str) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    refused(repo.toryo(*command.split(), cwd=folder), 64, "not in a git repository", "E102")
    assert list(folder.iterdir()) == []


@pytest.mark.covers("P46", "F6")
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        ("intent show nope", 64, "there is no intent 'nope' (E170)"),
        ("intent edit nope", 64, "there is no intent 'nope' (E170)"),
        ("intent edit greet-cats", 69, "without a terminal an editor has to be named (E123)"),
        ("intent new", 64, "say what you want: toryo intent new 'TITLE' (E100)"),
        ("intent new x --parent nope", 64, "there is no intent 'nope' (E170)"),
        ("intent new -F nope", 64, "nope cannot be read: No such file or directory (E176)"),
        ("inbox nope", 64, "there is no session here yet (E201)"),
        ("approve nope", 64, "nothing here is called 'nope' (E204)"),
        ("approve ,", 64, "there is no id between these commas (E100)"),
        ("approve skill:nope", 64, "no skill 'nope' is proposed (E296)"),
        ("answer nope b", 64, "nothing here is called 'nope' (E204)"),
        ("answer greet-cats b", 64, "greet-cats asks nothing (E287)"),
        ("reject nope --why x", 64, "nothing here is called 'nope' (E204)"),
        ("reject over --why x", 64, "over is rejected already (E286)"),
        ("retry nope", 64, "nothing here is called 'nope' (E204)"),
        ("retry greet-cats", 64, "greet-cats is proposed, neither blocked nor failed (E286)"),
        ("queue greet-cats --first", 64, "'greet-cats' does not wait for its turn (E278)"),
        ("queue nope", 64, "--first, --last, --before and --after (E100)"),
        ("watch --once --stop", 64, "--stop goes with neither --once nor --detach (E100)"),
        ("history nope", 64, "there is no history of 'nope' (E294)"),
        ("observe", 64, "an observation needs words (E290)"),
        ("observe --list words", 64, "--list takes no words"),
        ("eval nope", 64, "there is no case 'nope' (E144)"),
        ("audit --focus nope", 64, "'nope' is not one of"),
    ],
)
def test_what_cannot_be_decided_about_intents(repo: Repo, command: str, code: int, words: str) -> None:
    repo.environ = {name: value for name, value in repo.environ.items() if name not in ("VISUAL", "EDITOR")}
    for slug, status in (("greet-cats", "proposed"), ("greet-people", "proposed"), ("over", "rejected")):
        repo.write(f".toryo/intents/{slug}.yaml", f"title: {slug}\ntype: docs\nrisk: med\nstatus: {status}\n")
    refused(repo.toryo(*command.split()), code, words)
    assert "status: proposed" in (repo.path / ".toryo/intents/greet-cats.yaml").read_text()


@pytest.mark.covers("F6")
@pytest.mark.parametrize(
    "command", ["intent show greet", "intent edit greet", "approve greet", "answer greet b", "reject greet --why x"]
)
def test_a_beginning_of_two_names_is_neither(repo: Repo, command: str) -> None:
    for slug in ("greet-cats", "greet-people"):
        repo.write(f".toryo/intents/{slug}.yaml", f"title: {slug}\n")
    done = repo.toryo(*command.split())
    assert done.code == 64, done
    *found, error, hint = done.err.strip().splitlines()
    assert found == ["greet-cats", "greet-people"]
    assert error.startswith("error: 'greet' names 2 ")
    assert error.endswith("(E205)")
    assert hint.startswith("hint: give more of the ")


@pytest.mark.covers("P2", "P46")
def test_no_commit_yet(repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    subprocess.run(["git", "init", "-q", str(folder)], check=True, env=repo.environ)
    refused(run(repo, folder), 64, "no commit yet")
    assert not (folder / ".git" / "toryo").exists()


@pytest.mark.covers("P2", "P46")
def test_detached_head(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    refused(run(repo), 64, "detached", "git switch")
    assert not repo.store.exists()


@pytest.mark.covers("P2", "P46")
def test_a_merge_in_progress(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.write("README.md", "theirs\n")
    repo.commit("theirs")
    repo.git("checkout", "-q", "main")
    repo.write("README.md", "ours\n")
    repo.commit("ours")
    repo.git("merge", "other", check=False)
    refused(run(repo), 73, "a merge is under way")
    repo.git("merge", "--abort")
    repo.git("rebase", "other", check=False)
    refused(run(repo), 73, "a rebase is under way")


@pytest.mark.covers("P2", "P46")
def test_bare_repository_and_inside_dot_git(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    refused(run(repo, tmp_path / "bare.git"), 64, "bare")
    refused(run(repo, repo.path / ".git"), 64, ".git folder")


@pytest.mark.covers("A1", "P46")
def test_unknown_and_ambiguous_ids(repo: Repo) -> None:
    refused(repo.toryo("info", "nothing"), 64, "no session here yet")
    assert run(repo).code == 0
    for verb in ("info", "logs", "report", "resume", "stop", "status"):
        refused(repo.toryo(verb, "zzzz"), 64, "zzzz", "E204")
    session = repo.status()["sessions"][0]["id"]
    for name in (
        session,
        session.removeprefix("session-"),
        session.removeprefix("session-")[:3],
        session[:12],
    ):
        assert repo.toryo("info", name).code == 0
    assert run(repo).code == 0
    ambiguous = repo.toryo("info", "session-")
    assert ambiguous.code == 64
    assert "names 2 things" in ambiguous.err
    assert session in ambiguous.err


@pytest.mark.covers("P46")
def test_a_finished_session_cannot_be_resumed_or_stopped(repo: Repo) -> None:
    assert run(repo).code == 0
    refused(repo.toryo("resume"), 64, "no unfinished session")
    closed = repo.toryo("stop")
    assert closed.code == 64
    assert "closed already" in closed.err


@pytest.mark.covers("A6", "G14")
def test_another_conductor_is_named_by_pid(repo: Repo, tmp_path: Path) -> None:
    flag = tmp_path / "go"
    plan = repo.plan(shell("A", f"until test -e {flag}; do sleep 0.05; done; echo a > a"))
    first = repo.start("run", "--plan", str(plan), "--yes")
    try:
        until(lambda: repo.store.exists() and (repo.store / "conductor.lock").exists())
        until(lambda: holder(repo.store / "conductor.lock") == first.pid)
        refused(run(repo), 75, f"pid {first.pid}")
        refused(repo.toryo("resume"), 75, f"pid {first.pid}")
        flag.touch()
        first.communicate(timeout=60)
        assert first.returncode == 0
    finally:
        flag.touch()
        if first.poll() is None:
            kill(first)


@pytest.mark.covers("G15")
def test_a_branch_called_agent(repo: Repo) -> None:
    repo.git("branch", "agent")
    refused(run(repo), 64, "branch called 'agent'")


@pytest.mark.covers("P46")
@pytest.mark.parametrize("asked", [("run", "--plan", "plan.yaml", "--agent", "cluade"), ("agents", "cluade")])
def test_an_agent_that_is_nearly_known(asked: tuple[str, ...], repo: Repo) -> None:
    (repo.path / "plan.yaml").write_text("title: x\ntasks: [{key: A, title: a, agent: shell, command: 'true'}]\n")
    refused(repo.toryo(*asked), 64, "there is no agent 'cluade' (E501)\nhint: did you mean 'claude'?")


@pytest.mark.covers("P46")
def test_wrong_usage_suggests(repo: Repo) -> None:
    refused(repo.toryo("stauts"), 64, "did you mean 'status'?")
    refused(repo.toryo("run", "--parallel", "0", "--plan", "x"), 64, "--parallel")
    missing = repo.toryo("run", "--plan", "nowhere.yaml")
    assert missing.code == 64
    assert "nowhere.yaml" in missing.err


@pytest.mark.covers("A19", "P46")
def test_wrong_configuration_is_named_with_its_line(repo: Repo) -> None:
    repo.write(".toryo/config.toml", "[run]\nparalel = 3\n")
    done = run(repo)
    assert done.code == 64
    assert "config.toml:2" in done.err
    assert "parallel" in done.err
    assert not repo.store.exists()


@pytest.mark.covers("B2", "P46")
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None,
    reason="mounting a file system needs root and unshare",
)
def test_a_read_only_repository_and_a_full_disk(repo: Repo) -> None:
    plan = repo.plan(shell("A", "echo a > a"))
    inner = f"{' '.join(_python())} -m toryo"
    read_only = f"mount --bind -o ro {repo.path} {repo.path} && mount -o remount,bind,ro {repo.path} && cd {repo.path}"
    done = _in_namespace(repo, f"{read_only} && {inner} run --plan {plan} --yes")
    refused(done, 69, "read-only", "E113")
    small = repo.path.parent / "small"
    small.mkdir()
    fill = (
        f"mount -t tmpfs -o size=1m none {small} && git clone -q {repo.path} {small}/r && cd {small}/r && "
        f"(cat /dev/zero > fill 2>/dev/null; true) && {inner} run --plan {plan} --yes"
    )
    refused(_in_namespace(repo, fill), 69, "disk is full", "E112")


def _python() -> tuple[str, ...]:
    import sys

    return (sys.executable,)


def _in_namespace(repo: Repo, script: str) -> Done:
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=repo.path.parent,
        env=repo.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.covers("B2", "G32")
def test_the_disk_filling_up_in_the_middle_loses_nothing(repo: Repo, tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("mounting a file system needs root and unshare")
    small = tmp_path / "small"
    small.mkdir()
    flag = tmp_path / "full"
    flag.touch()
    fill = f"test ! -e {flag} || cat /dev/zero > big; echo b > b"
    plan = repo.plan(shell("A", "echo a > a"), shell("B", fill, depends_on=["A"]))
    inner = f"{' '.join(_python())} -m toryo"
    script = (
        f"mount -t tmpfs -o size=6m none {small} && git clone -q {repo.path} {small}/r && cd {small}/r && "
        f"{inner} run --plan {plan} --yes; echo first $?; rm -f {flag} .worktrees/*/big; "
        f"{inner} resume; echo second $?; git ls-tree --name-only agent/the-plan"
    )
    done = _in_namespace(repo, script)
    assert "first 0" not in done.out, done
    assert "second 0" in done.out, done
    assert done.out.split()[-3:] == ["README.md", "a", "b"], done
    assert "Traceback" not in done.err, done

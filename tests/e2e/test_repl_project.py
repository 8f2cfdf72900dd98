"""Where the REPL works: the repository it is started in, another one, a fixed one, or a temporary one."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.piped_repl import answered, repl, talking, until_all_is_closed
from tests.support.repositories import Done, Repo, shell

pytestmark = pytest.mark.covers("P32")
SHOW = "--print-project-path"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    return folder


@pytest.fixture
def temporary(tmp_path: Path, repo: Repo) -> Path:
    """Where temporary projects are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    repo.environ["TMPDIR"] = str(folder)
    return folder


def project_of(done: Done) -> Path:
    """As the first line of stdout says."""
    found = re.match(r"PROJECT_PATH=(/.*)\n", done.out)
    assert found, done
    return Path(found[1])


def refused(done: Done, exit_code: int, code: str, *words: str) -> None:
    assert done.code == exit_code, done
    assert done.out == "", done
    assert f"({code})" in done.err, done
    for word in words:
        assert word in done.err, done


# ── the repository one is in ─────────────────────────────────────────────────


def test_inside_a_repository_that_is_the_project_and_looking_makes_nothing(repo: Repo, temporary: Path) -> None:
    done = repl(repo, "/status", flags=(SHOW,))
    assert done.code == 0, done
    assert done.out.startswith(f"PROJECT_PATH={repo.path}\nno session here yet"), done
    assert "temporary" not in done.err
    below = repo.path / "src" / "深い"
    below.mkdir(parents=True)
    assert project_of(repl(repo, flags=(SHOW,), cwd=below)) == repo.path
    assert "PROJECT_PATH" not in repl(repo, "/status").out
    assert not repo.store.exists()
    assert list(temporary.iterdir()) == []


def test_file_names_mean_those_where_it_was_started(repo: Repo) -> None:
    below = repo.path / "plans"
    below.mkdir()
    shutil.move(repo.plan(shell("A", "echo a > a.txt")), below / "own.json")
    for number, flags in enumerate([(), ("--project", str(repo.path))]):
        done = repl(repo, "/run --plan own.json --yes --quiet", flags=flags, cwd=below)
        assert "ERROR" not in done.out, done
        until_all_is_closed(repo.path)
        assert "a.txt" in repo.files_on(f"agent/the-plan{'-2' if number else ''}")
    assert "there is no file" in repl(repo, "/run --plan own.json --yes --quiet").out


@pytest.mark.covers("P2")
def test_a_worktree_and_a_submodule_are_projects_of_their_own(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert project_of(repl(repo, "/status", flags=(SHOW,), cwd=tmp_path / "tree")) == tmp_path / "tree"
    inner = Repo.make(tmp_path / "inner", repo.environ)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "sub")
    assert project_of(repl(repo, "/status", flags=(SHOW,), cwd=repo.path / "sub")) == repo.path / "sub"
    assert not repo.store.exists()


@pytest.mark.covers("P2")
def test_what_cannot_be_worked_in_is_refused_before_anything_is_made(
    repo: Repo, tmp_path: Path, temporary: Path
) -> None:
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    refused(repl(repo, "/status", cwd=tmp_path / "bare.git"), 64, "E103", "bare")
    refused(repl(repo, "/status", cwd=repo.path / ".git"), 64, "E103")
    empty = tmp_path / "empty"
    subprocess.run(["git", "init", "-q", str(empty)], check=True, env=repo.environ)
    refused(repl(repo, "/status", cwd=empty), 64, "E104", "no commit yet")
    assert not (empty / ".git" / "toryo").exists()
    without = tmp_path / "without-git"
    without.mkdir()
    refused(repl(repo, "/status", PATH=str(without)), 69, "E101")
    for flags in (("--project-mode", "temp"), ("--project", str(repo.path))):
        refused(repl(repo, "/status", flags=flags, PATH=str(without)), 69, "E101")
    assert not repo.store.exists()
    assert list(temporary.iterdir()) == []


@pytest.mark.covers("P2")
def test_in_a_folder_that_is_gone_only_a_project_that_is_named_can_be_opened(
    repo: Repo, tmp_path: Path, temporary: Path
) -> None:
    def lost(*flags: str) -> Done:
        gone = tmp_path / "gone"
        gone.mkdir()
        script = f'rmdir "{gone}"; exec {sys.executable} -m toryo repl {" ".join(flags)} </dev/null'
        done = subprocess.run(
            ["sh", "-c", script], cwd=gone, env=repo.environ, capture_output=True, text=True, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr)

    refused(lost(SHOW), 64, "E100", "does not exist any more")
    refused(lost("--project", "somewhere"), 64, "E159", "does not exist any more")
    assert list(temporary.iterdir()) == []
    assert project_of(lost(SHOW, "--project", str(repo.path))) == repo.path
    assert project_of(lost(SHOW, "--project-mode", "temp")).parent == temporary


def test_when_the_folder_goes_away_meanwhile_the_dialogue_goes_on_in_the_project(repo: Repo) -> None:
    below = repo.path / "below"
    below.mkdir()
    with talking(repo, cwd=below) as talk:
        assert "no session here yet" in talk.ask("/status")
        below.rmdir()
        assert "no session here yet" in talk.ask("/status")


@pytest.mark.covers("P2")
@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="mounting a file system needs root and unshare"
)
def test_a_read_only_disk_is_refused_at_once(repo: Repo) -> None:
    script = (
        f"mount --bind -o ro {repo.path} {repo.path} && mount -o remount,bind,ro {repo.path} && cd {repo.path} && "
        f"echo /status | {sys.executable} -m toryo repl"
    )
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=repo.path.parent,
        env=repo.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    refused(Done(done.returncode, done.stdout, done.stderr), 69, "E113", "read-only")


def test_two_at_once_in_one_repository(repo: Repo) -> None:
    with talking(repo) as one, talking(repo) as other:
        for talk in (one, other, one, other):
            assert "no session here yet" in talk.ask("/status")


# ── one that is named ────────────────────────────────────────────────────────


def test_a_project_that_is_named(repo: Repo, outside: Path, temporary: Path) -> None:
    below = repo.path / "below"
    below.mkdir()
    for named in (str(repo.path), "../repo", "../repo/below"):
        done = repl(repo, "/status", flags=(SHOW, "--project", named), cwd=outside)
        assert done.code == 0, done
        assert project_of(done) == repo.path
    link = outside / "link"
    link.symlink_to(repo.path)
    assert project_of(repl(repo, flags=(SHOW, "--project", "link"), cwd=outside)) == link
    assert list(temporary.iterdir()) == []
    assert not repo.store.exists()


def test_file_names_mean_those_of_a_project_elsewhere_and_work_is_done_there(repo: Repo, outside: Path) -> None:
    shutil.move(repo.plan(shell("A", "echo a > a.txt")), repo.path / "own.json")
    done = repl(repo, "/run --plan own.json --yes --quiet", flags=("--project", str(repo.path)), cwd=outside)
    assert "ERROR" not in done.out, done
    until_all_is_closed(repo.path)
    assert "a.txt" in repo.files_on("agent/the-plan")
    assert list(outside.iterdir()) == []


@pytest.mark.covers("P2")
@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (("--project", "nowhere"), "E159", "does not exist"),
        (("--project", ""), "E159", "does not exist"),
        (("--project", "file"), "E159", "not a folder"),
        (("--project", "."), "E102", "not in a git repository"),
        (("--project", "REPO", "--project-mode", "temp"), "E158", "--project-mode"),
        (("--project", "REPO", "--project-mode", "fixed", "--project-root", "REPO"), "E158", "--project-mode"),
        (("--project-mode", "fixed"), "E158", "--project-root"),
        (("--project-mode", "fixed", "--project-root", "repo"), "E158", "whole path"),
        (("--project-mode", "fixed", "--project-root", "REPO/nowhere"), "E159", "does not exist"),
        (("--project-mode", "fixed", "--project-root", "REPO/README.md"), "E159", "not a folder"),
        (("--project-mode", "fixed", "--project-root", "REPO/part"), "E159", "only a part of the repository"),
        (("--project-mode", "fixed", "--project-root", "OUTSIDE"), "E102", "not in a git repository"),
        (("--project-mode", "somehow"), "E100", "temp"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_made(
    repo: Repo, outside: Path, temporary: Path, flags: tuple[str, ...], code: str, words: str
) -> None:
    (outside / "file").touch()
    (repo.path / "part").mkdir()
    real = tuple(flag.replace("REPO", str(repo.path)).replace("OUTSIDE", str(outside)) for flag in flags)
    refused(repl(repo, "/status", flags=(SHOW, *real), cwd=outside), 64, code, words)
    assert list(temporary.iterdir()) == []
    assert [path.name for path in outside.iterdir()] == ["file"]
    assert not (repo.path / "nowhere").exists()
    assert not repo.store.exists()


@pytest.mark.covers("P2")
def test_a_fixed_project_must_be_one_that_work_can_begin_in(repo: Repo, outside: Path) -> None:
    fixed = ("--project-mode", "fixed", "--project-root", str(repo.path))
    assert project_of(repl(repo, "/status", flags=(SHOW, *fixed), cwd=outside)) == repo.path
    repo.git("checkout", "-q", "--detach")
    refused(repl(repo, "/status", flags=fixed, cwd=outside), 64, "E107", "detached")
    assert repl(repo, "/status").code == 0
    repo.git("checkout", "-q", "main")
    (repo.path / ".git" / "MERGE_HEAD").write_text(repo.git("rev-parse", "HEAD") + "\n")
    refused(repl(repo, "/status", flags=fixed, cwd=outside), 73, "E106", "a merge is under way")
    assert not repo.store.exists()


@pytest.mark.parametrize("name", [b"\xe6\x97\xa5\xe6\x9c\xac \xe8\xaa\x9e", b"odd\xff", b"sk-" + b"a1b2c3d4" * 4])
def test_the_path_is_printed_exactly_as_it_is(repo: Repo, tmp_path: Path, name: bytes) -> None:
    path = tmp_path / os.fsdecode(name)
    repo.path.rename(path)
    done = answered(path, repo.environ, "/status", flags=(SHOW,))
    assert done.code == 0, done
    assert os.fsencode(done.out.splitlines()[0]) == b"PROJECT_PATH=" + os.fsencode(path)
    path.rename(repo.path)


def test_a_path_with_a_line_break_is_refused(repo: Repo, tmp_path: Path) -> None:
    path = tmp_path / "one\nPROJECT_PATH=other"
    repo.path.rename(path)
    refused(answered(path, repo.environ, "/status", flags=(SHOW,)), 64, "E103", "line break")
    path.rename(repo.path)


# ── a temporary one ──────────────────────────────────────────────────────────


def nameless(repo: Repo) -> None:
    """Git must not guess a name either."""
    repo.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "user.useConfigOnly", "GIT_CONFIG_VALUE_0": "true"}


def test_outside_of_a_repository_a_real_one_is_made_and_kept(repo: Repo, outside: Path, temporary: Path) -> None:
    nameless(repo)
    done = repl(repo, "/status", flags=(SHOW,), cwd=outside)
    assert done.code == 0, done
    project = project_of(done)
    assert re.fullmatch(r"toryo-\w+", project.name)
    assert project.parent == temporary
    assert stat.S_IMODE(project.stat().st_mode) == 0o700
    first, *_, last = done.err.splitlines()
    assert str(project) in first
    assert str(project) in last
    made = Repo(project, repo.environ)
    assert made.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert made.git("rev-list", "--count", "HEAD") == "1"
    assert made.git("status", "--porcelain") == ""
    assert list(outside.iterdir()) == []
    again = repl(repo, "/exit", "/status", flags=(SHOW,), cwd=outside)
    assert project_of(again) != project
    assert str(project_of(again)) in again.err.splitlines()[-1]


def test_work_is_done_in_it_under_the_configuration_of_the_person(repo: Repo, outside: Path, temporary: Path) -> None:
    nameless(repo)
    own = Path(repo.environ["XDG_CONFIG_HOME"]) / "toryo" / "config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("[run]\nparallel = 7\n")
    plan = repo.plan(shell("A", "echo a > a.txt"))
    flags = (SHOW, "--project-mode", "temp")
    done = repl(repo, "/config show", f"/run --plan {plan} --yes --quiet", flags=flags)
    assert "ERROR" not in done.out, done
    project = project_of(done)
    assert project.parent == temporary
    assert re.search(r"parallel\b.*\b7\b", done.out), done
    made = Repo(project, repo.environ)
    until_all_is_closed(made.path)
    assert made.files_on("agent/the-plan") == {"a.txt"}
    assert not repo.store.exists()


@pytest.mark.parametrize("mode", [(), ("--project-mode", "temp")])
def test_a_root_is_ignored_with_a_warning_where_the_project_is_not_fixed(
    repo: Repo, outside: Path, temporary: Path, mode: tuple[str, ...]
) -> None:
    done = repl(repo, "/status", flags=(SHOW, *mode, "--project-root", str(outside / "nowhere")), cwd=outside)
    assert done.code == 0, done
    assert project_of(done).parent == temporary
    assert "warning: --project-root is ignored" in done.err
    assert list(outside.iterdir()) == []


def test_where_none_can_be_made_nothing_is_left_of_it(
    repo: Repo, outside: Path, temporary: Path, tmp_path: Path
) -> None:
    real, folder = shutil.which("git"), tmp_path / "bin"
    folder.mkdir()
    unable = folder / "git"
    unable.write_text(f'#!/bin/sh\ncase " $* " in *" commit "*) echo no room >&2; exit 128;; esac\nexec {real} "$@"\n')
    unable.chmod(0o755)
    path = f"{folder}{os.pathsep}{repo.environ['PATH']}"
    refused(repl(repo, "/status", flags=(SHOW,), cwd=outside, PATH=path), 69, "E157", "no room")
    assert list(temporary.iterdir()) == []

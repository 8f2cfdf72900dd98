"""Surveys of real repositories, also of those that were made to do harm."""

import json
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.repositories import Repo

from toryo.adapters.git.command import Git
from toryo.adapters.surveying import LONGEST_READ, survey
from toryo.domain.errors import GitFailed
from toryo.domain.survey import Confidence, Survey
from toryo.journal import codec
from toryo.views.survey import survey_lines, survey_text

PYTEST = "[tool.pytest.ini_options]\n"


@pytest.fixture
def look(repo: Repo) -> Callable[..., Survey]:
    """The survey of the test's repository, which must be fit to be sent and to be stored."""

    def look(**more: str) -> Survey:
        found = survey(repo.path, git=Git(repo.environ), **more)
        survey_text(found).encode()
        assert codec._builder(Survey)(json.loads(codec.encode(found))) == found  # type: ignore[arg-type]
        return found

    return look


@pytest.mark.covers("G4")
def test_a_repository_as_people_have_them(repo: Repo, look: Callable[..., Survey]) -> None:
    repo.write("pyproject.toml", PYTEST)
    repo.write("uv.lock", "")
    repo.write("CLAUDE.md", "Be brief.\r\n")
    repo.write(".gitignore", "ignored/\n")
    repo.write("資料/設計.md", "設計\n")
    repo.commit("files")
    repo.write("tests/test_a.py", "def test_a(): ...\n")
    repo.write("ignored/package.json", '{"scripts": {"test": "jest"}}')
    found = look()
    assert (found.test_command.command, found.test_command.confidence) == ("uv run pytest", Confidence.CERTAIN)
    assert [(guide.path, guide.text) for guide in found.guides] == [("CLAUDE.md", "Be brief."), ("README.md", "hello")]
    assert "資料/ 1" in found.tree
    assert "ignored" not in survey_text(found)
    assert found.files == 7
    assert found.truncated == ()
    assert look() == found


def test_what_is_configured_wins(look: Callable[..., Survey]) -> None:
    assert look(override="make proof").test_command.command == "make proof"


def test_a_repository_without_commits_or_files(tmp_path: Path, environ: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "new")], env=environ, check=True)
    found = survey(tmp_path / "new", git=Git(environ))
    assert (found.files, found.test_command.command, found.stacks) == (0, "", ())
    assert survey_lines(found) == [
        "no known language · 0 files · tests: none found (no build or test tool was recognised)"
    ]


def test_without_a_repository_git_says_so(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(GitFailed):
        survey(tmp_path / "bare", git=Git({**environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)}))


def test_bytes_that_are_no_text(repo: Repo, look: Callable[..., Survey]) -> None:
    (repo.path / "CLAUDE.md").write_bytes(b"\xff\xfe ok \x00\x1b[31m\n")
    (repo.path / "package.json").write_bytes(b"\xef\xbb\xbf" + b'{"scripts": {"test": "jest"}}')
    Path(os.fsdecode(os.fsencode(repo.path) + b"/\xff\xfe.py")).touch()
    repo.write("line\nbreak/go.mod", "module a\n")
    repo.write("line\nbreak/a_test.go", "")
    found = look()
    assert found.guides[0].text == "�� ok [31m"
    assert found.test_command.command == "npm test"
    assert "files with unprintable names, counted and not looked at: 3" in found.truncated


@pytest.mark.parametrize(
    "target", ["{outside}/secret", ".git/config", ".env", "CLAUDE.md", "nowhere", ".", "/dev/zero"]
)
def test_links_lead_only_to_files_of_the_repository(repo: Repo, look: Callable[..., Survey], target: str) -> None:
    outside = repo.path.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("do not read")
    repo.write(".gitignore", ".env\n")
    repo.write(".env", "do not read")
    (repo.path / "CLAUDE.md").symlink_to(target.format(outside=outside))
    repo.git("add", "-A")
    found = look()
    assert [guide.path for guide in found.guides] == ["README.md"]
    assert "do not read" not in repr(found)
    assert "files not read: 1" in found.truncated


def test_a_link_within_the_repository_is_followed_and_not_shown_twice(repo: Repo, look: Callable[..., Survey]) -> None:
    repo.write("AGENTS.md", "Be brief.\n")
    (repo.path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert [guide.text for guide in look().guides] == ["Be brief.", "(the same as CLAUDE.md)", "hello"]


def test_a_folder_that_became_a_link_out(repo: Repo, look: Callable[..., Survey]) -> None:
    outside = repo.path.parent / "outside"
    outside.mkdir()
    (outside / "package.json").write_text('{"scripts": {"test": "evil"}}')
    inside = repo.write("web/package.json", "{}")
    repo.commit("web")
    inside.unlink()
    inside.parent.rmdir()
    inside.parent.symlink_to(outside)
    assert look().test_command.command == ""


def test_things_that_are_no_files(repo: Repo, look: Callable[..., Survey]) -> None:
    for name in ("package.json", "go.mod", "Makefile", "CLAUDE.md"):
        repo.write(name, "test:\n\tx\n")
    repo.commit("files")
    for name in ("package.json", "go.mod", "Makefile", "CLAUDE.md"):
        (repo.path / name).unlink()
    os.mkfifo(repo.path / "package.json")
    (repo.path / "go.mod").mkdir()
    found = look()
    assert found.test_command.command == ""
    assert "files not read: 4" in found.truncated


def test_huge_files_are_read_at_their_beginning(repo: Repo, look: Callable[..., Survey]) -> None:
    repo.write("CLAUDE.md", "The beginning.\n" + "x" * LONGEST_READ)
    with (repo.path / "package.json").open("wb") as file:
        file.truncate(3 * 1024**3)
    began = time.monotonic()
    found = look()
    assert time.monotonic() - began < 5
    assert found.guides[0].text.startswith("The beginning.")
    assert found.guides[0].is_cut
    assert "files read up to 64 kB only: 2" in found.truncated


def test_submodules_are_not_looked_into(repo: Repo, look: Callable[..., Survey]) -> None:
    other = Repo.make(repo.path.parent / "other", repo.environ)
    other.write("package.json", '{"scripts": {"test": "jest"}}')
    other.commit("package")
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other.path), "lib")
    found = look()
    assert found.test_command.command == ""
    assert "submodules, not looked into: 1" in found.truncated


def test_two_hundred_thousand_files(repo: Repo, look: Callable[..., Survey]) -> None:
    blob = repo.git("hash-object", "-w", "README.md")
    index = "".join(f"100644 {blob}\tsrc/m{number % 1000}/p{number}.py\n" for number in range(200_000))
    subprocess.run(
        ["git", "update-index", "--index-info"], cwd=repo.path, env=repo.environ, input=index.encode(), check=True
    )
    repo.write("pyproject.toml", PYTEST)
    began = time.process_time()
    found = look()
    assert time.process_time() - began < 10
    assert found.files == 200_002
    assert found.test_command.command == "python3 -m pytest"
    assert "the tree does not show every folder" in found.truncated


@pytest.mark.covers("G4")
def test_nothing_of_the_repository_is_run(repo: Repo, look: Callable[..., Survey]) -> None:
    trace = repo.path.parent / "trace"
    for name in ("setup.py", "conftest.py", "noxfile.py", "tests/test_a.py"):
        repo.write(name, f"open({str(trace)!r}, 'w')\n")
    repo.write("Makefile", f"X := $(shell touch {trace})\ntest:\n\ttouch {trace}\n")
    before = repo.git("status", "--porcelain")
    assert look().test_command.command == "make test"
    assert not trace.exists()
    assert repo.git("status", "--porcelain") == before

"""Drafts become intents: each once, and none is lost."""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.support.repositories import Repo

from toryo.adapters.swapping import is_being_written
from toryo.app.drafts import look_at_drafts, take_in_drafts
from toryo.app.intents import intent_files
from toryo.app.project import Project, open_project
from toryo.domain.changing import changed
from toryo.domain.errors import ToryoError
from toryo.domain.intent import Intent, IntentSource, IntentStatus, Risk

SOURCE = """\
---
type: feature
---

ログイン画面にパスワードリセットリンクを追加する。

現状ではパスワードを忘れたユーザーがリセットする手段がない。
"""


@pytest.fixture
def project(repo: Repo) -> Project:
    return open_project(repo.path, writing=True)


def drop(project: Project, name: str, text: str) -> Path:
    path = project.place.root / ".toryo" / "drafts" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def intents(project: Project) -> list[Intent]:
    return list(intent_files(project).listing().intents)


@pytest.mark.covers("F3")
def test_the_source_s_own_example_becomes_an_intent(project: Project) -> None:
    path = drop(project, "reset.md", SOURCE)
    [draft] = take_in_drafts(project)
    [intent] = intents(project)
    assert draft.intent == intent
    assert intent.title == "ログイン画面にパスワードリセットリンクを追加する。"
    assert intent.body == "現状ではパスワードを忘れたユーザーがリセットする手段がない。\n"
    assert (intent.type, intent.risk, intent.status) == ("feature", None, IntentStatus.PROPOSED)
    assert intent.source is IntentSource.HUMAN
    assert not path.exists()
    assert list(path.parent.iterdir()) == []
    assert take_in_drafts(project) == []


@pytest.mark.covers("F3")
@pytest.mark.parametrize(
    ("text", "title", "body"),
    [
        ("# Fix the login\n\nIt fails.\n", "Fix the login", "It fails.\n"),
        ("\ufeff\r\nFix it\r\nsoon\r\n", "Fix it", "soon\n"),
        ("---\ntitle: 'A: b'\nrisk: low\n---\n# All of\nthis\n", "A: b", "# All of\nthis\n"),
        ("---\n---\nx\n", "x", ""),
        ("Do this. " + "word " * 50, "Do this.", "Do this. " + ("word " * 50).strip() + "\n"),
        ("---\nx", None, None),
    ],
)
def test_the_first_line_is_the_title(project: Project, text: str, title: str | None, body: str | None) -> None:
    drop(project, "draft.md", text)
    [draft] = take_in_drafts(project)
    assert (draft.intent and draft.intent.title, draft.intent and draft.intent.body) == (title, body)


@pytest.mark.covers("F3")
@pytest.mark.parametrize(
    ("front", "line", "words"),
    [
        ("risk: lo", 2, "did you mean 'low'"),
        ("type: fix\nstatus: approved", 3, "approve it then"),
        ("type: fix\n\nkind: x", 4, "unknown field"),
        ("type: 'fix", 3, "not valid YAML"),
        ("- a", 2, "should be a mapping"),
    ],
)
def test_a_broken_one_is_left_and_named_with_its_line(project: Project, front: str, line: int, words: str) -> None:
    path = drop(project, "draft.md", f"---\n{front}\n---\nFix it\n")
    [draft] = take_in_drafts(project)
    assert draft.broken
    assert (draft.broken.path, draft.broken.line) == (".toryo/drafts/draft.md", line)
    assert words in draft.broken.says
    assert path.exists()
    assert intents(project) == []


@pytest.mark.parametrize("letter", ["x", "長", "😀"])
def test_a_draft_may_be_called_whatever_a_file_may_be_called(project: Project, letter: str) -> None:
    """One cut by its letters may still be too long for a name, which is counted in bytes."""
    title = "Fifty letters make the longest name of an intent ok"
    for name in ("before", letter * (252 // len(letter.encode())), "zz"):
        drop(project, f"{name}.md", f"{title}\n")
    take_in_drafts(project)
    assert [intent.title for intent in intents(project)] == [title] * 3
    assert list((project.place.root / ".toryo" / "drafts").iterdir()) == []


def test_drafts_that_come_and_go_while_somebody_looks_are_no_trouble(project: Project) -> None:
    path = drop(project, "stays.md", "It stays\n").with_name("goes.md")
    is_over = threading.Event()

    def come_and_go() -> None:
        while not is_over.is_set():
            path.touch()
            path.unlink()

    coming = threading.Thread(target=come_and_go)
    coming.start()
    try:
        for _ in range(2_000):
            assert ".toryo/drafts/stays.md" in look_at_drafts(project).waiting
    finally:
        is_over.set()
        coming.join()


def test_what_is_nobody_s_draft_is_left_alone(project: Project, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("my secret\n")
    for name, text in (("empty.md", "\n \n"), (".hidden.md", "x"), ("notes.txt", "x"), ("x.md~", "x"), ("#x.md#", "x")):
        drop(project, name, text)
    open_in_vim = drop(project, "open.md", "half a thou")
    swap_file = drop(project, ".open.md.swp", "")
    out = open_in_vim.with_name("out.md")
    out.symlink_to(secret)
    drafts = take_in_drafts(project)
    assert {(Path(one.path).name, one.is_unsettled) for one in drafts} == {("open.md", True), ("out.md", False)}
    assert intents(project) == []
    swap_file.unlink()
    with open_in_vim.open("a") as file:
        assert is_being_written(open_in_vim)
        assert {one.is_unsettled for one in take_in_drafts(project)} == {True, False}
        file.write("ght\n")
    assert not is_being_written(open_in_vim)
    take_in_drafts(project)
    assert [intent.title for intent in intents(project)] == ["half a thought"]
    assert secret.exists()


@pytest.mark.covers("F3")
def test_a_draft_whose_intent_is_there_already_is_only_removed(project: Project) -> None:
    """As whoever was killed between the two leaves it; the intent may have gone on since."""
    drop(project, "x.md", "Fix it\n")
    [draft] = take_in_drafts(project)
    assert draft.intent
    intent_files(project).change("fix-it", lambda one: changed(one, status=IntentStatus.APPROVED, risk=Risk.LOW))
    left = drop(project, f".taking@fix-it@{round(draft.intent.created_at * 1000)}@x.md", "Fix it\n")
    take_in_drafts(project)
    assert not left.exists()
    assert [(one.slug, one.status) for one in intents(project)] == [("fix-it", IntentStatus.APPROVED)]
    # Somebody else's intent of that name is another one.
    drop(project, ".taking@fix-it@1000@x.md", "Fix it\n")
    take_in_drafts(project)
    assert sorted(one.slug for one in intents(project)) == ["fix-it", "fix-it-2"]


TAKING = """
import sys
import threading
from pathlib import Path
from toryo.app.drafts import look_at_drafts, take_in_drafts
from toryo.app.project import open_project

project = open_project(Path(sys.argv[1]), writing=True)
print("ready", flush=True)
take_in_drafts(project)
"""


@pytest.mark.covers("F3")
def test_killed_at_any_moment_each_becomes_one_intent(project: Project, repo: Repo) -> None:
    count, kills, seeded = 120, 0, random.Random(7)
    for number in range(count):
        drop(project, f"draft-{number}.md", f"Number {number}\n")
    while take_left := len(list((repo.path / ".toryo" / "drafts").iterdir())):
        process = subprocess.Popen([sys.executable, "-c", TAKING, str(repo.path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout
        process.stdout.readline()
        try:
            process.wait(timeout=seeded.random() * 0.2 if kills < 6 else None)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        process.stdout.close()
        assert kills <= 6 or take_left
    assert kills, "nobody was killed: nothing was shown"
    assert sorted(one.title for one in intents(project)) == sorted(f"Number {number}" for number in range(count))


def test_a_folder_that_leads_out_is_refused(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("Fix it\n")
    (project.place.root / ".toryo").mkdir()
    (project.place.root / ".toryo" / "drafts").symlink_to(outside)
    with pytest.raises(ToryoError, match="leads out"):
        take_in_drafts(project)
    assert (outside / "x.md").exists()

"""Files of intents: what is wrong is said with its line, and what people wrote stays as it is."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.repositories import until

from toryo.adapters import swapping
from toryo.adapters.intentfiles import FOLDER, IntentFiles
from toryo.adapters.intentreading import read_intent
from toryo.adapters.intentwriting import edited, fields, new_text
from toryo.adapters.yamlfields import BrokenFile
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.intent import Clarification, Feedback, Intent, IntentSource, IntentStatus, Risk

SOURCE = """\
# .toryo/intents/fix-login-validation.yaml
title: "ログインバリデーションの修正"
body: |
  現状のバリデーションがメールアドレスの形式チェックを行っていない。
  RFC 5322 準拠のチェックを追加する。
type: fix
source: human
risk: low
status: approved
parent: null
created_at: 2025-02-22T10:00:00Z
clarifications:
  - question: "メールアドレスの形式チェックは RFC 5322 準拠？それとも簡易チェック？"
    answer: "RFC 5322 準拠で"
  - question: "既存ユーザーのデータも再検証する？"
    answer: null
"""
BY_HAND = """\
# mine

title:   'Log in'   # what
type: fix
notes: {a: [1,  2], b: "x"}
body: >
  folded
  text

  of mine


risk: 'low'
status:   proposed   # ask first
parent:
clarifications:
# one
- question: q1   # c1
  answer: "a"

# two
- answer:
  question: q2
# at the end of the list
tags: [a,   b]   # mine too
# the end
"""


@pytest.fixture
def files(tmp_path: Path) -> IntentFiles:
    return IntentFiles(tmp_path / "repo", tmp_path / "store")


def put(files: IntentFiles, slug: str, text: str) -> Path:
    path = files.path(slug)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


# ── reading ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("F1")
def test_the_source_s_own_example_is_read(files: IntentFiles) -> None:
    put(files, "fix-login-validation", SOURCE)
    assert files.read("fix-login-validation") == Intent(
        "fix-login-validation",
        "ログインバリデーションの修正",
        "現状のバリデーションがメールアドレスの形式チェックを行っていない。\nRFC 5322 準拠のチェックを追加する。\n",
        "fix",
        IntentSource.HUMAN,
        Risk.LOW,
        IntentStatus.APPROVED,
        "",
        (
            Clarification("メールアドレスの形式チェックは RFC 5322 準拠？それとも簡易チェック？", "RFC 5322 準拠で"),
            Clarification("既存ユーザーのデータも再検証する？"),
        ),
        1740218400.0,
    )


@pytest.mark.covers("F1")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "empty"),
        ("- a\n", 1, "should be a mapping, not a list"),
        ("type: fix\n", 1, "title: required field is missing"),
        ("title: x\nrisk: medium\n", 2, "did you mean 'med'"),
        ("title: x\n\nstatus: aproved\n", 3, "did you mean 'approved'"),
        ("title: x\nsource: martians\n", 2, "it is one of human"),
        ("title: x\nstaus: approved\n", 2, "did you mean 'status'"),
        ("title: x\nbody: [a]\n", 2, "should be text, not a list"),
        ("title: x\ntitle: y\n", 2, "given twice"),
        ("title: x\nstatus: 'approved\n", 3, "not valid YAML"),
        ("title: x\nbody: a: b\n", 2, "not valid YAML"),
        ("title: x\n<<<<<<< HEAD\nrisk: low\n=======\nrisk: high\n>>>>>>> other\n", 2, "settle the conflict"),
        ("title: x\n\tstatus: done\n", 2, "not valid YAML"),
        ("title: x\ncreated_at: yesterday\n", 2, "is not a time"),
        ("title: x\norder: first\n", 2, "should be a number"),
        ("title: x\nclarifications:\n  - question: a\n  - nothing\n", 4, "should be a mapping"),
        ("title: x\nclarifications:\n  - questio: a\n", 3, "did you mean 'question'"),
        ("title: x\nsession: ../../etc\n", 2, "the id of a session"),
        ("title: a\0b\n", 1, "control character"),
        ("title: x\na: &a [*a]\n", 2, "contains the alias"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(files: IntentFiles, text: str, line: int, words: str) -> None:
    path = put(files, "broken", text)
    put(files, "fine", "title: fine\n")
    listing = files.listing()
    assert [intent.slug for intent in listing.intents] == ["fine"]
    assert [(one.path, one.line) for one in listing.broken] == [(str(FOLDER / "broken.yaml"), line)]
    assert words in listing.broken[0].says
    with pytest.raises(ToryoError) as raised:
        files.change("broken", lambda intent: changed(intent, status=IntentStatus.DONE))
    assert raised.value.code == "E171"
    assert f":{line}: " in raised.value.message
    assert path.read_bytes() == text.encode()


def test_what_people_answer_is_taken_as_they_write_it(files: IntentFiles) -> None:
    answers = ("yes", "3", "1.10", "true", "0x10", "2025-01-01", "'007'", "off # really")
    rows = "".join(f"- question: q\n  answer: {answer}\n" for answer in answers)
    put(files, "answered", f"title: 2024\nfuture_field: kept\nclarifications:\n{rows}")
    intent = files.read("answered")
    assert intent.title == "2024"
    said = [one.answer for one in intent.clarifications]
    assert said == ["yes", "3", "1.10", "true", "0x10", "2025-01-01", "007", "off"]


def test_other_files_are_no_intents_and_cannot_harm(files: IntentFiles, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text("title: secret\n")
    put(files, "ログイン", "title: x\n")
    for name in (".hidden.yaml", "#x.yaml#", "x.yaml~", "readme.md"):
        (files.folder / name).write_text("title: no\n")
    (files.folder / "b c.yaml").write_text("title: no\n")
    (files.folder / "short.yml").write_text("title: no\n")
    (files.folder / "folder.yaml").mkdir()
    os.mkfifo(files.folder / "pipe.yaml")
    (files.folder / "out.yaml").symlink_to(outside)
    (files.folder / "gone.yaml").symlink_to(tmp_path / "nowhere")
    listing = files.listing()
    assert [intent.slug for intent in listing.intents] == ["ログイン"]
    assert {one.path.rpartition("/")[2] for one in listing.broken} == {
        *("b c.yaml", "short.yml", "folder.yaml", "pipe.yaml", "out.yaml", "gone.yaml"),
    }
    for slug in ("out", "../outside", "pipe", "folder"):
        with pytest.raises(ToryoError):
            files.change(slug, lambda intent: changed(intent, status=IntentStatus.DONE))
    assert outside.read_text() == "title: secret\n"


def test_a_name_that_is_too_long_to_be_changed_is_said_to_be_none(files: IntentFiles) -> None:
    longest, beyond = "名" * 66, "名" * 72
    put(files, longest, "title: x\n")
    put(files, beyond, "title: x\n")
    assert [Path(one.path).stem for one in files.listing().broken] == [beyond]
    assert files.change(longest, lambda one: changed(one, reason="why")).reason == "why"


def test_a_file_that_is_removed_while_somebody_looks_is_not_called_broken(files: IntentFiles) -> None:
    path = put(files, "stays", "title: x\n").with_name("goes.yaml")
    coming = subprocess.Popen(["sh", "-c", 'while :; do echo title: x >"$1"; rm "$1"; done', "sh", str(path)])
    try:
        broken = {one.says for _ in range(3_000) for one in files.listing().broken}
    finally:
        coming.kill()
        coming.wait()
    assert not {says for says in broken if "cannot be read" in says}


def test_the_cache_is_never_believed_against_the_file(files: IntentFiles) -> None:
    """Same size, same inode, same time of change: as a quick hand, or a restored clock, leaves it."""
    files._store.mkdir(parents=True)
    long_ago = time.time() - 1000
    paths = [put(files, f"intent-{number}", SOURCE) for number in range(30)]
    for path in paths:
        os.utime(path, (long_ago, long_ago))
    files.listing()
    assert not (files._store / "intents.json").exists(), "changed a moment ago, whatever they say of themselves"
    paths[0].write_text(SOURCE.replace("approved", "proposed"))
    os.utime(paths[0], (long_ago, long_ago))
    assert files.listing().intents[0].status is IntentStatus.PROPOSED


# ── writing ──────────────────────────────────────────────────────────────────


def _moved(intent: Intent) -> Intent:
    return changed(
        intent,
        status=IntentStatus.EXECUTING,
        risk=Risk.HIGH,
        parent="all-of-it",
        session="session-00000000-aaaa",
        clarifications=(intent.clarifications[0], changed(intent.clarifications[1], answer="はい: 3")),
    )


_AFTER = (
    BY_HAND.replace("'low'", "'high'")
    .replace("proposed   #", "executing   #")
    .replace("parent:", "parent: all-of-it")
    .replace("- answer:", '- answer: "はい: 3"')
    .replace("# mine too\n", "# mine too\nsession: session-00000000-aaaa\n")
)


@pytest.mark.covers("F1")
@pytest.mark.parametrize("form", ["as it is", "CRLF", "no last line break", "with a mark in front", "indented"])
def test_only_what_is_asked_for_changes(files: IntentFiles, form: str) -> None:
    def formed(text: str) -> str:
        match form:
            case "CRLF":
                return text.replace("\n", "\r\n")
            case "no last line break":
                return text.removesuffix("# the end\n").rstrip("\n")
            case "with a mark in front":
                return f"\ufeff{text}"
            case "indented":
                return re.sub(r"^(- |  (?=answer|question))", r"    \1", text, flags=re.MULTILINE)
        return text

    path = put(files, "mine", formed(BY_HAND))
    path.chmod(0o640)
    link = files.folder / "link.yaml"
    link.symlink_to(path.name)
    after = files.change("link", _moved)
    assert path.read_bytes().decode() == formed(_AFTER)
    assert files.read("mine") == changed(after, slug="mine")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    back = files.change("mine", lambda one: changed(one, session="", status=IntentStatus.PROPOSED))
    assert back.session == ""
    assert "session" not in path.read_text()
    assert sorted(found.name for found in files.folder.iterdir()) == ["link.yaml", "mine.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "x", "status": "proposed", "clarifications": [{"question": "q"}]}\n',
        "{title: x}",
        "---\ntitle: x\nbody: |+\n  a\n\n\n...\n",
        "  title: x\n  status: proposed\n",
        'title: x\n"status": "proposed"\nclarifications: []   # none yet\n',
        "title: x\nclarifications:\n  - {question: q, answer: null}\nfeedback: []\n",
    ],
)
def test_other_ways_to_write_it_are_kept_too(files: IntentFiles, text: str) -> None:
    put(files, "odd", text)
    asked = (Clarification("new?", options=("a", "b: c")),)
    after = files.change(
        "odd",
        lambda one: changed(
            one,
            status=IntentStatus.BLOCKED,
            clarifications=(*one.clarifications, *asked),
            feedback=(Feedback("T001 x", "it failed:\n  so"),),
        ),
    )
    assert fields(files.read("odd")) == fields(after)
    kept = [word for word in re.split(r"[\s\[\]{},]+", text) if word not in ("proposed", '"proposed"', "")]
    written = files.path("odd").read_text()
    assert all(word in written for word in kept)


def test_what_cannot_be_changed_alone_is_not_changed(files: IntentFiles) -> None:
    text = "title: &a x\nbody: *a\nstatus: proposed\n"
    path = put(files, "alias", text)
    with pytest.raises(ToryoError, match="without changing more than body") as raised:
        files.change("alias", lambda one: changed(one, body="y"))
    assert raised.value.code == "E173"
    assert path.read_text() == text
    files.change("alias", lambda one: changed(one, status=IntentStatus.APPROVED))
    assert path.read_text() == text.replace("proposed", "approved")


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    [
        "",
        "null",
        "- a",
        "a: b",
        "a #b",
        "'",
        '"',
        "\\",
        " x ",
        "x\n",
        "\n\nx\n\n",
        "  a\n b\n",
        "|",
        "日本\n語\n",
        "\ty\n",
        "1.0",
        "%",
    ]
)
LINES = TEXTS.map(lambda text: " ".join(text.replace("\0", "").split()))
INTENTS = st.builds(
    Intent,
    st.just("x"),
    LINES.filter(bool),
    TEXTS,
    LINES,
    st.sampled_from(IntentSource),
    st.none() | st.sampled_from(Risk),
    st.sampled_from(IntentStatus),
    LINES,
    st.lists(
        st.builds(Clarification, TEXTS.filter(bool), LINES, TEXTS, st.lists(TEXTS, max_size=2).map(tuple), TEXTS),
        max_size=3,
    ).map(tuple),
    st.sampled_from([0.0, 1740218400.0, 1740218400.25]),
    st.sampled_from([0.0, -2.0, 1.5]),
    st.sampled_from(["", "session-00000000-aaaa"]),
    st.lists(st.builds(Feedback, TEXTS.filter(bool), TEXTS), max_size=2).map(tuple),
    TEXTS,
    st.sampled_from([0.0, 1740218400.0]),
)


@pytest.mark.covers("F1")
@settings(max_examples=150, deadline=None)
@given(INTENTS, INTENTS)
def test_whatever_is_written_is_read_again(before: Intent, after: Intent) -> None:
    text = new_text(before).encode()
    written = read_intent("x", text)[0]
    assert fields(written) == fields(before)
    try:
        changed_text = edited(text, written, after)
    except BrokenFile as error:
        raise AssertionError(text.decode()) from error
    assert fields(read_intent("x", changed_text)[0]) == fields(after)


# ── with others ──────────────────────────────────────────────────────────────

CHANGING = """
import sys
from pathlib import Path
from toryo.adapters.intentfiles import IntentFiles
from toryo.domain.changing import changed

files = IntentFiles(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(int(sys.argv[3])):
    files.change("shared", lambda one: changed(one, order=one.order + 1))
"""


def _change_often(files: IntentFiles, times: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", CHANGING, str(files._root), str(files._store), str(times)])


@pytest.mark.covers("F1")
def test_two_of_us_never_lose_each_other_s_change(files: IntentFiles) -> None:
    put(files, "shared", "title: x\norder: 0\n")
    processes = [_change_often(files, 60) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert files.path("shared").read_text() == "title: x\norder: 120\n"


@pytest.mark.covers("F1")
@pytest.mark.parametrize("way", ["in place", "by renaming"])
def test_a_person_who_saves_at_the_same_moment_loses_nothing(files: IntentFiles, way: str) -> None:
    """Each save comes to stay: neither the one before it nor a change of ours takes its place."""
    path = put(files, "shared", "title: x\norder: 0\nnote: 0\n")
    process = _change_often(files, 10_000)
    aside = path.with_name("#shared#")
    try:
        for number in range(1, 401):
            text = f"title: x\norder: 0\nnote: {number}\n"
            if way == "in place":
                path.write_text(text)
            else:
                aside.write_text(text)
                aside.replace(path)
            # For an instant ours may be in its place, until it is seen what that took out.
            until(lambda saved=f"note: {number}\n": saved in path.read_text())
        assert process.poll() is None, "whoever saves kills nobody"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    files.change("shared", lambda one: changed(one, status=IntentStatus.APPROVED))
    assert "note: 400\n" in path.read_text()
    assert [found.name for found in files.folder.iterdir() if found.name.endswith(".swap")] == []


LOOKING = """
import sys
from pathlib import Path
from toryo.adapters.swapping import is_being_written
print(sum(is_being_written(Path(sys.argv[1])) for _ in range(20_000)))
"""


def test_who_opens_the_file_while_we_look_whether_somebody_has_it_open_does_not_kill_us(tmp_path: Path) -> None:
    path = tmp_path / "opened"
    path.touch()
    looking = subprocess.Popen([sys.executable, "-c", LOOKING, str(path)], stdout=subprocess.PIPE)
    while looking.poll() is None:
        path.open("a").close()
    seen, _ = looking.communicate()
    assert looking.returncode == 0
    assert int(seen) > 0


def test_nobody_reads_half_of_what_is_being_saved(tmp_path: Path) -> None:
    path = tmp_path / "saved"
    path.write_text("x" * 1000)
    saving = "import sys\nwhile True: open(sys.argv[1], 'w').write('x' * 1000)"
    process = subprocess.Popen([sys.executable, "-c", saving, str(path)])
    try:
        assert {len(swapping.settled(path)) for _ in range(50)} == {1000}
    finally:
        process.kill()
        process.wait()


def test_a_file_that_somebody_keeps_open_is_not_waited_for_for_ever(
    files: IntentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swapping, "_PATIENCE", 0.2)
    path = put(files, "kept", "title: x\n")
    began = time.monotonic()
    with path.open("r+"), pytest.raises(ToryoError, match="being written by something else") as refused:
        files.change("kept", lambda one: changed(one, reason="why"))
    assert refused.value.exit_code is Exit.BUSY
    assert time.monotonic() - began < 3
    assert path.read_text() == "title: x\n"
    assert files.change("kept", lambda one: changed(one, reason="why")).reason == "why"


def test_what_a_person_saved_in_the_moment_of_our_death_comes_back(files: IntentFiles) -> None:
    old, new, theirs = "title: old\n", "title: ours\n", "title: theirs\n"
    path = put(files, "shared", new)
    names = ".".join(swapping._digest(text.encode()) for text in (old, new))
    aside = path.with_name(f".shared.yaml.{names}.swap")
    aside.write_text(theirs)
    files.change("shared", lambda one: changed(one, status=IntentStatus.APPROVED))
    assert path.read_text() == "title: theirs\nstatus: approved\n"
    assert not aside.exists()


@pytest.mark.parametrize("is_later", [True, False])
def test_of_two_saves_in_the_moment_of_our_death_the_later_one_stays(files: IntentFiles, is_later: bool) -> None:
    """We were putting the first one back when the second was saved, and died between the two steps of that."""
    path = put(files, "shared", "title: in its place\n")
    names = ".".join(swapping._digest(text.encode()) for text in ("title: old\n", "title: ours\n"))
    aside = path.with_name(f".shared.yaml.{names}.swap")
    aside.write_text("title: aside\n")
    os.utime(path, ns=(2, 2))
    os.utime(aside, ns=(3, 3) if is_later else (1, 1))
    files.change("shared", lambda one: changed(one, status=IntentStatus.APPROVED))
    assert path.read_text() == f"title: {'aside' if is_later else 'in its place'}\nstatus: approved\n"
    assert not aside.exists()


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "tiny"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_the_file_as_it_was(tiny_disk: Path, tmp_path: Path) -> None:
    files = IntentFiles(tiny_disk, tmp_path / "store")
    path = put(files, "shared", SOURCE)
    with (tiny_disk / "filler").open("wb", buffering=0) as file, pytest.raises(OSError, match="space") as full:
        while True:
            file.write(b"x" * 4096)
    assert full.value.errno == errno.ENOSPC
    with pytest.raises(ToryoError, match="the disk is full"):
        files.change("shared", lambda one: changed(one, status=IntentStatus.DONE))
    with pytest.raises(ToryoError, match="the disk is full"):
        files.create(Intent("another", "x"))
    assert path.read_text() == SOURCE
    assert [found.name for found in files.folder.iterdir()] == ["shared.yaml"]


def test_nothing_is_written_outside_the_repository(files: IntentFiles, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "intents").mkdir(parents=True)
    files._root.mkdir()
    (files._root / ".toryo").symlink_to(elsewhere)
    with pytest.raises(ToryoError, match="leads out") as raised:
        files.create(Intent("x", "x"))
    assert raised.value.code == "E174"
    assert list((elsewhere / "intents").iterdir()) == []


def test_a_new_file_takes_nobody_s_place(files: IntentFiles) -> None:
    assert files.create(Intent("x", "first", created_at=1.0))
    assert not files.create(Intent("x", "second"))
    assert files.read("x").title == "first"
    with pytest.raises(ToryoError, match="cannot be called"):
        files.create(Intent("../x", "escape"))

"""`repl.json`: exactly five fields, never half a file, and never written over where it is not as it should be."""

import json
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toryo.adapters.replfile import ReplFile, written
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import Provider, ReplState

pytestmark = pytest.mark.covers("P38")
FIELDS = ["selected_provider", "selected_model", "updated_at", "current_task_id", "last_task_id"]
FULL = ReplState(Provider.CLAUDE_CODE, "模型", "2026-01-02T03:04:05.678Z", "task-1", "task-2")


def document(**changes: object) -> str:
    return json.dumps({**dict.fromkeys(FIELDS), **changes}, indent=2)


def test_it_holds_exactly_the_five_fields_in_their_order_and_is_ours_alone(tmp_path: Path) -> None:
    file = ReplFile(tmp_path)
    assert file.read() == ReplState()
    assert not file.path.exists()
    assert file.change(lambda _: FULL) == FULL
    assert list(json.loads(file.path.read_text())) == FIELDS
    assert "模型" in file.path.read_text()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert file.read() == FULL
    assert {path.name for path in tmp_path.iterdir()} == {"repl.json", "repl.lock"}


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    file = ReplFile(tmp_path)
    file.change(lambda state: state)
    assert not file.path.exists()
    file.change(lambda _: FULL)
    before = file.path.stat()
    file.change(lambda state: state)
    assert file.path.stat().st_ino == before.st_ino


def test_a_file_that_others_could_read_is_ours_alone_after_the_next_change(tmp_path: Path) -> None:
    file = ReplFile(tmp_path)
    file.path.write_text(document())
    file.path.chmod(0o644)
    file.change(lambda _: FULL)
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


CORRUPT = {
    "nothing": (b"", 1, "not JSON"),
    "half": (document().encode()[:-10], 6, "not JSON"),
    "words": (b"\nhello", 2, "not JSON"),
    "list": (b"[]", 1, "not an object"),
    "null": (b"null", 1, "not an object"),
    "text": (b'"x"', 1, "not an object"),
    "not UTF-8": (document(selected_model="X").replace("X", "\udcff").encode(errors="surrogateescape"), 3, "not UTF-8"),
    "BOM": (b"\xef\xbb\xbf" + document().encode(), 1, "not JSON"),
    "two": ((document() + document()).encode(), 7, "not JSON"),
    "twice": (document().replace('"last_task_id"', '"selected_model"').encode(), 0, "selected_model is there twice"),
    "missing": (document().replace(',\n  "last_task_id": null', "").encode(), 1, "last_task_id is missing"),
    "one more": (document(mood="good").encode(), 7, "no field mood"),
    "number": (document(selected_model=5).encode(), 3, "selected_model is neither text nor null"),
    "truth": (document(current_task_id=True).encode(), 5, "current_task_id is neither"),
    "deep": (document(last_task_id=[]).encode(), 6, "last_task_id is neither"),
    "provider": (document(selected_provider="codex").encode(), 2, "not one of claude-code, openai, anthropic"),
    "case": (document(selected_provider="OpenAI").encode(), 2, "selected_provider is 'OpenAI'"),
    "no model": (document(selected_model="").encode(), 3, "selected_model is empty"),
    "date": (document(updated_at="yesterday").encode(), 4, "ISO 8601"),
    "no date": (document(updated_at="2026-13-01T00:00:00Z").encode(), 4, "ISO 8601"),
    "NaN": (document().replace("null", "NaN", 1).encode(), 0, "NaN is not JSON"),
    "nested": (b"[" * 50_000, 0, "recursion"),
    "long": (b" " * 70_000, 0, "longer than"),
}


@pytest.mark.parametrize("name", CORRUPT)
def test_what_is_corrupt_is_an_error_with_its_place_and_stays_byte_for_byte(tmp_path: Path, name: str) -> None:
    content, line, words = CORRUPT[name]
    file = ReplFile(tmp_path)
    file.path.write_bytes(content)
    looks: list[Callable[[], object]] = [file.read, lambda: file.change(lambda _: FULL)]
    for look in looks:
        with pytest.raises(ToryoError) as refused:
            look()
        assert refused.value.code == "E105"
        assert refused.value.exit_code is Exit.ERROR
        assert refused.value.hint
        where = f"{file.path}:{line}: " if line else f"{file.path}: "
        assert refused.value.message.startswith(where), refused.value.message
        assert words in refused.value.message
    assert file.path.read_bytes() == content


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    file = ReplFile(tmp_path)
    target = tmp_path / "elsewhere"
    target.write_text(document())
    makes: list[Callable[[], object]] = [
        file.path.mkdir,
        lambda: os.mkfifo(file.path),
        lambda: file.path.symlink_to(target),
    ]
    for make in makes:
        make()
        with pytest.raises(ToryoError, match=r"repl\.json: it "):
            file.change(lambda _: FULL)
        assert not file.path.is_file() or file.path.is_symlink()
        file.path.rmdir() if file.path.is_dir() else file.path.unlink()
    assert target.read_text() == document()


def test_what_cannot_be_written_leaves_the_old_file_whole(tmp_path: Path) -> None:
    file = ReplFile(tmp_path)
    file.change(lambda _: FULL)
    (tmp_path / f".repl.json.{threading.get_native_id()}").mkdir()
    with pytest.raises(OSError, match="directory"):
        file.change(lambda state: changed(state, selected_model="other"))
    assert file.read() == FULL


def test_many_at_once_undo_nothing_of_each_other(tmp_path: Path) -> None:
    """Each counts up a number of its own in the one model name they share."""
    rounds, names = 40, "abcd"

    def count(place: int) -> None:
        own = ReplFile(tmp_path)
        for _ in range(rounds):
            own.change(lambda state: changed(state, selected_model=_counted(state.selected_model, place)))

    def look() -> None:
        for _ in range(rounds):
            ReplFile(tmp_path).read()

    threads = [threading.Thread(target=count, args=(place,)) for place in range(len(names))]
    threads.append(threading.Thread(target=look))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ReplFile(tmp_path).read().selected_model == " ".join([str(rounds)] * len(names))


def _counted(text: str | None, place: int) -> str:
    numbers = [int(part) for part in (text or "0 0 0 0").split()]
    numbers[place] += 1
    return " ".join(map(str, numbers))


STATES = st.builds(
    ReplState,
    st.sampled_from([None, *Provider]),
    st.none() | st.text(st.characters(), min_size=1),
    st.none() | st.datetimes().map(lambda when: when.isoformat()),
    st.none() | st.text(min_size=1),
    st.none() | st.text(min_size=1),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(STATES)
def test_what_is_written_is_what_is_read(tmp_path: Path, state: ReplState) -> None:
    file = ReplFile(tmp_path)
    file.path.write_bytes(written(state))
    assert file.read() == state


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(STATES, st.integers(1, 1000))
def test_a_file_that_was_cut_off_is_never_taken_for_a_whole_one(tmp_path: Path, state: ReplState, cut: int) -> None:
    file = ReplFile(tmp_path)
    content = written(state)
    file.path.write_bytes(content[: -1 - cut])
    with pytest.raises(ToryoError):
        file.read()

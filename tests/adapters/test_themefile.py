"""What is remembered of how the app looked: in the person's own folder, and never a reason to fail."""

import os
from pathlib import Path

import pytest

from toryo.adapters.themefile import ThemeFile, user_state_folder


def test_what_was_kept_is_read_by_the_next_one_and_only_its_person_can_read_it(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    assert ThemeFile(environ).read() == ""
    ThemeFile(environ).keep("textual-light")
    ThemeFile(environ).keep("textual-dark")
    assert ThemeFile(environ).read() == "textual-dark"
    folder = tmp_path / "state" / "toryo"
    assert [path.name for path in folder.iterdir()] == ["theme"], "nothing is left beside it"
    assert (folder.stat().st_mode & 0o777, (folder / "theme").stat().st_mode & 0o777) == (0o700, 0o600)


def test_without_an_absolute_folder_it_is_the_usual_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_state_folder({"XDG_STATE_HOME": "state"}) == tmp_path / ".local" / "state" / "toryo"
    assert user_state_folder({}) == tmp_path / ".local" / "state" / "toryo"


def test_a_file_that_cannot_be_read_or_written_is_no_fault(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    theme = tmp_path / "toryo" / "theme"
    theme.mkdir(parents=True)
    (theme / "in the way").touch()
    assert ThemeFile(environ).read() == ""
    ThemeFile(environ).keep("textual-light")
    assert [path.name for path in theme.parent.iterdir()] == ["theme"]
    (theme / "in the way").unlink()
    theme.rmdir()
    os.mkfifo(theme)
    assert ThemeFile(environ).read() == "", "nobody waits for a writer"
    theme.unlink()
    theme.write_bytes(b"\xff\xfe" * 1000)
    assert ThemeFile(environ).read() == ""
    (tmp_path / "file").touch()
    ThemeFile({"XDG_STATE_HOME": str(tmp_path / "file")}).keep("textual-light")

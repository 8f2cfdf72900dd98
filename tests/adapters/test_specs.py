"""Specifications as folders: which one is meant, and that nothing in them is lost."""

import os
from pathlib import Path

import pytest

from toryo.adapters.specs import Spec, find_spec, new_spec, read_document, write_new, write_over
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.planning import Document


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for age, name in enumerate(("SPEC-aa112233", "SPEC-ab445566", "001-login")):
        folder = tmp_path / "specs" / name
        folder.mkdir(parents=True)
        (folder / "spec.md").write_text("# It\n")
        for path in (folder / "spec.md", folder):
            os.utime(path, (1000 - age, 1000 - age))
    return tmp_path


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("SPEC-aa112233", "SPEC-aa112233"),
        ("spec-AA", "SPEC-aa112233"),
        ("aa1", "SPEC-aa112233"),
        ("001", "001-login"),
        ("specs/SPEC-ab445566", "SPEC-ab445566"),
        ("./specs/SPEC-ab445566/", "SPEC-ab445566"),
        ("specs/001-login/spec.md", "001-login"),
        (None, "SPEC-aa112233"),
    ],
)
def test_a_specification_is_found(root: Path, wanted: str | None, name: str) -> None:
    assert find_spec(root, root, wanted).name == name


def test_the_one_that_was_changed_last_is_the_latest(root: Path) -> None:
    (root / "specs" / "001-login" / "plan.md").write_text("x")
    assert find_spec(root, root, None).name == "001-login"


def test_a_name_that_fits_several_or_none(root: Path) -> None:
    with pytest.raises(ToryoError, match="names 2 specifications") as several:
        find_spec(root, root, "a")
    assert several.value.details == ("SPEC-aa112233", "SPEC-ab445566")
    with pytest.raises(ToryoError) as unknown:
        find_spec(root, root, "SPEC-aa112234")
    assert unknown.value.hint == "did you mean SPEC-aa112233?"
    with pytest.raises(ToryoError, match="no specification here yet"):
        find_spec(root / "specs", root, None)


def test_what_is_missing_is_named_with_the_way_to_get_it(root: Path) -> None:
    spec = find_spec(root, root, "aa")
    with pytest.raises(ToryoError, match=r"SPEC-aa112233 has no plan\.md") as missing:
        read_document(spec, Document.PLAN)
    assert "toryo spec plan SPEC-aa112233" in missing.value.hint
    spec.file(Document.PLAN).write_text(" \n")
    with pytest.raises(ToryoError, match="an empty"):
        read_document(spec, Document.PLAN)


@pytest.mark.covers("G7")
def test_names_of_new_ones(tmp_path: Path) -> None:
    spec = new_spec(tmp_path)
    assert spec.name.startswith("SPEC-")
    assert len(spec.name) == 13
    assert not spec.folder.exists()


def test_what_somebody_else_wrote_meanwhile_stays(tmp_path: Path) -> None:
    path = Spec(tmp_path / "specs" / "S").file(Document.SPEC)
    write_new(path, "# mine\n", tmp_path / "kept")
    with pytest.raises(ToryoError) as refused:
        write_new(path, "# the model's\n", tmp_path / "kept")
    assert refused.value.exit_code is Exit.REFUSED
    assert path.read_text() == "# mine\n"
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_text() == "# the model's\n"
    assert str(kept) in refused.value.kept
    assert [entry.name for entry in path.parent.iterdir()] == ["spec.md"]


def test_what_is_written_over_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    assert write_over(path, "one\n", tmp_path / "kept") is None
    path.chmod(0o600)
    assert write_over(path, "one\n", tmp_path / "kept") is None, "nothing changes"
    kept = [write_over(path, text, tmp_path / "kept") for text in ("two\n", "three\n", "\ud800 half a character\n")]
    assert [path and path.read_text() for path in kept] == ["one\n", "two\n", "three\n"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["kept", "plan.md"]


def test_bytes_that_are_no_text_survive_reading_and_writing(tmp_path: Path) -> None:
    path = Spec(tmp_path).file(Document.SPEC)
    path.write_bytes(b"\xef\xbb\xbf# A\r\n\xff\xfe\r\n")
    write_over(path, read_document(Spec(tmp_path), Document.SPEC) + "x", tmp_path / "kept")
    assert path.read_bytes() == b"\xef\xbb\xbf# A\r\n\xff\xfe\r\nx"

"""What a review cites is looked up: a place, a check, a quotation, and nothing is taken on trust."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import result

from toryo.domain.evidence import Change, CheckStatus, FileChange
from toryo.domain.review import Criterion
from toryo.rules.citations import Ground, cited_paths, looked_up

CHANGES = (
    FileChange("src/export/json.py", Change.CREATED, True),
    FileChange("docs/使い方 2.md", Change.MODIFIED, True),
    FileChange("src/old.py", Change.DELETED, False),
    FileChange(".github/workflows/ci.yml", Change.MODIFIED, True),
)
GROUND = Ground(
    CHANGES,
    {"src/export/json.py": 40, "README.md": 12, "docs/使い方 2.md": 3, ".github/workflows/ci.yml": 9},
    (result("test"), result("lint", CheckStatus.FAILED)),
    "+def encode(value):\n+    return json.dumps(value)\n",
)


def found(evidence: str, ground: Ground = GROUND) -> tuple[tuple[str, ...], tuple[str, ...]]:
    said = looked_up(Criterion("it holds", True, evidence), ground)
    return said.seen, said.unseen


@pytest.mark.covers("B6")
@pytest.mark.parametrize(
    ("evidence", "seen"),
    [
        ("src/export/json.py:12", ("src/export/json.py:12",)),
        ("see src/export/json.py.", ("src/export/json.py",)),
        ("json.py:12-20", ("src/export/json.py:20",)),
        ("b/src/export/json.py#L3", ("src/export/json.py:3",)),
        ("./README.md:12 and check:test", ("check test passed", "README.md:12")),
        (".github/workflows/ci.yml:9", (".github/workflows/ci.yml:9",)),
        ("`docs/使い方 2.md`:3 の通り".replace("`", ""), ("docs/使い方 2.md:3",)),
        ("src/export/json.pyの12行目にある", ("src/export/json.py",)),
        ("ファイルsrc/export/json.py:4にある", ("src/export/json.py:4",)),
        ("src/old.py:7 is gone", ("src/old.py (deleted)",)),
        ("check 'test'", ("check test passed",)),
        ("the check test passes", ("check test passed",)),
        ('"return json.dumps(value)"', ("“return json.dumps(value)”",)),
        ("「def  encode(value):」", ("“def  encode(value):”",)),
    ],
)
def test_what_is_there_is_seen(evidence: str, seen: tuple[str, ...]) -> None:
    assert found(evidence) == (seen, ())


@pytest.mark.covers("B6", "P1")
@pytest.mark.parametrize(
    ("evidence", "unseen"),
    [
        ("src/nope.py:3", "cites src/nope.py:3, which is not there"),
        ("src/export/nope.py", "cites src/export/nope.py, which is not there"),
        ("src/export/json.py:41", "cites src/export/json.py:41, but the file has 40 lines"),
        ("src/export/json.py:39-99", "cites src/export/json.py:99, but the file has 40 lines"),
        ("check:nope", "cites the check 'nope', which did not run"),
        ("check:lint", "cites the check 'lint', which did not pass"),
        ('"os.system(value)"', "quotes “os.system(value)”, which is not in what was shown"),
        ("../../etc/passwd:1", "cites etc/passwd:1, which is not there"),
    ],
)
def test_what_is_not_there_is_said(evidence: str, unseen: str) -> None:
    assert found(evidence) == ((), (unseen,))


@pytest.mark.parametrize(
    "evidence",
    ["", "it works", "I check that it works, e.g. with json.dumps", "read/write and and/or", "version 1.2", '"short"'],
)
def test_prose_cites_nothing(evidence: str) -> None:
    assert found(evidence) == ((), ())


def test_a_name_that_two_changed_files_end_in_is_none_of_them() -> None:
    twice = Ground((FileChange("a/x.py", Change.CREATED, True), FileChange("b/x.py", Change.CREATED, True)))
    assert found("x.py:1", twice) == ((), ("cites x.py:1, which is not there",))


def test_only_what_is_cited_is_looked_at_and_not_too_much_of_it() -> None:
    said = tuple(Criterion("x", True, f"src/export/json.py:1, f{n}/a.py") for n in range(100))
    paths = cited_paths(said, CHANGES)
    assert paths[:2] == ["src/export/json.py", "f0/a.py"]
    assert len(paths) == 60


@given(st.text(max_size=300))
def test_whatever_is_said_is_either_there_or_named(evidence: str) -> None:
    seen, unseen = found(evidence)
    assert len(seen) <= 8
    assert len(unseen) <= 8
    assert all(text.startswith(("cites ", "quotes ")) for text in unseen)
    for text in seen:
        known = (*GROUND.lines, "src/old.py (deleted)", "check test passed")
        assert text.startswith("“") or text.rpartition(":")[0] in known or text in known

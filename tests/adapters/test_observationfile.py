"""The file of observations: agents add to it and reflection marks it while people edit it, and nothing is lost."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repositories import until

from toryo.adapters.observationfile import FILE, Kept, ObservationFile
from toryo.domain.learning import EvidenceType, Observation, ObservationSource, Reference
from toryo.rules.observing import MOST_UNPROCESSED, fit_to_keep

SOURCE = """\
# what we noticed, newest last
- content: "login and signup check addresses twice"   # both handlers
  evidence:
    - type: file
      ref: src/handler/login.rs
    - {type: skill, ref: .claude/skills/api/SKILL.md}
  source: implement
  intent_id: fix-login-validation
  mood: annoyed
  created_at: 2025-02-22T10:30:00Z

- created_at: 2025-02-22T11:00:00Z
  content: 'CLAUDE.md と Skill が矛盾している'
  source: reflect
  processed: false     # not yet
"""
ADDING = """
import sys
from pathlib import Path
from toryo.adapters.observationfile import ObservationFile
from toryo.domain.learning import Observation
from toryo.rules.observing import fit_to_keep

file = ObservationFile(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(int(sys.argv[4])):
    file.add(fit_to_keep(Observation(f"{sys.argv[3]} {number}", created_at=1.0)))
"""


@pytest.fixture
def file(tmp_path: Path) -> ObservationFile:
    return ObservationFile(tmp_path / "repo", tmp_path / "store")


def put(file: ObservationFile, text: str) -> Path:
    file.path.parent.mkdir(parents=True, exist_ok=True)
    file.path.write_text(text, encoding="utf-8")
    return file.path


def noted(words: str) -> Observation:
    return fit_to_keep(Observation(words, created_at=1_740_000_000.0))


def contents(file: ObservationFile) -> list[str]:
    return [one.content for one in file.observed().observations]


@pytest.mark.covers("F13")
def test_the_source_s_fields_are_read_and_all_else_stays_when_it_is_added_to_and_marked(file: ObservationFile) -> None:
    path = put(file, SOURCE)
    first, second = file.observed().observations
    assert first.evidence == (
        Reference(EvidenceType.FILE, "src/handler/login.rs"),
        Reference(EvidenceType.SKILL, ".claude/skills/api/SKILL.md"),
    )
    assert (first.source, first.intent_id, first.processed) == (
        ObservationSource.IMPLEMENT,
        "fix-login-validation",
        False,
    )
    assert file.add(noted("one more")) is Kept.ADDED
    assert file.add(noted("one more")) is Kept.KNOWN
    assert path.read_text().startswith(SOURCE)
    assert file.process([first.id, second.id]) == 2
    assert file.process([first.id, second.id]) == 0
    marked = SOURCE.replace("  created_at: 2025-02-22T10:30", "  processed: true\n  created_at: 2025-02-22T10:30")
    marked = marked.replace("processed: false     # not yet", "processed: true     # not yet")
    assert path.read_text().startswith(marked)
    assert [one.processed for one in file.observed().observations] == [True, True, False]


@pytest.mark.covers("F13")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- content: x\n- content: [never closed\n", 3),
        ("title: a mapping\n", 1),
        ("- content: x\n- source: nobody\n", 2),
    ],
    ids=["broken", "no list", "an entry"],
)
def test_what_cannot_be_read_is_named_with_its_line_and_never_written_over(
    file: ObservationFile, text: str, line: int
) -> None:
    path = put(file, text)
    (broken,) = file.observed().broken
    assert (broken.path, abs(broken.line - line) <= 1) == (str(FILE), True), broken
    kept = file.add(noted("noticed meanwhile"))
    assert path.read_text().startswith(text)
    assert "noticed meanwhile" in contents(file)
    if kept is Kept.ASIDE:
        assert path.read_text() == text
        put(file, "- content: x\n")
        file.join()
        assert contents(file) == ["x", "noticed meanwhile"]
        file.join()
        assert path.read_text().count("noticed meanwhile") == 1


@pytest.mark.covers("F13")
@pytest.mark.parametrize("way", ["in place", "by renaming"])
def test_a_person_who_saves_at_the_same_moment_loses_nothing(file: ObservationFile, way: str) -> None:
    path = put(file, "# 0\n- content: mine\n")
    command = [sys.executable, "-c", ADDING, str(path.parent.parent), str(file._store), "agent", "10000"]
    process = subprocess.Popen(command)
    aside = path.with_name("#observations#")
    try:
        for number in range(1, 201):
            text = f"# {number}\n- content: mine\n"
            if way == "in place":
                path.write_text(text)
            else:
                aside.write_text(text)
                aside.replace(path)
            # For an instant ours may be in its place, until it is seen what that took out.
            until(lambda saved=f"# {number}\n": path.read_text().startswith(saved))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    file.add(noted("at last"))
    assert path.read_text().startswith("# 200\n- content: mine\n")
    assert contents(file)[-1] == "at last"
    assert [found.name for found in path.parent.iterdir()] == ["observations.yaml"], "nothing half-written"


@pytest.mark.covers("F13")
def test_several_agents_at_once_lose_nothing(file: ObservationFile) -> None:
    root = file.path.parent.parent
    agents = [
        subprocess.Popen([sys.executable, "-c", ADDING, str(root), str(file._store), name, "20"]) for name in "abc"
    ]
    assert [agent.wait() for agent in agents] == [0, 0, 0]
    assert sorted(contents(file)) == sorted(f"{name} {number}" for name in "abc" for number in range(20))


def test_nothing_is_written_outside_the_repository_and_there_is_an_end_to_it(
    file: ObservationFile, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / ".toryo").symlink_to(tmp_path / "elsewhere")
    assert file.add(noted("kept aside")) is Kept.ASIDE
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "repo" / ".toryo").unlink()
    put(file, "".join(f"- content: matter {number}\n" for number in range(MOST_UNPROCESSED)))
    assert file.add(noted("one too many")) in (Kept.REFUSED, Kept.ASIDE)
    assert len([one for one in file.path.read_text().splitlines() if one]) == MOST_UNPROCESSED

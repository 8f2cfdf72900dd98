"""The files of how intents went: Toryo brings them up to date, and what people wrote there stays."""

import re
from pathlib import Path

import pytest

from toryo.adapters.intenthistory import HistoryFiles
from toryo.adapters.located import Unreadable
from toryo.domain.changing import changed
from toryo.domain.intent import Risk
from toryo.domain.learning import History, HistoryOutcome, StepResult

BLOCKED = History(
    intent_id="greet",
    session="session-1",
    title='Say "hello": 挨拶',
    outcome=HistoryOutcome.ESCALATED,
    intent_type="docs",
    intent_risk=Risk.LOW,
    flow=("analyse", "tasks"),
    step_results=(StepResult("analyse", "tasks, risk low", 1.5), StepResult("implement", "blocked", 2.0, "A", 7, 0.25)),
    failure_reason="1 blocked task",
    tokens=7,
    usd=0.25,
    created_at=1_740_000_000.0,
)
DONE = changed(
    BLOCKED,
    outcome=HistoryOutcome.SUCCESS,
    failure_reason="",
    step_results=(*BLOCKED.step_results[:1], StepResult("implement", "integrated", 4.0, "A", 9, 0.5)),
    observations=("0123456789ab",),
)


@pytest.fixture
def files(tmp_path: Path) -> HistoryFiles:
    return HistoryFiles(tmp_path)


def _write(files: HistoryFiles, history: History) -> bool:
    return files.write("greet-1", history, files.folder.parents[2] / "store")


@pytest.mark.covers("F15")
def test_it_is_brought_up_to_date_and_what_people_wrote_stays(files: HistoryFiles) -> None:
    assert _write(files, BLOCKED)
    assert not _write(files, BLOCKED), "it says so already"
    path = files.folder / "greet-1.yaml"
    text = path.read_text().replace("outcome: escalated", "outcome: escalated   # by then") + "note:   mine   # stays\n"
    path.write_text("# how it went\n" + text)
    assert _write(files, changed(DONE, created_at=1_750_000_000.0))
    after = path.read_text()
    assert after.startswith("# how it went\n")
    assert "outcome: success   # by then\n" in after
    assert "note:   mine   # stays\n" in after
    ((name, told),) = files.told().histories
    assert (name, told) == ("greet-1", DONE), "when it was first kept stays too"
    assert [found.name for found in files.folder.iterdir()] == ["greet-1.yaml"]


@pytest.mark.covers("F15")
def test_a_broken_one_is_named_with_its_line_and_left_as_it_is(files: HistoryFiles) -> None:
    files.folder.mkdir(parents=True)
    path = files.folder / "greet-1.yaml"
    path.write_text("intent_id: greet\noutcome: [never\n")
    (broken,) = files.told().broken
    assert broken.path.endswith("greet-1.yaml")
    assert broken.line >= 2
    with pytest.raises(Unreadable):
        _write(files, DONE)
    assert path.read_text() == "intent_id: greet\noutcome: [never\n"


@pytest.mark.parametrize("when", ["yesterday", "0001-01-01T00:00:00+23:00"])
def test_a_moment_that_is_none_is_named_with_its_line(files: HistoryFiles, when: str) -> None:
    _write(files, BLOCKED)
    path = files.folder / "greet-1.yaml"
    text = re.sub("created_at: .*", f"created_at: {when}", path.read_text())
    path.write_text(text)
    assert [one.path.rpartition("/")[2] for one in files.told().broken] == ["greet-1.yaml"]
    with pytest.raises(Unreadable, match="is not a time") as wrong:
        _write(files, DONE)
    assert text.splitlines()[wrong.value.line - 1] == f"created_at: {when}"
    assert path.read_text() == text

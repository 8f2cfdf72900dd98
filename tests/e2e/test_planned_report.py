"""From an instruction to a report, with a scripted model and a scripted agent."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import Repo

REPLIES = [
    {
        "when": "what has to be asked before",
        "json": {
            "title": "Greeting in two languages",
            "questions": [{"question": "Which file?", "options": ["hello.txt", "hi.txt"], "default": "hello.txt"}],
        },
    },
    {"when": "Your task: the specification", "text": "# Greeting\n\n## Summary\n\nA greeting, in a file of its own.\n"},
    {"when": "Your task: the technical plan", "text": "# Greeting\n\n## Approach\n\nWrite the file, then another.\n"},
    {
        "when": "Your task: the tasks",
        "json": {
            "tasks": [
                {"key": "T001", "title": "English", "description": "Test it too", "acceptance": ["hello.txt exists"]},
                {"key": "T002", "title": "Japanese", "description": "ja.txt", "acceptance": ["ja.txt exists"]},
                {"key": "T003", "title": "Both", "description": "all.txt", "acceptance": ["x"], "depends_on": ["T001"]},
            ]
        },
    },
    {"when": "Your task: judge this plan", "json": {"score": 90, "issues": []}},
    {"when": "Your task: review the work", "json": {"opinion": "approved", "reason": "fine", "suggestions": ["more"]}},
    {"when": "is this what was asked for", "json": {"complete": True, "score": 95, "suggestions": ["French"]}},
]


@pytest.fixture
def planned(repo: Repo, tmp_path: Path) -> Repo:
    deeds = {
        key: [[{"write": {"path": name, "text": "hello\n"}}]]
        for key, name in (("T001", "hello.txt"), ("T002", "ja.txt"), ("T003", "all.txt"))
    }
    (tmp_path / "deeds.json").write_text(json.dumps(deeds))
    (tmp_path / "replies.json").write_text(json.dumps([{**reply, "repeat": True} for reply in REPLIES]))
    repo.environ |= {
        "TORYO_MODEL_PROVIDER": "scripted",
        "TORYO_MODEL_SCENARIO": str(tmp_path / "replies.json"),
        "TORYO_AGENTS_SCRIPTED_SCENARIO": str(tmp_path / "deeds.json"),
    }
    return repo


@pytest.mark.covers("G6", "G18", "A28")
def test_what_was_decided_reaches_the_agents_and_the_report(planned: Repo) -> None:
    done = planned.toryo("run", "--agent", "scripted", "--yes", "Add a greeting in two languages")
    assert done.code == 0, done
    briefs = {path.read_text().partition("\n")[0]: path.read_text() for path in planned.store.glob("runs/*/prompt.md")}
    assert set(briefs) == {"# English", "# Japanese", "# Both"}
    assert all("- Which file? → hello.txt\n" in text for text in briefs.values())
    assert [title for title, text in briefs.items() if "- T002: Japanese" in text] == ["# Both"]
    report = planned.toryo("report").out
    for part in (
        "> Add a greeting in two languages",
        "- Which file? → **hello.txt** (by default, --yes)",
        "- scored 90 of 100",
        "**T002** approved: fine\n\n- suggestion: more\n",
        "The work was judged complete (95 of 100).\n\n- could follow: French",
        "(partly estimated)",
    ):
        assert part in report, part


def test_what_a_person_wrote_into_the_documents_is_kept_when_it_is_planned_anew(planned: Repo) -> None:
    assert planned.toryo("plan", "--agent", "scripted", "--yes", "Add a greeting in two languages").code in (0, 2)
    (spec,) = (planned.path / "specs").iterdir()
    (spec / "spec.md").write_text("# My own words\n")
    done = planned.toryo("reject", "--why", "shorter, please")
    assert (spec / "spec.md").read_text().startswith("# Greeting"), done
    kept = [path.read_text() for path in (planned.store / "kept" / spec.name).glob("spec-*.md")]
    assert kept == ["# My own words\n"]
    assert "- an earlier plan was rejected: shorter, please" in planned.toryo("report").out

"""`toryo prompts`: looking at the templates, and making them one's own."""

import json
from pathlib import Path

import pytest
from tests.support.repositories import Repo

from toryo.adapters.prompts import built_in, names


def listed(repo: Repo) -> dict[str, dict[str, str | None]]:
    rows = json.loads(repo.toryo("prompts", "list", "--json").out)["prompts"]
    return {row["name"]: row for row in rows}


@pytest.mark.covers("G7")
def test_templates_are_listed_shown_and_ejected(repo: Repo) -> None:
    assert [row["origin"] for row in listed(repo).values()] == ["built in"] * len(names())
    assert repo.toryo("prompts", "show", "plan").out == built_in("plan")
    done = repo.toryo("prompts", "eject", "plan", "tasks.md")
    assert done.code == 0, done
    folder = repo.path / ".toryo" / "prompts"
    assert done.out.splitlines() == [str(folder / "plan.md"), str(folder / "tasks.md")]
    repo.write(".toryo/prompts/plan.md", "Mine.\n")
    assert listed(repo)["plan"]["origin"] == "project"
    assert repo.toryo("prompts", "show", "plan").out == "Mine.\n"
    assert json.loads(repo.toryo("prompts", "show", "plan", "--json").out)["text"] == "Mine.\n"


def test_what_was_changed_is_not_written_over(repo: Repo) -> None:
    path = repo.write(".toryo/prompts/plan.md", "Mine.\n")
    done = repo.toryo("prompts", "eject")
    assert done.code == 73, done
    assert str(path) in done.err
    assert [each.name for each in path.parent.iterdir()] == ["plan.md"]
    assert repo.toryo("prompts", "eject", "--force").code == 0
    assert path.read_text() == built_in("plan")


def test_for_all_projects_and_outside_of_any(repo: Repo, tmp_path: Path) -> None:
    done = repo.toryo("prompts", "eject", "--user", "plan", cwd=tmp_path)
    assert done.code == 0, done
    own = Path(repo.environ["XDG_CONFIG_HOME"]) / "toryo" / "prompts" / "plan.md"
    assert own.read_text() == built_in("plan")
    assert listed(repo)["plan"]["path"] == str(own)
    assert "user" in repo.toryo("prompts", "list", cwd=tmp_path).out
    assert repo.toryo("prompts", "eject", "plan", cwd=tmp_path).code == 64, "there is no project here"


def test_names_that_are_not_known(repo: Repo) -> None:
    for args in (("show", "specfy"), ("eject", "plan", "specfy")):
        done = repo.toryo("prompts", *args)
        assert done.code == 64
        assert "did you mean 'specify'?" in done.err
    assert not (repo.path / ".toryo").exists()


@pytest.mark.covers("G7", "P2")
def test_doctor_names_templates_that_cannot_be_used(repo: Repo) -> None:
    repo.write(".toryo/prompts/plan.md", "{{nobody}}\n")
    repo.write(".toryo/prompts/score.md", "Mine.\n")
    repo.write(".toryo/prompts/revew.md", "Mine.\n")
    done = repo.toryo("doctor")
    assert done.code == 69
    assert "{{nobody}} that nothing fills" in done.out
    assert "not the built-in ones: score" in done.out
    assert "did you mean 'review'?" in done.out
    (repo.path / ".toryo" / "prompts" / "plan.md").unlink()
    assert repo.toryo("doctor").code == 0

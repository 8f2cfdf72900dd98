"""What stands where the documents of a plan should go: links, files, things that cannot be written."""

import os
import shutil
from pathlib import Path

import pytest
from tests.support.instructions import asks, kinds, planner, usual
from tests.support.repositories import Repo

WISH = "Add a greeting to the program"
BRANCH = "agent/add-a-greeting-to-the-program"


@pytest.fixture
def elsewhere(repo: Repo) -> Path:
    folder = repo.path.parent / "elsewhere"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("is_link", [True, False])
def test_nothing_is_written_outside_and_it_goes_on_once_the_way_is_free(
    repo: Repo, elsewhere: Path, is_link: bool
) -> None:
    specs = repo.path / "specs"
    if is_link:
        specs.symlink_to(elsewhere)
    else:
        specs.write_text("no folder\n")
    with planner(repo, usual("A")) as endpoint:
        done = asks(repo, WISH, "--yes")
        assert done.code == 2, done
        assert "Toryo could not do its part" in done.out
        assert "specs" in done.out
        assert list(elsewhere.iterdir()) == []
        specs.unlink()
        done = repo.toryo("resume", "--yes")
        assert done.code == 0, done
        assert endpoint.left_over == []
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}


def test_a_link_in_place_of_the_list_of_tasks_is_not_written_through(repo: Repo, elsewhere: Path) -> None:
    mine = elsewhere / "mine.md"
    with planner(repo, usual("A")):
        assert asks(repo, WISH).code == 2
        (folder,) = (repo.path / "specs").iterdir()
        shutil.move(folder / "tasks.md", mine)
        (folder / "tasks.md").symlink_to(mine)
        before = mine.read_text()
        assert repo.toryo("approve").code == 0
    assert mine.read_text() == before


def test_links_that_lead_nowhere_or_in_a_circle_are_refused_before_a_model_is_asked(repo: Repo) -> None:
    with planner(repo, []) as endpoint:
        (repo.path / "specs").symlink_to("specs")
        done = repo.toryo("spec", "specify", WISH)
        assert done.code == 73, done
        (repo.path / "specs").unlink()
        (repo.path / "specs").symlink_to("../nowhere")
        done = repo.toryo("spec", "specify", WISH)
        assert done.code == 73, done
        assert "leads out of the repository" in done.err
        assert endpoint.requests == ()
    assert not (repo.path.parent / "nowhere").exists()


def test_documents_removed_while_planning_goes_on_are_no_loss(repo: Repo) -> None:
    with planner(repo, usual("A")):
        assert asks(repo, WISH).code == 2
        shutil.rmtree(repo.path / "specs")
        done = repo.toryo("approve")
        assert done.code == 0, done
    assert repo.files_on(BRANCH) == {"README.md", "A.txt"}
    assert not (repo.path / "specs").exists()


@pytest.mark.covers("G34", "B2")
def test_where_calls_cannot_be_logged_no_reply_is_lost_and_nothing_is_asked_twice(repo: Repo) -> None:
    with planner(repo, usual("A")) as endpoint:
        repo.store.mkdir()
        (repo.store / "calls").write_text("in the way\n")
        done = asks(repo, WISH, "--yes")
        assert done.code == 0, done
        assert len(endpoint.requests) == 7
    assert "EffectFailed" not in kinds(repo)
    assert "a call is missing in" in (repo.store / "logs" / "toryo.log").read_text()


def test_a_list_of_tasks_that_cannot_be_read_is_said(repo: Repo) -> None:
    with planner(repo, usual("A")):
        assert asks(repo, WISH).code == 2
        (folder,) = (repo.path / "specs").iterdir()
        (folder / "tasks.md").chmod(0)
        if os.access(folder / "tasks.md", os.R_OK):
            pytest.skip("whoever runs this may read everything")
        done = repo.toryo("approve")
        assert done.code == 64, done
        assert "tasks.md cannot be read" in done.err
    assert "PlanApproved" not in kinds(repo)

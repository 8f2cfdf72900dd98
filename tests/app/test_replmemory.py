"""The REPL's memory of a repository, as its commands use it."""

import json
import threading
import time
from datetime import datetime

import pytest
from tests.support.repositories import Repo, shell
from tests.support.secrets import MIXED
from tests.support.sessions import opening

from toryo.app.project import open_project
from toryo.app.replmemory import ReplMemory
from toryo.domain.errors import ToryoError
from toryo.domain.plan import Chosen
from toryo.domain.repl import Provider, ReplState
from toryo.views.records.chronicle import chronicle
from toryo.views.records.results import session_record

pytestmark = pytest.mark.covers("P38")


def memory_of(repo: Repo) -> ReplMemory:
    return ReplMemory.open(open_project(repo.path))


@pytest.mark.covers("P23")
def test_a_selection_is_kept_and_holds_for_whoever_opens_it_next(repo: Repo) -> None:
    memory = memory_of(repo)
    assert memory.state == ReplState()
    assert memory.chosen == Chosen()
    assert not repo.store.exists()
    memory.select(Provider.OPENAI, "gpt-5")
    assert memory_of(repo).chosen == Chosen("openai", "gpt-5")
    updated = memory.state.updated_at
    assert updated is not None
    assert abs(datetime.fromisoformat(updated).timestamp() - time.time()) < 60
    assert memory.select(Provider.ANTHROPIC).selected_model is None
    assert memory.select(model=" 私の model ").selected_model == "私の model"
    assert memory.state.selected_provider is Provider.ANTHROPIC
    assert memory.select(None, None) == memory.state
    assert memory.chosen == Chosen()


@pytest.mark.parametrize("name", ["", "  \t", f"sk-{MIXED[:48]}"])
def test_what_cannot_be_a_model_is_refused_and_not_repeated(repo: Repo, name: str) -> None:
    memory = memory_of(repo)
    with pytest.raises(ToryoError) as refused:
        memory.select(model=name)
    assert refused.value.code == "E160"
    assert not name.strip() or name not in refused.value.message
    assert not repo.store.exists()


def test_what_two_select_at_the_same_time_is_never_mixed(repo: Repo) -> None:
    def select(provider: Provider, model: str) -> None:
        own = memory_of(repo)
        for _ in range(30):
            own.select(provider, model)

    pairs = [(Provider.OPENAI, "gpt"), (Provider.ANTHROPIC, "claude"), (Provider.CLAUDE_CODE, "opus")]
    threads = [threading.Thread(target=select, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        state = memory_of(repo).state
        assert (state.selected_provider, state.selected_model) in [*pairs, (None, None)]
    for thread in threads:
        thread.join()


def test_one_that_was_opened_before_the_first_session_notices_it_and_one_that_is_behind_undoes_nothing(
    repo: Repo,
) -> None:
    memory = memory_of(repo)
    assert repo.run(shell("A", "echo a > a.txt")).code == 0
    late = memory_of(repo)
    task = repo.tasks()["A"]["id"]
    project = open_project(repo.path)
    memory.note(project.session())
    assert memory.state.last_task_id == task
    assert repo.run(shell("A", "echo b > b.txt"), title="Another").code == 0
    newest = repo.tasks()["A"]["id"]
    old = project.load(project.journal.streams()[0])
    memory.note(project.session())
    late.note(old)
    assert late.state.last_task_id == newest
    project.close()


def test_noting_never_fails_but_the_next_look_does(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a.txt")).code == 0
    memory = memory_of(repo)
    path = repo.store / "repl.json"
    path.write_text("oh")
    assert repo.run(shell("A", "echo b > b.txt"), title="Another").code == 0
    memory.note(open_project(repo.path).session())
    with pytest.raises(ToryoError, match="not JSON"):
        memory.catch_up()
    with pytest.raises(ToryoError, match="not JSON"):
        _ = memory.chosen
    assert path.read_text() == "oh"


def test_where_nothing_happened_nothing_is_read_or_written(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a.txt")).code == 0
    memory = memory_of(repo)
    path = repo.store / "repl.json"
    path.write_text("nobody looks")
    memory.catch_up()
    memory.note(open_project(repo.path).session())
    assert path.read_text() == "nobody looks"


def test_a_journal_that_was_made_anew_is_the_one_that_counts(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a.txt")).code == 0
    memory = memory_of(repo)
    assert memory.state.last_task_id

    def lose_journal() -> None:
        for path in repo.store.glob("journal.db*"):
            path.unlink()

    lose_journal()
    assert repo.run(shell("A", "echo b > b.txt"), title="Another").code == 0
    memory.catch_up()
    assert memory.state.last_task_id == repo.tasks()["A"]["id"]
    lose_journal()
    memory.catch_up()
    assert json.loads((repo.store / "repl.json").read_text())["last_task_id"] is None


@pytest.mark.covers("P23")
@pytest.mark.parametrize(
    ("chosen", "shown"), [(Chosen("anthropic", "claude"), ("anthropic", "claude")), (Chosen(), (None, None))]
)
def test_until_a_model_has_answered_a_session_says_which_one_was_selected(
    chosen: Chosen, shown: tuple[str | None, str | None]
) -> None:
    record = session_record(chronicle(opening("A", chosen=chosen)), "/project")
    assert (record["selected_provider"], record["selected_model"]) == shown


def test_a_journal_that_was_only_being_made_is_seen_once_it_is(repo: Repo) -> None:
    repo.store.mkdir(mode=0o700)
    (repo.store / "journal.db").touch(mode=0o600)
    memory = memory_of(repo)
    assert memory.state.last_task_id is None
    repo.run(shell("A", "echo a > a"))
    memory.catch_up()
    assert memory.state.last_task_id == repo.tasks()["A"]["id"]

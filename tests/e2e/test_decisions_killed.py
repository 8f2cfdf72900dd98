"""Whoever decides about an intent may be killed at any step that writes: said once more, it is decided, and once."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.instructions import RECONSIDER, question, work, writes
from tests.support.intending import ANALYSE, JUDGED, intent, modelled, sessions, status, wish, work_off
from tests.support.mortal_program import dies_at
from tests.support.queueing import until_idle
from tests.support.repositories import Repo

_MOST = 30
_OPENED = 5
"""Steps of whoever opens a repository to write in it; dying at them is shown once, for all commands."""
ALL = "TORYO_TEST_ALL_KILLS"
"""Set it to see everybody killed at every single step; where agents work in each life, that takes minutes."""
_WITH_WORK = 1 if ALL in os.environ else 3
pytestmark = pytest.mark.timeout(900)  # dozens of lives, one after the other
Prepare = Callable[[str], None]
Look = Callable[[str], None]


def killed(
    repo: Repo, command: list[str], before: Prepare, after: Look, *, first: int = _OPENED + 1, every: int = 1
) -> int:
    """At which step last: it has no further one. At each there is another name in the place of NAME; `after` looks
    what came of it.
    """
    for step in range(first, _MOST, every):
        slug = f"wish-{step:02}"
        before(slug)
        was_killed = dies_at(repo, step, *(part.replace("NAME", slug) for part in command))
        after(slug)
        if not was_killed:
            return step - every
    raise AssertionError("there were more steps than it was killed at")


def _folder(repo: Repo) -> Path:
    return repo.path / ".toryo" / "intents"


def _left_over(repo: Repo, slug: str) -> list[str]:
    """What a death left beside its file, and nobody has cleared away."""
    return [path.name for path in _folder(repo).iterdir() if path.name.startswith(f".{slug}")]


def _sessions_of(repo: Repo, slug: str) -> list[str]:
    return [row["id"] for row in sessions(repo) if row["intent"] == slug]


def _runs(repo: Repo, slug: str) -> int:
    """How many agents were started for it."""
    (session,) = _sessions_of(repo, slug)
    return int(repo.info(session)["session"]["budget"]["runs"]["used"])


@pytest.mark.covers("F1", "F6")
def test_written_down_by_somebody_who_was_killed_it_is_there_once(repo: Repo) -> None:
    new = ["intent", "new", "About NAME", "-m", "日本語も。\nAll of it."]

    def after(slug: str) -> None:
        again = repo.toryo(*(part.replace("NAME", slug) for part in new))
        assert (again.code, again.out) == (0, f"about-{slug}\n"), again
        assert [path.stem for path in _folder(repo).glob(f"about-{slug}*.yaml")] == [f"about-{slug}"]
        said = intent(repo, f"about-{slug}")
        assert (said["title"], said["body"]) == (f"About {slug}", "日本語も。\nAll of it.\n")

    assert killed(repo, new, lambda slug: None, after, first=1) >= _OPENED + 3


@pytest.mark.covers("F1", "F6")
def test_approved_by_somebody_who_was_killed_several_are_approved_and_all_else_in_their_files_stays(repo: Repo) -> None:
    approve = ["approve", "NAME,other-NAME"]

    def before(slug: str) -> None:
        for name in (slug, f"other-{slug}"):
            repo.write(f".toryo/intents/{name}.yaml", f"# mine\ntitle: {name} # 私の\nnote: 1\n")

    def after(slug: str) -> None:
        assert repo.toryo("approve", f"{slug},other-{slug}").code == 0
        for name in (slug, f"other-{slug}"):
            text = (_folder(repo) / f"{name}.yaml").read_text()
            assert text.startswith(f"# mine\ntitle: {name} # 私の\nnote: 1\n")
            assert text.count("status: approved") == 1

    assert killed(repo, approve, before, after) >= _OPENED + 10
    assert sessions(repo) == []


@pytest.mark.covers("F6")
def test_begun_at_once_by_somebody_who_was_killed_it_is_begun_with_once(repo: Repo) -> None:
    modelled(repo)
    now = ["approve", "NAME", "--now"]

    def after(slug: str) -> None:
        until_idle(repo)
        if status(repo, slug) != "done":
            again = repo.toryo("approve", slug, "--now")
            until_idle(repo)
            if again.code:  # all was decided: only nobody was there yet to go on with it
                assert "is executing" in again.err, again
                assert work_off(repo).code == 0
        assert (status(repo, slug), len(_sessions_of(repo, slug))) == ("done", 1)
        assert _runs(repo, slug) == 1

    def before(slug: str) -> None:
        wish(repo, slug, type="docs", risk="low")

    assert killed(repo, now, before, after, every=_WITH_WORK) >= _OPENED + 13


@pytest.mark.covers("F6", "F8")
def test_answered_by_somebody_who_was_killed_it_is_answered_once(repo: Repo) -> None:
    asked = {"end": "questions", "questions": [question("Which greeting?", "Hello", "Hi")]}
    modelled(repo, ("→ Ahoy", {"end": "tasks", **JUDGED}), (ANALYSE, {**asked, **JUDGED}))

    def before(slug: str) -> None:
        wish(repo, slug, status="approved")
        assert work_off(repo).code == 2
        until_idle(repo)
        assert intent(repo, slug)["clarifications"][0]["answer"] is None

    def after(slug: str) -> None:
        until_idle(repo)
        again = repo.toryo("answer", slug, "Ahoy")
        assert again.code == 0 or "asks nothing" in again.err, again
        until_idle(repo)
        assert [one["answer"] for one in intent(repo, slug)["clarifications"]] == ["Ahoy"]
        work_off(repo)
        assert (status(repo, slug), len(_sessions_of(repo, slug))) == ("done", 1)
        assert _runs(repo, slug) == 1

    assert killed(repo, ["answer", "NAME", "Ahoy"], before, after, every=_WITH_WORK) >= _OPENED + 10


@pytest.mark.covers("F6")
def test_rejected_by_somebody_who_was_killed_nothing_comes_of_it_any_more(repo: Repo) -> None:
    modelled(repo)

    def before(slug: str) -> None:
        wish(repo, slug)
        assert work_off(repo).code == 2, "what it comes to is known, and nobody has let it through"
        until_idle(repo)

    def after(slug: str) -> None:
        again = repo.toryo("reject", slug, "--why", "no")
        assert again.code == 0 or "rejected already" in again.err, again
        said = intent(repo, slug)
        assert (said["status"], said["reason"]) == ("rejected", "no")
        (session,) = [row for row in sessions(repo) if row["intent"] == slug]
        assert session["state"] == "closed"

    assert killed(repo, ["reject", "NAME", "--why", "no"], before, after, every=_WITH_WORK) >= _OPENED + 7


@pytest.mark.covers("F2", "F6", "F12")
def test_sent_round_again_by_somebody_who_was_killed_it_is_done_once_more_with_the_words(repo: Repo) -> None:
    given_up = {"remedy": "ask", "reason": "it is broken", "advice": "What now?"}
    modelled(repo, (RECONSIDER, given_up), keys=("A", "B"))
    repo.environ["TORYO_RUN_ATTEMPTS"] = "1"

    def before(slug: str) -> None:
        work(repo, {"A": [[writes("A.txt")]], "B": [[{"exit": 3}]]})
        wish(repo, slug, status="approved", type="docs", risk="low")
        assert work_off(repo).code == 2
        until_idle(repo)
        assert status(repo, slug) == "blocked"
        work(repo, {"B": [[writes("B.txt")]]})

    def after(slug: str) -> None:
        until_idle(repo)
        if status(repo, slug) != "done":
            again = repo.toryo("retry", slug, "--say", "make it anew")
            assert again.code == 0 or f"toryo approve {slug} --now" in again.err, again
            until_idle(repo)
            work_off(repo)
        assert (status(repo, slug), len(_sessions_of(repo, slug))) == ("done", 1)
        assert _runs(repo, slug) == 3
        told = repo.toryo("logs", _sessions_of(repo, slug)[0], "--events").out
        assert told.count("make it anew") == 1, told

    assert killed(repo, ["retry", "NAME", "--say", "make it anew"], before, after, every=_WITH_WORK) >= _OPENED + 7


@pytest.mark.covers("F6")
def test_what_is_said_for_another_try_stands_in_the_file_once(repo: Repo) -> None:
    def before(slug: str) -> None:
        wish(repo, slug, status="error", body="All.\n", reason="it broke")

    def after(slug: str) -> None:
        again = repo.toryo("retry", slug, "--say", "slowly")
        assert again.code == 0 or f"toryo approve {slug} --now" in again.err, again
        said = intent(repo, slug)
        assert (said["status"], said["body"]) == ("approved", "All.\n\nSaid by a person, for another try: slowly\n")
        assert repo.toryo("reject", slug, "--why", "enough").code == 0
        assert _left_over(repo, slug) == []

    assert killed(repo, ["retry", "NAME", "--say", "slowly"], before, after) >= _OPENED + 5

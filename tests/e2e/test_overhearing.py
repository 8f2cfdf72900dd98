"""Whoever does not conduct reads a model's reply as it comes; whoever conducts never suffers for it."""

import asyncio
import os
import signal
import stat
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.support.instructions import PLAN, SPEC, asks, plan, planner, questions, score, spec, task, tasks
from tests.support.planning_server import Hang
from tests.support.queueing import conductor
from tests.support.repositories import Repo, until

from toryo.app.overhearing import Overheard, leave_to_hear, overheard
from toryo.app.project import open_project
from toryo.rules.unfolding import unfolded

WISH = "Add a greeting to the program"
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAaB3d"
BEGUN = f"# A greeting\n\n## Summary\n\nSay hello, with {SECRET} in it.\n\nAnd then it says so"


async def _hears(repo: Repo, session_id: str, until_so: str, *, is_over: bool = False) -> list[Overheard]:
    """Everything up to the moment at which this is part of a reply, or that reply is over."""
    told: list[Overheard] = []
    async with asyncio.timeout(60), aclosing(overheard(repo.path, session_id)) as heard:
        async for each in heard:
            told.append(each)
            if until_so in each.text and each.is_over >= is_over:
                return told
    raise AssertionError(told)


def _session(repo: Repo) -> str:
    def latest() -> str:
        project = open_project(repo.path)
        rows = project.summaries()
        project.close()
        return str(rows[0]["id"]) if rows else ""

    return str(until(latest))


async def test_a_reply_is_read_masked_while_it_comes_and_is_over_once_its_conductor_was_killed(repo: Repo) -> None:
    with planner(repo, [questions(), Hang(60, BEGUN, when=SPEC)]):
        assert (await asyncio.to_thread(asks, repo, WISH, "--detach")).code == 0
        session_id = _session(repo)
        heard = await _hears(repo, session_id, "And then")
        last = heard[-1]
        assert (last.question, last.is_over) == ("specify", False)
        assert unfolded(last.text).startswith("# A greeting\n\n## Summary\n\nSay hello, with [MASKED:")
        path = repo.store / "heard" / session_id
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert SECRET[8:] not in path.read_text()

        async with asyncio.timeout(15), aclosing(overheard(repo.path, session_id)) as again:
            assert not (await anext(again)).is_over
            os.kill(conductor(repo), signal.SIGKILL)
            gone = await anext(again)  # told by the process's end, as no file changes
        assert (gone.text, gone.is_over) == (last.text, True)
        async with aclosing(overheard(repo.path, session_id)) as later:
            assert (await anext(later)).is_over


async def test_every_reply_of_the_planner_is_heard_to_its_end_and_nothing_is_left_behind(repo: Repo) -> None:
    said = "# The last document\n\n## Summary\n\nWhat is to be true, in enough words for anybody.\n"
    hangs = Hang(60, "# Never over\n\nheld up " + "for long " * 40, when=PLAN)
    with planner(repo, [questions(title="挨拶を追加"), spec(said), hangs]):
        process = repo.start("run", WISH)
        session_id = _session(repo)
        heard = await _hears(repo, session_id, "held up")
        by_question = {one.question: one for one in heard if one.is_over}
        assert set(by_question) <= {"questions", "specify"}  # who reads now and then need not see each of them
        assert all(one.text == said for name, one in by_question.items() if name == "specify")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert list((repo.store / "heard").iterdir()) == []


def test_where_it_cannot_be_written_the_call_goes_on_all_the_same(repo: Repo) -> None:
    repo.toryo("status")
    Path(repo.store).mkdir(mode=0o700, exist_ok=True)
    (repo.store / "heard").write_text("in the way of the folder")
    with planner(repo, [questions(), spec(), plan(), tasks(task("A")), score(90)]) as endpoint:
        done = asks(repo, WISH, "--dry-run")
        assert done.code == 0, done
        assert endpoint.left_over == []


@pytest.mark.parametrize("length", [10, 3_000_000])
def test_what_is_kept_of_a_reply_is_bounded_and_whole_or_not_there(tmp_path: Path, length: int) -> None:
    (tmp_path / "heard").mkdir()
    (tmp_path / "heard" / "session-0").write_text("of somebody who was killed")
    with leave_to_hear(tmp_path, "session-1") as left:
        left.hear("plan", "")
        for start in range(0, length, 50_000):
            left.hear("plan", "word " * (min(50_000, length - start) // 5))
            left.hear("review", "nobody reads this here")
        left.hear_out("plan")
        path = tmp_path / "heard" / "session-1"
        until(lambda: path.exists() and '"over": true' in path.read_text())
        assert path.stat().st_size < 200_000
        assert "nobody" not in path.read_text()
    assert list(path.parent.iterdir()) == []

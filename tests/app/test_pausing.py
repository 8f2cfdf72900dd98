"""What waits can be stopped, and only what was stopped is."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from toryo.app.pausing import heed, pause, run, stoppable


def test_a_pause_ends_as_soon_as_it_is_stopped() -> None:
    stopped, ended = threading.Event(), []

    def wait() -> None:
        with stoppable(stopped), pytest.raises(KeyboardInterrupt):
            pause(60)
        ended.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    stopped.set()
    thread.join(30)
    assert ended


def test_who_was_not_stopped_waits_on() -> None:
    stopped = threading.Event()
    stopped.set()
    pause(0)
    heed()
    with stoppable(stopped):
        with pytest.raises(KeyboardInterrupt):
            heed()
        other = threading.Thread(target=pause, args=(0,))
        other.start()
        other.join()
    heed()


def test_work_in_a_loop_is_cancelled_and_puts_things_in_order() -> None:
    stopped, order = threading.Event(), []

    async def work() -> None:
        stopped.set()
        try:
            await asyncio.sleep(60)
        finally:
            order.append("put in order")

    with stoppable(stopped), pytest.raises(KeyboardInterrupt):
        run(work())
    assert order == ["put in order"]


def test_work_that_nobody_stops_comes_to_its_end() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 42

    assert run(work()) == 42
    with stoppable(threading.Event()):
        assert run(work()) == 42


@pytest.mark.parametrize("command", ["status", "inbox", "queue", "intent_list", "intent_show", "history", "info"])
def test_looking_at_how_it_stands_loads_nothing_that_only_work_needs(command: str) -> None:
    program = f"import sys, toryo.frontends.cli.{command}; sys.exit('asyncio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_looking_at_what_waits_loads_nothing_that_only_writing_and_working_need() -> None:
    needless = {"toryo.app.crew", "toryo.adapters.intentwriting", "toryo.rules.likeness", "toryo.views.records.shapes"}
    program = f"import sys, toryo.frontends.cli.inbox; print(*{needless} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []

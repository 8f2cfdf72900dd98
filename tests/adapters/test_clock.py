"""Waiting for a time of day that somebody may change."""

import asyncio
import time

import pytest

from toryo.adapters.clock import SystemClock


class Jumping(SystemClock):
    """Set by so many seconds once somebody has begun to wait."""

    longest_nap = 0.01

    def __init__(self, seconds: float) -> None:
        self._seconds, self._looks = seconds, 0

    def now(self) -> float:
        self._looks += 1
        return time.time() + (self._seconds if self._looks > 2 else 0.0)


@pytest.mark.covers("B2")
@pytest.mark.parametrize("seconds", [-3 * 86400.0, 0.0, 3 * 86400.0])
async def test_a_clock_that_is_set_meanwhile_makes_nobody_wait_longer(seconds: float) -> None:
    async with asyncio.timeout(30):
        await Jumping(seconds).sleep_until(time.time() + 0.1)


async def test_what_is_over_is_not_waited_for() -> None:
    async with asyncio.timeout(30):
        await SystemClock().sleep_until(time.time() - 10)

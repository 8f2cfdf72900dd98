"""The time of day."""

import asyncio
import time


class SystemClock:
    def now(self) -> float:
        return time.time()

    async def sleep_until(self, moment: float) -> None:
        # Slept in slices: a laptop that was closed meanwhile should not sleep on.
        while (left := moment - time.time()) > 0:
            await asyncio.sleep(min(left, 5.0))

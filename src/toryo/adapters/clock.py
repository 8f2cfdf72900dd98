"""The time of day."""

import asyncio
import time

_SINCE_BOOT = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class SystemClock:
    longest_nap = 5.0
    """Slept in slices: a laptop that was closed meanwhile should not sleep on."""

    def now(self) -> float:
        return time.time()

    async def sleep_until(self, moment: float) -> None:
        """Until the clock says so, or until as much time went by as it took when asked: a clock can be set back."""
        end = time.clock_gettime(_SINCE_BOOT) + (moment - self.now())
        while (left := min(moment - self.now(), end - time.clock_gettime(_SINCE_BOOT))) > 0:
            await asyncio.sleep(min(left, self.longest_nap))

"""Children this process never started."""

import os
from contextlib import suppress

import psutil


def children_since(began: float) -> list[psutil.Process]:
    """Those that were started since; older ones are what killed conductors of other tests left behind.

    Where a host works in this process, orphans become its children, whenever their parents die; they are collected.
    """
    found = []
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):
            if child.create_time() >= began - _CLOCK_TICK:
                found.append(child)
            elif child.status() == psutil.STATUS_ZOMBIE:
                with suppress(ChildProcessError):
                    os.waitpid(child.pid, os.WNOHANG)
    return found


_CLOCK_TICK = 0.02

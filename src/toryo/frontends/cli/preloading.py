"""Loading what will be needed soon while git is at work on something else."""

import sys
import threading
from importlib import import_module

_HAND_OVER = 0.0005
"""Seconds. Whoever hears from git is to go on at once, and not after ten times as long, as by default."""


def preload(*modules: str) -> None:
    """Loads the modules in the background; whoever imports them later waits for what is left of that."""
    sys.setswitchinterval(_HAND_OVER)
    threading.Thread(target=lambda: [import_module(name) for name in modules], daemon=True).start()

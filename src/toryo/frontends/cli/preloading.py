"""Loading what will be needed soon while git is at work on something else."""

import threading
from importlib import import_module


def preload(*modules: str) -> None:
    """Loads the modules in the background; whoever imports them later waits for what is left of that."""
    threading.Thread(target=lambda: [import_module(name) for name in modules], daemon=True).start()

"""Processes of tmux that become our children: a server is born as an orphan, and leaves its windows as such."""

import os
from pathlib import Path

from toryo.adapters import children, processes

# Children belong to the whole process, so what is known of them does too.
_servers: dict[int, Path] = {}
_panes: set[processes.Process] = set()


def expect(server: int, socket: str, pane: int) -> None:
    """Keeps them from being taken for what a run left behind."""
    found, shown = processes.look_at(server), processes.look_at(pane)
    if found and found.parent == os.getpid():
        _servers[server] = Path(socket)
        children.expect(server, Path(socket))
        _panes.update({shown} if shown else ())


def collect() -> None:
    """Reaps those that have ended."""
    for server, socket in list(_servers.items()):
        if children.reap(server, socket) or not children.is_expected(server, socket):
            del _servers[server]
    children.reap_orphans(_panes)
    _panes.intersection_update([pane for pane in _panes if processes.look_at(pane.pid) == pane])

"""Processes of tmux that become our children: a server is born as an orphan, and leaves its windows as such."""

import os
from pathlib import Path

from toryo.adapters import children, processes

# Children belong to the whole process, so what is known of them does too.
_servers: dict[processes.Process, Path] = {}
_panes: set[processes.Process] = set()


def expect(server: int, socket: str, pane: int) -> None:
    """Keeps them from being taken for what a run left behind."""
    if found := processes.look_at(server):
        _servers[found] = Path(socket)
    if shown := processes.look_at(pane):
        _panes.add(shown)
    collect()


def collect() -> None:
    """Reaps those that have ended."""
    for server, socket in list(_servers.items()):
        now = processes.look_at(server.pid)
        # Looked at each time: whether a server is ours is settled a moment after it has begun to answer.
        if now == server and now.parent == os.getpid():
            children.expect(server.pid, socket)
            children.reap(server.pid, socket)
        elif now != server:
            del _servers[server]
    children.reap_orphans(_panes)
    _panes.intersection_update([pane for pane in _panes if processes.look_at(pane.pid) == pane])

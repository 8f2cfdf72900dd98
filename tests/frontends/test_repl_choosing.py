"""Choosing from a list with the arrow keys, on a real pseudo-terminal."""

import os
import pty
import select
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from tests.support.repositories import Repo
from tests.support.sessions import opening

from toryo.app.project import open_project
from toryo.frontends.repl.verbs.choosing import opened

DOWN = "\x1b[B"
CHOOSE = """
import asyncio, click
from toryo.frontends.repl.verbs.choosing import choose_one

def choose():
    try:
        return choose_one("Who plans?", [("a", "first"), ("b", "second: 二番目"), ("default", "as configured")], "a")
    except click.Abort:
        return "left as it was"

async def within_a_loop():
    return choose()

print("CHOSEN", {call})
"""


def chosen(call: str, keys: str) -> str:
    """What is printed after these keys, each pressed once the list is on the screen."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CHOOSE.replace("{call}", call)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(follower)
    seen, is_answered, give_up = "", False, time.monotonic() + 60
    try:
        while time.monotonic() < give_up:
            if not is_answered and "as configured" in seen:
                is_answered = True
                os.write(leader, keys.encode())
            if not select.select([leader], [], [], 0.05)[0]:
                continue
            try:
                seen += os.read(leader, 65536).decode(errors="replace")
            except OSError:
                break
        assert process.wait(timeout=10) == 0, seen
        return seen.rpartition("CHOSEN ")[2].strip()
    finally:
        os.close(leader)
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.mark.covers("P41")
@pytest.mark.parametrize("call", ["choose()", "asyncio.run(within_a_loop())"])
@pytest.mark.parametrize(
    ("keys", "expected"), [("\r", "a"), (f"{DOWN}\r", "b"), (f"{DOWN}{DOWN}\r", "default"), ("\x03", "left as it was")]
)
def test_one_is_chosen_with_the_arrow_keys(call: str, keys: str, expected: str) -> None:
    assert chosen(call, keys) == expected


def test_a_model_is_chosen_without_reading_the_sessions(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_project(repo.path, writing=True)) as project:
        project.begin(*opening("A"))
    with closing(sqlite3.connect(repo.store / "journal.db")) as journal, journal:
        journal.execute("UPDATE events SET body = 'not to be read' WHERE seq > 1")
        journal.execute('UPDATE summaries SET body = replace(body, \'"tasks":{"planned"\', \'"tasks":{"running"\')')
    monkeypatch.chdir(repo.path)
    project, memory = opened()
    with closing(project):
        assert memory.select(model="gpt-5").selected_model == "gpt-5"

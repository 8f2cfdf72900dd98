"""Agents that a person starts by hand on a branch, their windows, and a shell in the branch's worktree."""

import asyncio
import os
import shutil
import time
from contextlib import closing
from pathlib import Path
from typing import Protocol, cast

from toryo.adapters import processes
from toryo.adapters.agents.opening import Opening
from toryo.adapters.agents.probing import Login, login_of
from toryo.adapters.git.command import without_location
from toryo.adapters.git.place import Place, cannot_write, ensure_store
from toryo.adapters.hosts import keyboard, records, terminal, windows
from toryo.adapters.hosts.tmux_command import Tmux, TmuxFailed, folder_word, socket_of, window_name
from toryo.adapters.settings import AgentSettings, Settings, load_settings
from toryo.app.attending import attaching_command
from toryo.app.branchcare import refusal, refuse_at_work
from toryo.app.branchfinding import sight_of
from toryo.app.branchhands import Hand, hand_of, is_at_work, note_hand, record_for, turn_at
from toryo.app.branchmaking import make_worktree
from toryo.app.crew import agents_of, look_for_agents, unknown_agent, why_no_windows
from toryo.app.project import open_project
from toryo.domain.branch import AgentHere, Branch, Shell, Started
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.task import LIVE
from toryo.engine.performers.recording import write_private
from toryo.ports import Agent, Invocation, Launch, Screen
from toryo.rules.environment import allowed

_READY_WITHIN, _LOOK_EVERY = 15.0, 0.1
_BEGUN_WITHIN = 2.0


class _Opens(Protocol):
    """An agent that has a screen of its own."""

    def opening(self, seat: Opening) -> Invocation | None: ...


# ── who is here ──────────────────────────────────────────────────────────────


def agents_here(root: Path) -> tuple[AgentHere, ...]:
    found = look_for_agents(load_settings(root, os.environ, {}))
    windows = why_no_windows("auto")
    told = []
    for one in found:
        if _has_screen(one.agent):
            why = f"tmux is required, and {windows}" if windows else "" if one.probe.is_usable else one.probe.says
            told.append(AgentHere(one.agent.name, one.probe.version, why))
    return tuple(told)


def _has_screen(agent: Agent) -> bool:
    return hasattr(agent, "opening")


# ── starting ─────────────────────────────────────────────────────────────────


def start_agent(root: Path, branch: str, agent: str, prompt: str) -> Started:
    sight, found, _ = sight_of(root, branch)
    place, settings = sight.place, load_settings(sight.place.root, os.environ, {})
    one = _usable(settings, agent)
    refuse_at_work(place, found)
    ensure_store(place)
    worktree = make_worktree(root, branch)
    record = record_for(place, branch)
    try:
        with turn_at(record):
            if is_at_work(record):
                refuse_at_work(place, sight_of(root, branch)[1])
            return _start(place, found, one, worktree, record, prompt.strip())
    except TmuxFailed as failed:
        hint = "'tmux -V' and 'toryo doctor' say more"
        raise ToryoError(
            "E504", f"tmux could not open a window: {failed}", hint=hint, exit_code=Exit.MISSING
        ) from failed
    except OSError as error:
        raise cannot_write(record, error) from error


def _usable(settings: Settings, name: str) -> Agent:
    """Says what is missing before anything is made."""
    agents = agents_of(settings)
    if name not in agents:
        raise unknown_agent(name, agents)
    agent = agents[name]
    if not _has_screen(agent):
        raise ToryoError("E501", f"agent {name} has no screen of its own to start", hint="'toryo agents' shows others")
    if why := why_no_windows("auto"):
        raise ToryoError("E503", f"tmux is required, and {why}", hint="install tmux", exit_code=Exit.MISSING)
    environ = _environment(settings, agent)
    program = agent.program()
    if program is not None and shutil.which(program, path=environ.get("PATH")) is None:
        raise ToryoError(
            "E502",
            f"agent {name}: its program '{program}' is not installed",
            hint="install it, or name another agent; 'toryo agents' shows what is here",
            exit_code=Exit.MISSING,
        )
    login, says, advice = login_of(name, environ, Path(environ.get("HOME") or Path.home()))
    if login is Login.NO:
        raise ToryoError("E518", f"agent {name}: nobody is logged in ({says})", hint=advice, exit_code=Exit.MISSING)
    return agent


def _environment(settings: Settings, agent: Agent) -> dict[str, str]:
    own = settings.agents.get(agent.name, AgentSettings())
    return {**allowed(without_location(os.environ), agent.passes), **own.env}


def _start(place: Place, branch: Branch, agent: Agent, worktree: Path, record: Path, prompt: str) -> Started:
    prompt_file = record / "prompt.md"
    invocation = cast(_Opens, agent).opening(Opening(worktree, prompt, prompt_file))
    if invocation is None:
        words = "takes no prompt at its start" if prompt else "does nothing without a prompt"
        hint = "start it without one, and type it in its window" if prompt else "say what it is to do"
        raise refusal("E519", f"agent {agent.name} {words}", hint)
    if prompt:
        write_private(prompt_file, prompt)
    environ = {**allowed(without_location(os.environ), agent.passes), **invocation.env}
    screen = Screen(f"toryo-by-hand-{place.root.name}", f"{agent.name} {branch.name}", None)
    launch = Launch(record, invocation.argv, worktree, environ, screen=screen)
    note_hand(record, Hand(branch.name, agent.name, str(worktree), time.time()))
    window, note = asyncio.run(_open(launch, screen, record, prompt if invocation.ready else "", invocation.ready))
    return Started(branch.name, agent.name, worktree, tuple(windows.attach_argv(window, os.environ)), note)


async def _open(launch: Launch, screen: Screen, record: Path, typed: str, ready: str) -> tuple[windows.Window, str]:
    records.prepare(launch, record)
    script = terminal.write_own_script(launch, record)
    try:
        window = await windows.open_window(Tmux.of(os.environ), screen, terminal.pane_argv(script, record), launch.cwd)
        windows.note(record, window)
        await _until_begun(script, window.process)
    finally:
        script.unlink(missing_ok=True)
    return window, await _type(window, typed, ready) if typed else ""


async def _until_begun(script: Path, process: int) -> None:
    """Until the script has been read, whose beginning removes it: from then on its process is known by its mark."""
    give_up = time.monotonic() + _BEGUN_WITHIN
    while script.exists() and processes.look_at(process) and time.monotonic() < give_up:
        await asyncio.sleep(0.005)


async def _type(window: windows.Window, text: str, ready: str) -> str:
    """What is left to the person."""
    give_up = time.monotonic() + _READY_WITHIN
    while time.monotonic() < give_up and processes.look_at(window.process):
        if ready in await keyboard.screen_text(window):
            await keyboard.type_in(window, text)
            return ""
        await asyncio.sleep(_LOOK_EVERY)
    return f"it did not show '{ready}', so what it is to do has to be typed in"


# ── windows ──────────────────────────────────────────────────────────────────


def window_argv(root: Path, branch: str) -> list[str]:
    sight, found, _ = sight_of(root, branch)
    record = record_for(sight.place, branch)
    if is_at_work(record) and (window := asyncio.run(windows.window_of(record))):
        return windows.attach_argv(window, os.environ)
    if found.work is not None and found.work.is_running:
        with closing(open_project(sight.place.root)) as project:
            session = project.session(found.work.session)
            running = [task for task in session.tasks.values() if task.state in LIVE]
            own = [task for task in running if not found.work.task or task.plan.key == found.work.task]
            if own:
                return attaching_command(project, session, own[0])
    hand = hand_of(record)
    was = f"; {hand.agent}, started by hand, has ended" if hand else ""
    raise ToryoError(
        "E505",
        f"nobody is at work on {branch}{was}",
        hint="start an agent on it, or open a shell in its worktree",
    )


def shell_argv(root: Path, branch: str) -> Shell:
    worktree = make_worktree(root, branch)
    if socket := socket_of(os.environ):
        argv = ("tmux", "-S", socket, "new-window", "-c", folder_word(worktree), "-n", window_name(branch))
        return Shell(worktree, argv, is_elsewhere=True)
    return Shell(worktree, (os.environ.get("SHELL") or "/bin/sh",), is_elsewhere=False)

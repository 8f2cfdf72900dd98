"""Shared by the performers: running a command on record, and turning what was seen into evidence."""

import asyncio
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from toryo.domain.evidence import CheckResult, CheckStatus, Evidence, Operation, sealed
from toryo.domain.facts import fact
from toryo.domain.plan import Check, WorktreeChoice
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.ports import Agent, Ended, Launch, Seat, World
from toryo.rules.environment import allowed, without_nesting
from toryo.rules.flows import type_of
from toryo.rules.masking import HIDDEN, mask
from toryo.rules.naming import folder_of
from toryo.rules.testimony import worded

_TAIL_LINES, _TAIL_LENGTH = 40, 6000
_LOOK_FOR_SECRETS_IN = 65536
_CHUNK = 1 << 20
_MARKS = (b"[MASKED:", HIDDEN.encode())
_CHECKOUT = "checkout.json"


def seat_of(session: Session, task: Task) -> Seat:
    """Where the task works: a folder named like its branch, or the session's shared one."""
    if task.plan.worktree is WorktreeChoice.SHARED:
        return Seat(task.plan.branch, f"{folder_of(session.branch)}.shared")
    return Seat(task.plan.branch, folder_of(task.plan.branch))


def home_of(session: Session) -> Seat:
    """Where the session's own branch is checked out."""
    return Seat(session.branch, folder_of(session.branch))


def merging_commit(session: Session, task: Task) -> str:
    """The commit a conflict-resolution has to bring in; empty for every other task."""
    return task.plan.merging if task.resolves is None else session.tasks[task.resolves].commit


def environment_of(world: World, session: Session, task: Task | None = None) -> dict[str, str]:
    """What the person's own commands see: their environment, without what ties it to an outer run."""
    return {**without_nesting(world.environment), **_variables(world, session, task)}


def _variables(world: World, session: Session, task: Task | None) -> dict[str, str]:
    variables = {"TORYO_SESSION": session.id, "TORYO_MAIN": str(world.root)}
    if session.pursuit is not None:
        variables |= {"TORYO_INTENT": session.pursuit.intent, "TORYO_INTENT_TYPE": type_of(session.pursuit)}
    if task is not None:
        variables["TORYO_TASK"] = task.id
        if task.run is not None:
            variables["TORYO_RUN"] = task.run.id
            variables["TORYO_ATTEMPT"] = str(task.attempts + 1)
    return variables


def agent_of(world: World, name: str) -> Agent:
    try:
        return world.agents[name]
    except KeyError:
        raise LookupError(f"there is no agent '{name}' any more: its configuration is gone") from None


def agent_environment(world: World, session: Session, task: Task, agent: Agent) -> dict[str, str]:
    """What an agent gets to see: names that are known to be harmless or needed, and those it was granted."""
    granted = allowed(world.environment, agent.passes)
    return {**granted, **_variables(world, session, task)}


async def note_checkout(world: World, agent: Agent, directory: Path) -> None:
    """How the person's own checkout looked before the agent started; a plan's own commands are the person's."""
    note = directory / _CHECKOUT
    if agent.name != "shell" and not note.exists():
        write_private(note, json.dumps(await world.checkout.look()))


async def changed_outside(world: World, directory: Path) -> tuple[str, ...]:
    """What has changed in the person's own checkout since then."""
    try:
        before = json.loads((directory / _CHECKOUT).read_bytes())
    except (OSError, ValueError):
        return ()
    now = await world.checkout.look()
    return tuple(sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path)))


def write_private(path: Path, text: str) -> None:
    # Agents write what they like; a lone surrogate in feedback must not stop the next run.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode(errors="backslashreplace"))


@fact
class Ran:
    """A command that was run on record; `ended` is None where it vanished."""

    ended: Ended | None
    timed_out: bool
    seconds: float


async def run_on_record(
    world: World,
    command: str,
    *,
    directory: Path,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    grace: float,
) -> Ran:
    """Runs a shell command to its end; asked again after a restart it picks up the one under way."""
    await world.host.start(Launch(directory, ("/bin/sh", "-c", command), cwd, env))
    timed_out = False
    try:
        async with asyncio.timeout(timeout):
            ended = await world.host.wait(directory)
    except TimeoutError:
        timed_out = True
        ended = await world.host.stop(directory, grace)
    except asyncio.CancelledError:
        await world.host.stop(directory, grace)
        shutil.rmtree(directory, ignore_errors=True)  # being cut off says nothing: next time it begins anew
        raise
    await world.host.mask_record(directory)
    started = (directory / "launch.json").stat().st_mtime
    return Ran(ended, timed_out, max(0.0, (ended.at if ended else world.clock.now()) - started))


async def run_check(
    world: World, check: Check, *, directory: Path, cwd: Path, env: Mapping[str, str], grace: float
) -> CheckResult:
    """Runs one check in one folder."""
    ran = await run_on_record(
        world, check.command, directory=directory, cwd=cwd, env=env, timeout=check.timeout, grace=grace
    )
    tail = tail_of(directory / "output.log")
    if ran.timed_out:
        return CheckResult(check.name, CheckStatus.TIMED_OUT, None, ran.seconds, tail)
    if ran.ended is None:
        return CheckResult(check.name, CheckStatus.FAILED, None, ran.seconds, "its process vanished\n" + tail)
    status = CheckStatus.PASSED if ran.ended.code == 0 else CheckStatus.FAILED
    return CheckResult(check.name, status, ran.ended.code, ran.seconds, "" if ran.ended.code == 0 else tail)


def check_directory(world: World, run_id: str, place: int, stage: str = "check") -> Path:
    return world.run_directory(run_id) / f"{stage}-{place}"


def tail_of(log: Path, *, lines: int = _TAIL_LINES, length: int = _TAIL_LENGTH) -> str:
    """The last lines of a log, masked."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _LOOK_FOR_SECRETS_IN))
            # Masked before it is cut: half a secret would not be recognised.
            text = mask(file.read().decode(errors="replace"))
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])[-length:]


def end_of(log: Path) -> str:
    """The last few lines of a log, as they are, with whatever stands behind the last line break."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_LENGTH))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def evidence_of(
    world: World,
    about: Task | Session,
    operation: Operation,
    facts: Mapping[str, object],
    *,
    log: Path | None = None,
    after: Evidence | None = None,
) -> Evidence:
    """One sealed record, chained to the evidence so far, or to one that is about to be recorded with it."""
    digest, sensitive = _read_log(log) if log else ("", False)
    words = worded(facts)
    where = str(log.relative_to(world.store)) if log and digest else ""
    return sealed(
        Evidence(operation, world.clock.now(), words, where, digest, sensitive, after.sha256 if after else about.chain)
    )


def _read_log(log: Path) -> tuple[str, bool]:
    """The hash of a log that was masked before, and whether anything was."""
    sha, is_sensitive, end = hashlib.sha256(), False, b""
    try:
        with log.open("rb") as file:
            while chunk := file.read(_CHUNK):
                sha.update(chunk)
                is_sensitive = is_sensitive or any(mark in end + chunk for mark in _MARKS)
                end = chunk[-40:]
    except OSError:
        return "", False
    return sha.hexdigest(), is_sensitive

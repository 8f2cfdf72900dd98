"""Looking now and then whether what is being worked on will merge; agents that do nothing cost nothing."""

import asyncio
import logging
import weakref
from pathlib import Path

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.collisions import Collision
from toryo.domain.errors import GitFailed
from toryo.domain.facts import fact
from toryo.domain.plan import Collisions
from toryo.domain.session import Session
from toryo.domain.task import TaskState
from toryo.engine.performers.recording import seat_of
from toryo.ports import Foresight, Picture, Sight, World
from toryo.rules.collisions import Work, collisions_now, touched_now, touched_of, works_of

log = logging.getLogger(__name__)
SOON, OFTEN = 2.0, 20.0
"""Seconds: after a run began or ended; between looks at runs that tell something."""
SILENT, SELDOM = 120.0, 1200.0
"""After which one that tells nothing is looked at nevertheless: at first, and at last."""
_SHARE = 10.0
"""So many times as long as a look took nobody looks again."""


async def foresee_collisions(world: World, session: Session, effect: fx.ForeseeCollisions) -> e.Event:
    """Waits until the picture is another than the recorded one."""
    foresight = world.foresight
    works, watch = works_of(session), _watches.setdefault(foresight, _Watch())

    def sights() -> tuple[Sight, ...]:
        return tuple(_sight(world, session, work, watch) for work in works)

    while True:
        if event := _news(session, foresight.known(sights(), session.tip), world.clock.now()):
            return event
        await world.clock.sleep_until(watch.due(session, works, world.clock.now()))
        await watch.look(world, foresight, sights(), session)


def _news(session: Session, picture: Picture, now: float) -> e.Event | None:
    """What is to be recorded; of what has not been looked at yet, what was seen before still holds."""
    unseen, untried = {*picture.unseen}, {*picture.untried}
    before, touched_before = collisions_now(session), touched_now(session)
    kept = [one for one in before if {one.task, one.other} & unseen or (one.task, one.other) in untried]
    found = {(one.task, one.other): one for one in kept}
    found |= {(clash.task, clash.other): Collision(clash.task, clash.other, clash.files) for clash in picture.clashes}
    collisions = tuple(sorted(found.values(), key=lambda one: (one.task, one.other or 0)))
    still_touched = [one for one in touched_before if one.task in unseen]
    touched = tuple(sorted((*still_touched, *touched_of(session, picture.changed)), key=lambda one: one.task))
    is_known = (collisions, touched) == (before, touched_before)
    return None if is_known else e.CollisionsForeseen(now, collisions, touched)


def _sight(world: World, session: Session, work: Work, watch: "_Watch") -> Sight:
    task = session.tasks[work.task]
    wants_files = session.terms.collisions is Collisions.SERIALISE
    if work.commit:
        is_accepted = task.state is TaskState.ACCEPTED
        return Sight(work.task, work.commit, base=task.base if wants_files else "", is_accepted=is_accepted)
    worktree = world.worktrees.path(seat_of(session, task).folder)
    mark = watch.mark(work, world.run_directory(work.run), worktree, world.clock.now())
    return Sight(work.task, worktree=worktree, mark=mark, base=task.base if wants_files else "")


class _Watch:
    """When was looked, and at what; it outlives the single performer, which is replaced with every event."""

    def __init__(self) -> None:
        self._checked_at = self._took = 0.0
        self._marks: frozenset[str] = frozenset()
        self._last: tuple[tuple[Sight, ...], str] = ((), "")
        self._quiet: dict[str, _Quiet] = {}

    def mark(self, work: Work, record: Path, worktree: Path, now: float) -> str:
        """Changes when the run told something, or changed its folder itself, or was silent for long."""
        looks = " ".join(map(_looks, (record / "output.log", record / "signals.jsonl", worktree)))
        quiet = self._quiet.get(work.run)
        if quiet is None or quiet.looks != looks:
            quiet = _Quiet(looks, now + SILENT, SILENT)
        elif now >= quiet.look_at:
            pause = min(2 * quiet.pause, SELDOM)
            quiet = _Quiet(looks, now + pause, pause, quiet.times + 1)
        self._quiet[work.run] = quiet
        return f"{work.mark} {looks} {quiet.times}"

    def due(self, session: Session, works: tuple[Work, ...], now: float) -> float:
        is_urgent = self._last[1] != session.tip or not self._marks.issuperset(work.mark for work in works)
        began = max(session.tasks[work.task].runs[-1].started_at or 0.0 for work in works)
        pause = max(SOON if is_urgent else OFTEN, _SHARE * self._took)
        return max(self._checked_at + pause, min(began, now) + SOON)

    async def look(self, world: World, foresight: Foresight, sights: tuple[Sight, ...], session: Session) -> None:
        """Only where something has changed. Whoever stops waiting for it does not stop it: it is remembered."""
        begun = self._checked_at = world.clock.now()
        if self._last == (sights, session.tip):
            return
        works = works_of(session)
        self._last, self._marks = (sights, session.tip), frozenset(work.mark for work in works)
        self._quiet = {work.run: self._quiet[work.run] for work in works if work.run in self._quiet}
        try:
            await asyncio.to_thread(foresight.look, sights, session.tip)
        except (OSError, GitFailed):
            log.warning("could not look for collisions", exc_info=True)  # only foresight: the work goes on
        finally:
            self._checked_at = world.clock.now()
            self._took = max(0.0, self._checked_at - begun)


@fact
class _Quiet:
    """How a run looked, and when its worktree is looked at though that has not changed."""

    looks: str
    look_at: float
    pause: float
    times: int = 0


_watches: "weakref.WeakKeyDictionary[Foresight, _Watch]" = weakref.WeakKeyDictionary()


def _looks(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "-"
    return f"{found.st_size} {found.st_mtime_ns}"

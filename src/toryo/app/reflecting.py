"""Reflection: observations and histories become proposed intents and skills, each exactly once."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from toryo.adapters.git.place import cannot_write, ensure_store
from toryo.adapters.intentfiles import IntentFiles
from toryo.adapters.intenthistory import HistoryFiles
from toryo.adapters.located import Unreadable
from toryo.adapters.reflectionreplies import Thoughts, thoughts_in
from toryo.adapters.reflections import Reflections
from toryo.adapters.settingkeys import ModelRole
from toryo.adapters.settings import Settings
from toryo.app.inquiring import TRIES, Inquiry, Listen
from toryo.app.intents import intent_files
from toryo.app.observing import observation_file
from toryo.app.project import Project
from toryo.app.skills import skill_files
from toryo.domain.calls import CallRecord
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.intent import Intent, IntentSource
from toryo.domain.learning import Observation, Reflection
from toryo.journal.lease import Busy, Lease
from toryo.rules.flows import TYPES
from toryo.rules.likeness import remembered
from toryo.rules.observing import unprocessed
from toryo.rules.reflecting import (
    MOST_INTENTS,
    MOST_OBSERVATIONS,
    MOST_SKILLS,
    Ground,
    Named,
    histories_to_look_at,
    history_line,
    observation_line,
    settled,
)
from toryo.rules.slugs import slug_of
from toryo.rules.wording import bullets

_LOG = "reflect"


@fact
class Reflected:
    """What came of it; None: there was nothing to reflect on."""

    reflection: Reflection | None = None
    finished: tuple[Reflection, ...] = ()
    """Earlier ones that were interrupted, and are carried out now."""
    calls: tuple[CallRecord, ...] = ()
    left: int = 0
    """How much was too much for one go, and waits for the next."""


@fact
class Matter:
    """What there is to reflect on."""

    observations: tuple[Observation, ...] = ()
    histories: tuple[Named, ...] = ()
    """New ones, and of those that are known the latest."""
    new: frozenset[str] = frozenset()
    """The names of those among them that nobody has looked at yet."""
    left: int = 0
    """How many observations and histories wait for the next time."""


def matter_of(project: Project) -> Matter:
    file = observation_file(project.place)
    waiting = unprocessed(file.observed().observations)
    told = HistoryFiles(project.place.root).told().histories
    known = Reflections(project.place.store).histories()
    chosen = histories_to_look_at(told, known)
    new = frozenset(name for name, _ in chosen) - known
    left = max(0, len(waiting) - MOST_OBSERVATIONS) + sum(name not in known | new for name, _ in told)
    return Matter(waiting[:MOST_OBSERVATIONS], chosen, new, left)


def is_any_pending(project: Project) -> bool:
    return bool(Reflections(project.place.store).pending())


def reflect(
    project: Project, settings: Settings, listen: Listen, *, is_dry: bool = False, tries: int = TRIES
) -> Reflected:
    """Finishes what was interrupted, then asks a model about what is new. A dry one writes nothing."""
    ensure_store(project.place)
    with _alone(project):
        finished = () if is_dry else _finish(project, settings)
        observation_file(project.place).join()
        matter = matter_of(project)
        if not matter.observations and not matter.new:
            return Reflected(None, finished)
        inquiry = Inquiry(project.place, settings, listen, tries=tries)
        reflection = _asked(project, settings, inquiry, matter)
        if not is_dry:
            Reflections(project.place.store).keep(reflection)
            _apply(project, settings, reflection)
        return Reflected(reflection, finished, tuple(inquiry.calls), matter.left)


@contextmanager
def _alone(project: Project) -> Iterator[None]:
    lease = Lease(project.place.store / "reflect.lock")
    try:
        lease.acquire()
    except Busy as busy:
        who = f"process {busy.pid}" if busy.pid else "another process"
        hint = "wait until it is done; nothing is lost"
        raise ToryoError("E295", f"{who} is reflecting already", hint=hint, exit_code=Exit.BUSY) from None
    try:
        yield
    finally:
        lease.release()


# ── asking ───────────────────────────────────────────────────────────────────


def _asked(project: Project, settings: Settings, inquiry: Inquiry, matter: Matter) -> Reflection:
    intents = intent_files(project).listing().intents
    skills = skill_files(project, settings).known()
    now = time.time()
    prompt = inquiry.prompt(
        "reflect",
        observations=bullets([observation_line(one) for one in matter.observations]),
        histories=bullets([history_line(name, one, is_new=name in matter.new) for name, one in matter.histories]),
        intents=bullets([f"{one.title} ({one.status})" for one in remembered(intents, now)]),
        skills=bullets([f"{name}: {said}" for name, said in skills.items()]),
        types=", ".join(TYPES),
        most_intents=str(MOST_INTENTS),
        most_skills=str(MOST_SKILLS),
    )
    asked = inquiry.ask(_LOG, "reflect", prompt, thoughts_in, role=ModelRole.REVIEW)
    if asked.value is None:
        raise inquiry.unusable(_LOG, asked)
    files = intent_files(project)
    ground = Ground(
        {one.id: one for one in matter.observations},
        HistoryFiles(project.place.root).names(),
        files.listing().intents,
        skills,
        files.slugs(),
    )
    return _settled(asked.value, matter, ground, asked.by, now)


def _settled(thoughts: Thoughts, matter: Matter, ground: Ground, by: str, now: float) -> Reflection:
    looked_at = tuple(dict.fromkeys(one.id for one in matter.observations))
    seen = tuple(name for name, _ in matter.histories)
    blank = Reflection(f"reflection-{uuid.uuid4().hex[:12]}", now, looked_at, histories=seen, by=by)
    return settled(blank, thoughts.intents, thoughts.skills, ground)


# ── carrying out ─────────────────────────────────────────────────────────────


def _finish(project: Project, settings: Settings) -> tuple[Reflection, ...]:
    """Whoever was interrupted had the model's reply already: nothing is asked again."""
    pending = Reflections(project.place.store).pending()
    for reflection in pending:
        _apply(project, settings, reflection)
    return tuple(pending)


def _apply(project: Project, settings: Settings, reflection: Reflection) -> None:
    """Step by step, each of which finds out whether it was taken before."""
    try:
        for number in range(len(reflection.intents)):
            _propose(project, reflection, number)
        for skill in reflection.skills:
            skill_files(project, settings).propose(skill)
        observation_file(project.place).process(reflection.observations)
        Reflections(project.place.store).keep(reflection, is_applied=True)
    except OSError as error:
        raise cannot_write(project.place.root / ".toryo", error) from error
    except Unreadable as error:
        raise ToryoError(
            "E298",
            f".toryo/observations.yaml:{error.line}: {error}",
            kept="what the model proposed; it is not asked again",
            hint="put the file right in an editor, then: toryo reflect",
        ) from error


def _propose(project: Project, reflection: Reflection, number: int) -> None:
    """As a file of its own; where somebody took its name meanwhile, under another that only this one can have."""
    files = intent_files(project)
    one = reflection.intents[number]
    intent = Intent(
        one.slug,
        one.title,
        one.body,
        one.type,
        IntentSource.REFLECTION,
        one.risk,
        created_at=float(int(reflection.at)),
    )
    if not files.create(intent) and not _is_there(files, intent):
        files.create(changed(intent, slug=slug_of(f"{one.slug} {reflection.id[-6:]}")))


def _is_there(files: IntentFiles, wanted: Intent) -> bool:
    try:
        found = files.read(wanted.slug)
    except ToryoError:  # a person is in the middle of editing it
        return True
    return found.source is IntentSource.REFLECTION and found.created_at == wanted.created_at

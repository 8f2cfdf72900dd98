"""Who is looked at, what of it still matters, and who waits for whom: never two for each other."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, after, good_answer, planned

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.collisions import Collision, Touched
from toryo.domain.plan import Collisions
from toryo.domain.session import Session
from toryo.domain.task import SETTLED, Task, TaskState
from toryo.domain.verdict import BlockReason, Disposition
from toryo.rules.admit import admit
from toryo.rules.collisions import collisions_now, held_behind, works_of
from toryo.rules.evolve import evolve
from toryo.rules.playbook import meanwhile, next_effects
from toryo.views.rows import task_row
from toryo.views.words import state_words

SERIALISE = Collisions.SERIALISE


def serialising(*tasks: str, **terms: object) -> Session:
    return a_session(*(planned(key) for key in tasks), collisions=SERIALISE, **terms)


def stepped(session: Session, kinds: tuple[type[fx.Effect], ...]) -> Session:
    """Everything of these kinds that is wanted, done well."""
    while wanted := sorted((one for one in next_effects(session) if isinstance(one, kinds)), key=repr):
        event = good_answer(session, wanted[0])
        session = evolve(session, event)
    return session


def at_work(session: Session) -> Session:
    return stepped(session, (fx.PlanRun, fx.PrepareWorkspace, fx.StartRun))


def aside(session: Session, effect: fx.SetTaskAside) -> e.TaskSetAside:
    return e.TaskSetAside(AT, effect.task, effect.run, effect.behind, effect.files, f"commit-{effect.run}", "tree")


@pytest.mark.covers("B5")
def test_only_work_that_could_collide_is_looked_at() -> None:
    session = a_session(planned("A"), planned("B"))
    assert not meanwhile(session)
    session = at_work(session)
    assert [work.task for work in works_of(session)] == [1, 2]
    (watching,) = meanwhile(session)
    assert isinstance(watching, fx.ForeseeCollisions)
    assert not meanwhile(after(session, e.SessionPaused(AT, "stop")))


@pytest.mark.covers("B5")
def test_what_is_foreseen_is_recorded_once_and_forgotten_when_a_side_is_over() -> None:
    session = at_work(a_session(planned("A"), planned("B")))
    seen = e.CollisionsForeseen(AT, (Collision(2, 1, ("list",)), Collision(2, None, ("other",))))
    assert admit(session, seen)
    session = evolve(session, seen)
    assert not admit(session, seen), "nothing new"
    assert [row["key"] for row in task_row(session, session.task("B"))["collisions"]] == ["A", None]
    session = after(session, e.RunStopped(AT, 1, session.tasks[1].runs[-1].id))
    assert [found.other for found in collisions_now(session)] == [None]


@pytest.mark.covers("B5", "P6")
def test_the_later_one_yields_and_goes_on_when_the_other_is_merged_or_given_up() -> None:
    session = at_work(serialising("A", "B"))
    shown = after(at_work(a_session(planned("A"), planned("B"))), e.CollisionsForeseen(AT, (Collision(2, 1, ("f",)),)))
    assert not any(isinstance(effect, fx.SetTaskAside) for effect in next_effects(shown)), "it is only shown"
    session = evolve(session, e.CollisionsForeseen(AT, (Collision(2, 1, ("f",)),)))
    (yielding,) = (effect for effect in next_effects(session) if isinstance(effect, fx.SetTaskAside))
    assert (yielding.task, yielding.behind) == (2, 1)
    session = evolve(session, aside(session, yielding))
    task = session.task("B")
    assert (task.state, task.attempts, task.base, task.from_tip) == (TaskState.PLANNED, 0, "", True)
    assert state_words(session, task) == "set aside until A is merged (they would collide in f)"
    assert not any(isinstance(effect, fx.PlanRun) for effect in next_effects(session))
    given_up = after(session, e.TaskBlocked(AT, 1, BlockReason.SYSTEM_ERROR, "x"))
    for going_on in (given_up, stepped(session, _TO_THE_MERGE)):
        assert held_behind(going_on, going_on.task("B")) is None


_TO_THE_MERGE = (fx.AwaitRun, fx.ObserveWork, fx.RunCheck, fx.JudgeRun, fx.MergeTask)


@pytest.mark.covers("P6")
def test_a_task_waits_for_files_that_were_seen_to_change() -> None:
    session = at_work(
        a_session(planned("A", scope=("a",)), planned("B", scope=("list",)), parallel=1, collisions=SERIALISE)
    )
    session = evolve(session, e.CollisionsForeseen(AT, (), (Touched(1, ("list",)),)))
    session = evolve(session, e.ParallelChanged(AT, 2))
    assert state_words(session, session.task("B")) == "waits for A (same files: list)"
    assert not any(isinstance(effect, fx.PlanRun) for effect in next_effects(session))


def redone(task: int) -> e.MergeRefused:
    return e.MergeRefused(AT, task, Disposition.REDO, ("f",), "it conflicts")


@pytest.mark.covers("B5", "P6")
def test_nobody_waits_behind_a_task_that_waits_for_them() -> None:
    """C builds on B, and is accepted; B is done again, and would be set aside behind C: nothing would ever go on."""
    session = a_session(planned("A"), planned("B"), planned("C", "B"), collisions=SERIALISE)
    session = at_work(session)
    accepted = (fx.AwaitRun, fx.ObserveWork, fx.RunCheck, fx.JudgeRun)
    session = stepped(only(session, "B", accepted), ())
    session = at_work(session)
    session = evolve(session, redone(2))
    session = changed(session, mending=None)  # as once a person has stepped in
    session = at_work(session)
    session = evolve(session, e.CollisionsForeseen(AT, (Collision(3, 2, ("f",)),)))
    yielding = [effect for effect in next_effects(session) if isinstance(effect, fx.SetTaskAside)]
    assert [effect.task for effect in yielding] in ([], [3]), "B, which C needs, goes first"
    task = changed(session.task("B"), behind=3)
    assert held_behind(session, task) is None


def only(session: Session, key: str, kinds: tuple[type[fx.Effect], ...]) -> Session:
    """The same for one task alone."""
    number = session.keys[key]
    while wanted := [one for one in next_effects(session) if isinstance(one, kinds) and one.task == number]:  # type: ignore[attr-defined]
        session = evolve(session, good_answer(session, wanted[0]))
    return session


@pytest.mark.covers("B5", "P6")
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 7), st.integers(1, 4))
def test_nobody_waits_for_ever_whatever_collides(seed: int, count: int, parallel: int) -> None:
    """A random walk with dependencies, collisions, work done again, and tasks given up: it comes to its end."""
    chance = random.Random(seed)
    tasks = [
        planned(f"T{number}", *(f"T{n}" for n in range(number) if chance.random() < 0.25)) for number in range(count)
    ]
    session = a_session(*tasks, collisions=SERIALISE, parallel=parallel)
    for _ in range(100 * count):
        wanted = sorted(next_effects(session), key=repr)
        assert wanted, "somebody waits, and nothing goes on"
        if any(isinstance(effect, fx.SettleWork) for effect in wanted):
            break
        event = seen_colliding(session, chance) or answered(session, chance.choice(wanted), chance)
        session = evolve(session, event) if admit(session, event) else session
        for task in session.tasks.values():
            other = held_behind(session, task)
            assert other is None or held_behind(session, other) is not task
    assert admit(session, e.WorkSettled(AT)), session.counts
    is_over = {*SETTLED, TaskState.BLOCKED}
    hopeful = [
        task for task in session.tasks.values() if task.state not in is_over and not waits_for_blocked(session, task)
    ]
    assert not hopeful, session.counts


def seen_colliding(session: Session, chance: random.Random) -> e.Event | None:
    live = [work.task for work in works_of(session)]
    if len(live) < 2 or chance.random() > 0.3:
        return None
    one, two = sorted(chance.sample(live, 2))
    return e.CollisionsForeseen(AT + chance.random(), (Collision(two, one, ("f",)),))


def answered(session: Session, effect: fx.Effect, chance: random.Random) -> e.Event:
    if isinstance(effect, fx.SetTaskAside):
        return aside(session, effect)
    if isinstance(effect, fx.MergeTask) and not session.tasks[effect.task].redos and chance.random() < 0.4:
        return redone(effect.task)
    if isinstance(effect, fx.JudgeRun) and chance.random() < 0.1:
        return e.TaskBlocked(AT, effect.task, BlockReason.MAX_RETRIES, "given up")
    return good_answer(session, effect)


def waits_for_blocked(session: Session, task: Task) -> bool:
    ahead = [*task.depends_on]
    while ahead:
        need = session.tasks[ahead.pop()]
        if need.state is TaskState.BLOCKED:
            return True
        ahead += need.depends_on
    return False

"""What a model makes of the work: of one run, of a task that failed, of a person's words, of the whole."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from toryo.adapters.replies import judgement_in, review_in
from toryo.adapters.taskreplies import Reconsidered, Workshop, remedy_in, saying_in
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.calls import Call, Message, Speaker
from toryo.domain.changing import changed
from toryo.domain.evidence import Operation
from toryo.domain.plan import PlannedTask
from toryo.domain.planning import Document
from toryo.domain.review import Judgement, Opinion, Remedy, Review
from toryo.domain.run import Run
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.engine.asking import Asked, ask, desk_of, postponed
from toryo.engine.performers.planning import JUDGE, REPLAN, REVIEW, system_of
from toryo.engine.performers.recording import evidence_of
from toryo.ports import Desk, World
from toryo.rules.citations import Ground, cited_paths, looked_up
from toryo.rules.naming import name_tasks
from toryo.rules.taskbook import hopeless
from toryo.rules.testimony import of_review
from toryo.rules.wording import answers_text, checks_text, criteria_text, fill, states_text, task_text, trouble_text

T = TypeVar("T")
_MOST_CHANGES, _MOST_WORDS = 60_000, 4000


@postponed
async def review_work(world: World, session: Session, effect: fx.ReviewWork) -> e.Event:
    task = session.tasks[effect.task]
    run = task.runs[-1]
    desk, acceptance = desk_of(world), task.plan.acceptance
    changes = await _what_it_did(desk, task)
    prompt = fill(
        desk.prompt("review"),
        task=task_text(task.plan),
        criteria=criteria_text(task.plan),
        changes=changes or "(nothing)",
        checks=checks_text(run.results),
        words=run.report.last_words[-_MOST_WORDS:] if run.report else "",
    )
    asked = await _ask_once(
        world,
        session,
        "review",
        prompt,
        lambda text: review_in(text, acceptance=acceptance),
        role=REVIEW,
        about=task,
    )
    review = changed(asked.value, by=asked.by) if asked.value else Review(Opinion.NONE, "; ".join(asked.errors))
    review = await _looked_up(desk, task, run, review, changes)
    record = evidence_of(world, task, Operation.REVIEW, of_review(task, run, review))
    return e.WorkReviewed(world.clock.now(), task.number, run.id, review, asked.calls, (record,))


async def _what_it_did(desk: Desk, task: Task) -> str:
    """The difference, or what was written where nothing was to be changed."""
    if not task.plan.type.is_read_only:
        return await desk.difference(task.base, task.commit, _MOST_CHANGES)
    seen = task.runs[-1].observation
    return f"No file was to be changed. This is what was written:\n\n{seen.result}" if seen else ""


async def _looked_up(desk: Desk, task: Task, run: Run, review: Review, shown: str) -> Review:
    """What the review cites is looked up at the commit it is about, whatever the model says."""
    changes = run.observation.changes if run.observation else ()
    lines = await desk.lines_of(task.commit, cited_paths(review.criteria, changes)) if review.criteria else {}
    ground = Ground(changes, lines, run.results, shown)
    return changed(review, criteria=tuple(looked_up(criterion, ground) for criterion in review.criteria))


@postponed
async def reconsider_task(world: World, session: Session, effect: fx.ReconsiderTask) -> e.Event:
    """What to do about a failed task; where no usable reply comes, a person is asked."""
    task = session.tasks[effect.task]
    desk = desk_of(world)
    gone = _keys(session, hopeless(session, task))
    workshop = Workshop(session.terms.agent_for, frozenset(session.keys), gone, within=task.plan.scope)
    prompt = fill(
        desk.prompt("reconsider"),
        instruction=_instruction(session),
        task=task_text(task.plan),
        trouble=trouble_text(task),
        others=states_text(session),
    )
    asked = await _ask_once(
        world, session, "reconsider", prompt, lambda text: remedy_in(text, workshop), role=REPLAN, about=task
    )
    said = asked.value or Reconsidered(Remedy.ASK, "; ".join(asked.errors), _plain_question(task))
    tasks = _ready(world, session, said.tasks, task)
    return e.TaskReconsidered(world.clock.now(), task.number, said.remedy, said.reason, said.advice, tasks, asked.calls)


def _plain_question(task: Task) -> str:
    return f"{task.plan.key} failed ({task.block_reason}): try it again, do it differently, or leave it out?"


@postponed
async def consider_saying(world: World, session: Session, effect: fx.ConsiderSaying) -> e.Event:
    """Which tasks a person's words concern; where no usable reply comes, none, and that is said."""
    saying = session.sayings[effect.saying]
    desk = desk_of(world)
    workshop = Workshop(session.terms.agent_for, frozenset(session.keys), _keys(session, hopeless(session)))
    tasks = "\n\n".join(task_text(task.plan, str(task.state)) for task in session.tasks.values())
    prompt = fill(desk.prompt("saying"), instruction=_instruction(session), saying=saying, tasks=tasks)
    asked = await _ask_once(world, session, "saying", prompt, lambda text: saying_in(text, workshop), role=REPLAN)
    said = asked.value
    if said is None:
        answer = "This could not be understood, and nothing was changed: " + "; ".join(asked.errors)
        return e.SayingConsidered(world.clock.now(), asked.calls, effect.saying, answer)
    changes = tuple((session.keys[key], f"A person says: {saying}\n\n{words}") for key, words in said.changes)
    cancelled = tuple(session.keys[key] for key in said.cancel)
    new = _ready(world, session, said.tasks)
    return e.SayingConsidered(world.clock.now(), asked.calls, effect.saying, said.answer, changes, cancelled, new)


@postponed
async def judge_session(world: World, session: Session, effect: fx.JudgeSession) -> e.Event:
    planning = session.planning
    desk = desk_of(world)
    prompt = fill(
        desk.prompt("judge"),
        instruction=_instruction(session),
        answers=answers_text(planning) if planning else "",
        spec=planning.document(Document.SPEC) if planning else "",
        tasks=states_text(session),
        changes=await desk.difference(session.base_commit, session.tip, _MOST_CHANGES),
        checks=checks_text(session.proof),
    )
    asked = await _ask_once(world, session, "judge", prompt, judgement_in, role=JUDGE)
    unknown = Judgement(False, ("whether this is what was asked for: no usable judgement could be had",))
    judgement = changed(asked.value, by=asked.by) if asked.value else unknown
    return e.SessionJudged(world.clock.now(), asked.calls, session.tip, judgement)


def _instruction(session: Session) -> str:
    if session.planning is None:
        return session.title
    return "\n\n".join([session.planning.instruction, *session.planning.wishes])


def _ready(
    world: World, session: Session, tasks: tuple[PlannedTask, ...], instead_of: Task | None = None
) -> tuple[PlannedTask, ...]:
    """Tasks that a model proposed in mid-work, with checks and branches; they wait for what the old one waited for."""
    if not tasks:
        return ()
    checks = instead_of.plan.checks if instead_of else session.checks
    needs = [session.tasks[number].plan.key for number in instead_of.depends_on] if instead_of else []
    taken = desk_of(world).taken_names() | {task.plan.branch for task in session.tasks.values()} | {session.branch}
    waiting = [
        changed(task, checks=checks, limits=session.terms.limits, depends_on=_unique(*needs, *task.depends_on))
        for task in tasks
    ]
    return name_tasks(session.short, waiting, taken)


def _keys(session: Session, numbers: Iterable[int]) -> frozenset[str]:
    return frozenset(session.tasks[number].plan.key for number in numbers)


def _unique(*keys: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))


async def _ask_once(
    world: World,
    session: Session,
    question: str,
    prompt: str,
    read: Callable[[str], T],
    *,
    role: str,
    about: Task | None = None,
) -> Asked[T]:
    """A question of its own, outside the conversation; what every call shares comes first."""
    desk = desk_of(world)
    call = Call(system_of(desk, session), (Message(Speaker.USER, prompt),), desk.max_tokens)
    return await ask(world, session, question, call, read, role=role, about=about)

"""From an instruction to a plan: each performer one step, each model call one question."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from toryo.adapters.replies import document_in, questions_in, score_in
from toryo.adapters.taskreplies import Workshop, draft_in
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.calls import Call, Message, Speaker
from toryo.domain.plan import PlannedTask, TaskType
from toryo.domain.planning import Document, Draft, Earlier, Planning, Score
from toryo.domain.session import Session
from toryo.engine.asking import Asked, ask, desk_of, postponed
from toryo.ports import Desk, World
from toryo.rules.auditing import EVERYTHING
from toryo.rules.clarity import unclear
from toryo.rules.conversing import call_about, excerpt, older_part
from toryo.rules.flows import FILE, has_step
from toryo.rules.naming import name_tasks
from toryo.rules.planquality import scored, structural_issues
from toryo.rules.shaping import ABOUT_STEPS, tasks_for_proposal
from toryo.rules.taskbook import hopeless
from toryo.rules.wording import about_tests, answers_text, bullets, draft_text, fill, rejections_text
from toryo.views.tasklist import tasklist_text

T = TypeVar("T")
PLAN, REVIEW, JUDGE, REPLAN = "plan", "review", "judge", "replan"
"""What a model is asked for; each may have a model of its own."""
_PROMPTS = {Document.SPEC: "specify", Document.PLAN: "plan"}


def planning_of(session: Session) -> Planning:
    assert session.planning is not None
    return session.planning


def system_of(desk: Desk, session: Session) -> str:
    """The part of every call of a session that never changes."""
    repository = session.planning.repository if session.planning else ""
    return fill(desk.prompt("system"), repository=repository or "(nothing is known about it)")


async def survey_repository(world: World, session: Session, effect: fx.SurveyRepository) -> e.Event:
    found = await asyncio.to_thread(desk_of(world).survey)
    return e.RepositorySurveyed(world.clock.now(), found.text, found.findings, found.checks)


@postponed
async def ask_questions(world: World, session: Session, effect: fx.AskQuestions) -> e.Event:
    """What has to be known first; where the words alone show that, no model is asked."""
    planning = planning_of(session)
    if not planning.questions and (question := unclear(planning.instruction)):
        return e.QuestionsAsked(world.clock.now(), (), (question,), is_instruction=False)
    earlier = about_earlier(planning.earlier)
    prompt = fill(desk_of(world).prompt("questions"), instruction=_instruction(planning), earlier=earlier)
    asked = await converse(world, session, "questions", prompt, questions_in)
    said = asked.value
    if said is None:
        return e.QuestionsAsked(world.clock.now(), asked.calls, ())
    return e.QuestionsAsked(
        world.clock.now(), asked.calls, said.questions, asked.talk, said.title, follows=said.follows
    )


def about_earlier(earlier: Earlier | None) -> str:
    if earlier is None:
        return ""
    if earlier.is_followed:
        return f"This goes on from the finished session '{earlier.title}', whose work is there already."
    return (
        f"The last finished session was '{earlier.title}'; its work is on a branch and not merged yet. If this goes on "
        'from that work, say `"follows": true`; else it begins from the branch that is checked out.'
    )


@postponed
async def write_document(world: World, session: Session, effect: fx.WriteDocument) -> e.Event:
    planning = planning_of(session)
    prompt = fill(
        desk_of(world).prompt(_PROMPTS[effect.document]),
        instruction=_instruction(planning),
        answers=answers_text(planning),
        rejections=rejections_text(planning),
    )
    asked = await converse(world, session, _PROMPTS[effect.document], prompt, document_in)
    text = asked.value or f"# {session.title}\n\n{planning.instruction}\n\n{answers_text(planning)}\n"
    return e.DocumentWritten(world.clock.now(), asked.calls, effect.document, text, asked.talk)


@postponed
async def draft_tasks(world: World, session: Session, effect: fx.DraftTasks) -> e.Event:
    """Tasks as the model proposes them; where it cannot, the instruction itself is the one task."""
    planning = planning_of(session)
    desk = desk_of(world)
    gone = frozenset(session.tasks[number].plan.key for number in hopeless(session))
    workshop = Workshop(session.terms.agent_for, frozenset(session.keys), gone)
    about = "\n\n".join(part for part in (_refinement(planning), _wish(session, planning)) if part)
    tests = "\n- ".join([about_tests(planning.checks), *_of_the_flow(session)])
    prompt = fill(desk.prompt("tasks"), tests=tests, about=about)

    def read(text: str) -> Draft:
        workshop.remarks.clear()
        return draft_in(text, workshop)

    asked = await converse(world, session, "tasks", prompt, read)
    draft = asked.value or _single_task(session, planning, asked.errors)
    return e.TasksDrafted(world.clock.now(), asked.calls, draft, asked.talk)


def _of_the_flow(session: Session) -> list[str]:
    return [words for step, words in ABOUT_STEPS.items() if has_step(session, step)]


def _single_task(session: Session, planning: Planning, errors: tuple[str, ...]) -> Draft:
    wish = planning.wishes[-1] if planning.wishes else planning.instruction
    key = next(key for number in range(1, 10_000) if (key := f"T{number:03}") not in session.keys)
    agent, model = session.terms.agent_for(TaskType.IMPLEMENTATION, None)
    task = PlannedTask(
        key,
        " ".join(wish.split())[:70],
        agent,
        model=model,
        description=f"{wish}\n\nDecided:\n\n{answers_text(planning)}",
    )
    why = "no usable tasks came from the model, so everything is one task: " + "; ".join(errors)
    return Draft((task,), 1, (why,), is_fallback=True)


def _refinement(planning: Planning) -> str:
    if planning.draft is None or planning.score is None:
        return rejections_text(planning)
    return (
        f"Your last proposal got {planning.score.points} of 100 points. Improve it; say all tasks again. "
        f"What was found:\n\n{bullets(planning.score.issues)}"
    )


def _wish(session: Session, planning: Planning) -> str:
    if not planning.wishes:
        return ""
    done = bullets([f"{task.plan.key}, {task.state}: {task.plan.title}" for task in session.tasks.values()])
    return (
        f"There are tasks already:\n\n{done}\n\nPlan only what is to be added to them, with keys of their own:\n\n"
        + "\n".join(f"> {line}" for line in planning.wishes[-1].splitlines())
    )


@postponed
async def score_draft(world: World, session: Session, effect: fx.ScoreDraft) -> e.Event:
    planning = planning_of(session)
    assert planning.draft is not None
    desk = desk_of(world)
    prompt = fill(
        desk.prompt("score"),
        instruction=_instruction(planning),
        answers=answers_text(planning),
        tasks=draft_text(planning.draft),
    )
    call = Call(system_of(desk, session), (Message(Speaker.USER, prompt),), desk.max_tokens)
    asked = await ask(world, session, "score", call, score_in, role=REVIEW)
    said = asked.value or Score(0, ("the plan could not be scored: " + "; ".join(asked.errors),))
    issues = structural_issues(planning.draft, has_checks=bool(planning.checks))
    return e.DraftScored(world.clock.now(), asked.calls, scored(said, issues))


async def propose_plan(world: World, session: Session, effect: fx.ProposePlan) -> e.Event:
    """The best draft, with its branches named, and the documents where people can read them."""
    planning = planning_of(session)
    assert planning.best is not None
    desk = desk_of(world)
    taken = await asyncio.to_thread(desk.taken_names)
    audit = ""
    if has_step(session, FILE):
        audit = fill(desk.prompt("audit"), where="what is described above", focus=EVERYTHING)
    tasks = tasks_for_proposal(session, planning.best.tasks, audit)
    named = name_tasks(session.short, tasks, {*taken, session.branch})
    documents = {str(kind): text for kind, text in planning.documents}
    everything = (*(task.plan for task in session.tasks.values()), *named)
    documents["tasks"] = tasklist_text(session.title, everything)
    desk.write_documents(planning.spec, documents)
    return e.PlanProposed(world.clock.now(), named, planning.checks, planning.best.parallel)


@postponed
async def compact_talk(world: World, session: Session, effect: fx.CompactTalk) -> e.Event:
    """The older part of the conversation in short; without the model's help, the beginning of each message."""
    planning = planning_of(session)
    desk = desk_of(world)
    older = older_part(planning)
    talk = "\n\n".join(f"{message.speaker}: {message.text}" for message in older)
    earlier = f"What was remembered before:\n\n{planning.summary}" if planning.summary else ""
    prompt = fill(desk.prompt("compact"), summary=earlier, talk=talk[-_MOST_TALK:])
    call = Call(system_of(desk, session), (Message(Speaker.USER, prompt),), desk.max_tokens)
    asked = await ask(world, session, "compact", call, lambda text: text.strip(), role=PLAN)
    return e.TalkCompacted(world.clock.now(), asked.calls, asked.value or excerpt(older, planning.summary), len(older))


async def take_in_words(world: World, session: Session, effect: fx.TakeInWords) -> e.Event:
    return e.WordsTakenIn(world.clock.now(), effect.sayings)


_MOST_TALK = 200_000


async def converse(world: World, session: Session, question: str, prompt: str, read: Callable[[str], T]) -> Asked[T]:
    """The question as the next turn of the session's conversation with its planner."""
    desk = desk_of(world)
    call = call_about(session, system_of(desk, session), prompt, desk.max_tokens)
    return await ask(world, session, question, call, read, role=PLAN)


def _instruction(planning: Planning) -> str:
    given = [answer.text for answer in planning.answers if not _is_offered(planning, answer.question)]
    return "\n\n".join([planning.instruction, *given])


def _is_offered(planning: Planning, question: str) -> bool:
    """Whether the answer was one among options; what was asked openly belongs to the instruction."""
    return any(asked.options for asked in planning.questions if asked.text == question)

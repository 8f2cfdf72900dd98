"""What a person decides about something that waits, whichever face they say it to: what is asked, what is done."""

from toryo.app.intentdecisions import (
    answer_intent,
    approve_intent,
    begin,
    questions_of,
    reject_intent,
    retry_intent,
)
from toryo.app.meaning import Meant, what_is_meant
from toryo.app.planning import approve, open_questions, reject
from toryo.app.project import Project
from toryo.app.skills import accept_skill, reject_skill
from toryo.app.steering import answer_questions, answer_task, approve_task, needs_reason, retry_task
from toryo.app.waiting import what_waits
from toryo.domain.facts import fact
from toryo.domain.intent import Intent, IntentStatus
from toryo.domain.planning import Question
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.views.inboxitems import Choice, Item


@fact
class Decided:
    """What came of it."""

    what: Meant
    says: str
    session: Session | None = None
    """One that has to go on with it."""
    waits_for_watch: bool = False


@fact
class Asking:
    """What a person is asked before a decision holds; nothing where there is no prompt and no question."""

    prompt: str = ""
    is_needed: bool = False
    """Nothing said is no answer."""
    questions: tuple[Question, ...] = ()
    """A batch of them, answered together."""


# ── what waits ───────────────────────────────────────────────────────────────


def meant_by(project: Project, item: Item) -> Meant:
    """By the file of an intent, since its slug may also begin some other id."""
    return what_is_meant(project, f"{item.intent}.yaml" if item.name == item.intent and item.intent else item.id)


def still_waits(project: Project, item: Item) -> bool:
    """Whether nobody has decided about it since it was shown."""
    now = what_waits(project, project.summaries(), item.session if item.task else None).items
    return any((one.id, one.what, one.says) == (item.id, item.what, item.says) for one in now)


# ── asking ───────────────────────────────────────────────────────────────────


def what_to_ask(project: Project, meant: Meant, choice: Choice) -> Asking:
    """Before `decide`: the words that it will want."""
    if meant.skill:
        return Asking()
    if meant.task:
        return _about_a_task(meant.task, choice)
    if choice is Choice.ANSWER:
        asked = questions_of(project, meant.intent) if meant.intent else open_questions(_session(meant))
        return Asking(questions=asked)
    if choice is Choice.REJECT:
        return Asking("Why" if meant.intent else "What should be different", is_needed=True)
    return Asking("What should be done better (Enter: nothing to add)") if choice is Choice.RETRY else Asking()


def _about_a_task(task: Task, choice: Choice) -> Asking:
    match choice:
        case Choice.APPROVE:
            return Asking("Why is it right", is_needed=True) if needs_reason(task) else Asking()
        case Choice.ANSWER:
            return Asking("Your answer", is_needed=True)
        case _:
            return Asking("What to tell its agent (Enter: nothing)")


# ── deciding ─────────────────────────────────────────────────────────────────


def decide(project: Project, meant: Meant, choice: Choice, words: str = "") -> Decided:
    """Records it, with the words that were asked for; nobody goes on with it yet."""
    if meant.intent:
        return _of_an_intent(project, meant.intent, choice, words)
    if meant.skill:
        return decide_skill(project, meant, is_wanted=choice is Choice.APPROVE)
    if meant.task:
        return _of_a_task(project, meant, choice, words)
    return _of_a_session(project, _session(meant), choice, words)


def _of_an_intent(project: Project, intent: Intent, choice: Choice, words: str) -> Decided:
    match choice:
        case Choice.APPROVE:
            return approve_one(project, intent, is_now=False)
        case Choice.ANSWER:
            return answered(*answer_intent(project, intent, words))
        case Choice.REJECT:
            return reject_one(project, intent, words)
        case Choice.RETRY:
            return retry_one(project, intent, words, is_now=False)


def _of_a_task(project: Project, meant: Meant, choice: Choice, words: str) -> Decided:
    session, task = _session(meant), meant.task
    assert task is not None
    match choice:
        case Choice.APPROVE:
            after, says = approve_task(project, session, task, words)
            return Decided(meant, says, after)
        case Choice.ANSWER:
            return Decided(meant, f"answered: {task.plan.key}", answer_task(project, session, task, words))
        case _:
            return Decided(meant, f"once more: {task.plan.key}", retry_task(project, session, task, words))


def _of_a_session(project: Project, session: Session, choice: Choice, words: str) -> Decided:
    meant = Meant(session=session)
    if choice is Choice.ANSWER:
        return Decided(meant, "answered", answer_questions(project, session, words))
    if choice is Choice.REJECT:
        return Decided(meant, "rejected; it is planned anew", reject(project, session, words))
    return Decided(meant, f"approved: {session.title}", approve(project, session))


def _session(meant: Meant) -> Session:
    assert meant.session is not None
    return meant.session


# ── intents ──────────────────────────────────────────────────────────────────


def approve_one(project: Project, intent: Intent, *, is_now: bool) -> Decided:
    """An intent, or the plan that was made for it."""
    intent, session = approve_intent(project, intent)
    if session is None and is_now:
        session = begin(project, intent)
    says = f"approved: {intent.slug}" + (", and its plan" if session and not is_now else "")
    return Decided(Meant(intent=intent), says, session, waits_for_watch=session is None)


def answered(intent: Intent, session: Session | None) -> Decided:
    """What came of an answer to an intent, with the session that was given it."""
    left = len(intent.open_questions)
    is_proposed = intent.status is IntentStatus.PROPOSED and not left and not intent.session
    more = f", {left} left" if left else f"; it may begin with 'toryo approve {intent.slug}'" if is_proposed else ""
    return Decided(Meant(intent=intent), f"answered: {intent.slug}{more}", session)


def reject_one(project: Project, intent: Intent, why: str) -> Decided:
    intent, session = reject_intent(project, intent, why)
    kept = f"; session {session.short} is closed, and all it did is kept" if session else ""
    return Decided(Meant(intent=intent, session=session), f"rejected: {intent.slug}{kept}")


def retry_one(project: Project, intent: Intent, words: str, *, is_now: bool) -> Decided:
    intent, session = retry_intent(project, intent, words)
    if session is None and is_now:
        session = begin(project, intent)
    return Decided(Meant(intent=intent), f"once more: {intent.slug}", session, waits_for_watch=session is None)


# ── skills ───────────────────────────────────────────────────────────────────


def decide_skill(project: Project, meant: Meant, *, is_wanted: bool) -> Decided:
    """A skill that was proposed is put where agents find it, or away."""
    if is_wanted:
        return Decided(meant, f"approved: {meant.name}; it is {accept_skill(project, meant.skill)} now")
    reject_skill(project, meant.skill)
    return Decided(meant, f"rejected: {meant.name}; it is not proposed again")

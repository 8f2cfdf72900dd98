"""What a face wants that stays open and never conducts: recorded at once, and gone on with in the background."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from toryo.app import landing, planning, steering, stopping
from toryo.app.background import leave
from toryo.app.intentdecisions import approve_intent, begin
from toryo.app.intents import pursued_by
from toryo.app.offering import Offer, Place, offers, places, what_to_open
from toryo.app.persons import only_a_person
from toryo.app.project import Project, open_project
from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.landing import LandingMode
from toryo.domain.plan import Chosen
from toryo.domain.planning import Answer
from toryo.domain.session import Session, SessionState
from toryo.domain.task import Task, TaskState
from toryo.rules.keylines import keepable
from toryo.rules.phrases import means_no, wants_only_a_plan
from toryo.rules.planning import needs_answers
from toryo.rules.understanding import Understood, understood
from toryo.views.queueing import turn_words

_HOW_TO_ANSWER = "Enter takes every default; else '1b 2a', or '1: your own words', each on a line"


@fact
class Done:
    """What was understood and recorded."""

    understood: Understood
    says: str
    """The same in words, for whoever said it."""
    session: Session
    """As it stood right after."""


class FrontDoor:
    """May be used from any thread and by several faces at once: every call opens the repository, and closes it.

    All of them raise ToryoError where something cannot be. What a person decided is on record by then or nothing is;
    only that it goes on may have failed, and `resume` tries that again.
    """

    def __init__(self, root: Path, choose: Callable[[], Chosen] = Chosen) -> None:
        self._root = root
        self._choose = choose

    # ── saying something ─────────────────────────────────────────────────────

    def begin(self, text: str, *, only_plan: bool = False) -> Session:
        """A new session for an instruction: words, a file, `#12` or an issue's address.

        Every plan waits for its approval here, so one that is all that is wanted is made like any other.
        """
        return self._begun(text, None, only_plan=only_plan).session

    def typed(self, text: str, session_id: str | None) -> Done:
        """What plain text means while this session is in front of somebody, and that done."""
        session = self.session(session_id) if session_id else None
        what = understood(text, session)
        if session is None or what is Understood.BEGIN:
            return self._begun(text, session, only_plan=False)
        match what:
            case Understood.ANSWER:
                return Done(what, "answered", self._answered(session.id, text))
            case Understood.APPROVE | Understood.RELEASE:
                return Done(what, "approved: it is carried out", self.approve(session.id))
            case Understood.REJECT:
                return Done(what, "rejected: it is planned anew, with what you said", self.reject(session.id, text))
            case Understood.RESUME:
                return Done(what, "it goes on", self.resume(session.id))
            case _:
                return Done(what, _said(session), self.say(session.id, text))

    def _begun(self, text: str, after: Session | None, *, only_plan: bool) -> Done:
        words = text.strip()
        if not words:
            raise ToryoError("E213", "there is nothing to say", hint="say in words what you want")
        if words == "-":
            raise ToryoError("E130", "standard input is where you type", hint="put it into a file, and name that")
        if keepable(text) != text:
            words = "a key is never typed where everybody can read it: what you typed was not kept"
            raise ToryoError("E163", words, hint="in a shell: toryo keys set openai, or toryo keys set anthropic")
        chosen = self._choose()
        with closing(open_project(self._root)) as project:  # refused before anything is written
            only_a_person(project)
            instruction = planning.take_in(text, self._root)
            settings = planning.prepare_planning(project, {}, chosen)
        with self._opened() as project:
            session = planning.open_planning(project, settings, instruction, after=after, chosen=chosen)
            session, others = leave(project, session)
        is_plan = only_plan or wants_only_a_plan(instruction.text)
        what = "a plan is made, and nothing else" if is_plan else "it is planned first"
        return Done(Understood.BEGIN, f"{what}{turn_words(others)}", session)

    # ── deciding ─────────────────────────────────────────────────────────────

    def answer(self, session_id: str, answers: Sequence[Answer] | None = None) -> Session:
        """What is left out gets its default; None: every one."""
        with self._opened() as project:
            session = project.load(session_id)
            questions = planning.open_questions(session)
            if not answers:
                session = steering.answer_questions(project, session, "", by_default=True)
                return _gone_on(project, session)
            given = {one.question: one for one in answers}
            defaults = {one.text: Answer(one.text, one.default) for one in questions if one.default}
            session = planning.answer(project, session, tuple({**defaults, **given}.values()))
            return _gone_on(project, session)

    def _answered(self, session_id: str, text: str) -> Session:
        with self._opened() as project:
            session = project.load(session_id)
            try:
                session = steering.answer_questions(project, session, text)
            except ToryoError as error:
                raise ToryoError(error.code, error.message, hint=_HOW_TO_ANSWER) from error
            return _gone_on(project, session)

    def approve(self, session_id: str) -> Session:
        """A plan, or the intent that a session waits for."""
        with self._opened() as project:
            session = project.load(session_id)
            if session.pursuit and session.pursuit.is_held and not needs_answers(session):
                intent, _ = approve_intent(project, pursued_by(project, session))
                return leave(project, begin(project, intent))[0]
            return _gone_on(project, planning.approve(project, session))

    def reject(self, session_id: str, why: str) -> Session:
        """It is planned anew."""
        if not why.strip() or means_no(why):
            raise ToryoError("E165", "nobody knows what should be different", hint="say what, and it is planned anew")
        with self._opened() as project:
            return _gone_on(project, planning.reject(project, project.load(session_id), why.strip()))

    def say(self, session_id: str, text: str) -> Session:
        """Only the tasks it concerns are stopped, changed and begun again."""
        with self._opened() as project:
            return _gone_on(project, steering.tell(project, project.load(session_id), text.strip()))

    def answer_task(self, session_id: str, task: str, words: str) -> Session:
        """What a blocked task, or an agent that waits, asks."""
        with self._opened() as project:
            session, found = _task_of(project, session_id, task)
            return _gone_on(project, steering.answer_task(project, session, found, words.strip()))

    def approve_task(self, session_id: str, task: str, why: str = "") -> Done:
        """A person's word for the work of a blocked task."""
        with self._opened() as project:
            session, found = _task_of(project, session_id, task)
            session, says = steering.approve_task(project, session, found, why.strip())
            return Done(Understood.APPROVE, says, _gone_on(project, session))

    def retry(self, session_id: str, task: str, words: str = "") -> Session:
        """A blocked task once more, by its key or id; or one that waits for a usage limit, at once."""
        with self._opened() as project:
            session, found = _task_of(project, session_id, task)
            return leave(project, steering.retry_task(project, session, found, words.strip()))[0]

    # ── stopping and going on ────────────────────────────────────────────────

    def will_stop(self, session_id: str | None = None) -> str:
        """What `stop` would do, in words, at once; empty: nothing goes on."""
        with closing(open_project(self._root)) as project:
            session = _going_on(project, session_id)
        if session is None:
            return ""
        running = session.count(TaskState.RUNNING)
        agents = f"{running} agent{'s' if running > 1 else ''}" if running else "what goes on"
        return f"stopping {agents} in {session.short}; everything is kept, and it can be resumed"

    def stop(self, session_id: str | None = None) -> Session | None:
        """Pauses it at once, then waits until its agents have ended; None: nothing goes on."""
        with self._opened() as project:
            session = _going_on(project, session_id)
            return stopping.stop(project, session) if session else None

    def resume(self, session_id: str) -> Session:
        """What was blocked is tried once more, if that is what it waited for."""
        with self._opened() as project:
            session = project.load(session_id)
            steering.refuse_if_closed(session, hint="say what you want next")
            return _gone_on(project, session)

    def discard(self, session_id: str) -> Session:
        """Closes it for good; its branches and commits stay."""
        with self._opened() as project:
            session = project.load(session_id)
            steering.refuse_if_closed(session)
            return stopping.discard(project, session)

    def land(self, session_id: str, mode: LandingMode | None = None) -> Session:
        """Brings its result home; None: as configured."""
        with self._opened() as project:
            session = project.load(session_id)
            wish = landing.Wish(mode)
            if landing.is_there_already(session, wish):
                return session
            if landing.goes_on_waiting(session, mode, None, None):
                session = landing.taken_up_again(project, session)
            else:
                session = landing.begin_landing(project, session, wish)
            return leave(project, session)[0] if session.state is SessionState.LANDING else session

    # ── looking ──────────────────────────────────────────────────────────────

    def session(self, session_id: str) -> Session:
        with closing(open_project(self._root)) as project:
            return project.load(session_id)

    def latest(self) -> Session | None:
        """What to open with: what is being worked on, else the latest unfinished one, else the latest."""
        with closing(open_project(self._root)) as project:
            chosen = what_to_open(project)
            return project.load(chosen) if chosen else None

    def unfinished(self) -> list[Offer]:
        """What is offered to somebody who comes in, the latest first."""
        with closing(open_project(self._root)) as project:
            return offers(project)

    def queue(self) -> list[Place]:
        """What is at work, then what waits for its turn, in order."""
        with closing(open_project(self._root)) as project:
            return places(project)

    @contextmanager
    def _opened(self) -> Iterator[Project]:
        with closing(open_project(self._root, writing=True)) as project:
            only_a_person(project)
            yield project


def _gone_on(project: Project, session: Session) -> Session:
    """Whoever conducts it hears of it; where nobody does, it waits for its turn in the background."""
    return leave(project, steering.resumed(project, project.load(session.id)))[0]


def _going_on(project: Project, session_id: str | None) -> Session | None:
    """What there is to stop of it; without an id, of what is at work or next."""
    session = project.load(session_id) if session_id else stopping.going_on_first(project)
    if session is None or session.count(TaskState.RUNNING):
        return session  # also where it is paused: whoever was to stop them may be gone
    return None if session.state in (SessionState.PAUSED, SessionState.CLOSED) else session


def _task_of(project: Project, session_id: str, name: str) -> tuple[Session, Task]:
    session = project.load(session_id)
    steering.refuse_if_closed(session)
    for task in session.tasks.values():
        if name.lower() in (task.plan.key.lower(), task.id):
            return session, task
    raise ToryoError("E204", f"there is no task {name} in session {session.short}")


def _said(session: Session) -> str:
    if SessionState.PLANNING in (session.state, session.resumes_to):
        return "told; it is planned with what you said, before you are shown the plan"
    return "told; only the tasks that it concerns begin again"

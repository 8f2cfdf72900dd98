"""Opening a session from an instruction, and what people say on the way to its plan."""

import os
import time
import uuid
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from toryo import __version__
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Look, taken_names
from toryo.adapters.intake import Instruction as Instruction
from toryo.adapters.intake import take_in as take_in
from toryo.adapters.settings import Settings
from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, first_ready, refuse_unusable, uncounted, unknown_agent
from toryo.app.editing import edited_tasks
from toryo.app.models import choose, usable, with_choice
from toryo.app.opening import terms_of
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.evidence import SEALING
from toryo.domain.intent import Intent
from toryo.domain.plan import Assent, Chosen, TaskType, Terms
from toryo.domain.planning import Answer, Earlier, Question
from toryo.domain.session import Session, SessionState, short_of
from toryo.domain.verdict import Outcome
from toryo.rules.masking import mask
from toryo.rules.naming import branch_name
from toryo.rules.planning import MOST_WISHES, needs_answers
from toryo.rules.reconciling import has_answers

_AS_CONFIGURED = Chosen()
_SHELL = "shell"
_ROLES = ("plan", "review", "judge", "replan")
_LONGEST_TITLE = 72
_REPLANS = 3
_SHARE_OF_CONTEXT = 0.8
_SYSTEM_SHARE = 0.25
"""Of the context for what every call begins with, and for the reply."""


def prepare_planning(project: Project, flags: Mapping[str, object], chosen: Chosen = _AS_CONFIGURED) -> Settings:
    """Looks at everything that can be looked at before a model is asked; changes nothing."""
    settings = with_choice(settings_of(project, flags), chosen)
    agents = agents_of(settings)
    if (given := flags.get("agent")) and given not in agents:
        raise unknown_agent(str(given), agents)
    settings = replace(settings, roles=with_somebody(settings, flags.get("agent")))
    refuse_unusable([agents[name] for name in _names_in(settings)], settings.run.host)
    for role in _ROLES:
        usable(settings, role)
    return settings


def uncounted_by(settings: Settings) -> list[str]:
    """What the budget does not hold for, in lines for people."""
    agents = agents_of(settings)
    return list(uncounted(settings.budget, [agents[name] for name in _names_in(settings)]))


def _names_in(settings: Settings) -> list[str]:
    """Of everybody who may get a task."""
    return sorted({*settings.roles.values(), *(said.partition("/")[0] for said in settings.complexity.values())})


def with_somebody(settings: Settings, given: object) -> Mapping[TaskType, str]:
    """Who does what; where nobody is named, the first agent that is ready. A shell cannot follow instructions."""
    roles = settings.roles
    if _SHELL not in roles.values():
        return roles
    ready = None if given == _SHELL else first_ready(settings)
    if ready is None:
        raise ToryoError(
            "E133",
            "no coding agent: none is named, and none was found that is installed and logged in",
            hint="'toryo agents' shows what is here; 'toryo config init' chooses one, and --agent claude names one",
            exit_code=Exit.MISSING,
        )
    return {kind: ready if agent == _SHELL else agent for kind, agent in roles.items()}


def open_planning(
    project: Project,
    settings: Settings,
    instruction: Instruction,
    *,
    parallel: int | None = None,
    earlier: Session | None = None,
    after: Session | None = None,
    chosen: Chosen = _AS_CONFIGURED,
    assent: Assent = Assent.NONE,
    intent: Intent | None = None,
) -> Session:
    """Records what was asked for; from here on it can be resumed.

    It goes on from the work of `earlier`. Whether it goes on from that of `after`, or else of the latest session, is
    for the model to say, where that one is finished and on its branch alone.
    """
    now = time.time()
    session_id = intent.session if intent else f"session-{uuid.uuid4()}"
    git = Git(os.environ)
    with closing(Look(project.place)) as look:
        start = look.start()
        look.refuse_if_prefix_is_taken()
    text = mask(instruction.text)  # before the branch is named after it
    title = _title(text)
    taken = taken_names(project.place, git) | project.reserved_names()
    branch = branch_name(title, f"session-{short_of(session_id)}", taken)
    opened = e.SessionOpened(
        now,
        session_id,
        title,
        instruction.source,
        start.branch,
        start.commit,
        start.tree,
        branch,
        changed(_terms(settings, parallel), chosen=chosen, assent=assent),
        text,
        f"SPEC-{uuid.uuid4().hex[:8]}",
        version=__version__,
        sealing=SEALING,
        intent=intent.slug if intent else "",
        intent_type=intent.type if intent else "",
        intent_risk=intent.risk if intent else None,
    )
    if earlier is not None:
        _refuse_if_gone(project, git, earlier)
        followed = Earlier(earlier.id, earlier.title, earlier.branch, earlier.tip, earlier.tip_tree, is_followed=True)
        opened = replace(opened, earlier=followed, base_commit=earlier.tip, base_tree=earlier.tip_tree)
    elif last := _last_unmerged(project, git, start.commit, after):
        opened = replace(opened, earlier=Earlier(last.id, last.title, last.branch, last.tip, last.tip_tree))
    return project.begin(opened)


def _refuse_if_gone(project: Project, git: Git, earlier: Session) -> None:
    if git.run(project.place.root, "cat-file", "-e", f"{earlier.tip}^{{commit}}").returncode:
        words = f"the work of session {earlier.short} is gone: {earlier.branch} was deleted"
        raise ToryoError("E211", words, hint='begin anew: toryo run "…"')


def _last_unmerged(project: Project, git: Git, head: str, after: Session | None) -> Session | None:
    """That session or the latest, if it is finished and its work is on its branch alone."""
    rows = project.summaries()
    last = after or (project.load(rows[0]["id"]) if rows and rows[0]["outcome"] == Outcome.COMPLETE else None)
    if last is None or last.state is not SessionState.CLOSED or last.outcome is not Outcome.COMPLETE:
        return None
    if last.planning is None or last.tip == last.base_commit:
        return None
    is_there = git.run(project.place.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{last.branch}")
    is_merged = git.run(project.place.root, "merge-base", "--is-ancestor", last.tip, head)
    return last if is_there.returncode == 0 and is_merged.returncode != 0 else None


def _title(text: str) -> str:
    first = next(line for line in text.splitlines() if line.strip()).strip("# \t")
    words = " ".join(first.split()) or "Untitled"
    return words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE - 1].rstrip() + "…"


def _terms(settings: Settings, parallel: int | None) -> Terms:
    chosen = choose(settings, "plan")
    context = chosen.settings.context_tokens if chosen else 16_000
    reply = min(settings.model.max_tokens, context // 4)
    room = max(2_000, int(context * _SHARE_OF_CONTEXT - context * _SYSTEM_SHARE - reply))
    return changed(
        terms_of(settings, parallel or settings.run.parallel),
        crew=tuple((str(kind), agent) for kind, agent in settings.roles.items()),
        crew_by_complexity=tuple(settings.complexity.items()),
        limits=settings.limits,
        reviews=settings.run.review,
        replans=_REPLANS,
        judges=settings.run.review,
        talk_limit=room,
    )


# ── what people say ──────────────────────────────────────────────────────────


def defaults(questions: tuple[Question, ...]) -> tuple[Answer, ...] | None:
    """Every question's default; None where one of them has none."""
    if not all(question.default for question in questions):
        return None
    return tuple(Answer(question.text, question.default) for question in questions)


def answer(project: Project, session: Session, answers: tuple[Answer, ...], by: str = "a person") -> Session:
    """Where somebody was faster and said the same, such as whoever watches the file they stand in, all is well."""
    answered = project.decide(session, e.QuestionsAnswered(time.time(), answers, by))
    if answered is not None:
        return answered
    found = project.load(session.id)
    if found.planning and has_answers(found.planning, answers):
        return found
    raise ToryoError(
        "E212",
        f"session {session.short} was answered by somebody else meanwhile",
        hint=f"toryo answer {session.short} shows what it still asks",
    )


def open_questions(session: Session) -> tuple[Question, ...]:
    return session.planning.open_questions if session.planning else ()


def has_plan_to_decide(session: Session) -> bool:
    """Also where it was stopped meanwhile."""
    state = session.resumes_to if session.state is SessionState.PAUSED else session.state
    return state is SessionState.AWAITING_APPROVAL


def refuse_unless_awaiting(session: Session) -> None:
    """Raises ToryoError unless there is a plan to be approved."""
    if has_plan_to_decide(session):
        return
    hint = f"toryo info {session.short} shows how it stands"
    if needs_answers(session):
        hint = f"it has questions first: toryo answer {session.short}"
    elif session.state is SessionState.PLANNING:
        hint = f"it is still being planned: toryo resume {session.short}"
    raise ToryoError("E210", f"session {session.short} is {session.state}; there is no plan to decide about", hint=hint)


def approve(project: Project, session: Session, by: str = "a person") -> Session:
    """Approves the plan as it stands in the documents: a person may have edited them."""
    refuse_unless_awaiting(session)
    now = time.time()
    edited = edited_tasks(project, session) if session.planning else None
    changes = [e.PlanEdited(now, edited)] if edited is not None else []
    return _decided(project, session, *changes, e.PlanApproved(now, by))


def reject(project: Project, session: Session, why: str, by: str = "a person") -> Session:
    refuse_unless_awaiting(session)
    if session.planning is None:
        raise ToryoError("E210", "this plan comes from a file", hint="change the file, and run it anew")
    return _decided(project, session, e.PlanRejected(time.time(), why, by))


def _decided(project: Project, session: Session, *events: e.Event) -> Session:
    """Of two who decide about a plan at once, one does; the other is told how it stands."""
    if session.state is SessionState.PAUSED:
        session = project.append(session, e.SessionResumed(time.time()))
    decided = project.decide(session, *events)
    if decided is None:
        refuse_unless_awaiting(project.load(session.id))
        raise ToryoError("E210", f"session {session.short} was decided about meanwhile", hint="'toryo status' shows it")
    return decided


def wish(project: Project, session: Session, text: str, by: str = "a person") -> Session:
    """Adds to an unfinished session what is missing, or something more."""
    planning = session.planning
    if planning is None:
        raise ToryoError("E211", "this session began with a plan, not with an instruction", hint="run a new plan")
    if len(planning.wishes) >= MOST_WISHES:
        raise ToryoError(
            "E211",
            f"session {session.short} was continued {MOST_WISHES} times already",
            hint="look at what is there, and begin a new session with what is left",
        )
    wished = project.decide(session, e.WishAdded(time.time(), text, by))
    if wished is None:
        raise _nothing_to_add_to(project.load(session.id))
    return wished


def _nothing_to_add_to(session: Session) -> ToryoError:
    """Something is added to what was done; before that, a plan is changed, and work that goes on is told."""
    words = f"session {session.short} is {session.state}: nothing can be added to it yet"
    if session.state is SessionState.AWAITING_APPROVAL:
        hint = f"say what its plan lacks: toryo reject {session.short} --why '…'"
    elif session.state is SessionState.EXECUTING:
        hint = f"step in instead: toryo say '…' {session.short}"
    else:
        hint = f"first: toryo resume {session.short}"
    return ToryoError("E211", words, hint=hint)


def documents_folder(project: Project, session: Session) -> Path | None:
    return project.place.root / "specs" / session.planning.spec if session.planning else None

"""Opening the session that works on an intent, and letting that be carried out."""

import os
import time
import uuid
from contextlib import closing

from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Look
from toryo.adapters.intake import Instruction
from toryo.adapters.settings import Settings
from toryo.app.continuing import is_only_incomplete, what_is_missing
from toryo.app.intents import intent_files
from toryo.app.planning import open_planning, prepare_planning, wish
from toryo.app.project import Project
from toryo.app.steering import resumed
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import Clash
from toryo.domain.intent import Intent, IntentStatus, Risk
from toryo.domain.plan import Assent
from toryo.domain.session import Session, SessionState
from toryo.rules.masking import mask
from toryo.rules.tending import answers_in, counting_risk

_MAY_BE_PURSUED = (IntentStatus.PROPOSED, IntentStatus.APPROVED, IntentStatus.EXECUTING)


def pursue(project: Project, intent: Intent, settings: Settings | None = None, ended: str = "") -> Session | None:
    """The session for an intent; that it is there, and which it is, stands in the file before it is opened.

    So whoever is interrupted in between opens the same session later, and nobody opens two. `ended` is the session
    whose place it takes. None: somebody has rejected the intent meanwhile, or begun with it.
    """
    settings = settings or prepare_planning(project, {})
    with closing(Look(project.place)) as look:
        look.start()  # refuses before the file says anything about a session
        look.refuse_if_prefix_is_taken()
    named = intent_files(project).change(intent.slug, lambda found: _with_session(found, ended))
    if named.status not in _MAY_BE_PURSUED or named.session in ("", ended):
        return None
    # Nobody has agreed to anything yet: what an analysis asks is for people to answer.
    try:
        return open_planning(project, settings, instruction_of(named), assent=Assent.NONE, intent=named)
    except Clash:
        return project.load(named.session)


def _with_session(intent: Intent, ended: str) -> Intent:
    if intent.session not in ("", ended) or intent.status not in _MAY_BE_PURSUED:
        return intent
    if ended and intent.status is IntentStatus.EXECUTING:
        return intent
    is_approved = intent.status is IntentStatus.APPROVED
    status = IntentStatus.EXECUTING if is_approved else intent.status
    when = float(int(time.time())) if is_approved else intent.updated_at
    return changed(intent, session=f"session-{uuid.uuid4()}", status=status, updated_at=when, reason="", feedback=())


def instruction_of(intent: Intent) -> Instruction:
    decided = [f"- {one.question} → {one.answer}" for one in intent.clarifications if one.answer]
    parts = [_words_of(intent), "Decided:\n\n" + "\n".join(decided) if decided else ""]
    return Instruction("\n\n".join(part for part in parts if part), f"intent {intent.slug}")


def _words_of(intent: Intent) -> str:
    return "\n\n".join(part for part in (intent.title.strip() or intent.slug, intent.body.strip()) if part)


def assent_of(risk: Risk | None) -> Assent:
    """Whoever lets an intent be carried out has agreed to a plan that is good enough; not where the risk is high.

    Where it is not known yet, the analysis that is still to come takes that back if it is.
    """
    return Assent.DEFAULTS if risk is Risk.HIGH else Assent.PLAN


def release(project: Project, intent: Intent, session: Session, by: str) -> Session:
    """It may be carried out, from where its branch is by now, and waits for its turn: all of that or nothing."""
    now = time.time()
    commit, tree = _base_now(project, session)
    assent = e.AssentGiven(now, assent_of(counting_risk(intent, session)))
    return project.append(session, assent, e.IntentReleased(now, by, commit, tree), e.SessionQueued(now))


def _base_now(project: Project, session: Session) -> tuple[str, str]:
    """Empty where the branch is gone: then it begins from where that was."""
    branch = f"refs/heads/{session.base_branch}"
    asked = Git(os.environ).run(project.place.root, "rev-parse", f"{branch}^{{commit}}", f"{branch}^{{tree}}")
    found = asked.stdout.decode(errors="replace").split()
    return (found[0], found[1]) if asked.returncode == 0 and len(found) == 2 else ("", "")


def answer_from_file(project: Project, intent: Intent, session: Session) -> Session | None:
    """What its file says to what it asks; None: by now nothing is asked, since somebody answered it directly."""
    return project.decide(session, e.QuestionsAnswered(time.time(), answers_in(intent, session), "a person"))


def send_round_again(project: Project, intent: Intent, session: Session) -> Session:
    """An unfinished session goes on with what failed; what the file says by now and did not then is told to it.

    Where nothing failed, and it is only not complete, what is missing is added.
    """
    said = e.PersonSaid(time.time(), f"What is wanted now reads:\n\n{_words_of(intent)}")
    planned = session.planning.instruction if session.tasks and session.planning else ""
    if planned and mask(_words_of(intent)) not in planned and said.text not in session.sayings:
        session = project.append(session, said)
    elif is_only_incomplete(session):
        session = wish(project, session, what_is_missing(session))
    return project.append(resumed(project, session), e.SessionQueued(time.time()))


def go_on(project: Project, session: Session) -> Session:
    """It waits for its turn to be conducted."""
    now = time.time()
    if session.state is SessionState.PAUSED:
        return project.append(session, e.SessionResumed(now), e.SessionQueued(now))
    return project.append(session, e.SessionQueued(now))

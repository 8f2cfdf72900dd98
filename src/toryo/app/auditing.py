"""Audits: agents look at the repository as it is, and what they find becomes intents that people decide about."""

import os
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from toryo import __version__
from toryo.adapters.git.command import Git
from toryo.adapters.git.place import Look, Start, taken_names
from toryo.adapters.settings import Settings
from toryo.app.configuration import settings_of
from toryo.app.crew import agents_of, refuse_unusable, unknown_agent
from toryo.app.intents import add_intent
from toryo.app.opening import terms_of
from toryo.app.planning import with_somebody
from toryo.app.project import Project
from toryo.app.prompting import prompts_of
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.evidence import SEALING
from toryo.domain.facts import fact
from toryo.domain.intent import Analysis, AnalysisEnd, Flow, Intent, IntentSource, IntentStatus, Risk
from toryo.domain.plan import PlannedTask, TaskType
from toryo.domain.session import Session, short_of
from toryo.rules.auditing import EVERYTHING, FOCUS
from toryo.rules.flows import AUDIT, FILE, INVESTIGATE
from toryo.rules.naming import name_branches
from toryo.rules.wording import fill

_BY = "a person"
_DIRECT = "a person asked for it directly: nothing has to be analysed or planned"


@fact
class Audit:
    """What is to be looked at, by whom and from where; nothing has begun yet."""

    settings: Settings
    start: Start
    path: str
    """From the top of the repository; empty: all of it."""
    focus: tuple[str, ...]

    @property
    def title(self) -> str:
        what = f" for {' and '.join(self.focus)}" if self.focus else ""
        return f"Audit of {self.path or 'the repository'}{what}"


def prepare_audit(
    project: Project, where: Path, path: str | None, focus: Sequence[str], flags: Mapping[str, object]
) -> Audit:
    """Looks at everything that can be looked at beforehand; changes nothing."""
    settings = settings_of(project, flags)
    agents = agents_of(settings)
    if (given := flags.get("agent")) and given not in agents:
        raise unknown_agent(str(given), agents)
    settings = replace(settings, roles=with_somebody(settings, flags.get("agent")))
    refuse_unusable([agents[settings.roles[TaskType.INVESTIGATION]]], settings.run.host)
    with closing(Look(project.place)) as look:
        start = look.start()
        look.refuse_if_prefix_is_taken()
    inside = _inside(project, where, path, start) if path else ""
    return Audit(settings, start, inside, tuple(dict.fromkeys(focus)))


def _inside(project: Project, where: Path, path: str, start: Start) -> str:
    """The path from the top of the repository; raises ToryoError where it is not in the commit that is looked at."""
    top = project.place.checkout.resolve()
    wanted = Path(os.path.normpath(where.resolve() / path))
    if wanted.is_symlink() or not wanted.is_relative_to(top):
        wanted = wanted.resolve()
    if not wanted.is_relative_to(top):
        hint = f"name something below {top}, or leave it out to look at everything"
        raise ToryoError("E270", f"{path} is not in this repository", hint=hint, exit_code=Exit.USAGE)
    inside = wanted.relative_to(top).as_posix()
    if inside == ".":
        return ""
    if Git(os.environ).run(top, "cat-file", "-e", f"{start.commit}:{inside}").returncode:
        is_new = wanted.exists()
        words = f"{inside} is not in the last commit of {start.branch}, and that is what is looked at"
        hint = "commit it first" if is_new else "there is no such file or folder; look at how it is written"
        raise ToryoError("E271", words, hint=hint, exit_code=Exit.USAGE)
    return inside


def open_audit(project: Project, audit: Audit) -> Session:
    """The intent on file, and its session with a plan that needs no model; a person asked, so it may begin."""
    session_id = f"session-{uuid.uuid4()}"
    intent = add_intent(project, _intent(audit, session_id))
    now = time.time()
    taken = taken_names(project.place, Git(os.environ)) | project.reserved_names()
    branch, names = name_branches(audit.title, short_of(session_id), tasks := _tasks(project, audit), taken)
    at_once = min(len(tasks), audit.settings.run.parallel)
    opened = e.SessionOpened(
        now,
        session_id,
        audit.title,
        f"intent {intent.slug}",
        audit.start.branch,
        audit.start.commit,
        audit.start.tree,
        branch,
        terms_of(audit.settings, at_once),
        version=__version__,
        sealing=SEALING,
        intent=intent.slug,
        intent_type=intent.type,
        intent_risk=intent.risk,
    )
    analysis = Analysis(AnalysisEnd.TASKS, AUDIT, Risk.LOW, "it only reads")
    return project.begin(
        opened,
        e.IntentAnalysed(now, (), analysis, Flow(AUDIT, (INVESTIGATE, FILE), (_DIRECT,))),
        e.IntentReleased(now, _BY),
        e.PlanProposed(now, tuple(changed(task, branch=name) for task, name in zip(tasks, names, strict=True))),
        e.PlanApproved(now, _BY),
    )


def _intent(audit: Audit, session_id: str) -> Intent:
    """Under way from the beginning, and with its session, so that nobody else takes it up."""
    body = "\n".join(f"Look for {FOCUS[focus]}." for focus in audit.focus) or f"Look for {EVERYTHING}."
    return Intent(
        "",
        audit.title,
        f"{body}\n",
        AUDIT,
        IntentSource.HUMAN,
        Risk.LOW,
        IntentStatus.EXECUTING,
        session=session_id,
    )


def _tasks(project: Project, audit: Audit) -> list[PlannedTask]:
    """One for each focus: who looks for everything at once sees less of each."""
    where = f"`{audit.path}`" if audit.path else "the whole repository"
    return [
        PlannedTask(
            focus or AUDIT,
            f"Audit of {audit.path or 'the repository'}: {focus or 'everything'}",
            audit.settings.roles[TaskType.INVESTIGATION],
            description=fill(
                prompts_of(project.place).text("audit"), where=where, focus=FOCUS[focus] if focus else EVERYTHING
            ),
            type=TaskType.INVESTIGATION,
            limits=audit.settings.limits,
            focus=focus,
        )
        for focus in audit.focus or ("",)
    ]

"""What landing writes: its commits, and the tasks of agents who have to bring both sides together."""

from collections.abc import Sequence

from toryo.domain.evidence import CheckStatus
from toryo.domain.landing import Landing
from toryo.domain.plan import PlannedTask, TaskType
from toryo.domain.session import Session
from toryo.domain.task import Task, TaskState
from toryo.rules.briefing import ANCHOR, commit_kind
from toryo.rules.findings import say_failure
from toryo.rules.naming import branch_name

UPDATE = "Toryo-Update"
_MOST_SUBJECT = 72


def update_message(session: Session, target: str, onto: str) -> str:
    return f"Merge {target} at {onto[:12]} into {session.branch}\n\n{_update(session)}\n"


def replay_message(session: Session, target: str, onto: str) -> str:
    return (
        f"{_subject(session)}\n\n{_tasks(session)}"
        f"{target} was rewritten since this work began: these are its changes, made again on top of {onto[:12]}.\n\n"
        f"{_update(session)}\n"
    )


def is_update(session: Session, message: str) -> bool:
    """Whether a commit was made to bring the session's branch up to date."""
    return _update(session) in message.splitlines()


def _update(session: Session) -> str:
    return f"{UPDATE}: {session.id}"


def landing_message(session: Session, landing: Landing) -> str:
    """Of the commit on the target: a merge, or all of it as one in Conventional Commits."""
    anchors = landing_anchors(session, is_squashed=landing.squash)
    trailers = [session_mark(session), *(f"{ANCHOR}: {head}" for head in anchors)]
    if landing.squash:
        return f"{_subject(session)}\n\n{_tasks(session)}" + "\n".join(trailers) + "\n"
    subject = _on_one_line(session.title)
    return f"Merge {session.branch}: {subject}\n\n{_tasks(session)}" + "\n".join(trailers) + "\n"


def session_mark(session: Session) -> str:
    """The line by which a session's landing is known."""
    return f"Toryo-Session: {session.id}"


def landing_anchors(session: Session, *, is_squashed: bool) -> tuple[str, ...]:
    """Where the evidence stands: whoever has the commit can tell it from another.

    Merges of tasks name their own, and the proof of the whole names them all; without either, this commit does.
    """
    has_proof = bool(session.proof) and session.proof_commit == session.tip
    tasks = [task.chain for task in _merged(session)] if is_squashed or not has_proof else []
    return tuple(chain for chain in (*tasks, session.chain) if chain)


def _subject(session: Session) -> str:
    title = _on_one_line(session.title)
    text = f"{commit_kind(task.plan.type for task in _merged(session))}: {title}"
    return text if len(text) <= _MOST_SUBJECT else text[: _MOST_SUBJECT - 1].rstrip() + "…"


def _tasks(session: Session) -> str:
    merged = [task for task in _merged(session) if not task.plan.resolves]
    return "".join(f"- {task.plan.key}: {_on_one_line(task.plan.title)}\n" for task in merged) + "\n" if merged else ""


def _merged(session: Session) -> list[Task]:
    return [task for task in session.tasks.values() if task.state is TaskState.INTEGRATED and task.merge_commit]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


# ── tasks ────────────────────────────────────────────────────────────────────


def settler(session: Session) -> str:
    """The agent who is handed what does not go together; empty: nobody here can."""
    agents = [session.terms.resolver, *(task.plan.agent for task in reversed(_merged(session)))]
    return next((name for name in agents if name and name not in session.terms.unable_to_resolve), "")


def settling_task(
    session: Session, landing: Landing, onto: str, files: Sequence[str], news: Sequence[str]
) -> PlannedTask:
    """Bringing together what the target got meanwhile and the result, where they conflict."""
    listed = "\n".join(f"- `{path}`" for path in files)
    description = (
        f"While this work was done, others went on with {landing.target}, and the two conflict. A merge of both is "
        "under way in this folder: the conflicting places carry the usual markers.\n\n"
        f"Conflicting files:\n{listed}\n\n"
        "Bring both sides together so that the intention of each is kept, remove every marker, and do not undo the "
        f"merge.\n\nWhat others did meanwhile:\n\n{_list(news)}\n\nWhat this work did:\n\n{_work(session)}"
    )
    return _task(session, f"Bring {landing.target} and the result together", description, merging=onto)


def mending_task(session: Session, landing: Landing, news: Sequence[str]) -> PlannedTask:
    """Mending what the checks find wrong once both are together."""
    failed = [result for result in session.proof if result.status is not CheckStatus.PASSED]
    said = "\n\n".join(f"{say_failure(result)}\n\n```\n{result.tail}\n```" for result in failed)
    description = (
        f"This folder holds this work together with what others did on {landing.target} meanwhile. They merge, but the "
        f"checks do not pass on both together. Mend that so that the intention of each is kept.\n\n{said}\n\n"
        f"What others did meanwhile:\n\n{_list(news)}\n\nWhat this work did:\n\n{_work(session)}"
    )
    return _task(session, f"Make the checks pass together with {landing.target}", description)


def _task(session: Session, title: str, description: str, merging: str = "") -> PlannedTask:
    number = 1
    while (key := f"land-{number}") in session.keys:
        number += 1
    taken = {task.plan.branch for task in session.tasks.values()} | {session.branch}
    branch = branch_name(f"{session.branch.removeprefix('agent/')} {key}", key, taken)
    kind = TaskType.INTEGRATION
    return PlannedTask(key, title, settler(session), branch, description, kind, checks=session.checks, merging=merging)


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- nothing that is known"


def _work(session: Session) -> str:
    return _list([f"{task.plan.key}: {_on_one_line(task.plan.title)}" for task in _merged(session)])

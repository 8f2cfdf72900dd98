"""The words of a pull request: its title, and a body that says what was done and what shows it."""

import re

from toryo.domain.facts import fact
from toryo.domain.session import Session
from toryo.domain.task import SATISFIED, Task
from toryo.rules.briefing import commit_kind
from toryo.rules.masking import mask
from toryo.rules.requesting import harmless
from toryo.views.criteria import Standing, criteria_of, criteria_of_task
from toryo.views.markdown import code, line, listed
from toryo.views.ran import ran_lines
from toryo.views.risks import risks_of
from toryo.views.words import proof_words

LONGEST_TITLE = 72
LONGEST_BODY = 60_000
"""GitHub takes 65,536 characters, and counts some of them twice."""
_MOST_FILES, _MOST_CRITERIA = 50, 100
_CONVENTIONAL = re.compile(r"(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([\w./-]+\))?!?: \S")
_REPAIRS = re.compile(r"(fix|repair|correct)(es|ed|s)?\b|.*(修正|修復|直す)", re.IGNORECASE)


@fact
class About:
    """What is known of a pull request before it is opened."""

    paths: tuple[str, ...]
    added: int
    removed: int
    task: Task | None = None
    """None: it is about the session as a whole."""
    issue: str = ""
    """Where the instruction came from: an issue's address."""
    closes: int = 0
    """Its number, where merging this request settles it."""
    builds_on: str = ""
    """The address of the pull request that has to be merged first."""


def request_title(session: Session, task: Task | None = None) -> str:
    """Conventional Commits, on one line that fits into a list of commits."""
    said = task.plan.title if task else session.title
    words = harmless(" ".join("".join(c if c.isprintable() else " " for c in mask(said)).split())) or "work"
    if not _CONVENTIONAL.match(words):
        words = f"{_kind(session, task, words)}: {words}"
    if len(words) <= LONGEST_TITLE:
        return words
    cut = words[: LONGEST_TITLE - 1]
    at = cut.rfind(" ")
    return (cut[:at] if at > LONGEST_TITLE // 2 else cut).rstrip(" ,.;:") + "…"


def _kind(session: Session, task: Task | None, words: str) -> str:
    tasks = [task] if task else [one for one in session.tasks.values() if one.state in SATISFIED]
    kind = commit_kind(one.plan.type for one in tasks if not one.plan.type.is_read_only)
    return "fix" if kind == "feat" and _REPAIRS.match(words) else kind


def request_body(session: Session, about: About) -> str:
    """Masked, and unable to mention anybody, close anything else or show anything but text."""
    parts = [
        listed("Summary", _summary(session, about)),
        listed("What changed", _impact(about)),
        listed("Tests", _tests(session, about)),
        listed("Acceptance criteria", _criteria(session, about.task)),
        listed("Risks", _risks(session, about.task)),
        listed("Evidence", _evidence(session, about.task)),
    ]
    text = harmless(mask("\n\n".join(part for part in parts if part)))
    if len(text) > LONGEST_BODY:
        text = text[:LONGEST_BODY].rpartition("\n")[0] + "\n\n… the rest is in the report: `toryo report`"
    return "\n\n".join(part for part in (text, _links(about)) if part) + "\n"


def _summary(session: Session, about: About) -> list[str]:
    if about.task:
        told = " ".join(about.task.plan.description.split())
        return [line(about.task.plan.title), *([line(told, 1000)] if told else [])]
    tasks = [task for task in session.tasks.values() if task.state in SATISFIED and not task.plan.resolves]
    return [line(session.title), *(f"{code(task.plan.key)} {line(task.plan.title)}" for task in tasks[:200])]


def _impact(about: About) -> list[str]:
    count = len(about.paths)
    files = [code(path) for path in about.paths[:_MOST_FILES]]
    more = [f"… and {count - _MOST_FILES} more"] if count > _MOST_FILES else []
    return [f"{count} file{'s' if count != 1 else ''}, +{about.added} −{about.removed} lines", *files, *more]


def _tests(session: Session, about: About) -> list[str]:
    if about.task is None:
        ran = ran_lines(session)
        return [line(proof_words(session), 1000), *(one for one in ran if one not in ("", "-"))]
    run = about.task.run
    results = [f"check {line(result.name)}: {result.status}" for result in run.results] if run else []
    return results or ["no checks: nothing but the observed changes stands behind it"]


def _criteria(session: Session, task: Task | None) -> list[str]:
    judged = criteria_of_task(session, task) if task else criteria_of(session)
    lines = []
    for one in judged[:_MOST_CRITERIA]:
        why = "; ".join(part for part in (one.why, *one.by) if part)
        status = "proven" if one.status is Standing.PROVEN else f"**{one.status}**"
        lines.append(f"{status}: {line(one.criterion)}" + (f" ({line(why)})" if why else ""))
    more = len(judged) - _MOST_CRITERIA
    return [*lines, *([f"… and {more} more"] if more > 0 else [])]


def _risks(session: Session, task: Task | None) -> list[str]:
    risks = risks_of(session)
    own = [risk for risk in risks if task is None or risk.startswith(f"{task.plan.key}:")]
    return [line(risk) for risk in own]


def _evidence(session: Session, task: Task | None) -> list[str]:
    chains = [task.chain] if task else [one.chain for one in session.tasks.values() if one.state in SATISFIED]
    head = session.chain or next((chain for chain in reversed(chains) if chain), "")
    lines = [f"session {code(session.id)}"]
    if task:
        lines.append(f"task {code(task.id)}, its evidence ends in {code(task.chain)}")
    elif head:
        lines.append(f"the chain of evidence ends in {code(head)}")
    return [*lines, f"checked again where the session is: {code(f'toryo verify {session.short}')}"]


def _links(about: About) -> str:
    """The only references that are meant as such."""
    lines = [f"Builds on {about.builds_on}; merge that one first."] if about.builds_on else []
    if about.closes:
        lines.append(f"Closes #{about.closes}")
    elif about.issue:
        lines.append(f"Came from {about.issue}")
    return "\n\n".join(lines)

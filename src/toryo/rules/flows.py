"""The way of an intent, by its type: which steps it goes through. Rules, and no prompts."""

from collections.abc import Iterable, Mapping, Sequence

from toryo.domain.intent import Flow, Intent, IntentStatus, Pursuit, Risk, higher
from toryo.domain.plan import Check
from toryo.domain.planning import Document
from toryo.domain.session import Session
from toryo.domain.task import TaskState

ANALYSE = "analyse"
SPECIFY, PLAN, TASKS = "specify", "plan", "tasks"
APPROVE = "approve"
"""A person approves the plan too."""
REPRODUCE = "reproduce"
"""A test that fails comes first, and is seen to fail."""
KEEP_TESTS = "keep tests"
"""The tests that are there stay as they are."""
ONLY_TESTS = "only tests"
"""Nothing but files that hold tests may change."""
IMPLEMENT, DOCUMENT, INVESTIGATE = "implement", "document", "investigate"
REVIEW, JUDGE = "review", "judge"
FILE = "file"
"""What was found becomes intents."""

_DEFAULT = "feature"
_STEPS: dict[str, tuple[str, ...]] = {
    "feature": (ANALYSE, SPECIFY, PLAN, TASKS, IMPLEMENT, REVIEW, JUDGE),
    "fix": (ANALYSE, PLAN, TASKS, REPRODUCE, IMPLEMENT, REVIEW, JUDGE),
    "refactor": (ANALYSE, PLAN, TASKS, IMPLEMENT, KEEP_TESTS, REVIEW, JUDGE),
    "test": (ANALYSE, TASKS, ONLY_TESTS, IMPLEMENT, REVIEW),
    "docs": (ANALYSE, TASKS, DOCUMENT, REVIEW),
    "audit": (ANALYSE, TASKS, INVESTIGATE, FILE),
    "investigation": (ANALYSE, TASKS, INVESTIGATE),
}
_OTHER_NAMES = {
    "bug": "fix",
    "bugfix": "fix",
    "refactoring": "refactor",
    "tests": "test",
    "doc": "docs",
    "documentation": "docs",
    "research": "investigation",
    "spike": "investigation",
}
TYPES = tuple(_STEPS)
AUDIT = "audit"
_WRITES = {Document.SPEC: SPECIFY, Document.PLAN: PLAN}
_TESTED_IN_PLACE = ("Rust",)
"""Languages whose tests stand in the very files that they test."""


def flow_of(type_: str, risk: Risk, *, checks: Iterable[Check] = (), reviews: bool = True, languages: str = "") -> Flow:
    """The steps for a type, adjusted to how risky this one is and to what there is to prove it with.

    `languages` is any text that names those of the repository.
    """
    known = _OTHER_NAMES.get(type_, type_)
    known = known if known in _STEPS else _DEFAULT
    steps, notes = list(_STEPS[known]), []
    if type_ != known:
        notes.append(f"the type '{type_}' has no way of its own: it goes that of '{known}'")
    if risk is Risk.HIGH and INVESTIGATE not in steps:
        steps.insert(steps.index(TASKS) + 1, APPROVE)
        notes.append("the risk is high: a person approves the plan before anything is done")
    if REPRODUCE in steps and not [*checks]:
        steps.remove(REPRODUCE)
        notes.append("no check was found: what is wrong cannot be shown by a failing test first")
    if ONLY_TESTS in steps and any(language in languages for language in _TESTED_IN_PLACE):
        steps.remove(ONLY_TESTS)
        notes.append("tests stand beside the code here: other files may change too")
    if not reviews and REVIEW in steps:
        steps = [step for step in steps if step not in (REVIEW, JUDGE)]
        notes.append("run.review is off: no model reviews or judges the work")
    return Flow(type_, tuple(steps), tuple(notes))


def risk_of(pursuit: Pursuit) -> Risk | None:
    """The risk that counts: a model can raise what a person said, and never lower it; None: nobody has said any."""
    return higher(pursuit.risk, pursuit.analysis.risk) if pursuit.analysis else pursuit.risk


def has_step(session: Session, step: str) -> bool:
    """Whether the intent that the session works on goes through this step; without an intent, it does not."""
    pursuit = session.pursuit
    return pursuit is not None and pursuit.flow is not None and step in pursuit.flow.steps


def type_of(pursuit: Pursuit) -> str:
    """As the person said, else as the model did; empty: it is not known yet."""
    return pursuit.type or (pursuit.analysis.type if pursuit.analysis else "")


def documents_of(pursuit: Pursuit | None) -> tuple[Document, ...]:
    """What is written down before there are tasks."""
    if pursuit is None or pursuit.flow is None:
        return (Document.SPEC, Document.PLAN)
    return tuple(document for document, step in _WRITES.items() if step in pursuit.flow.steps)


def is_judged(session: Session) -> bool:
    """Whether its flow leaves room for a judgement of the whole."""
    return session.pursuit is None or session.pursuit.flow is None or has_step(session, JUDGE)


def needs_filing(session: Session) -> bool:
    """What it found has yet to become intents."""
    is_filed = session.pursuit is None or session.pursuit.filed is not None
    # What is blocked may still find something once a person has dealt with it.
    return has_step(session, FILE) and not is_filed and not session.count(TaskState.BLOCKED)


# ── those that take its place ────────────────────────────────────────────────


def child_status(pursuit: Pursuit, risk: Risk | None) -> IntentStatus:
    """Who approved the whole has approved its parts, as far as none of them is riskier than that was."""
    counts = risk_of(pursuit)
    is_covered = risk is not None and counts is not None and not risk.is_above(counts)
    return IntentStatus.APPROVED if is_covered and pursuit.is_released_by_person else IntentStatus.PROPOSED


def generation(slug: str, parents: Mapping[str, str]) -> int:
    """How many stand above it; files may lead round in a circle."""
    seen = {slug}
    while (slug := parents.get(slug, "")) and slug not in seen:
        seen.add(slug)
    return len(seen) - 1


def parts_of(intent: Intent, others: Sequence[Intent]) -> list[Intent]:
    """Those that name it as their parent; not itself, nor what it is a part of: in a circle each would wait for all."""
    named = [one for one in others if one.parent == intent.slug]
    above = _above(intent, others) if named else set()
    return [one for one in named if one.slug not in above]


def _above(intent: Intent, others: Sequence[Intent]) -> set[str]:
    """It, what it is a part of, what that is a part of, and so on."""
    parents = {one.slug: one.parent for one in others}
    found, slug = set(), intent.slug
    while slug and slug not in found:
        found.add(slug)
        slug = parents.get(slug, "")
    return found


def parent_status(children: Iterable[IntentStatus]) -> IntentStatus:
    """How an intent stands whose parts others are: it is done when they are."""
    found = set(children)
    if any(status.is_open and not status.is_failed for status in found):
        return IntentStatus.EXECUTING
    if IntentStatus.DONE not in found:
        return IntentStatus.ERROR
    return IntentStatus.BLOCKED if any(status.is_failed for status in found) else IntentStatus.DONE

"""What of an intent waits for a person: a word of theirs, an answer, what to do about its failure; and skills."""

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Clarification, Intent, IntentStatus, Risk
from toryo.domain.learning import Skill
from toryo.domain.planning import Question
from toryo.domain.session import SessionState
from toryo.rules.hindering import hindrance
from toryo.rules.masking import mask
from toryo.rules.risks import higher
from toryo.views.inboxitems import Choice, Item
from toryo.views.plan import how_to_answer, question_lines

_MOST_OF_THE_BODY = 4
_MOST_FEEDBACK = 6


@fact
class Held:
    """Why an intent does not begin by itself; no words: it will, and nobody is needed."""

    words: str


def as_question(one: Clarification) -> Question:
    return Question(one.question, one.why, one.options, one.default)


def judged(intent: Intent, row: Mapping[str, Any] | None) -> Risk | None:
    """The higher of what its file says and what a model said in its session."""
    return higher(intent.risk, _risk_in(row))


def _risk_in(row: Mapping[str, Any] | None) -> Risk | None:
    return Risk(row["risk"]) if row and row["risk"] else None


def intent_item(intent: Intent, row: Mapping[str, Any] | None, held: Held) -> Item | None:
    """What waits, as far as its session (in a few numbers: `row`) does not say it itself; None: nothing does."""
    if intent.status in (IntentStatus.PROPOSED, IntentStatus.APPROVED) and intent.open_questions:
        return _questions(intent, row)
    if intent.status is IntentStatus.PROPOSED and held.words:
        return _approval(intent, row, held)
    if (why := hindrance(intent)) and not _is_going_on(row):
        return _hindrance(intent, row, why)
    return _failure(intent, row) if intent.status.is_failed else None


def _is_going_on(row: Mapping[str, Any] | None) -> bool:
    return row is not None and row["state"] != SessionState.CLOSED


def _hindrance(intent: Intent, row: Mapping[str, Any] | None, why: str) -> Item:
    says = f"{mask(intent.title)}\ncannot begin: {mask(why)}"
    do = f"put that right, and 'toryo watch' begins with it; or toryo reject {intent.slug} --why '…'"
    return _item(intent, row, "hindered", says, do, Choice.REJECT)


def _questions(intent: Intent, row: Mapping[str, Any] | None) -> Item:
    questions = tuple(map(as_question, intent.open_questions))
    says = "\n".join((mask(intent.title), *question_lines(questions)))
    do = how_to_answer(intent.slug, questions)
    return _item(intent, row, "questions", says, do, Choice.ANSWER, Choice.REJECT)


def _approval(intent: Intent, row: Mapping[str, Any] | None, held: Held) -> Item:
    said = [mask(intent.title), *_beginning(intent.body)]
    if row and row["risk_why"]:
        said.append(f"risk: {mask(row['risk_why'])}")
    if why := hindrance(intent):
        said.append(f"could not be looked into: {mask(why)}")
    said.append(f"why it waits: {held.words}")
    do = f"toryo approve {intent.slug}, or toryo reject {intent.slug} --why '…'"
    return _item(intent, row, "approval", "\n".join(said), do, Choice.APPROVE, Choice.REJECT)


def _beginning(text: str) -> list[str]:
    """The first lines that say something."""
    lines = [line.rstrip() for line in mask(text).splitlines() if line.strip()]
    return [*lines[:_MOST_OF_THE_BODY], *(["…"] if len(lines) > _MOST_OF_THE_BODY else [])]


def _failure(intent: Intent, row: Mapping[str, Any] | None) -> Item:
    said = [mask(intent.title), *_reasons(intent)]
    do = f"toryo retry {intent.slug} --say 'what to do better', or toryo reject {intent.slug} --why '…'"
    return _item(intent, row, str(intent.status), "\n".join(said), do, Choice.RETRY, Choice.REJECT)


def _reasons(intent: Intent) -> Iterator[str]:
    if intent.reason:
        yield mask(intent.reason)
    for one in intent.feedback[:_MOST_FEEDBACK]:
        yield f"{mask(one.task)}: {' '.join(mask(one.says).split())}"
    if (more := len(intent.feedback) - _MOST_FEEDBACK) > 0:
        yield f"… and {more} more: toryo intent show {intent.slug}"


def _item(intent: Intent, row: Mapping[str, Any] | None, what: str, says: str, do: str, *can: Choice) -> Item:
    is_failed = intent.status.is_failed
    since = (intent.updated_at if is_failed else 0.0) or intent.created_at
    session = row["id"] if row else ""
    risk = judged(intent, row)
    return Item(session, "", since, what, says, do, can=can, name=intent.slug, intent=intent.slug, risk=risk)


def broken_item(broken: Broken, since: float) -> Item:
    """A file that nobody can read keeps whatever it asks for from being done."""
    says = f"{broken.path}:{broken.line}: {mask(broken.says)}"
    do = f"put it right: ${{EDITOR:-vi}} {shlex.quote(broken.path)}"
    return Item("", "", since, "broken", says, do, name=broken.path, risk=Risk.MED)


def skill_item(skill: Skill, since: float) -> Item:
    """A way of working that reflection proposes to write down for agents."""
    name = f"skill:{skill.name}"
    says = "\n".join((mask(skill.description), *_beginning(skill.body)))
    do = f"toryo approve {name}, or toryo reject {name} --why '…'"
    return Item("", "", since, "skill", says, do, can=(Choice.APPROVE, Choice.REJECT), name=name, risk=Risk.LOW)


def orphan_item(row: Mapping[str, Any]) -> Item:
    """A session waits for a word about an intent whose file is gone."""
    says = f"{mask(row['title'])}\nits file .toryo/intents/{row['intent']}.yaml is gone"
    do = f"bring the file back, or toryo stop --discard {row['id'].removeprefix('session-')[:8]}"
    return Item(row["id"], "", row["updated_at"], "stopped", says, do, risk=_risk_in(row))


def skill_details(skill: Skill) -> list[str]:
    return mask(skill.body).strip().splitlines()


def intent_details(intent: Intent) -> Iterator[str]:
    """All that its file says, in words."""
    yield f"{mask(intent.title)} ({intent.type or 'no type yet'}, {intent.status}, {intent.source})"
    yield from mask(intent.body).strip().splitlines()
    for one in intent.clarifications:
        yield f"{mask(one.question)} → {mask(one.answer) or '(open)'}"
    for failed in intent.feedback:
        yield f"{mask(failed.task)}:"
        yield from (f"  {line}" for line in mask(failed.says).strip().splitlines())
    if intent.reason:
        yield mask(intent.reason)

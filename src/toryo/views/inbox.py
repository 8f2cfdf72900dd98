"""Everything that waits for a person; derived, never stored."""

from collections.abc import Iterable, Iterator

from toryo.domain.changing import changed
from toryo.domain.integration import Found
from toryo.domain.intent import Risk
from toryo.domain.session import MODEL, Session, SessionState
from toryo.rules.masking import mask
from toryo.rules.planning import needs_answers
from toryo.rules.risks import risk_of
from toryo.views.budget import how_to_raise, used_up_words
from toryo.views.inboxitems import Choice, Item
from toryo.views.plan import how_to_answer, plan_notes, question_lines
from toryo.views.standing import is_landing
from toryo.views.taskinbox import task_items
from toryo.views.words import noticed_words, pause_words

_RISKY = frozenset({"protected", "culprit", "unclean"})
"""What is high risk whatever the work is about: it touches what should stay, broke the whole, or left dirt behind."""
_HARMLESS = frozenset({"pause"})


def ranked(items: Iterable[Item]) -> list[Item]:
    """The riskiest first, and of those alike what has waited longest."""
    rank = {risk: place for place, risk in enumerate(reversed(Risk))}
    return sorted(items, key=lambda item: (rank[item.risk or Risk.MED], item.since))


def _weighed(item: Item, session: Session) -> Item:
    """With what it counts as: what the work is judged to be, unless it is worse by what it is."""
    judged = risk_of(session.pursuit) or (Risk.LOW if item.what in _HARMLESS else Risk.MED)
    risk = Risk.HIGH if item.what in _RISKY else judged
    return changed(item, risk=risk, intent=session.pursuit.intent if session.pursuit else "")


def inbox(session: Session, root: str = "", *, is_latest: bool = True) -> list[Item]:
    """What waits in one session, oldest first; `root` is where its repository is.

    Wherever a command is given the key of a task, it is one of the latest session. So those of others go by their ids;
    those of intents too, since whoever watches opens sessions at any time.
    """
    items = _items(session, root, is_latest=is_latest)
    return sorted((_weighed(item, session) for item in items), key=lambda item: item.since)


def _items(session: Session, root: str, *, is_latest: bool) -> list[Item]:
    if session.state is SessionState.CLOSED:
        return []
    tasks = task_items(session, root, by_key=is_latest and session.pursuit is None)
    waiting = [*_planning(session), *_moved(session), *tasks, *_pauses(session), *_budget(session)]
    if session.waits_for_person and is_landing(session):
        do = f"then toryo resume {session.short}; or leave it on its branch: toryo land {session.short} --branch"
        waiting.append(Item(session.id, "", session.updated_at, "landing", mask(session.pause_reason), do))
    if session.waits_for_person and not waiting:
        do = f"'toryo doctor' may say more; then toryo resume {session.short}"
        can, name = _once_more(session)
        says = mask(session.pause_reason)
        waiting.append(Item(session.id, "", session.updated_at, "stopped", says, do, can=can, name=name))
    return waiting


def _planning(session: Session) -> Iterator[Item]:
    """Questions before a plan, a plan to be approved, and what was found missing at the end."""
    short = session.short
    if needs_answers(session):
        assert session.planning is not None
        asked = "\n".join(question_lines(session.planning.open_questions))
        name = session.pursuit.intent if session.pursuit else ""
        do = how_to_answer(name or short, session.planning.open_questions)
        can = (Choice.ANSWER, Choice.REJECT) if name else (Choice.ANSWER,)
        yield Item(session.id, "", session.updated_at, "questions", asked, do, can=can, name=name)
    elif session.state is SessionState.AWAITING_APPROVAL:
        do = f"toryo plan --show {short}, then toryo approve {short}, or toryo reject {short} --why '…'"
        says = "\n".join(plan_notes(session))
        can = (Choice.APPROVE, Choice.REJECT)
        yield Item(session.id, "", session.updated_at, "approval", says, do, can=can)
    elif session.state is SessionState.PAUSED and session.judgement and not session.judgement.is_complete:
        missing = "\n".join(f"missing: {mask(text)}" for text in session.judgement.missing)
        choices, name = _once_more(session)
        do = f"toryo retry {name} adds that, or what you --say; or toryo reject {name} --why '…'"
        do = do if choices else f"toryo continue {short}"
        yield Item(session.id, "", session.updated_at, "not complete", missing, do, can=choices, name=name)


def _once_more(session: Session) -> tuple[tuple[Choice, ...], str]:
    """What can be done about the intent that it works on as a whole, and the name of that."""
    if session.pursuit is None or not session.pursuit.released_by:
        return (), ""
    return (Choice.RETRY, Choice.REJECT), session.pursuit.intent


def _moved(session: Session) -> Iterator[Item]:
    """Its branch is not where Toryo left it, and what was merged is no longer on it."""
    last = session.noticed[-1] if session.noticed else None
    if last is None or last.what is not Found.ELSEWHERE or (last.branch, last.tip) != (session.branch, session.tip):
        return
    if session.waits_for_person:
        says = noticed_words(last.what, last.branch, last.tip, last.commit, is_own=True)
        do = f"put it back; or keep both: git switch {last.branch} && git merge {last.tip}, then resume"
        commands = (f"git branch -f {last.branch} {last.tip}", f"toryo resume {session.short}")
        yield Item(session.id, "", last.at, "branch", says, do, commands)


def _pauses(session: Session) -> Iterator[Item]:
    for credential, pause in session.pauses.items():
        if pause.needs_person and credential == MODEL:
            do = f"put it right ('toryo doctor' looks at it), then toryo resume {session.short}"
            can, name = _once_more(session)
            says = f"it does not answer: {mask(pause.message)}"
            yield Item(session.id, "", session.updated_at, "model", says, do, can=can, name=name)
        elif not pause.needs_person:
            says = f"{credential}: {pause_words(pause)}\n{mask(pause.message)}"
            yield Item(session.id, "", session.updated_at, "pause", says, "nothing; toryo resume --now tries at once")


def _budget(session: Session) -> Iterator[Item]:
    now = session.updated_at
    if session.waits_for_person and (says := used_up_words(session, now)):
        do = f"{how_to_raise(session, now)}, then toryo resume {session.short}"
        yield Item(session.id, "", now, "budget", says, do)

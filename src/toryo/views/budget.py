"""A session's budget in words and numbers: what is used, what is set aside, what is left."""

from typing import Any

from toryo.domain.limits import Budget, Limit
from toryo.domain.session import Session
from toryo.rules.budgeting import reserved, spent, used_up, worked
from toryo.rules.durations import say_duration
from toryo.views.usage import short_count

Amounts = tuple[Limit, float | None, float, float]
"""A limit, what it is, and how much of it is used and set aside."""


def amounts(session: Session, now: float | None = None) -> list[Amounts]:
    """All limits, also those that are not set; without a time, as it was when something last happened."""
    budget, used, aside = session.budget, spent(session), reserved(session)
    time = worked(session, session.updated_at if now is None else now)
    return [
        (Limit.TOKENS, budget.tokens, used.tokens, aside.tokens),
        (Limit.USD, budget.usd, used.usd, aside.usd),
        (Limit.WALL, budget.wall, round(time, 3), 0.0),
        (Limit.RUNS, budget.runs, used.runs, 0),
    ]


def budget_row(session: Session, now: float | None = None) -> dict[str, Any]:
    """`left` is null where there is no limit, and never below zero."""
    return {
        str(limit): {
            "limit": most,
            "used": used,
            "reserved": round(aside, 9),
            "left": None if most is None else round(max(0, most - used - aside), 9),
        }
        for limit, most, used, aside in amounts(session, now)
    }


def budget_words(session: Session, now: float | None = None) -> str:
    """What is used of what is limited, in a few words; empty without a budget."""
    return ", ".join(
        f"{amount_words(limit, used)} of {_limit_words(limit, most)}"
        for limit, most, used, _ in amounts(session, now)
        if most is not None
    )


def limits_words(budget: Budget) -> str:
    """The limits alone."""
    said = [_limit_words(limit, most) for limit in Limit if (most := getattr(budget, limit)) is not None]
    return ", ".join(said) or "no limits"


def _limit_words(limit: Limit, most: float) -> str:
    noun = _NOUNS[limit]
    return amount_words(limit, most) + (noun.removesuffix("s") if most == 1 else noun)


_NOUNS = {Limit.TOKENS: " tokens", Limit.USD: "", Limit.WALL: "", Limit.RUNS: " runs"}


def amount_words(limit: Limit, amount: float) -> str:
    match limit:
        case Limit.TOKENS:
            return short_count(int(amount))
        case Limit.USD:
            return f"${amount:.2f}" if amount >= 0.01 or not amount else f"${amount:.4f}"
        case Limit.WALL:
            return say_duration(amount)
        case Limit.RUNS:
            return str(int(amount))


def used_up_words(session: Session, now: float) -> str:
    """Which limit is reached, and what was used of it; empty where none is."""
    limit = used_up(session, now)
    budget, used = session.budget, spent(session)
    match limit:
        case Limit.TOKENS:
            return f"the budget of {budget.tokens:,} tokens is used up: {used.tokens:,} used"
        case Limit.USD:
            most = amount_words(Limit.USD, budget.usd or 0.0)
            return f"the budget of {most} is used up: {amount_words(Limit.USD, used.usd)} used"
        case Limit.WALL:
            most, took = say_duration(budget.wall or 0.0), say_duration(worked(session, now))
            return f"the time of {most} is used up: {took} worked"
        case Limit.RUNS:
            return f"the budget of {_limit_words(limit, budget.runs or 0)} is used up: {used.runs:,} started"
        case None:
            return ""


def how_to_raise(session: Session, now: float) -> str:
    """The exact command with which it could go on for about a quarter as long again."""
    limit, budget, used = used_up(session, now), session.budget, spent(session)
    match limit:
        case Limit.TOKENS:
            more = short_count(_rounded(used.tokens - (budget.tokens or 0) + (budget.tokens or 0) // 4))
        case Limit.USD:
            more = str(max(1, round(used.usd - (budget.usd or 0.0) + (budget.usd or 0.0) / 4)))
        case Limit.WALL:
            more = say_duration(max(60.0, (budget.wall or 0.0) / 4)).replace(" ", "")
        case _:
            more = str(max(1, used.runs - (budget.runs or 0) + (budget.runs or 0) // 4))
    return f"toryo budget {session.short} --{limit} +{more}"


def _rounded(count: int) -> int:
    """Up to a number that is easily said."""
    step = max(1000, int("1" + "0" * (len(str(count)) - 1)))
    return -(-count // step) * step

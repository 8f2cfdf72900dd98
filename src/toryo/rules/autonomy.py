"""What may begin without anybody's word: only where a person switched that on, and only what cannot do much harm."""

from toryo.domain.facts import fact
from toryo.domain.intent import Intent, Risk

DAY = 24 * 3600.0


@fact
class Policy:
    """What the configuration says now, and what was let through already."""

    is_enabled: bool = False
    types: tuple[str, ...] = ()
    per_day: int = 0
    has_budget: bool = False
    released: int = 0
    """How many intents went through by themselves within the last day."""


def judged_risk(given: Risk | None, judged: Risk | None) -> Risk | None:
    """The higher of what a person and a model say counts; None: nobody has said anything yet."""
    if given is None or judged is None:
        return given or judged
    return judged if judged.is_above(given) else given


def why_not_at_all(policy: Policy) -> str:
    """What keeps every intent from running by itself; empty: nothing does."""
    if not policy.is_enabled:
        return "autonomy is off"
    if not policy.has_budget:
        return "autonomy needs a budget, and none is configured"
    if policy.released >= policy.per_day:
        return f"{policy.per_day} went through by themselves within a day, and no more may"
    return ""


def why_not_by_itself(intent: Intent, judged: Risk | None, policy: Policy) -> str:
    """Why a person has to let it through; empty: it may go on without one. What is not known speaks against it."""
    risk = judged_risk(intent.risk, judged)
    if risk is None:
        return "its risk is not known yet"
    if risk is not Risk.LOW:
        return f"its risk is {risk}"
    if why := why_not_at_all(policy):
        return why
    if intent.type not in policy.types:
        return (
            f"intents of type '{intent.type}' do not run by themselves" if intent.type else "its type is not known yet"
        )
    return "it has open questions" if intent.needs_clarification else ""


def may_turn_out_harmless(intent: Intent, policy: Policy) -> bool:
    """Whether it might run by itself once a model has looked at it."""
    is_low = intent.risk in (None, Risk.LOW)
    is_of_a_type = not intent.type or intent.type in policy.types
    return is_low and is_of_a_type and not why_not_at_all(policy)

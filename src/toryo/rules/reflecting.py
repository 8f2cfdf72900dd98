"""What becomes of the proposals of a reflection: models propose, rules dispose."""

from collections.abc import Collection, Mapping, Sequence

from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.intent import Intent, Proposal
from toryo.domain.learning import History, HistoryOutcome, Observation, Reflection, Skill
from toryo.rules.likeness import is_duplicate, remembered
from toryo.rules.masking import mask
from toryo.rules.slugs import slug_of

MOST_INTENTS, MOST_SKILLS = 8, 2
MOST_OBSERVATIONS, MOST_HISTORIES = 100, 40
"""How many are looked at in one go; the rest waits for the next."""
LEAST_SEEN = 2
"""Efforts in which a way of working must have been needed to be worth writing down."""
_LONGEST_DROPPED = 200


Named = tuple[str, History]
"""A history with its name."""


def histories_to_look_at(told: Sequence[Named], looked_at: Collection[str]) -> tuple[Named, ...]:
    """Oldest first. Those that nobody has looked at come before all others, the oldest of them first, so that each has
    its turn; where there is room, the latest of the others, since what is new may repeat them.
    """
    new = [name for name, _ in told if name not in looked_at][:MOST_HISTORIES]
    known = [name for name, _ in told if name in looked_at]
    room = MOST_HISTORIES - len(new)
    chosen = {*new, *(known[-room:] if room else ())}
    return tuple(each for each in told if each[0] in chosen)


@fact
class Ground:
    """What a reflection rests on, and what it must not repeat."""

    observations: Mapping[str, Observation]
    """Those that were looked at, by id."""
    histories: Collection[str]
    """The names of all that exist."""
    intents: Sequence[Intent]
    skills: Mapping[str, str]
    """Descriptions of those that are here, proposed or rejected, by name."""
    taken: Collection[str] = ()
    """Names of files among the intents, readable or not."""


def settled(blank: Reflection, intents: Sequence[Proposal], skills: Sequence[Skill], ground: Ground) -> Reflection:
    """Every proposal taken up with its final name, or dropped with why."""
    dropped: list[str] = []
    kept_intents = _intents(intents, ground, blank.at, dropped)
    kept_skills = _skills(skills, ground, dropped)
    words = tuple(" ".join(mask(said).split())[:_LONGEST_DROPPED] for said in dropped)
    return changed(blank, intents=kept_intents, skills=kept_skills, dropped=words)


def _intents(said: Sequence[Proposal], ground: Ground, now: float, dropped: list[str]) -> tuple[Proposal, ...]:
    others = remembered(ground.intents, now)
    taken = {*ground.taken, *(intent.slug for intent in ground.intents)}
    kept: list[Proposal] = []
    for one in said:
        because = tuple(ref for ref in one.observations if ref in ground.observations or ref in ground.histories)
        if why := _why_not(one, because, kept, others):
            dropped.append(f"intent '{one.title}': {why}")
            continue
        slug = slug_of(one.title, taken)
        taken.add(slug)
        title, body = mask(one.title), mask(_with_grounds(one.body, because, ground))
        kept.append(changed(one, slug=slug, title=title, body=body, observations=because))
    return tuple(kept)


def _why_not(one: Proposal, because: Sequence[str], kept: Sequence[Proposal], others: Sequence[Intent]) -> str:
    if not because:
        return "rests on nothing that was noted"
    if is_duplicate(one.title, one.body, others):
        return "is open already, or was rejected not long ago"
    if is_duplicate(one.title, one.body, kept):
        return "was proposed twice"
    return f"only {MOST_INTENTS} are taken up at once" if len(kept) >= MOST_INTENTS else ""


def _with_grounds(body: str, because: Sequence[str], ground: Ground) -> str:
    """So that whoever decides sees what it rests on."""
    lines = [f"- {_about(ground.observations[ref]) if ref in ground.observations else ref}" for ref in because]
    return "\n\n".join(part for part in (body.strip(), "It rests on:\n\n" + "\n".join(lines)) if part) + "\n"


def _about(one: Observation) -> str:
    refs = ", ".join(ref.ref for ref in one.evidence)
    return f"{one.content} ({refs})" if refs else one.content


def _skills(said: Sequence[Skill], ground: Ground, dropped: list[str]) -> tuple[Skill, ...]:
    kept: list[Skill] = []
    known = dict(ground.skills)
    for one in said:
        seen = tuple(name for name in one.seen if name in ground.histories)
        if why := _why_no_skill(one, seen, known, len(kept)):
            dropped.append(f"skill '{one.name}': {why}")
            continue
        known[one.name] = one.description
        kept.append(changed(one, seen=seen, description=mask(one.description), body=mask(one.body)))
    return tuple(kept)


def _why_no_skill(one: Skill, seen: Sequence[str], known: Mapping[str, str], kept: int) -> str:
    if len(seen) < LEAST_SEEN:
        return f"was seen in fewer than {LEAST_SEEN} efforts"
    if one.name in known:
        return "is here already, or was proposed before"
    if any(is_duplicate(one.description, "", [_Known(text)]) for text in known.values() if text):
        return "says what another one says"
    return f"only {MOST_SKILLS} are taken up at once" if kept >= MOST_SKILLS else ""


@fact
class _Known:
    title: str
    body: str = ""


# ── as a model reads them ────────────────────────────────────────────────────


def observation_line(one: Observation) -> str:
    about = f" [intent {one.intent_id}]" if one.intent_id else ""
    return f"{one.id} (by {one.source}){about}: {_about(one)}"


def history_line(name: str, one: History, *, is_new: bool) -> str:
    steps = "; ".join(f"{step.step}{f' {step.task}' if step.task else ''}: {step.result}" for step in one.step_results)
    why = f"; why: {one.failure_reason[:300]}" if one.outcome is not HistoryOutcome.SUCCESS else ""
    new = "new, " if is_new else ""
    return f"{name} ({new}{one.intent_type or 'no type'}, {one.outcome}): {one.title}; {steps}{why}"

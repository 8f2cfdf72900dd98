"""What a session's terms make of blemishes: how grave each is, and what was allowed beforehand."""

from collections.abc import Sequence

from toryo.domain.changing import changed
from toryo.domain.hygiene import Allowance, Blemish, Hygiene, Level, Rule
from toryo.domain.plan import Terms
from toryo.rules.scope import covers

_MOST_KEPT = 200
ONLY_MARKERS = Hygiene(tuple((rule, Level.OFF) for rule in Rule if rule is not Rule.CONFLICT))


def hygiene_of(terms: Terms, *, is_resolution: bool) -> Hygiene | None:
    """The rules that hold for a task; that a conflict is settled is looked at whatever the terms say."""
    if not is_resolution:
        return terms.hygiene
    hygiene = terms.hygiene or ONLY_MARKERS
    if hygiene.level(Rule.CONFLICT) in (Level.RETRY, Level.BLOCK):
        return hygiene
    return changed(hygiene, levels=tuple((rule, level) for rule, level in hygiene.levels if rule is not Rule.CONFLICT))


def under_terms(
    blemishes: Sequence[Blemish], hygiene: Hygiene, allow: Sequence[Allowance] = ()
) -> tuple[tuple[Blemish, ...], int]:
    """Those that count, each with its level, the grave ones first if there are too many; and how many were left out."""
    counted = [
        changed(blemish, level=hygiene.level(blemish.rule))
        for blemish in blemishes
        if hygiene.level(blemish.rule) is not Level.OFF and not _is_allowed(blemish, [*hygiene.allow, *allow])
    ]
    kept = sorted(counted, key=lambda blemish: blemish.level is Level.WARN)[:_MOST_KEPT]
    return tuple(kept), len(counted) - len(kept)


def _is_allowed(blemish: Blemish, allow: Sequence[Allowance]) -> bool:
    return any(each.rule is blemish.rule and covers(blemish.path, each.paths) for each in allow)

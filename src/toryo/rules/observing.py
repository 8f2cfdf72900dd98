"""What counts as the same observation, and how much one may say."""

import hashlib
import json
from collections.abc import Iterable

from toryo.domain.changing import changed
from toryo.domain.learning import Observation, Reference
from toryo.rules.instants import moment
from toryo.rules.masking import mask

MOST_UNPROCESSED = 1000
"""More than anybody could look at: whoever notes so much notes the same again and again."""
_LONGEST, _LONGEST_REF, _MOST_REFS = 2000, 300, 20


def observation_id(observation: Observation) -> str:
    """Follows from what the file says, so that the file needs no field for it; one said twice is one."""
    said = [
        observation.content,
        [[str(one.type), one.ref] for one in observation.evidence],
        str(observation.source),
        observation.intent_id,
        moment(observation.created_at) if observation.created_at else "",
    ]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


def identified(observation: Observation) -> Observation:
    return changed(observation, id=observation_id(observation))


def fit_to_keep(observation: Observation) -> Observation:
    """As it goes into the file: masked, on one line, without what steers a terminal, and no longer than it may be."""
    evidence = dict.fromkeys(Reference(one.type, _line(one.ref, _LONGEST_REF)) for one in observation.evidence)
    kept = tuple(one for one in evidence if one.ref)[:_MOST_REFS]
    intent = _line(observation.intent_id, _LONGEST_REF)
    return identified(
        changed(observation, content=_line(observation.content, _LONGEST), evidence=kept, intent_id=intent)
    )


def _line(text: str, most: int) -> str:
    """Masked before it is cut: half a secret would not be recognised."""
    # Of pages without end only so much is looked at; a secret that is cut in two there is not kept either.
    shown = mask(text[: most * 4])
    plain = " ".join("".join(char if char.isprintable() else " " for char in shown).split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def unprocessed(observations: Iterable[Observation]) -> tuple[Observation, ...]:
    return tuple(one for one in observations if not one.processed)

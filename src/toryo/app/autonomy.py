"""What Toryo may do by itself that else a person does: only where that person has said so twice, and how much."""

import time
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

from toryo.adapters.settings import Settings
from toryo.app.configuration import settings_of
from toryo.app.project import Project
from toryo.domain import events as e
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.intent import AUTONOMY
from toryo.domain.limits import Budget
from toryo.rules.autonomy import DAY, Policy


def refuse_unless_autonomous(settings: Settings, budget: Budget) -> None:
    """That Toryo merges by itself takes two switches and a limit; the one who did the work decides nothing."""
    missing = [] if settings.autonomy.enabled else ["toryo config set autonomy.enabled true"]
    if budget == Budget():
        missing.append("a budget of the session: toryo budget --runs 20, or --budget runs=20 when it starts")
    if missing:
        raise ToryoError(
            "E252",
            "pull requests are only merged by Toryo itself where autonomy is enabled and a budget is set",
            hint=f"missing: {'; '.join(missing)}",
            exit_code=Exit.REFUSED,
        )


def is_autonomous(project: Project) -> bool:
    """As the configuration is now; one that cannot be read lets nothing happen by itself."""
    try:
        return settings_of(project).autonomy.enabled
    except ToryoError:
        return False


def policy_of(settings: Settings, released: Sequence[float] = ()) -> Policy:
    """What may run by itself as the configuration is now; `released`: when others went through that way."""
    autonomy, now = settings.autonomy, time.time()
    return Policy(
        autonomy.enabled,
        autonomy.types,
        autonomy.per_day,
        settings.budget != Budget(),
        sum(at > now - DAY for at in released),
    )


def autonomous_releases(
    project: Project, rows: Sequence[Mapping[str, Any]], known: MutableMapping[str, float] | None = None
) -> list[float]:
    """When intents went through by themselves, as far as that can matter today; `known` is remembered for next time."""
    known = {} if known is None else known
    recent = [row for row in rows if row["released_by"] == AUTONOMY and row["updated_at"] > time.time() - DAY]
    for row in recent:
        if row["id"] not in known:
            events = [event for _, event in project.journal.read(row["id"])]
            known[row["id"]] = next(event.at for event in events if isinstance(event, e.IntentReleased))
    return [known[row["id"]] for row in recent]

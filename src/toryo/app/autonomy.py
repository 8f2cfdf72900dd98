"""What Toryo may do by itself that else a person does: only where that person has said so twice, and how much."""

from toryo.adapters.settings import Settings
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.limits import Budget


def refuse_unless_autonomous(settings: Settings, budget: Budget) -> None:
    """That Toryo merges by itself takes two switches and a limit; the one who did the work decides nothing."""
    missing = [] if settings.is_autonomous else ["toryo config set autonomy.enabled true"]
    if budget == Budget():
        missing.append("a budget of the session: toryo budget --runs 20, or --budget runs=20 when it starts")
    if missing:
        raise ToryoError(
            "E252",
            "pull requests are only merged by Toryo itself where autonomy is enabled and a budget is set",
            hint=f"missing: {'; '.join(missing)}",
            exit_code=Exit.REFUSED,
        )

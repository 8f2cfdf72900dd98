"""Short things people say instead of commands, in English and Japanese."""

_GO = (
    *("run it", "go", "go ahead", "do it", "ok", "okay", "y", "yes", "approve", "approved", "lgtm", "start", "execute"),
    *("実行", "実行して", "実行してください", "はい", "承認", "承認します", "進めて", "お願いします", "やって"),
)
_ONLY_PLAN = ("only the plan", "just the plan", "plan only", "dry run", "計画だけ", "プランだけ", "計画のみ")


def means_go(text: str) -> bool:
    """Whether somebody says that the plan should be carried out, and nothing else."""
    return text.strip().casefold().rstrip("。.!！ ") in _GO


def wants_only_a_plan(text: str) -> bool:
    """Whether an instruction asks for a plan and no more."""
    folded = text.casefold()
    return len(folded) < 2000 and any(phrase in folded for phrase in _ONLY_PLAN)

"""Short things people say instead of commands, in English and Japanese."""

import re

_GO = (
    *("run it", "go", "go ahead", "do it", "ok", "okay", "y", "yes", "approve", "approved", "lgtm", "start", "execute"),
    *("実行", "実行して", "実行してください", "はい", "承認", "承認します", "進めて", "お願いします", "やって"),
)
_NO = ("n", "no", "nope", "いいえ", "いや", "だめ", "ダメ", "却下", "reject")
_ONLY_PLAN = re.compile(
    r"(?:please )?(?:show (?:me )?|make |give me |i want )?(?:only|just) (?:the|a) plan(?: first)?(?: please)?"
    r"|plan only|(?:do )?(?:a )?dry[ -]run(?: only| first)?(?: please)?"
    r"|(?:まず(?:は)?)?(?:計画|プラン)(?:だけ|のみ)(?:を?(?:見せ|作っ|出し|示し|立て)て)?(?:ください|下さい|ほしい)?"
)


def means_go(text: str) -> bool:
    """Whether somebody says that the plan should be carried out, and nothing else."""
    return text.strip().casefold().rstrip("。.!！ ") in _GO


def means_no(text: str) -> bool:
    """Whether somebody says no to a plan, and not what should be different."""
    return text.strip().casefold().rstrip("。.!！ ") in _NO


def wants_only_a_plan(text: str) -> bool:
    """Whether a clause of an instruction asks for a plan and no more."""
    clauses = re.split(r"[.!,:;。！、：\n]+", text.casefold())
    return any(_ONLY_PLAN.fullmatch(clause.strip()) for clause in clauses)

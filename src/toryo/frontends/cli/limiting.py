"""`--budget tokens=2M`: what a session may use up, on the commands that start or go on with one."""

from collections.abc import Mapping

import click

from toryo.domain.limits import Budget, Limit


class _Limits(click.ParamType[dict[Limit, str]]):
    name = "limits"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> dict[Limit, str]:
        said: dict[Limit, str] = {}
        for part in str(value).split(","):
            name, _, amount = part.partition("=")
            if name.strip() not in list(Limit) or not amount.strip():
                self.fail(f"'{part.strip()}' should be one of tokens=2M, usd=5, wall=8h, runs=20", param, ctx)
            said[Limit(name.strip())] = amount.strip()
        return said


budget_option = click.option(
    "--budget",
    "limits",
    type=_Limits(),
    multiple=True,
    metavar="LIMIT=AMOUNT",
    help="What it may use up before it pauses: tokens=2M, usd=5, wall=8h, runs=20; also several.",
)


def together(limits: tuple[dict[Limit, str], ...]) -> dict[Limit, str]:
    """What all the options together say; the last one counts."""
    return {limit: amount for said in limits for limit, amount in said.items()}


def as_flags(limits: tuple[dict[Limit, str], ...]) -> Mapping[str, object]:
    """For a new session: on top of the configuration."""
    return {f"budget.{limit}": amount for limit, amount in together(limits).items()}


def budget_lines(budget: Budget, notes: list[str]) -> list[str]:
    """What a new session may use up; nothing where there is no limit."""
    if budget == Budget():
        return []
    from toryo.views.budget import limits_words

    return [f"budget: {limits_words(budget)}", *(f"note: {note}" for note in notes)]

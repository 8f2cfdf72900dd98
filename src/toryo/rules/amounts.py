"""Amounts of tokens and money as people write them, and what a person makes of a budget."""

import re
from collections.abc import Mapping

from toryo.domain.changing import changed
from toryo.domain.limits import Budget, Limit
from toryo.rules.durations import parse_duration

MOST_TOKENS = 10**15
MOST_USD = 1_000_000_000.0
_COUNT = re.compile(r"([0-9]+(?:[_,][0-9]{3})*(?:\.[0-9]+)?) *([kKmMgG]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
NONE = ("0", "none")


def parse_tokens(text: str) -> int:
    """A whole number from "2M", "500k", "2_000_000" or "2,000,000"; ValueError on anything else."""
    found = _COUNT.fullmatch(text.strip()) if len(text) < 40 else None
    if not found:
        raise ValueError(f"'{text[:40]}' is no number of tokens; write it like 500k, 2M or 2_000_000")
    return checked_tokens(round(float(re.sub("[_,]", "", found[1])) * _TIMES[found[2].lower()]))


def checked_tokens(count: int) -> int:
    if not 0 <= count <= MOST_TOKENS:
        raise ValueError(f"should be a number of tokens from 0 to {MOST_TOKENS:,}, not {count}")
    return count


def parse_usd(text: str) -> float:
    plain = text.strip().removeprefix("$").removesuffix("usd").removesuffix("USD").strip()
    if not re.fullmatch(r"[0-9]{1,12}(?:\.[0-9]{1,9})?", plain):
        raise ValueError(f"'{text[:40]}' is no amount of US dollars; write it like 5 or 2.50")
    return checked_usd(float(plain))


def checked_usd(amount: float) -> float:
    if not 0 <= amount <= MOST_USD:
        raise ValueError(f"should be an amount of US dollars, not {amount}")
    return float(amount)


def parse_runs(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text.strip()):
        raise ValueError(f"'{text[:40]}' is no number of runs; write it like 20")
    return int(text)


_PARSE = {Limit.TOKENS: parse_tokens, Limit.USD: parse_usd, Limit.WALL: parse_duration, Limit.RUNS: parse_runs}


def changed_budget(budget: Budget, said: Mapping[Limit, str]) -> Budget:
    """The budget as a person wants it: an amount, more (`+500k`), less (`-500k`), or none (`0`)."""
    return changed(budget, **{limit.value: _amount(budget, limit, text.strip()) for limit, text in said.items()})


def _amount(budget: Budget, limit: Limit, text: str) -> float | None:
    sign, plain = (text[0], text[1:].strip()) if text[:1] in ("+", "-") else ("", text)
    if not sign and plain.lower() in NONE:
        return None
    amount = _PARSE[limit](plain)
    if not sign:
        return amount or None
    before = getattr(budget, limit)
    if before is None:
        raise ValueError(f"there is no limit of {limit} that could be changed by {text}; say how much in all")
    after = before + amount if sign == "+" else before - amount
    if after <= 0:
        raise ValueError(f"{text} would leave nothing of the {limit}; 0 takes the limit away")
    return round(after, 9) if isinstance(after, float) else after


def say_bytes(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"

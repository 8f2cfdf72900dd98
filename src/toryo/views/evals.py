"""How evals went, in words and rows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toryo.domain.calls import CallRecord
from toryo.domain.evals import EvalCase, EvalResult, EvalTry, Past
from toryo.domain.report import Usage
from toryo.rules.durations import say_duration
from toryo.rules.evaluating import expected_words
from toryo.rules.numerals import several
from toryo.views.columns import width
from toryo.views.planningwords import calls_words
from toryo.views.usage import usage_row


def result_lines(result: EvalResult, cells: int) -> list[str]:
    """One line for the case, and below it what was expected and what came, each once."""
    name = result.case.name
    counted = f"{result.now.passed}/{result.now.times}"
    took = say_duration(seconds_of(result.calls))
    change = f"  ({words})" if (words := change_words(result)) else ""
    head = f"{'ok' if result.is_passed else 'FAIL':<4}  {name}{' ' * (cells - width(name))}  {counted}  {took}{change}"
    return [head, *_miss_lines(result)]


def _miss_lines(result: EvalResult) -> list[str]:
    counted = Counter(miss for one in result.tries for miss in one.misses)
    times = len(result.tries)
    lines = []
    for miss, count in counted.items():
        often = f"{count} of {times}: " if times > 1 else ""
        lines.append(f"      {often}expected {miss.expected}; came {miss.came}")
    return lines


def change_words(result: EvalResult) -> str:
    """What is other than it was the last time; empty: nothing is."""
    before, now = result.before, result.now
    if before is None or before.passed * now.times == now.passed * before.times:
        return ""
    words = f"was {before.passed}/{before.times}"
    if before.model != now.model:
        words += f" with {before.model}"
    return words if before.question == now.question else f"{words}; it was asked otherwise then"


def summary_line(results: Sequence[EvalResult], calls: Sequence[CallRecord], left: int = 0) -> str:
    """How many cases passed, how often in all, and what all calls took, also those of a case that was cut short."""
    tries = [one for result in results for one in result.tries]
    passed, rate = sum(result.is_passed for result in results), sum(one.is_passed for one in tries)
    parts = [f"{passed} of {several(len(results), 'case')} passed"]
    if len(tries) > len(results):
        parts[0] += f" ({rate} of {len(tries)} replies, {_percent(tries)} %)"
    if left:
        parts.append(f"{left} not asked to the end")
    has_estimates = any(call.is_estimate for call in calls)
    parts += filter(None, [calls_words(len(calls), usage_of(calls), has_estimates)])
    parts.append(say_duration(seconds_of(calls)))
    return ", ".join(parts)


def case_cells(case: EvalCase, role: str) -> tuple[str, ...]:
    where = case.origin if case.origin == "built in" else f"{case.path}:{case.line}"
    return case.name, case.prompt, role, where, case.says


def seconds_of(calls: Iterable[CallRecord]) -> float:
    return round(sum(call.seconds for call in calls), 3)


def usage_of(calls: Iterable[CallRecord]) -> Usage:
    return sum((call.usage for call in calls), Usage())


def _percent(tries: Sequence[EvalTry]) -> int:
    return 100 * sum(one.is_passed for one in tries) // len(tries) if tries else 0


# ── rows ─────────────────────────────────────────────────────────────────────


def eval_data(
    results: Sequence[EvalResult], cases: Sequence[EvalCase], calls: Sequence[CallRecord], *, interrupted: bool
) -> dict[str, Any]:
    tries = [one for result in results for one in result.tries]
    passed = sum(result.is_passed for result in results)
    asked = {result.case.name for result in results}
    return {
        "cases": [_result_row(result) for result in results],
        "passed": passed,
        "failed": len(results) - passed,
        "unasked": [case.name for case in cases if case.name not in asked],
        "interrupted": interrupted,
        "rate": round(sum(one.is_passed for one in tries) / len(tries), 4) if tries else None,
        "calls": len(calls),
        "usage": usage_row(usage_of(calls)),
        "seconds": seconds_of(calls),
    }


def _result_row(result: EvalResult) -> dict[str, Any]:
    case = result.case
    return {
        "name": case.name,
        "prompt": case.prompt,
        "origin": case.origin,
        "path": case.path,
        "line": case.line,
        "model": result.now.model,
        "ok": result.is_passed,
        "passed": result.now.passed,
        "times": result.now.times,
        "before": _past_row(result.before, result.now.question),
        "tries": [_try_row(one) for one in result.tries],
    }


def _try_row(one: EvalTry) -> dict[str, Any]:
    return {
        "ok": one.is_passed,
        "corrections": one.corrections,
        "calls": len(one.calls),
        "seconds": seconds_of(one.calls),
        "misses": [{"field": miss.field, "expected": miss.expected, "came": miss.came} for miss in one.misses],
    }


def _past_row(past: Past | None, question: str = "") -> dict[str, Any] | None:
    if past is None:
        return None
    same = past.question == question if question else None
    row = {"passed": past.passed, "times": past.times, "at": past.at, "model": past.model}
    return {**row, "same_question": same}


def case_row(case: EvalCase, role: str, past: Mapping[str, Past]) -> dict[str, Any]:
    return {
        "name": case.name,
        "prompt": case.prompt,
        "role": role,
        "says": case.says,
        "origin": case.origin,
        "path": case.path,
        "line": case.line,
        "expects": [expected_words(one) for one in case.expectations],
        "before": _past_row(past.get(case.name)),
    }

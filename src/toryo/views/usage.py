"""What was spent, in words and numbers."""

from typing import Any

from toryo.domain.report import Usage
from toryo.domain.task import Task


def task_usage(task: Task) -> Usage:
    """All runs of the task together."""
    return sum((run.report.usage for run in task.runs if run.report), Usage())


def usage_words(usage: Usage) -> str:
    """Tokens and, where known, money; empty where nothing was counted."""
    parts = []
    if usage.tokens:
        parts.append(f"{short_count(usage.input_tokens)} tokens in, {short_count(usage.output_tokens)} out")
    if usage.usd:
        parts.append(f"${usage.usd:.2f}" if usage.usd >= 0.01 else f"${usage.usd:.4f}")
    return ", ".join(parts)


def usage_row(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "usd": usage.usd,
    }


def short_count(count: int) -> str:
    if count < 10_000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 999_500 else f"{count / 1_000_000:.1f}M"

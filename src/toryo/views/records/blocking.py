"""Runs that could not go on by themselves: why, after how long, and who ended them."""

from collections.abc import Iterable
from typing import Any

from toryo.domain.evidence import Evidence, Operation
from toryo.domain.facts import fact
from toryo.domain.run import EndedBy, Run, RunState
from toryo.domain.verdict import BlockReason
from toryo.views.records.enums import BlockedReason, TerminatedBy
from toryo.views.records.times import milliseconds

_BY_NAME = {
    **{reason.value: reason for reason in BlockedReason},
    BlockReason.INTERACTIVE_PROMPT.value: BlockedReason.INTERACTIVE_PROMPT,
    BlockReason.TIMEOUT.value: BlockedReason.TIMEOUT,
}
_SIGNALS = {143: "SIGTERM", 137: "SIGKILL"}


@fact
class Block:
    reason: BlockedReason
    timeout_ms: int
    by: TerminatedBy
    pattern: str = ""


def block_of(run: Run, evidence: Iterable[Evidence], at: float) -> Block | None:
    """What held the run up; None where nothing did."""
    facts = _facts(run, evidence)
    lasted = milliseconds((run.ended_at or at) - (run.started_at or run.planned_at))
    waited = facts.get("timeout_ms", "")
    spent = int(waited) if waited.isdecimal() else lasted
    pattern = facts.get("detected_pattern", "") or (run.report.question if run.report else "") or run.question
    match run.ended_by:
        case EndedBy.QUESTION:
            reason = _BY_NAME.get(facts.get("blocked_reason", ""), BlockedReason.INTERACTIVE_PROMPT)
            return Block(reason, spent, TerminatedBy.REPL_FAIL_CLOSED, pattern)
        case EndedBy.TIME_LIMIT:
            return Block(BlockedReason.TIMEOUT, spent, TerminatedBy.TIMEOUT)
        case _ if run.state is RunState.STOPPED and run.question:
            waited_for = milliseconds((run.ended_at or at) - run.waiting_since)
            return Block(BlockedReason.INTERACTIVE_PROMPT, waited_for, TerminatedBy.USER, run.question)
        case _:
            return None


def _facts(run: Run, evidence: Iterable[Evidence]) -> dict[str, str]:
    for record in evidence:
        facts = dict(record.facts)
        if record.operation is Operation.AGENT and facts.get("run") == run.id:
            return facts
    return {}


def content_of(block: Block, run: Run) -> dict[str, Any]:
    content: dict[str, Any] = {
        "executor": run.agent,
        "blocked_reason": block.reason,
        "timeout_ms": block.timeout_ms,
        "terminated_by": block.by,
    }
    if block.pattern:
        content["detected_pattern"] = block.pattern
    if run.code in _SIGNALS:
        content["termination_signal"] = _SIGNALS[run.code]
    return content

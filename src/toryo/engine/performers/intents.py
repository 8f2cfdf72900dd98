"""What an intent comes to, and the intents that come of it."""

import asyncio
from collections.abc import Sequence

from toryo.adapters.findingreplies import findings_in
from toryo.adapters.intentreplies import analysis_in
from toryo.adapters.replies import BadReply
from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.changing import changed
from toryo.domain.intent import (
    Analysis,
    AnalysisEnd,
    AuditFinding,
    Intent,
    IntentSource,
    Proposal,
    Pursuit,
    Risk,
    higher,
)
from toryo.domain.session import Session
from toryo.domain.task import MERGED, Task
from toryo.engine.asking import desk_of, postponed
from toryo.engine.performers.planning import about_earlier, converse, planning_of
from toryo.ports import Desk, World
from toryo.rules.auditing import filed, looked_up, paths_to_look_up, ranked
from toryo.rules.belonging import name_by_now
from toryo.rules.flows import TYPES, child_status, flow_of, generation
from toryo.rules.instants import in_a_row
from toryo.rules.likeness import most_related
from toryo.rules.masking import mask
from toryo.rules.shaping import is_audit_task
from toryo.rules.wording import answers_text, bullets, fill

_MOST_ANALYSES = 3
"""After so many, what is not known has to be decided without."""
_MOST_OTHERS = 50
_MOST_GENERATIONS = 3
"""Of intents that take the place of one another: else a model could go on splitting for ever."""
_LONGEST_TITLE = 100


def _pursuit_of(session: Session) -> Pursuit:
    assert session.pursuit is not None
    return session.pursuit


# ── analysis ─────────────────────────────────────────────────────────────────


@postponed
async def analyse_intent(world: World, session: Session, effect: fx.AnalyseIntent) -> e.Event:
    """What a model makes of it; where nothing usable comes, it is planned as it is, and counts as risky."""
    pursuit, planning = _pursuit_of(session), planning_of(session)
    desk = desk_of(world)
    others = await asyncio.to_thread(desk.intents)
    may_ask = effect.analyses < _MOST_ANALYSES - 1
    prompt = fill(
        desk.prompt("intent"),
        intent=planning.instruction,
        known=_known(pursuit),
        answers=answers_text(planning),
        others=_listed(others, pursuit.intent, planning.instruction),
        earlier=about_earlier(planning.earlier),
        types=", ".join(TYPES),
        no_questions="" if may_ask else " Enough was asked already: this end cannot be chosen any more.",
    )
    taken = {intent.slug for intent in others}
    may_split = generation(pursuit.intent, {intent.slug: intent.parent for intent in others}) < _MOST_GENERATIONS

    def read(text: str) -> Analysis:
        return analysis_in(text, taken=taken, may_ask=may_ask, may_split=may_split)

    asked = await converse(world, session, "intent", prompt, read)
    analysis = asked.value or _unknown(asked.errors)
    analysis = changed(analysis, by=asked.by, type=pursuit.type or analysis.type)
    flow = flow_of(
        analysis.type,
        higher(pursuit.risk, analysis.risk),
        checks=planning.checks,
        reviews=session.terms.reviews,
        languages=planning.findings[0] if planning.findings else "",
    )
    return e.IntentAnalysed(world.clock.now(), asked.calls, analysis, flow, asked.talk)


def _known(pursuit: Pursuit) -> str:
    said = [f"Its type was given: {pursuit.type}."] if pursuit.type else []
    said += [f"Its risk was given: {pursuit.risk}; say a higher one where you find it." if pursuit.risk else ""]
    return " ".join(part for part in said if part)


def _listed(intents: Sequence[Intent], but: str, about: str) -> str:
    """The other open ones, as far as they matter: a person may have a thousand."""
    others = [one for one in intents if one.status.is_open and one.slug != but]
    named = most_related(about, others, _MOST_OTHERS)
    lines = [f"{one.slug}: {' '.join(one.title.split())[:_LONGEST_TITLE]} ({one.status})" for one in named]
    more = len(others) - len(named)
    return mask(bullets([*lines, *([f"and {more} more, less related"] if more else [])]))


def _unknown(errors: tuple[str, ...]) -> Analysis:
    why = "no usable analysis came from the model: " + "; ".join(errors)
    return Analysis(AnalysisEnd.TASKS, "feature", Risk.HIGH, why)


# ── intents that come of it ──────────────────────────────────────────────────


async def file_intents(world: World, session: Session, effect: fx.FileIntents) -> e.Event:
    """Its parts, or what an audit found, as files; done again after an interruption, nothing is written twice."""
    pursuit, desk = _pursuit_of(session), desk_of(world)
    now = world.clock.now()
    if pursuit.analysis is not None and pursuit.analysis.end is AnalysisEnd.CHILDREN:
        known = {intent.slug: intent for intent in await asyncio.to_thread(desk.intents)}
        name = name_by_now(pursuit.intent, session.id, {slug: intent.session for slug, intent in known.items()})
        own = known.get(name)
        parts = pursuit.analysis.children
        children = [
            _child(child, changed(pursuit, intent=name), at, own.order if own else 0.0)
            for child, at in zip(parts, in_a_row(len(parts), now), strict=True)
        ]
        slugs = await asyncio.to_thread(desk.file_intents, children)
        return e.IntentsFiled(now, tuple(map(_proposal, children, slugs)))
    found = await _looked_up(desk, session)
    findings, intents = filed(found, pursuit.intent, await asyncio.to_thread(desk.intents), now)
    slugs = await asyncio.to_thread(desk.file_intents, intents)
    renamed = {intent.slug: slug for intent, slug in zip(intents, slugs, strict=True)}
    findings = tuple(changed(finding, intent=renamed.get(finding.intent, finding.intent)) for finding in findings)
    return e.IntentsFiled(now, tuple(map(_proposal, intents, slugs)), findings)


def _child(child: Proposal, pursuit: Pursuit, at: float, order: float) -> Intent:
    """At moments that files tell apart: so they stay in the order in which they were thought of."""
    return Intent(
        child.slug,
        mask(child.title),
        mask(child.body),
        child.type,
        IntentSource.HUMAN,
        child.risk,
        child_status(pursuit, child.risk),
        pursuit.intent,
        created_at=at,
        order=order,
    )


def _proposal(intent: Intent, slug: str) -> Proposal:
    return Proposal(slug, intent.title, intent.body, intent.type, intent.risk)


async def _looked_up(desk: Desk, session: Session) -> tuple[AuditFinding, ...]:
    tasks = [task for task in session.tasks.values() if task.state in MERGED and is_audit_task(session, task.plan)]
    said = [_masked(finding) for task in tasks for finding in audit_findings(task)]
    lines = await desk.lines_of(session.base_commit, paths_to_look_up(said))
    return ranked(looked_up(finding, lines) for finding in dict.fromkeys(said))


def _masked(finding: AuditFinding) -> AuditFinding:
    title, why, suggestion = map(mask, (finding.title, finding.why, finding.suggestion))
    return changed(finding, title=title, why=why, suggestion=suggestion)


def audit_findings(task: Task) -> tuple[AuditFinding, ...]:
    """As its agent tells them; none where that cannot be read, which is said when its work is judged."""
    result = next((run.observation.result for run in reversed(task.runs) if run.observation), "")
    try:
        return findings_in(result, task.plan.focus)
    except BadReply:
        return ()

"""For any session: as it was recorded it is proven, and no record or event of it can be changed unnoticed."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.sessions import AT, anything, good_answer, opening, planned, result, seen

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckResult, CheckStatus, Evidence, Operation, sealed
from toryo.domain.plan import Check
from toryo.domain.proofs import (
    BranchSeen,
    CommitSeen,
    DifferenceSeen,
    Discrepancy,
    Flaw,
    Found,
    Stored,
)
from toryo.domain.report import Report, Trouble
from toryo.domain.run import EndedBy, Observation
from toryo.domain.session import Session
from toryo.domain.verdict import Disposition, Outcome, Verdict
from toryo.rules.comparing import compare
from toryo.rules.evolve import evolve, fold
from toryo.rules.expecting import expected_records
from toryo.rules.playbook import next_effects
from toryo.rules.proving import Proving
from toryo.rules.testimony import of_check, of_files, of_verdict, worded

pytestmark = pytest.mark.covers("P7", "P18", "P21", "B1")
CHECKS = (Check("tests", "make test"), Check("lint", "make lint"))


def recorded(session: Session, event: Any) -> Any:
    """The event with the records that belong to it."""
    chain = session.tasks[event.task].chain if isinstance(event, e.TaskEvent) else session.chain
    records: list[Evidence] = []
    for number, (operation, facts) in enumerate(expected_records(session, event)):
        has_log = operation in (Operation.AGENT, Operation.CHECK)
        log = (f"runs/{session.seq}-{number}/output.log", f"{session.seq:064}") if has_log else ("", "")
        record = sealed(Evidence(operation, AT, worded(facts), *log, previous=chain))
        chain = record.sha256
        records.append(record)
    return replace(event, evidence=tuple(records)) if records else event


def answer(session: Session, effect: fx.Effect, luck: int) -> e.Event:
    """What happens: mostly good."""
    match effect, luck:
        case fx.AwaitRun(), 0:
            report = Report(trouble=Trouble.QUOTA, message="not now", until=AT + 5, last_words="もう無理です")
            return e.RunExited(AT, effect.task, effect.run, 1, EndedBy.ITSELF, 2, (), AT, report)
        case fx.AwaitRun(), 1:
            return e.RunLost(AT, effect.task, effect.run, "it vanished")
        case fx.RunCheck(), 0 | 1:
            return e.CheckFinished(AT, effect.task, effect.run, result(effect.check, CheckStatus.FAILED, "no"))
        case fx.ObserveWork(), 0:
            return e.WorkObserved(AT, effect.task, effect.run, replace(seen(number=effect.task), changes=()))
        case _:
            return good_answer(session, effect)


@st.composite
def histories(draw: st.DrawFn) -> list[e.Event]:
    """A session with a few tasks, carried out in any order, with bad luck now and then."""
    keys = "ABC"[: draw(st.integers(1, 3))]
    tasks = [
        planned(key, *(keys[:place] if draw(st.booleans()) else ()), checks=CHECKS) for place, key in enumerate(keys)
    ]
    opened, *others = opening(*tasks, checks=CHECKS, attempts=2)
    events: list[e.Event] = [replace(opened, sealing=1), *others]  # type: ignore[call-arg]
    session = fold(events)
    assert session is not None
    while (wanted := sorted(next_effects(session), key=repr)) and len(events) < 150:
        effect = draw(st.sampled_from(wanted))
        event = recorded(session, answer(session, effect, draw(st.integers(0, 9))))
        session = evolve(session, event)
        events.append(event)
    return events


def found_in(events: Sequence[e.Event]) -> list[Discrepancy]:
    return Proving().walk(Stored(seq, type(event).__name__, event) for seq, event in enumerate(events, 1)).discrepancies


@settings(max_examples=25, deadline=None)
@given(histories())
def test_a_session_as_it_was_recorded_is_proven(events: list[e.Event]) -> None:
    assert found_in(events) == []


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_field_of_any_record_can_be_changed_unnoticed(data: st.DataObject) -> None:
    events = data.draw(histories())
    place = data.draw(st.sampled_from([place for place, event in enumerate(events) if records_in(event)]))
    records = records_in(events[place])
    which = data.draw(st.integers(0, len(records) - 1))
    field = data.draw(st.sampled_from([field.name for field in fields(Evidence)]))
    forged = replace(records[which], **{field: another(data, records[which], field)})
    changed = replace(events[place], evidence=(*records[:which], forged, *records[which + 1 :]))  # type: ignore[call-arg]
    flaws = found_in([*events[:place], changed, *events[place + 1 :]])
    assert [flaw for flaw in flaws if flaw.flaw.is_mismatch], (field, forged)


def records_in(event: e.Event) -> tuple[Evidence, ...]:
    return getattr(event, "evidence", ())


def another(data: st.DataObject, record: Evidence, field: str) -> Any:
    """Another value for one field of the record."""
    old = getattr(record, field)
    match field:
        case "operation":
            return data.draw(st.sampled_from([each for each in Operation if each is not old]))
        case "sensitive":
            return not old
        case "at":
            return data.draw(st.floats(0, 4e9).filter(lambda value: repr(value) != repr(old)))
        case "facts":
            name, value = data.draw(st.sampled_from(old))
            rest = tuple(fact for fact in old if fact[0] != name)
            return data.draw(st.sampled_from([rest, ((name, value + "0"), *rest), (*old, ("more", "x")), old[::-1]]))
        case _:
            return data.draw(st.text("0123456789abcdef", max_size=64).filter(lambda value: value != old))


_PARTS = {"WorkObserved": "observation", "CheckFinished": "result", "VerdictReached": "verdict"}
_KINDS: dict[str, Any] = {"observation": Observation, "result": CheckResult, "verdict": Verdict}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_fact_that_was_judged_can_be_changed_unnoticed(data: st.DataObject) -> None:
    events = data.draw(histories())
    judged = [place for place, event in enumerate(events) if type(event).__name__ in _PARTS]
    if not judged:
        return
    place = data.draw(st.sampled_from(judged))
    part = _PARTS[type(events[place]).__name__]
    old, new = getattr(events[place], part), data.draw(anything(_KINDS[part]))
    field = data.draw(st.sampled_from([field.name for field in fields(old)]))
    if getattr(old, field) == getattr(new, field):
        return
    changed = replace(events[place], **{part: replace(old, **{field: getattr(new, field)})})
    flaws = found_in([*events[:place], changed, *events[place + 1 :]])
    named = f"event {place + 1} ({type(events[place]).__name__})"
    assert [flaw for flaw in flaws if named in f"{flaw.where} {flaw.what}"], (field, flaws)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_event_with_evidence_can_be_left_out_unnoticed(data: st.DataObject) -> None:
    events = data.draw(histories())
    heads = {getattr(event, "task", 0): place for place, event in enumerate(events) if records_in(event)}
    # What nothing was built on can only be missed by its number, or by its commit.
    built_on = [n for n, event in enumerate(events) if records_in(event) and n not in heads.values()]
    if built_on:
        place = data.draw(st.sampled_from(built_on))
        flaws = found_in([*events[:place], *events[place + 1 :]])
        assert {Flaw.CHAIN, Flaw.ORDER} & {flaw.flaw for flaw in flaws}


def test_every_field_that_is_judged_is_sealed() -> None:
    session = fold(opening("A"))
    assert session is not None
    session = evolve(session, e.RunPlanned(AT, 1, "run", "crew", "talk"))
    task, run = session.tasks[1], session.tasks[1].runs[0]
    assert {field.name for field in fields(Observation)} <= of_files(task, run, seen()).keys()
    verdict = Verdict(Outcome.COMPLETE, Disposition.ACCEPT)
    assert {field.name for field in fields(Verdict)} <= of_verdict(task, run, session.terms, verdict, 1).keys()
    names = {"name": "check", "tail": "tail_sha256"}
    sealed_facts = of_check(CHECKS[0], result("tests"), stage="task", commit="c", tree="t")
    assert {names.get(field.name, field.name) for field in fields(CheckResult)} <= sealed_facts.keys()


# ── claims against what is there ─────────────────────────────────────────────


def proven() -> tuple[list[e.Event], Proving]:
    opened, *others = opening(planned("A", checks=CHECKS), checks=CHECKS)
    events: list[e.Event] = [replace(opened, sealing=1), *others]  # type: ignore[call-arg]
    session = fold(events)
    assert session is not None
    while wanted := sorted(next_effects(session), key=repr):
        event = recorded(session, good_answer(session, wanted[0]))
        session = evolve(session, event)
        events.append(event)
    return events, Proving().walk(Stored(seq, type(one).__name__, one) for seq, one in enumerate(events, 1))


def all_there(proving: Proving) -> Found:
    """The world as the events claim it is."""
    claims = proving.claims
    anchored = {claim.commit: claim.anchors for claim in claims.commits if claim.anchors}
    parents = {claim.commit: claim.parents for claim in claims.commits if claim.parents}
    commits = {
        claim.commit: CommitSeen(
            claim.tree,
            parents.get(claim.commit, ()),
            "\n".join(f"Toryo-Evidence: {head}" for head in anchored.get(claim.commit, ())),
        )
        for claim in claims.commits
    }
    return Found(
        {claim.path: claim.sha256 for claim in claims.logs},
        commits,
        {(claim.base, claim.commit): DifferenceSeen(claim.sha256, claim.files) for claim in claims.differences},
        {},
        BranchSeen(claims.tip, claims.branch, True, tuple(anchored)),
    )


def test_what_is_as_it_was_claimed_is_no_discrepancy() -> None:
    _, proving = proven()
    assert compare(proving.claims, all_there(proving)) == []


@pytest.mark.parametrize("what", ["logs", "commits", "branch", "tree", "parents", "message", "files", "untold"])
def test_what_is_other_than_claimed_is_one(what: str) -> None:
    _, proving = proven()
    claims, there = proving.claims, all_there(proving)
    tip = there.commits[claims.tip]
    pair, difference = next(iter(there.differences.items()))
    other, flaw = {
        "logs": (replace(there, logs={**there.logs, claims.logs[0].path: "0"}), Flaw.LOG),
        "commits": (replace(there, commits={}), Flaw.COMMIT_GONE),
        "branch": (replace(there, branch=BranchSeen("f" * 40)), Flaw.BRANCH),
        "tree": (replace(there, commits={**there.commits, claims.tip: replace(tip, tree="x")}), Flaw.COMMIT),
        "parents": (replace(there, commits={**there.commits, claims.tip: replace(tip, parents=("x",))}), Flaw.MERGE),
        "message": (replace(there, commits={**there.commits, claims.tip: replace(tip, message="")}), Flaw.ANCHOR),
        "files": (
            replace(there, differences={pair: replace(difference, files=(("other", Change.CREATED),))}),
            Flaw.DIFFERENCE,
        ),
        "untold": (replace(there, branch=BranchSeen(claims.tip, "", True, ("f" * 40,))), Flaw.BRANCH),
    }[what]
    assert flaw in {found.flaw for found in compare(claims, other)}


def test_a_merge_under_way_may_not_have_been_told_yet() -> None:
    _, proving = proven()
    there = all_there(proving)
    assert there.branch is not None
    ahead = replace(there, branch=replace(there.branch, commit="f" * 40, merges=("f" * 40,)))
    assert {flaw.flaw for flaw in compare(proving.claims, ahead)} == {Flaw.BRANCH}
    assert compare(replace(proving.claims, is_under_way=True), ahead) == []


def test_without_a_repository_commits_are_not_compared_but_logs_are() -> None:
    _, proving = proven()
    flaws = compare(proving.claims, Found({}, {}, {}, {}, has_repository=False))
    assert {flaw.flaw for flaw in flaws} == {Flaw.NO_CLONE, Flaw.LOG_GONE}

"""Journals written long ago must still be read, and mean what they meant."""

import json
from pathlib import Path

import pytest

from toryo.domain.collisions import Collision, CollisionsForeseen
from toryo.domain.events import EVENTS, Event, SessionTakenUp
from toryo.domain.evidence import CheckStatus, seal
from toryo.domain.integration import Found
from toryo.domain.intent import AnalysisEnd, Risk
from toryo.domain.landing import LandingMode, RequestState
from toryo.domain.limits import Budget, Cost, LimitType
from toryo.domain.planning import Answer, Document
from toryo.domain.proofs import Flaw, Stored
from toryo.domain.report import Trouble, Usage
from toryo.domain.review import Judgement, Opinion
from toryo.domain.run import PERSON, EndedBy, RunState
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.domain.verdict import BlockReason, Disposition, Outcome
from toryo.journal.codec import decode
from toryo.rules.evolve import fold
from toryo.rules.proving import Proving

# These files are never written again: where the shape of an event changes, `journal/upcast.py` gets a step.
FOLDER = Path(__file__).parent / "histories"
NAMES = sorted(path.name for path in FOLDER.glob("*.jsonl"))


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def stored(name: str) -> list[Event]:
    return [decode(str(line["kind"]), int(str(line["version"])), json.dumps(line["body"])) for line in lines(name)]


def session_of(name: str) -> Session:
    session = fold(stored(name))
    assert session is not None
    return session


def test_there_are_histories() -> None:
    known = "agents budgeted by-hand colliding complete culprit intent kinds landed planning proven queued requested"
    assert [f"{name}.jsonl" for name in (*known.split(), "said", "troubled")] == NAMES


@pytest.mark.covers("B7")
@pytest.mark.parametrize("name", NAMES)
def test_every_line_is_read_and_every_beginning_folds(name: str) -> None:
    events = stored(name)
    session: Session | None = None
    for count, event in enumerate(events, 1):
        session = fold([event], session)
        assert session is not None
        assert session.seq == count
    assert session == session_of(name)


@pytest.mark.covers("P21")
@pytest.mark.parametrize("name", NAMES)
def test_evidence_still_carries_its_own_hash_and_is_chained(name: str) -> None:
    count = 0
    for task in session_of(name).tasks.values():
        previous = ""
        for record in task.evidence:
            assert record.previous == previous
            assert record.sha256 == seal(record)
            previous, count = record.sha256, count + 1
    assert count > 5


def test_together_they_hold_every_kind_of_event() -> None:
    kinds = {line["kind"] for name in NAMES for line in lines(name)}
    assert kinds == set(EVENTS) - {"TaskEvent"}


def test_the_complete_session() -> None:
    session = session_of("complete.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert (session.parallel, session.terms.parallel, session.terms.setup) == (3, 2, ("make deps",))
    assert session.counts[TaskState.INTEGRATED] == 2
    assert session.proof_commit == session.tip == session.task("T002").merge_commit
    login = session.task("T001")
    assert (login.id, login.attempts, login.outcome) == ("task-0123abcd-1", 1, Outcome.COMPLETE)
    assert (login.plan.description, login.plan.limits.files) == ("画面を作る", 5)
    assert [one.status for one in login.runs[0].results] == [CheckStatus.PASSED, CheckStatus.FAILED]
    assert login.runs[0].verdict is not None
    assert login.runs[0].verdict.reasons == ("warning: check 'lint' failed with code 1",)
    assert session.kept_worktrees == (("agent/task-t002", "it holds files that are not committed"),)


def test_the_session_to_which_something_was_said_while_it_was_planned() -> None:
    session = session_of("said.jsonl")
    assert session.planning is not None
    assert session.planning.instruction == "Add a greeting\n\n挨拶はフランス語で"
    assert (session.considered, session.sayings) == (1, ("挨拶はフランス語で",))
    assert (session.outcome, session.counts[TaskState.INTEGRATED]) == (Outcome.COMPLETE, 2)


def test_the_troubled_session() -> None:
    session = session_of("troubled.jsonl")
    assert (session.state, session.waits_for_person) == (SessionState.PAUSED, True)
    assert session.pause_reason == "1 blocked task"
    states = {task.plan.key: task.state for task in session.tasks.values()}
    assert states == {
        **dict.fromkeys(["A", "A-merge", "B", "C", "D"], TaskState.INTEGRATED),
        "E": TaskState.BLOCKED,
        "F": TaskState.PLANNED,
    }
    assert session.mending is None
    assert session.tip == session.task("C").merge_commit
    retried, resolution = session.task("A"), session.task("A-merge")
    assert (retried.attempts, len(retried.runs), retried.resolutions) == (2, 2, 1)
    assert retried.merge_commit == resolution.merge_commit
    assert [run.state for run in resolution.runs] == [RunState.STOPPED, RunState.EXITED]
    assert resolution.attempts == 1
    redone = session.task("D")
    assert (redone.redos, [run.state for run in redone.runs]) == (
        1,
        [RunState.EXITED, RunState.LOST, RunState.EXITED],
    )
    assert session.task("C").needs_merged_dependencies
    blocked = session.task("E")
    assert (blocked.block_reason, blocked.plan.agent) == (BlockReason.SYSTEM_ERROR, "another")
    assert "No space left on device" in blocked.reason
    assert not session.ready
    assert not session.live


def test_the_session_of_real_agents() -> None:
    session = session_of("agents.jsonl")
    assert (session.state, session.waits_for_person) == (SessionState.PAUSED, True)
    assert session.usage == Usage(5500, 515, 3500, 0.03)
    assert (session.terms.credentials, session.terms.quota_wait) == ((("claude", "account"),), 3600.0)
    limited = session.task("A")
    assert (limited.state, limited.attempts, limited.postponements) == (TaskState.INTEGRATED, 1, 0)
    assert [run.state for run in limited.runs] == [RunState.EXITED, RunState.STOPPED, RunState.EXITED]
    first, stopped, last = limited.runs
    assert (first.ended_by, first.remarks) == (EndedBy.STALL, 3)
    assert first.report is not None
    assert (first.report.trouble, first.report.until) == (Trouble.QUOTA, 1001800.0)
    assert first.report.counter == Usage(usd=0.02)
    assert first.verdict is not None
    assert (first.verdict.disposition, first.verdict.block_reason) == (Disposition.POSTPONE, BlockReason.QUOTA)
    assert first.verdict.until == 1001800.0
    assert stopped.report is not None
    assert stopped.report.usage == Usage(100, 5)
    assert (last.ended_by, last.code, last.conversation) == (EndedBy.TURN, 143, first.conversation)


def test_the_session_of_real_agents_and_the_people_behind_it() -> None:
    session = session_of("agents.jsonl")
    answered = session.task("B")
    assert (answered.state, answered.plan.agent) == (TaskState.INTEGRATED, "codex")
    assert [run.conversation for run in answered.runs] == ["thread-2", "thread-2"]
    asked = answered.runs[0]
    assert (asked.ended_by, asked.question) == (EndedBy.QUESTION, "左ですか、右ですか?")
    assert asked.verdict is not None
    assert asked.verdict.block_reason is BlockReason.INTERACTIVE_PROMPT
    assert list(session.pauses) == ["gemini"]
    assert session.pauses["gemini"].needs_person
    for key, runs in (("C", 1), ("D", 0)):
        task = session.task(key)
        assert (task.state, task.block_reason, len(task.runs)) == (TaskState.BLOCKED, BlockReason.LOGIN, runs)
    assert not session.waiting
    assert not session.live


def test_the_session_with_a_budget() -> None:
    session = session_of("budgeted.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert (session.terms.budget, session.budget) == (Budget(tokens=1500, wall=3600.0), Budget(6500, 9.0, 3600.0, 20))
    assert (session.usage.tokens, session.runs) == (3000, 4)
    assert session.dearest == {"claude": Cost(1000, 0.5)}
    assert 21.0 < session.rested < 22.0, "paused twice: at its budget, and by a person"
    stopped = session.task("B")
    assert ([run.state for run in stopped.runs], stopped.attempts) == ([RunState.STOPPED, RunState.EXITED], 1)
    assert (stopped.plan.scope, session.task("C").plan.may_overlap) == (("*-b.txt",), True)


def test_the_session_that_a_model_planned() -> None:
    session = session_of("planning.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert (session.title, session.calls, session.call_usage) == ("Greeting in two languages", 31, Usage(29399, 818))
    assert session.has_estimates
    planning = session.planning
    assert planning is not None
    assert (planning.instruction, planning.spec) == ("Add a greeting in two languages", "SPEC-2ecc9022")
    assert planning.answers == (Answer("どのファイルに書きますか？", "greeting.txt", "a person"),)
    assert (planning.rejections, planning.wishes) == (("use fewer words",), ("in French too",))
    assert [kind for kind, _ in planning.documents] == [Document.SPEC, Document.PLAN]
    assert (planning.kept_tasks, planning.scores) == (5, (87,))
    assert planning.summary.endswith("挨拶は丁寧に。")
    assert (planning.talk[0].text, len(planning.talk)) == (stored_talk()[4], 18)
    assert (session.sayings, session.considered) == (("politely, please",), 1)
    assert session.judgement == Judgement(True, score=95)
    assert (session.judged_commit, session.pauses, session.outages) == (session.tip, {}, 0)


def stored_talk() -> list[str]:
    """Everything that was said in the planned session, oldest first."""
    said: list[str] = []
    for line in lines("planning.jsonl"):
        body = line["body"]
        assert isinstance(body, dict)
        said += [message["text"] for message in body.get("talk", [])]
    return said


def test_the_work_that_a_model_reviewed() -> None:
    session = session_of("planning.jsonl")
    old, new = session.task("T001"), session.task("T001a")
    assert (old.state, old.replaced_by, old.replans) == (TaskState.REPLACED, (new.number,), 1)
    assert (new.state, new.replaces) == (TaskState.INTEGRATED, old.number)
    assert session.task("T002").depends_on == (new.number,)
    first = old.runs[0].review
    assert first is not None
    assert (first.opinion, first.missing) == (Opinion.WRONG_WAY, ("a name",))
    by_person = session.task("T003")
    review = by_person.runs[-1].review
    assert review is not None
    assert (by_person.state, by_person.attempts) == (TaskState.INTEGRATED, 1)
    assert (review.opinion, review.by) == (Opinion.APPROVED, "a person")
    for key in ("T004", "T005"):
        assert (session.task(key).state, session.task(key).from_tip) == (TaskState.INTEGRATED, True)
    assert not session.stuck
    assert not session.ready


def test_the_session_with_tests_first_and_a_limit_gone_beyond() -> None:
    session = session_of("kinds.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    first, limited, found = (session.task(key) for key in ("T1", "T2", "T3"))
    assert [result.status for result in first.runs[0].before] == [CheckStatus.FAILED]
    assert [(one.limit, one.needs_resolution) for one in limited.violations] == [(LimitType.FILES, False)]
    assert limited.approvals == ("limit: 2 files changed, 1 over the limit of 1 — let through by a person",)
    observation = found.runs[0].observation
    assert observation is not None
    assert (observation.result, found.merge_commit, found.state) == ("原因は改行", "", TaskState.INTEGRATED)


def test_the_session_that_a_person_brought_together() -> None:
    session = session_of("by-hand.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    task = session.task("B")
    assert (task.state, task.redos, task.first_try) == (TaskState.INTEGRATED, 1, task.runs[0].observation.commit)  # type: ignore[union-attr]
    last = task.runs[-1]
    assert (last.agent, last.state, last.ended_by) == (PERSON, RunState.EXITED, EndedBy.PERSON)
    assert task.base == session.task("A").merge_commit, "what it builds on is what was merged"
    assert [(seen.what, seen.branch, seen.commit) for seen in session.noticed] == [(Found.GONE, "agent/the-plan", "")]


def test_the_session_in_which_one_broke_the_whole() -> None:
    session = session_of("culprit.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    merged = [session.tasks[merge.task or 0].plan.key for merge in session.merges.values()]
    assert merged == ["A", "C", "E", "B", "D"]
    assert {key: session.task(key).taken_back for key in "ABCDE"} == {"A": 0, "B": 1, "C": 1, "D": 1, "E": 1}
    assert [len(session.task(key).runs) for key in "ABCDE"] == [1, 2, 1, 2, 1]
    assert (session.ahead, session.proof_commit) == ("", session.tip)


@pytest.mark.parametrize("name", ["proven.jsonl", "culprit.jsonl", "by-hand.jsonl"])
def test_the_proof_of_a_session_is_not_accused(name: str) -> None:
    events = stored(name)
    proving = Proving().walk(Stored(seq, type(event).__name__, event) for seq, event in enumerate(events, 1))
    assert {found.flaw for found in proving.discrepancies} <= {Flaw.OTHER_RULES}, proving.discrepancies


def test_the_session_in_which_a_task_was_set_aside() -> None:
    session = session_of("colliding.jsonl")
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    task = session.task("B")
    assert [run.state for run in task.runs] == [RunState.STOPPED, RunState.EXITED]
    assert (task.attempts, task.asides, task.behind, task.set_aside) == (1, 1, None, None)
    assert [(found.task, found.other, found.files) for found in foreseen("colliding.jsonl")] == [(3, 1, ("list",))]


def foreseen(name: str) -> list[Collision]:
    return [found for event in stored(name) if isinstance(event, CollisionsForeseen) for found in event.collisions]


def test_the_proof_of_a_session_holds_for_ever() -> None:
    events = stored("proven.jsonl")
    proving = Proving().walk(Stored(seq, type(event).__name__, event) for seq, event in enumerate(events, 1))
    # Rules that judge otherwise must have another number; then nobody judges again what they judged.
    assert {found.flaw for found in proving.discrepancies} <= {Flaw.OTHER_RULES}, proving.discrepancies
    verified = {each.task: (each.records, each.verdicts) for each in proving.verified()}
    assert verified["D"] == (10, 3)
    assert verified[""][0] == 2
    assert len(proving.claims.logs) > 20


def test_a_session_from_before_is_not_accused() -> None:
    events = stored("complete.jsonl")
    proving = Proving().walk(Stored(seq, type(event).__name__, event) for seq, event in enumerate(events, 1))
    assert {found.flaw for found in proving.discrepancies} == {Flaw.EARLIER}, proving.discrepancies


def test_the_session_that_was_landed_undone_and_landed_again() -> None:
    session = session_of("landed.jsonl")
    landing = session.landing
    assert landing is not None
    assert session.state is SessionState.CLOSED
    assert session.is_landed
    assert (landing.mode, landing.target, landing.squash) == (LandingMode.MERGE, "main", True)
    assert session.tasks[2].plan.merging, "it brought in what had come meanwhile"
    assert session.ground == landing.before
    kinds = [line["kind"] for line in lines("landed.jsonl")]
    assert kinds.index("Landed") < kinds.index("LandingUndone") < kinds.index("TargetMoved")
    found = Proving().walk(
        Stored(seq, str(line["kind"]), event)
        for seq, (line, event) in enumerate(zip(lines("landed.jsonl"), stored("landed.jsonl"), strict=True), 1)
    )
    assert [flaw for flaw in found.discrepancies if flaw.flaw is not Flaw.OTHER_RULES] == []
    assert landing.commit in found.claims.named_commits


def test_the_session_whose_pull_request_came_back() -> None:
    session = session_of("requested.jsonl")
    landing = session.landing
    assert landing is not None
    assert (session.state, landing.mode, landing.rounds) == (SessionState.CLOSED, LandingMode.PR, 1)
    (request,) = landing.requests
    assert (request.number, request.state, request.base) == (1, RequestState.MERGED, "main")
    assert (landing.commit, len(request.heard)) == (request.merged_as, 2)
    assert session.tasks[2].plan.key == "pr1-1"


def test_the_session_that_waited_for_its_turn() -> None:
    events = stored("queued.jsonl")
    (turn,) = [number for number, event in enumerate(events) if isinstance(event, SessionTakenUp)]
    waiting = fold(events[:turn])
    assert waiting is not None
    assert (waiting.queued_at, waiting.rests) == (events[turn - 1].at, True)
    assert session_of("queued.jsonl").queued_at is None


def test_the_session_of_an_intent_that_asked_and_whose_findings_became_intents() -> None:
    session = session_of("intent.jsonl")
    pursuit = session.pursuit
    assert pursuit is not None
    assert (session.state, session.outcome) == (SessionState.CLOSED, Outcome.COMPLETE)
    assert (pursuit.intent, pursuit.analyses, pursuit.released_by) == ("look-at-login", 2, "a person")
    assert pursuit.analysis is not None
    assert (pursuit.analysis.end, pursuit.analysis.type) == (AnalysisEnd.TASKS, "audit")
    assert (pursuit.analysis.risk, pursuit.is_held) == (Risk.LOW, False)
    assert pursuit.flow is not None
    assert pursuit.flow.steps == ("analyse", "tasks", "investigate", "file")
    assert session.planning is not None
    assert session.planning.answers == (Answer("Which attackers?", "colleagues", "a person"),)
    assert [(one.where, one.is_there, one.intent) for one in pursuit.findings] == [
        ("login.py:2", True, "a-name-is-run-as-a-command"),
        ("login.py:99", False, ""),
        ("login.py", True, "intent-8d67dbc5"),
    ]
    assert [one.title for one in pursuit.filed or ()] == ["A name is run as a command", "ログインのテストがない"]


def test_the_session_of_an_intent_had_its_turn_changed_while_it_waited() -> None:
    events = stored("intent.jsonl")
    before, after = fold(events[:2]), fold(events[:3])
    assert before is not None
    assert after is not None
    assert (before.turn, before.queued_at) == (None, after.queued_at)
    assert after.turn is not None
    assert after.queued_at is not None
    assert after.turn < after.queued_at, "it came to stand before another"

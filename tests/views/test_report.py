"""A report for every session, also for those that failed."""

import pytest
from tests.support.sessions import (
    AT,
    BASE,
    SESSION,
    TREE,
    a_session,
    accept,
    after,
    block,
    check,
    finish,
    integrate,
    judge,
    merge,
    planned,
    refuse,
    result,
    retry,
    start,
)

from toryo.domain import events as e
from toryo.domain.calls import CallRecord
from toryo.domain.evidence import CheckStatus
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.planning import Answer, Document, Draft, Question, Score
from toryo.domain.report import Report, Usage
from toryo.domain.review import Judgement, Opinion, Remedy, Review
from toryo.domain.session import Session
from toryo.domain.verdict import Disposition, Outcome
from toryo.rules.evolve import evolve
from toryo.rules.judging import session_outcome
from toryo.views.report import next_steps, report

TESTS = Check("tests", "make test")
SECRET = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1234"


def told(session: Session, now: float = AT + 90) -> str:
    return report(session, session_outcome(session), now)


def table(session: Session) -> dict[str, list[str]]:
    rows = [line.strip("| ").split(" | ") for line in told(session).splitlines() if line.startswith("| ")]
    return {row[0]: row for row in rows[1:]}


def complete() -> Session:
    session = a_session(planned("A", checks=(TESTS,)), checks=(TESTS,))
    session = merge(accept(session, "A"), "A", result("tests"))
    return after(session, e.WorkspaceRemoved(AT, 1), e.WorkSettled(AT), e.SessionClosed(AT + 64, Outcome.COMPLETE))


@pytest.mark.covers("A28")
def test_a_complete_session() -> None:
    session = complete()
    text = told(session)
    assert text.startswith("# The session\n\n- Outcome: **COMPLETE**\n")
    for part in (
        f"- Session: `{session.id}`",
        "took 1m 04s",
        "- From: `main` at `bbbbbbbbbbbb`",
        f"- Result: `agent/the-session` at `{session.tip[:12]}`",
        "- Proof: the checks pass on agent/the-session",
        "git merge agent/the-session",
    ):
        assert part in text
    assert table(session) == {"A": ["A", "Task A", "integrated", "COMPLETE", "1", "1", "-"]}
    for part in ("blocked", "toryo resume", "no check exists", "kept"):
        assert part not in text
    assert text.endswith("\n")


def test_a_session_that_is_still_going_on_has_taken_until_now() -> None:
    assert "took 1m 30s" in told(a_session("A"))


def test_an_outcome_without_checks_says_so() -> None:
    session = integrate(a_session("A", planned("B", checks=(TESTS,))), "A")
    text = told(session)
    assert table(session)["A"][3] == "COMPLETE (no checks)"
    assert "- no check exists for A\n" in text
    assert "- Proof: no checks: nothing but the observed changes stands behind the result" in text


def test_what_is_blocked_is_told_with_the_reason_and_what_to_do() -> None:
    session = a_session(planned("A", checks=(TESTS,)), planned("B", "A"), attempts=1)
    tail = "assert 1 == 2\n```\nboom"
    failed = result("tests", CheckStatus.FAILED, tail)
    session = judge(check(finish(start(session, "A"), "A"), "A", failed), "A")
    text = told(session)
    assert "- Outcome: **INCOMPLETE**" in text
    assert "## What is blocked, and why\n\n### A Task A\n\ncheck 'tests' failed with code 1" in text
    assert "assert 1 == 2" in text
    assert text.count("```") == 2, "output cannot break out of its block"
    assert table(session)["A"][2] == "blocked: max retries"
    assert table(session)["B"][2] == "waits for A (blocked)"
    assert "toryo resume 0123abcd" in text
    assert "toryo stop --discard 0123abcd" in text


def test_nothing_merged_means_nothing_to_take_over() -> None:
    session = block(a_session("A"), "A")
    steps = next_steps(session, Outcome.INCOMPLETE)
    assert not [step for step in steps if "git merge" in step]
    assert len(steps) == 3
    assert len(next_steps(integrate(a_session("A", "B"), "A"), Outcome.INCOMPLETE)) == 4


@pytest.mark.parametrize(
    ("results", "words"),
    [
        ((result("tests"),), "the checks pass on agent/the-session"),
        ((result("tests", CheckStatus.FAILED),), "the checks do not all pass on agent/the-session"),
        ((), "the checks have not run on the integrated branch"),
    ],
)
def test_the_proof(results: tuple[e.CheckResult, ...], words: str) -> None:
    session = integrate(a_session("A", checks=(TESTS,)), "A")
    session = after(session, e.SessionProven(AT, session.tip, session.tip_tree, results))
    assert words in told(session)


def test_a_proof_of_an_earlier_commit_is_none() -> None:
    session = integrate(a_session("A", "B", checks=(TESTS,)), "A")
    session = after(session, e.SessionProven(AT, session.tip, session.tip_tree, (result("tests"),)))
    assert "the checks have not run on the integrated branch" in told(integrate(session, "B"))


@pytest.mark.covers("P47")
def test_secrets_do_not_get_into_the_report() -> None:
    session = a_session(planned("A", title=f"Use {SECRET}"), attempts=1)
    session = after(block(session, "A"), e.TaskRetried(AT, 1))
    session = after(start(session, "A"), e.TaskBlocked(AT, 1, e.BlockReason.MANUAL, f"got {SECRET}"))
    assert SECRET not in told(session)
    assert "[MASKED:GITHUB_TOKEN]" in told(session)


def test_worktrees_that_were_kept() -> None:
    session = after(integrate(a_session("A"), "A"), e.WorkspaceKept(AT, 1, "it is not clean"))
    assert "## Worktrees that were kept\n\n- `agent/task-a`: it is not clean" in told(session)


def test_titles_cannot_break_the_table() -> None:
    session = a_session(planned("A", title="a | b\nc"))
    assert r"| A | a \| b c | queued |" in told(session)


@pytest.mark.covers("A28", "P39")
def test_every_state_a_task_can_be_in_has_a_row() -> None:
    session = integrate(a_session(*"ABCDE", planned("F", "E"), resolver="shell"), "A")
    session = start(retry(block(accept(session, "B"), "C"), "D"), "D")
    states = {key: row[2] for key, row in table(session).items()}
    assert states == {
        "A": "integrated",
        "B": "accepted",
        "C": "blocked: check failed",
        "D": "working (attempt 2)",
        "E": "queued",
        "F": "waits for E",
    }


def test_a_conflict_that_is_being_settled() -> None:
    session = refuse(accept(a_session("A"), "A"), "A")
    assert table(session)["A"][2] == "accepted, conflict being settled"
    given_up = refuse(block(session, "A-merge"), "A", Disposition.BLOCK)
    assert table(given_up)["A"][2] == "blocked: conflict"


# ── sessions that began with an instruction ──────────────────────────────────

GOOD = Score(90)
ASKED = Question("Which file?", "it decides", ("hello.txt", "ja.txt"), "hello.txt")


def planning(*tasks: PlannedTask, score: Score = GOOD, by: str = "a person", checks: bool = True) -> Session:
    """A session planned with a model, approved."""
    mine = (TESTS,) if checks else ()
    opened = e.SessionOpened(
        AT, SESSION, "Greeting", "issue 7", "main", BASE, TREE, "agent/greeting", Terms(reviews=True), "Greet\n\n# me",
        "SPEC-0123abcd",
    )  # fmt: skip
    session = evolve(None, opened)
    call = CallRecord("questions", "scripted", AT, 1.0, Usage(1200, 300, usd=0.02), is_estimate=True)
    draft = Draft(tasks, 2, ("T9: 'command' is not for the model to say; left out",))
    return after(
        session,
        e.RepositorySurveyed(AT, "python", ("python",), mine),
        e.QuestionsAsked(AT, (call,), (ASKED,), title="A greeting"),
        e.QuestionsAnswered(AT, (Answer("Which file?", "hello.txt"),), by),
        e.DocumentWritten(AT, (), Document.SPEC, "# Greeting"),
        e.DocumentWritten(AT, (), Document.PLAN, "# Greeting"),
        e.TasksDrafted(AT, (), draft),
        e.DraftScored(AT, (), score),
        e.PlanProposed(AT, tasks, mine, 2),
        e.PlanApproved(AT, by),
    )


def reviewed(session: Session, key: str, review: Review, words: str = "") -> Session:
    session = check(finish(start(session, key), key, report=Report(last_words=words)), key)
    task = session.task(key)
    return judge(after(session, e.WorkReviewed(AT, task.number, task.runs[-1].id, review)), key)


GREETING = planned("A", checks=(TESTS,))


def test_what_was_asked_decided_and_planned() -> None:
    text = told(planning(GREETING, score=Score(88, ("A has no description",))))
    for part in (
        "# A greeting\n",
        "## What was asked for\n\nFrom issue 7:\n\n> Greet\n>\n> # me\n",
        "## Decisions\n\n- Which file? → **hello.txt** (a person)\n",
        "## The plan\n\n- scored 88 of 100\n- found in it: A has no description\n- T9: 'command' is not for the model",
        "- documents: `specs/SPEC-0123abcd/`",
        "- Planning and reviewing: 1 model call, 1200 tokens in, 300 out, $0.02 (partly estimated)",
    ):
        assert part in text, part
    assert "## Risks" not in text


@pytest.mark.covers("A28")
def test_risks_come_first() -> None:
    session = planning(planned("A"), score=Score(40), by="--yes", checks=False)
    text = told(reviewed(session, "A", Review(Opinion.APPROVED, "fine"), "Done. This should work."))
    risks = text.partition("## Risks\n\n")[2].partition("\n\n")[0].splitlines()
    assert risks == [
        "- the plan scored 40 of 100, which is below 60",
        "- nothing here runs tests: no check stands behind the result",
        "- nobody looked at a decision: taken by default (--yes)",
        "- A: the agent is guessing: This should work.",
    ]
    assert text.index("## Risks") < text.index("## What was not proven") < text.index("## Tasks")


@pytest.mark.covers("P15")
def test_guessing_is_shown_for_failed_work_and_plan_files_too() -> None:
    session = judge(finish(start(a_session("A"), "A"), "A", code=1, report=Report(last_words="It might work")), "A")
    assert "## Risks\n\n- A: the agent is guessing: It might work\n" in told(session)


def test_what_the_reviews_said() -> None:
    review = Review(Opinion.REJECTED, "half of it", ("hello.txt:1 is empty",), ("say more",), ("it greets",))
    text = told(reviewed(planning(GREETING), "A", review))
    lines = "- not met: it greets\n- hello.txt:1 is empty\n- suggestion: say more\n"
    assert f"## Reviews\n\n**A** rejected: half of it\n\n{lines}" in text


def test_a_person_in_place_of_the_review_is_a_risk() -> None:
    session = reviewed(planning(GREETING), "A", Review(Opinion.NONE, "the reply was empty"))
    assert "- A: no review could be had: the reply was empty" in told(session)
    assert "- A: a person approved it in place of the review" in told(after(session, e.TaskApproved(AT, 1, "a person")))


def test_a_models_approval_is_no_risk() -> None:
    assert "## Risks" in told(reviewed(planning(GREETING), "A", Review(Opinion.APPROVED, "fine", by="a person")))
    assert "in place of" not in told(reviewed(planning(GREETING), "A", Review(Opinion.APPROVED, "fine", by="gpt")))


def test_what_was_replaced_and_what_people_said() -> None:
    session = planning(GREETING, planned("B"))
    session = after(session, e.PersonSaid(AT, "in\nFrench too"), e.PersonSaid(AT, "and hurry"))
    session = after(
        session, e.SayingConsidered(AT, (), 0, "A third task does that.", ((2, "hear"),), (), (planned("C"),))
    )
    session = block(session, "A")
    instead = (planned("A1"), planned("A2"))
    session = after(session, e.TaskReconsidered(AT, 1, Remedy.REPLACE, "it was too much", tasks=instead))
    text = told(session)
    assert "## Tasks that were replaced\n\n- A Task A, by A1, A2: it was too much\n" in text
    said = "- “in French too” → A third task does that. (changed B; added C)\n- “and hurry” → not looked into yet\n"
    assert f"## What people said on the way\n\n{said}" in text


def test_the_judgement() -> None:
    session = merge(reviewed(planning(GREETING), "A", Review(Opinion.APPROVED, "fine")), "A")
    missing = Judgement(False, ("a Japanese greeting",), ("more languages",), 60)
    text = told(after(session, e.WorkSettled(AT), e.SessionJudged(AT, (), session.tip, missing)))
    lines = "- missing: a Japanese greeting\n- could follow: more languages\n"
    assert f"## Is this what was asked for?\n\nThe work was judged incomplete (60 of 100).\n\n{lines}" in text
    assert "## Risks\n\n- the work was judged not to be all that was asked for" in text
    assert "toryo continue 0123abcd" in text
    text = told(after(session, e.WorkSettled(AT), e.SessionJudged(AT, (), session.tip, Judgement(True, score=95))))
    assert "The work was judged complete (95 of 100).\n" in text
    assert "toryo continue" not in text

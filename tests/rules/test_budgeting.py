"""Budgets: set aside before anything starts, never overshot by more than what is at work, and never a dead end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.planning import call, instructed, reviewed_session, said
from tests.support.resting import Walk
from tests.support.sessions import AT, a_session, after, claim, finish, integrate, judge, leave, planned, start, stop

from toryo.domain import effects as fx
from toryo.domain import events as e
from toryo.domain.limits import Budget, Cost, Limit
from toryo.domain.plan import Check, PlannedTask
from toryo.domain.report import Report, Usage
from toryo.domain.session import Session, SessionState
from toryo.domain.task import TaskState
from toryo.rules.admit import admit
from toryo.rules.amounts import changed_budget, parse_runs, parse_tokens, parse_usd
from toryo.rules.budgeting import deadline, may_run, reserved, spent, used_up, worked
from toryo.rules.evolve import evolve
from toryo.rules.playbook import next_effects
from toryo.views.budget import budget_row, budget_words, how_to_raise, used_up_words
from toryo.views.inbox import inbox

pytestmark = pytest.mark.covers("B3", "G35")


def used(tokens: int = 0, usd: float = 0.0) -> Report:
    return Report(usage=Usage(input_tokens=tokens, usd=usd))


def kinds(session: Session) -> list[str]:
    return sorted(type(effect).__name__ for effect in next_effects(session))


def starts(session: Session) -> int:
    return sum(isinstance(effect, fx.PlanRun) for effect in next_effects(session))


def limited(*tasks: PlannedTask | str, parallel: int = 4, **limits: float) -> Session:
    return a_session(*tasks, parallel=parallel, budget=Budget(**limits))  # type: ignore[arg-type]


# ── what is counted ──────────────────────────────────────────────────────────


def test_agents_and_models_and_runs_are_counted() -> None:
    session = leave(start(a_session("A", "B"), "A"), "A", report=used(100, 0.5))
    session = stop(start(session, "B"), "B", report=used(30, 0.25))
    assert spent(session) == Cost(130, 0.75, 2)
    asked = evolve(instructed(), e.QuestionsAsked(AT, (call(),), (), (), True))
    assert spent(asked).tokens == call().usage.tokens > 0


def test_the_dearest_run_of_an_agent_is_what_the_next_one_may_cost() -> None:
    session = limited(*"ABCD", tokens=8000)
    assert reserved(claim(session, "A")) == Cost(1000), "an eighth, as long as nothing is known"
    session = leave(start(session, "A"), "A", report=used(300))
    session = leave(start(session, "B"), "B", report=used(200))
    assert reserved(claim(session, "C")) == Cost(300)
    assert reserved(leave(start(session, "C"), "C", report=used(1))) == Cost(), "who is done has nothing set aside"


def test_a_run_that_was_cut_short_says_nothing_about_what_runs_cost() -> None:
    session = stop(start(limited("A", tokens=800), "A"), "A")
    assert reserved(claim(session, "A")) == Cost(100)


def test_an_agent_that_counts_nothing_has_nothing_set_aside_once_that_is_known() -> None:
    session = leave(start(limited(*"AB", tokens=800), "A"), "A")
    assert reserved(claim(session, "B")) == Cost()


# ── who may start ────────────────────────────────────────────────────────────


def test_only_as_many_start_as_the_budget_has_room_for() -> None:
    session = leave(start(limited(*"ABCDEF", parallel=5, tokens=1000), "A"), "A", report=used(300))
    assert starts(session) == 2
    session = claim(claim(session, "B"), "C")
    assert starts(session) == 0
    assert not admit(session, e.RunPlanned(AT, 4, "run-4-1", "crew", "talk"))
    assert starts(leave(start(stop(session, "C"), "C"), "C", report=used(50))) == 1


def test_one_that_is_alone_may_use_what_is_left_however_little() -> None:
    session = leave(start(limited(*"ABC", tokens=1000), "A"), "A", report=used(900))
    assert (starts(session), used_up(session, AT)) == (1, None)
    assert starts(claim(session, "B")) == 0
    over = leave(start(session, "B"), "B", report=used(400))
    assert (starts(over), used_up(over, AT)) == (0, Limit.TOKENS)


@pytest.mark.parametrize("limit", ["tokens", "usd"])
def test_whoever_is_at_work_may_finish_then_the_session_pauses(limit: str) -> None:
    session = start(start(limited(*"ABC", tokens=1000, usd=1000), "A"), "B")
    session = after(session, e.BudgetChanged(AT, Budget(**{limit: 100})))  # type: ignore[arg-type]
    session = judge(finish(session, "A", report=used(150, 150.0)), "A")
    assert kinds(session) == ["AwaitRun", "MergeTask"], "no start, no stop"
    session = integrate_rest(session)
    assert kinds(session) == ["PauseAtBudget"]


def integrate_rest(session: Session) -> Session:
    def look(now: Session, wanted: frozenset[fx.Effect]) -> None:
        assert not any(isinstance(effect, fx.PlanRun) for effect in wanted)

    walk = Walk(session, 1, 0, look)
    while not any(isinstance(effect, fx.PauseAtBudget) for effect in next_effects(walk.session)):
        effect = sorted(next_effects(walk.session), key=repr)[0]
        walk.record(walk._answer(effect))
    return walk.session


def test_a_pause_at_the_budget_waits_for_a_person_and_says_what_was_used() -> None:
    session = leave(start(limited(*"AB", tokens=2_000_000), "A"), "A", report=used(2_013_400))
    words = used_up_words(session, AT)
    assert words == "the budget of 2,000,000 tokens is used up: 2,013,400 used"
    paused = after(session, e.SessionPaused(AT, words, True, True))
    (item,) = inbox(paused)
    assert (item.what, item.says) == ("budget", words)
    assert item.do == "toryo budget 0123abcd --tokens +600k, then toryo resume 0123abcd"
    raised = after(paused, e.BudgetChanged(AT, changed_budget(paused.budget, {Limit.TOKENS: "+600k"})))
    assert used_up(raised, AT) is None
    assert [item.what for item in inbox(raised)] == ["stopped"]


def test_a_pause_means_nothing_once_somebody_has_raised_the_budget() -> None:
    session = leave(start(limited(*"AB", tokens=10), "A"), "A", report=used(20))
    pause = e.SessionPaused(AT, "used up", True, True)
    assert admit(session, pause)
    assert not admit(after(session, e.BudgetChanged(AT, Budget(tokens=30))), pause)


def test_a_session_that_needs_nothing_more_closes_though_its_budget_is_used_up() -> None:
    session = limited("A", tokens=10, runs=1, wall=1e9)
    walk = Walk(session, 3, 0, lambda *_: None, most_tokens=10_000)
    assert walk.to_rest().state is SessionState.CLOSED


def test_no_more_runs_than_allowed_stopped_ones_included() -> None:
    session = stop(start(limited(*"ABC", runs=2), "A"), "A")
    assert starts(session) == 1
    session = claim(session, "A")
    assert starts(session) == 0
    assert not admit(session, e.RunPlanned(AT, 2, "run-2-1", "crew", "talk"))
    assert used_up(session, AT) is Limit.RUNS


def test_without_a_budget_nothing_is_held_back() -> None:
    assert starts(limited(*"ABCD")) == 4
    assert may_run(limited("A"), "crew")
    assert budget_words(limited("A")) == ""


# ── models ───────────────────────────────────────────────────────────────────


def test_a_model_is_not_asked_when_the_budget_is_used_up() -> None:
    session = after(instructed(), e.BudgetChanged(AT, Budget(tokens=5)))
    assert kinds(session) == ["SurveyRepository"], "looking costs nothing"
    session = after(session, e.RepositorySurveyed(AT, "files", (), ()))
    assert kinds(session) == ["AskQuestions"]
    asked = after(session, e.QuestionsAsked(AT, (call(),), (), (), True))
    assert kinds(asked) == ["PauseAtBudget"]


def test_reviews_wait_for_the_budget_too() -> None:
    session = finish(start(reviewed_session("A"), "A"), "A", report=used(50))
    assert kinds(session) == ["ReviewWork"]
    assert kinds(after(session, e.BudgetChanged(AT, Budget(tokens=50)))) == ["PauseAtBudget"]
    assert kinds(after(session, e.BudgetChanged(AT, Budget(tokens=51)))) == ["ReviewWork"]


def test_nor_is_what_a_person_says_considered() -> None:
    session = said(after(reviewed_session("A"), e.BudgetChanged(AT, Budget(usd=0.001))))
    spent_it = leave(start(session, "A"), "A", report=used(usd=1.0))
    assert "ConsiderSaying" not in kinds(spent_it)


# ── time ─────────────────────────────────────────────────────────────────────


def test_time_in_which_a_person_is_waited_for_does_not_count() -> None:
    session = limited("A", wall=100)
    assert (worked(session, AT + 30), deadline(session)) == (30, AT + 100)
    session = after(session, e.SessionPaused(AT + 40, "a person"))
    assert worked(session, AT + 5000) == 40
    session = after(session, e.SessionResumed(AT + 1040))
    assert (worked(session, AT + 1050), deadline(session)) == (50, AT + 1100)
    waiting = evolve(evolve(None, _opened(wall=100)), e.PlanProposed(AT + 10, (planned("A"),)))
    assert worked(waiting, AT + 9999) == 10, "nor does the time before an approval"
    assert deadline(evolve(waiting, e.PlanApproved(AT + 510, "a person"))) == AT + 600


def _opened(**limits: float) -> e.SessionOpened:
    from tests.support.sessions import opening

    (opened, *_) = opening("A", budget=Budget(**limits))  # type: ignore[arg-type]
    assert isinstance(opened, e.SessionOpened)
    return opened


def test_when_the_time_is_over_agents_are_stopped_as_by_a_person() -> None:
    session = start(limited(*"AB", parallel=1, wall=100), "A")
    assert next_effects(session) >= {fx.PauseAtBudget(AT + 100)}
    assert not admit(session, e.SessionPaused(AT + 99, "too early", True, True))
    session = after(session, e.SessionPaused(AT + 100, "the time is over", True, True))
    assert kinds(session) == ["StopRun"]
    session = after(session, e.RunStopped(AT + 101, 1, "run-1-1"))
    assert (session.task("A").attempts, session.task("A").state) == (0, TaskState.PLANNED)
    assert not next_effects(session)
    assert used_up_words(session, AT + 9999) == "the time of 1m 40s is used up: 1m 40s worked"
    assert how_to_raise(session, AT + 9999) == "toryo budget 0123abcd --wall +1m00s"


def test_nobody_starts_after_the_time_is_over() -> None:
    session = limited("A", wall=100)
    assert admit(session, e.RunPlanned(AT + 99, 1, "run-1-1", "crew", "talk"))
    assert not admit(session, e.RunPlanned(AT + 100, 1, "run-1-1", "crew", "talk"))


def test_the_end_of_the_time_does_not_keep_a_finished_session_from_closing() -> None:
    session = after(integrate(limited("A", wall=100), "A"), e.WorkspaceRemoved(AT, 1))
    assert kinds(session) == ["SettleWork"]
    assert kinds(after(session, e.WorkSettled(AT))) == ["Conclude"]


# ── whatever happens ─────────────────────────────────────────────────────────

PLANS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=8)


def plan_of(shape: list[tuple[int, bool]]) -> list[PlannedTask]:
    tasks: list[PlannedTask] = []
    for number, (back, is_checked) in enumerate(shape):
        needs = [tasks[-back].key] if 0 < back <= len(tasks) else []
        tasks.append(planned(f"T{number}", *needs, checks=(Check("tests", "make test"),) if is_checked else ()))
    return tasks


@settings(max_examples=80, deadline=None)
@given(PLANS, st.integers(0, 10_000), st.sampled_from([0, 10, 40]), st.integers(1, 4), st.integers(1, 9))
def test_there_are_never_more_runs_than_allowed(
    shape: list[tuple[int, bool]], seed: int, trouble: int, parallel: int, runs: int
) -> None:
    def look(session: Session, wanted: frozenset[fx.Effect]) -> None:
        assert session.runs <= runs
        if session.runs >= runs:
            assert not any(isinstance(effect, fx.PlanRun) for effect in wanted)

    session = Walk(limited(*plan_of(shape), parallel=parallel, runs=runs), seed, trouble, look).to_rest()
    if session.state is not SessionState.CLOSED and not session.count(TaskState.BLOCKED):
        assert used_up(session, AT) is Limit.RUNS


@settings(max_examples=80, deadline=None)
@given(PLANS, st.integers(0, 10_000), st.sampled_from([0, 10, 40]), st.integers(1, 4), st.integers(1, 5000))
def test_tokens_are_overshot_by_no_more_than_what_is_at_work(
    shape: list[tuple[int, bool]], seed: int, trouble: int, parallel: int, tokens: int
) -> None:
    most = 1000

    def look(session: Session, wanted: frozenset[fx.Effect]) -> None:
        if spent(session).tokens >= tokens:
            assert not any(isinstance(effect, fx.PlanRun) for effect in wanted)
        assert spent(session).tokens <= tokens + most * parallel

    walk = Walk(limited(*plan_of(shape), parallel=parallel, tokens=tokens), seed, trouble, look, most_tokens=most)
    for _ in range(40):
        session = walk.to_rest()
        if session.state is SessionState.CLOSED or session.count(TaskState.BLOCKED):
            break
        assert (used_up(session, AT), session.waits_for_person) == (Limit.TOKENS, True), "else it would be a dead end"
        tokens += 2000
        walk.resume(e.BudgetChanged(AT, Budget(tokens=tokens)))
    assert session.state is SessionState.CLOSED or session.count(TaskState.BLOCKED), "with enough it comes to an end"


# ── what people write ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "count"),
    [("2M", 2_000_000), ("500k", 500_000), ("2_000_000", 2_000_000), ("2,000,000", 2_000_000), ("1.5M", 1_500_000),
     ("0", 0), ("7", 7), ("3 m", 3_000_000), ("1G", 10**9)],
)  # fmt: skip
def test_tokens_as_people_write_them(text: str, count: int) -> None:
    assert parse_tokens(text) == count


@pytest.mark.parametrize("text", ["", "M", "2MM", "-5", "2__000", "two", "1e9", "99999999999G", "٣"])
def test_what_is_no_number_of_tokens(text: str) -> None:
    with pytest.raises(ValueError, match="tokens"):
        parse_tokens(text)


def test_money_and_runs_as_people_write_them() -> None:
    assert [parse_usd(text) for text in ("5", "2.50", "$3", "0.001", "4 usd")] == [5.0, 2.5, 3.0, 0.001, 4.0]
    for text in ("", "five", "-1", "nan", "inf", "1e3"):
        with pytest.raises(ValueError, match="US dollars"):
            parse_usd(text)
    assert parse_runs("20") == 20
    with pytest.raises(ValueError, match="runs"):
        parse_runs("2.5")


def test_budgets_are_set_raised_lowered_and_taken_away() -> None:
    budget = changed_budget(Budget(), {Limit.TOKENS: "2M", Limit.WALL: "8h", Limit.USD: "5", Limit.RUNS: "20"})
    assert budget == Budget(2_000_000, 5.0, 28_800.0, 20)
    assert changed_budget(budget, {Limit.TOKENS: "+500k"}).tokens == 2_500_000
    assert changed_budget(budget, {Limit.USD: "-2.5", Limit.WALL: "+30m"}) == Budget(2_000_000, 2.5, 30_600.0, 20)
    assert changed_budget(budget, {Limit.TOKENS: "0", Limit.WALL: "none"}) == Budget(None, 5.0, None, 20)
    for wrong in ({Limit.RUNS: "-20"}, {Limit.TOKENS: "+x"}, {Limit.WALL: "soon"}):
        with pytest.raises(ValueError, match=r"\S"):
            changed_budget(budget, wrong)
    with pytest.raises(ValueError, match="no limit of tokens"):
        changed_budget(Budget(), {Limit.TOKENS: "+5"})


def test_the_budget_as_data() -> None:
    session = claim(leave(start(limited(*"AB", tokens=1000, runs=5), "A"), "A", report=used(300, 0.5)), "B")
    row = budget_row(session)
    assert row["tokens"] == {"limit": 1000, "used": 300, "reserved": 300, "left": 400}
    assert row["runs"] == {"limit": 5, "used": 2, "reserved": 0, "left": 3}
    assert row["usd"] == {"limit": None, "used": 0.5, "reserved": 0.5, "left": None}
    assert budget_words(session) == "300 of 1000 tokens, 2 of 5 runs"

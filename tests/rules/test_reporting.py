"""From what an agent tells to its report, and what of that is worth recording while it still works."""

from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sessions import AT, a_session, after, ask, finish, go_on, judge, run_of, stall, start, stop

from toryo.domain import events as e
from toryo.domain import signals as s
from toryo.domain.report import Report, Trouble, Usage
from toryo.domain.session import Session
from toryo.domain.task import Task
from toryo.rules.reporting import heard, remark_on, with_own_share

QUOTA = s.Stalled(Trouble.QUOTA, "five hour limit reached", AT + 60)
WORK = [s.Took(), s.Said("I see."), s.Said("I ", is_piece=True), s.Used("shell", "ls"), s.Got("a.py")]
USAGES = st.builds(Usage, st.integers(0, 999), st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
SIGNALS = st.one_of(
    st.sampled_from([*WORK, s.Noted("hm"), s.Elsewhere("/x"), s.Asked("may I?"), s.Finished(), s.Finished("Done.")]),
    st.builds(s.Named, st.sampled_from(["", "one", "two"])),
    st.builds(s.Spent, USAGES, USAGES),
    st.builds(s.Stalled, st.sampled_from(Trouble), st.just("no"), st.sampled_from([0.0, AT])),
    st.builds(s.Failed, st.sampled_from(Trouble), st.just("no"), st.sampled_from([0.0, AT])),
)


def told(*signals: s.Signal) -> Report:
    return reduce(heard, signals, Report())


# ── one signal after the other ───────────────────────────────────────────────


@pytest.mark.parametrize(
    ("signal", "expected"),
    [
        (s.Named("talk"), {"conversation": "talk"}),
        (s.Took(), {}),
        (s.Said("Hello."), {"last_words": "Hello."}),
        (s.Said("Hel", is_piece=True), {"last_words": "Hel", "is_speaking": True}),
        (s.Used("shell", "ls"), {}),
        (s.Got("a.py", failed=True), {}),
        (s.Asked("may I?"), {"question": "may I?"}),
        (s.Spent(Usage(3, 2, 1)), {"usage": Usage(3, 2, 1)}),
        (s.Spent(total=Usage(usd=0.5)), {"counter": Usage(usd=0.5)}),
        (QUOTA, {"trouble": Trouble.QUOTA, "message": "five hour limit reached", "until": AT + 60}),
        (s.Finished("Done."), {"last_words": "Done.", "is_finished": True}),
        (s.Failed(Trouble.LOGIN, "no key"), {"trouble": Trouble.LOGIN, "message": "no key", "is_finished": True}),
        (s.Noted("hm"), {}),
        (s.Elsewhere("/x"), {}),
    ],
)
def test_each_signal_alone(signal: s.Signal, expected: dict[str, Any]) -> None:
    assert told(signal) == Report(**expected)


@pytest.mark.parametrize("work", [*WORK, s.Asked("may I?"), s.Finished()])
def test_whoever_works_is_out_of_trouble(work: s.Signal) -> None:
    report = told(QUOTA, work)
    assert (report.trouble, report.message, report.until) == (None, "", 0.0)


@pytest.mark.parametrize("silent", [s.Named("talk"), s.Spent(Usage(1)), s.Noted("hm"), s.Elsewhere("/x")])
def test_what_is_no_work_changes_nothing_about_trouble(silent: s.Signal) -> None:
    assert told(QUOTA, silent).trouble is Trouble.QUOTA
    assert told(s.Asked("may I?"), silent).question == "may I?"
    assert told(s.Finished(), silent).is_finished


def test_the_time_of_the_reset_is_kept_where_the_final_failure_does_not_name_it() -> None:
    report = told(QUOTA, s.Failed(Trouble.QUOTA, "no more for today"))
    assert (report.until, report.message) == (AT + 60, "no more for today")
    assert told(QUOTA, s.Failed(Trouble.QUOTA, "x", AT + 99)).until == AT + 99
    assert told(QUOTA, s.Failed(Trouble.API, "x")).until == 0.0, "that was the time of other trouble"
    assert told(QUOTA, s.Took(), s.Failed(Trouble.QUOTA, "x")).until == 0.0, "that trouble was over"


def test_speech_in_pieces_is_one_speech() -> None:
    pieces = [s.Said(piece, is_piece=True) for piece in ("I ", "went ", "left.")]
    assert told(*pieces).last_words == "I went left."
    assert told(*pieces, s.Finished()).last_words == "I went left."
    assert told(*pieces, s.Used("shell"), s.Said("And ", is_piece=True)).last_words == "And "
    assert told(s.Said("Whole."), *pieces).last_words == "I went left."
    assert told(*pieces, s.Said("Whole.")).last_words == "Whole."


@pytest.mark.parametrize("answered", [*WORK, QUOTA, s.Finished(), s.Failed(Trouble.OTHER, "x")])
def test_whoever_goes_on_waits_for_nobody(answered: s.Signal) -> None:
    assert told(s.Asked("may I?"), answered).question == ""


def test_another_question_takes_the_place_of_the_first() -> None:
    assert told(s.Asked("may I?"), s.Asked("and now?")).question == "and now?"


def test_more_work_makes_a_turn_that_was_over_go_on() -> None:
    assert not told(s.Finished(), s.Took()).is_finished
    assert not told(s.Failed(Trouble.API, "x"), s.Took()).is_finished


def test_a_turn_that_failed_is_not_made_good_by_its_end() -> None:
    """OpenCode says that it is idle after it has said that it failed."""
    report = told(s.Failed(Trouble.LOGIN, "no key"), s.Finished("I am idle."))
    assert (report.trouble, report.message, report.last_words) == (Trouble.LOGIN, "no key", "")
    assert told(s.Failed(Trouble.LOGIN, "no key"), s.Said("Again."), s.Finished()).trouble is None


def test_nothing_can_stall_a_turn_that_is_over() -> None:
    """Lines of several files may come out of order."""
    for end in (s.Finished("Done."), s.Failed(Trouble.LOGIN, "no key")):
        assert told(end, QUOTA) == told(end)


def test_the_last_words_stay_where_the_end_has_none() -> None:
    assert told(s.Said("Bye."), s.Finished()).last_words == "Bye."
    assert told(s.Said("Bye."), s.Finished("Really.")).last_words == "Really."


def test_shares_add_up_and_totals_replace() -> None:
    report = told(*[s.Spent(Usage(10, 1), Usage(usd=total)) for total in (0.1, 0.3)], s.Spent(Usage(5)))
    assert (report.usage, report.counter) == (Usage(25, 2), Usage(usd=0.3))


@pytest.mark.covers("G26")
@given(st.lists(SIGNALS, max_size=30))
def test_a_report_never_contradicts_itself(signals: list[s.Signal]) -> None:
    report = told(*signals)
    assert not (report.question and report.trouble)
    assert not (report.question and report.is_finished)
    assert report.trouble or not (report.message or report.until)
    assert not (report.is_speaking and (report.is_finished or report.trouble))
    shares = sum((signal.share for signal in signals if isinstance(signal, s.Spent)), Usage())
    assert report.usage == shares


# ── what is counted over a whole conversation ────────────────────────────────


def counted(*counters: Usage | None) -> Task:
    """A task with a run that counted so much, or crashed before it could, for each; and one that works now."""
    session = a_session("A", attempts=99)
    for counter in counters:
        report = Report(counter=counter) if counter is not None else None
        session = judge(finish(start(session, "A"), "A", code=1, report=report), "A")
    return start(session, "A").task("A")


def own(counter: Usage, *earlier: Usage | None) -> Usage:
    return with_own_share(Report(counter=counter), counted(*earlier)).usage


def test_the_first_run_has_spent_all_of_it() -> None:
    assert own(Usage(100, 10, 50, 0.5)) == Usage(100, 10, 50, 0.5)


def test_later_runs_have_spent_what_they_added() -> None:
    assert own(Usage(100, 10, 50, 0.5), Usage(60, 4, 50, 0.2)) == Usage(40, 6, 0, 0.3)
    assert own(Usage(100, 10), Usage(10, 1), Usage(60, 4)) == Usage(40, 6)


def test_a_run_that_crashed_without_a_count_is_part_of_the_next_one() -> None:
    assert own(Usage(100, 10), Usage(60, 4), None) == Usage(40, 6)
    assert own(Usage(100, 10), Usage(60, 4), Usage()) == Usage(40, 6)
    assert own(Usage(100, 10), None) == Usage(100, 10)


def test_a_run_that_was_stopped_counts_as_well() -> None:
    session = stop(start(a_session("A"), "A"), "A", Report(counter=Usage(60, 4)))
    report = with_own_share(Report(counter=Usage(100, 10)), start(session, "A").task("A"))
    assert report.usage == Usage(40, 6)


def test_another_conversation_has_its_own_count() -> None:
    task = counted(Usage(60, 4))
    fresh = with_own_share(Report(conversation="a new one", counter=Usage(100, 10)), task)
    assert fresh.usage == Usage(100, 10)


def test_what_is_counted_by_the_run_stays_as_it_is() -> None:
    report = Report(usage=Usage(7, 7))
    assert with_own_share(report, counted(Usage(60, 4))) == report


def test_tokens_by_the_run_and_money_by_the_conversation() -> None:
    """As Claude counts."""
    report = Report(usage=Usage(30, 3), counter=Usage(usd=0.5))
    assert with_own_share(report, counted(Usage(usd=0.2))).usage == Usage(30, 3, 0, 0.3)


@pytest.mark.covers("G35")
@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=6))
def test_the_shares_of_all_runs_are_the_whole(costs: list[int]) -> None:
    session, total = a_session("A", attempts=99), 0
    for cost in costs:
        session, total = start(session, "A"), total + cost
        report = with_own_share(Report(counter=Usage(total)), session.task("A"))
        session = judge(finish(session, "A", code=1, report=report), "A")
    assert session.usage == Usage(total)


# ── what is worth recording ──────────────────────────────────────────────────


def remark(session: Session, *signals: s.Signal) -> e.TaskEvent | None:
    return remark_on(session.task("A"), told(*signals), AT)


def working() -> Session:
    return start(a_session("A"), "A")


def test_the_name_of_the_conversation_is_recorded_once() -> None:
    named = e.ConversationNamed(AT, 1, "run-1-1", "chosen")
    assert remark(working(), s.Named("chosen")) == named
    assert remark(after(working(), named), s.Named("chosen")) is None
    assert remark(working(), s.Named("talk-1")) is None, "it is the one it was given"


def test_a_question_is_recorded_once() -> None:
    assert remark(working(), s.Asked("may I?")) == e.RunWaited(AT, 1, "run-1-1", "may I?")
    waiting = ask(working(), "A", "may I?")
    assert remark(waiting, s.Asked("may I?")) is None
    assert remark(waiting, s.Asked("and now?")) == e.RunWaited(AT, 1, "run-1-1", "and now?")


def test_trouble_is_recorded_until_it_changes() -> None:
    stalled = e.RunStalled(AT, 1, "run-1-1", Trouble.QUOTA, "five hour limit reached", AT + 60)
    assert remark(working(), QUOTA) == stalled
    session = after(working(), stalled)
    assert remark(session, QUOTA) is None
    assert remark(session, s.Stalled(Trouble.QUOTA, "attempt 2 of 9")) is None, "the same again"
    assert isinstance(remark(session, s.Stalled(Trouble.QUOTA, "x", AT + 90)), e.RunStalled), "for longer"
    assert isinstance(remark(session, s.Stalled(Trouble.API, "x")), e.RunStalled), "another kind"


@pytest.mark.parametrize("before", [ask, stall])
def test_going_on_is_recorded(before: Any) -> None:
    session = before(working(), "A")
    assert remark(session, s.Took()) == e.RunWentOn(AT, 1, "run-1-1")
    assert remark(go_on(session, "A"), s.Took()) is None


def test_where_nothing_is_new_nothing_is_recorded() -> None:
    assert remark(working()) is None
    assert remark(working(), *WORK, s.Noted("hm"), s.Spent(Usage(1))) is None


def test_a_turn_that_is_over_is_recorded_by_its_end() -> None:
    assert remark(working(), QUOTA, s.Failed(Trouble.QUOTA, "x")) is None
    assert remark(ask(working(), "A"), s.Finished()) is None
    named = remark(working(), s.Named("chosen"), s.Finished())
    assert isinstance(named, e.ConversationNamed), "but how to go on later has to be known"


@given(st.lists(SIGNALS, max_size=12))
def test_one_thing_at_a_time_until_all_is_recorded(signals: list[s.Signal]) -> None:
    session = working()
    for count in range(1, len(signals) + 1):
        remarks = 0
        while event := remark(session, *signals[:count]):
            session = after(session, event)
            remarks += 1
            assert remarks <= 3
            assert run_of(session, "A").remarks > 0

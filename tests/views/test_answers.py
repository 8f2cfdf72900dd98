"""The schema of JSON answers: it ships as it is made, and real answers keep to it."""

import json
from importlib import resources

import jsonschema
import pytest
from hypothesis import given, settings
from tests.support.answers import assert_answer
from tests.support.records import ROOT
from tests.views.test_records import WALKS

from toryo.domain import events as e
from toryo.views.records.answers import ANSWERS, answers_schema
from toryo.views.records.chronicle import chronicle
from toryo.views.records.details import report_answer, run_answer, session_answer, task_answer
from toryo.views.rows import envelope
from toryo.views.taskgroups import Group, group_of, group_rows
from toryo.views.trace import run_trip, trip_row


def test_the_schema_that_ships_is_the_one_that_is_made() -> None:
    shipped = json.loads(resources.files("toryo.views.records").joinpath("answers.schema.json").read_text("utf-8"))
    assert shipped == answers_schema(), "write it anew: see CONTRIBUTING.md, a JSON answer"
    jsonschema.Draft202012Validator.check_schema(shipped)
    assert set(ANSWERS) <= set(shipped["$defs"])


@pytest.mark.covers("P27", "P42", "P57")
@settings(max_examples=40, deadline=None)
@given(WALKS)
def test_answers_about_any_session_keep_to_it(events: list[e.Event]) -> None:
    told = chronicle(events)
    session = told.session
    assert_answer("info", _plain(envelope("session", session_answer(told, ROOT))))
    assert_answer("report", _plain(envelope("report", report_answer(told, ROOT))))
    groups = envelope("tasks", group_rows(told, session.updated_at))
    assert_answer("tasks", _plain(groups))
    assert sum(groups["summary"].values()) == len(session.tasks)
    for task in session.tasks.values():
        assert_answer("info TASK", _plain(envelope("task", task_answer(told, task, ROOT))))
        assert [row["external_task_id"] for row in groups[group_of(task)]].count(task.id) == 1
        for run in task.runs:
            assert_answer("info RUN", _plain(envelope("run", run_answer(session, task, run))))
            assert_answer("trace (run)", _plain(trip_row(run_trip(session, task, run, "do it"), is_full=True)))
    assert [*groups["summary"]] == [group.value for group in Group]


def _plain(data: object) -> object:
    return json.loads(json.dumps(data, allow_nan=False))

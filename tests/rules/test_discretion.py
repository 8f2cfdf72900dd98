"""Events say no secrets, and are otherwise what they were."""

import json
from dataclasses import replace
from typing import Any

import pytest
from tests.journal.test_histories import NAMES, lines, stored
from tests.support.secrets import MIXED

from toryo.domain import events as e
from toryo.domain.evidence import CheckResult, CheckStatus, Evidence, Operation, seal, sealed
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.report import Report
from toryo.journal.codec import decode, encode
from toryo.rules.discretion import discreet, secrets_in

pytestmark = pytest.mark.covers("P25", "P47")
SECRET = "ghp_" + MIXED[:36]


def test_events_without_secrets_are_the_same_objects() -> None:
    for name in NAMES:
        for event in stored(name):
            assert discreet(event) is event


def with_secret(value: Any, place: list[int]) -> Any:
    """The same JSON with a secret in its n-th text."""
    if isinstance(value, str):
        place[0] -= 1
        return f"see {SECRET}" if place[0] == -1 else value
    if isinstance(value, list):
        return [with_secret(item, place) for item in value]
    if isinstance(value, dict):
        return {name: with_secret(item, place) for name, item in value.items()}
    return value


def spoken(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if isinstance(value, str):
        return [path] if SECRET in value else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for name, item in inner for found in spoken(item, (*path, str(name)))]


@pytest.mark.parametrize("name", NAMES)
def test_whatever_text_of_an_event_holds_a_secret_only_names_and_commands_keep_it(name: str) -> None:
    names = {"session", "spec", "base_branch", "base_commit", "base_tree", "branch", "commit", "tree", "head", "base",
             "run", "agent", "conversation", "credential", "effect", "key", "name", "depends_on", "scope", "expect",
             "resolves", "command", "files", "path", "by", "evidence", "terms", "calls", "changes", "missing",
             "out_of_scope", "outside", "tip", "diff_sha256", "target", "onto", "before", "merging", "heard", "url",
             "merged_as", "mends", "remembered", "intent", "slug"}  # fmt: skip
    for line in lines(name):
        for place in range(60):
            left = [place]
            body = with_secret(line["body"], left)
            if left[0] >= 0:
                break
            try:
                event = decode(str(line["kind"]), int(str(line["version"])), json.dumps(body))
            except Exception:  # noqa: BLE001 - an enumeration does not take just any text
                continue
            kept = spoken(json.loads(encode(discreet(event))))
            assert all(names & set(path) for path in kept), (line["kind"], kept)


def test_commands_stay_as_they_are_written_and_what_is_said_about_them_does_not() -> None:
    task = PlannedTask(
        key="A",
        title=f"use {SECRET}",
        agent="shell",
        description="password: hunter2",
        acceptance=(f"{SECRET} works",),
        command=f"echo {SECRET}",
        checks=(Check("test", f"grep {SECRET} a"),),
    )
    told = discreet(e.PlanProposed(1.0, (task,), (Check("test", f"grep {SECRET} a"),)))
    assert told.checks == (Check("test", f"grep {SECRET} a"),)
    assert told.tasks[0] == replace(
        task,
        title="use [MASKED:GITHUB_TOKEN]",
        description="[MASKED:GENERIC_SECRET]",
        acceptance=("[MASKED:GITHUB_TOKEN] works",),
    )
    assert discreet(Terms(setup=(f"TOKEN={SECRET} make",))) == Terms(setup=(f"TOKEN={SECRET} make",))


def test_evidence_is_never_changed_since_it_is_sealed() -> None:
    record = sealed(Evidence(Operation.CHECK, 1.0, (("check", f"said {SECRET}"),)))
    event = e.CheckFinished(1.0, 1, "run-1", CheckResult("test", CheckStatus.FAILED, 1, 0.1, SECRET), (record,))
    told = discreet(event)
    assert told.result.tail == "[MASKED:GITHUB_TOKEN]"
    assert told.evidence[0] is record
    assert seal(told.evidence[0]) == record.sha256


def test_an_agents_last_words_and_a_persons_words_are_masked() -> None:
    report = Report(last_words=f"I used {SECRET}", conversation="c-1", question="password: hunter2?")
    told = discreet(e.RunStopped(1.0, 1, "run-1", 0, report))
    assert told.report is not None
    assert (told.report.last_words, told.report.conversation) == ("I used [MASKED:GITHUB_TOKEN]", "c-1")
    assert discreet(e.PersonSaid(1.0, SECRET)).text == "[MASKED:GITHUB_TOKEN]"
    assert discreet(e.TaskRetried(1.0, 1, "", SECRET)).says == "[MASKED:GITHUB_TOKEN]"


def test_the_kinds_that_were_said_are_named() -> None:
    assert secrets_in(e.PersonSaid(1.0, f"{SECRET}, password: hunter2")) == ("GENERIC_SECRET", "GITHUB_TOKEN")
    assert secrets_in(["nothing", SECRET]) == ("GITHUB_TOKEN",)
    assert secrets_in(e.PersonSaid(1.0, "nothing")) == ()

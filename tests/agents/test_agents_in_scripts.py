"""Agents that ask something on their screen, where a script began the work and nobody is there."""

import json

import pytest
from tests.support.crews import needs_tmux
from tests.support.repositories import Repo, shell
from tests.support.scripts import answers, end_conductor


@pytest.mark.covers("P34", "P35", "P36")
@needs_tmux
def test_it_is_ended_once_it_is_known_to_wait_and_the_next_command_runs(repo: Repo) -> None:
    """Where a person might come by, it would be left waiting for ten minutes."""
    repo.environ |= {"TORYO_RUN_HOST": "tmux", "TORYO_RUN_PROMPT_SILENCE": "1s", "TORYO_RUN_GRACE": "1s"}
    command = ["/bin/sh", "-c", "printf 'Continue? [y/N] '; read answer; echo $answer > a.txt", "{prompt_file}"]
    repo.write(".toryo/config.toml", f'[agents.helper]\nmode = "interactive"\ncommand = {json.dumps(command)}\n')
    repo.commit("configure")
    asks = repo.plan({"key": "A", "title": "Task A", "agent": "helper"})
    asks = asks.rename(asks.with_name("asks.json"))
    works = repo.plan(shell("B", "echo b > b"))
    try:
        given = answers(repo, f"/run --plan {asks}\n/logs A --json\n/run --plan {works}\n")
    finally:
        end_conductor(repo)
    assert [answer["code"] for answer in given] == [2, 0, 0], given
    log = given[1]["data"]
    assert (log["executor_blocked"], log["blocked_reason"]) == (True, "INTERACTIVE_PROMPT")
    assert log["terminated_by"] == "REPL_FAIL_CLOSED"
    assert 0 < log["timeout_ms"] < 60_000

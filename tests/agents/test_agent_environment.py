"""What real agents, and what they run, get of the person's environment."""

import pytest
from tests.support.crews import needs_programs, needs_tmux, told
from tests.support.repositories import Repo

SECRETS = {
    "AWS_SECRET_ACCESS_KEY": "aws-secret",
    "GITHUB_TOKEN": "github-secret",
    "DATABASE_URL": "postgres://user:db-secret@localhost/db",
    "STRIPE_API_KEY": "stripe-secret",
    "UV_PUBLISH_TOKEN": "uv-secret",
    "MY_OWN_VARIABLE": "own-secret",
}
OUTER = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_ENTRYPOINT": "outer-cli",
    "CLAUDE_CODE_SESSION_ID": "outer-session",
    "CODEX_THREAD_ID": "outer-thread",
    "CODEX_SANDBOX": "outer-sandbox",
    "GEMINI_CLI": "outer-gemini",
    "OPENCODE_PID": "outer-pid",
    "AI_AGENT": "outer-agent",
    "TORYO_TASK": "outer-task",
    "TORYO_RUN": "outer-run",
}
MARKS = ("secret", "outer-")


@pytest.fixture(autouse=True)
def surroundings(repo: Repo) -> None:
    repo.environ |= {**SECRETS, **OUTER, "EDITOR": "ed", "CARGO_HOME": "/opt/cargo"}


def variables(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


@pytest.mark.covers("P48", "F18")
@needs_programs
@pytest.mark.parametrize(
    ("agent", "mode"),
    [("claude", "headless"), ("codex", "headless"), pytest.param("claude", "interactive", marks=needs_tmux)],
)
def test_what_an_agent_runs_sees_what_it_needs_and_no_secrets(agent: str, mode: str, repo: Repo) -> None:
    if mode == "interactive":
        repo.environ |= {"TORYO_RUN_HOST": "tmux", f"TORYO_AGENTS_{agent.upper()}_MODE": mode}
    done = repo.run(told("A", "run env > seen.txt", agent=agent), checks="env > /dev/null")
    assert done.code == 0, done
    text = repo.show("agent/the-plan", "seen.txt")
    assert not [line for line in text.splitlines() if any(mark in line for mark in MARKS)]
    seen = variables(text)
    assert seen.keys().isdisjoint(SECRETS)
    assert {"PATH", "HOME", "LC_ALL", "TORYO_TASK", "TORYO_PROMPT"} <= seen.keys()
    assert (seen["HOME"], seen["CARGO_HOME"]) == (repo.environ["HOME"], "/opt/cargo")
    assert "TMUX" not in seen


@pytest.mark.covers("P48")
@needs_programs
def test_what_the_configuration_names_is_passed_and_what_it_sets_is_set(repo: Repo) -> None:
    repo.environ |= {
        "TORYO_RUN_PASS_ENV": "DATABASE_URL",
        "TORYO_AGENTS_CLAUDE_PASS_ENV": "AWS_*",
        "TORYO_AGENTS_CLAUDE_ENV_EXTRA": "given",
    }
    tasks = [told(agent.upper(), f"run env > {agent}.txt", agent=agent) for agent in ("claude", "codex")]
    done = repo.run(*tasks)
    assert done.code == 0, done
    claude, codex = (variables(repo.show("agent/the-plan", f"{agent}.txt")) for agent in ("claude", "codex"))
    assert claude["DATABASE_URL"] == codex["DATABASE_URL"] == SECRETS["DATABASE_URL"]
    assert (claude["AWS_SECRET_ACCESS_KEY"], claude["EXTRA"]) == ("aws-secret", "given")
    assert codex.keys().isdisjoint({"AWS_SECRET_ACCESS_KEY", "EXTRA", "GITHUB_TOKEN"})
    assert "GITHUB_TOKEN" not in claude


@pytest.mark.covers("F18")
def test_checks_and_set_up_are_the_persons_own_but_nobodys_part(repo: Repo) -> None:
    repo.environ["TORYO_WORKTREE_SETUP"] = '["env > $TORYO_MAIN/../setup.txt"]'
    task = {"key": "A", "title": "Task A", "command": "env > agent.txt"}
    done = repo.run(task, checks="env > $TORYO_MAIN/../check.txt")
    assert done.code == 0, done
    for name in ("setup.txt", "check.txt"):
        seen = variables((repo.path.parent / name).read_text())
        assert SECRETS.items() <= seen.items()
        assert not [value for value in seen.values() if value.startswith("outer-")], name
    assert variables(repo.show("agent/the-plan", "agent.txt")).keys().isdisjoint(SECRETS)

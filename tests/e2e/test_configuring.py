"""Changing the configuration and the keys, as a person does it."""

import json
import stat
from pathlib import Path

import pytest
from tests.support.planning_server import Refuse, model_endpoint
from tests.support.repositories import Repo
from tests.support.terminals import converse

SECRET = "sk-not-a-real-key-0123456789abcdef"
COMMENTED = """\
# mine
[run]
parallel = 2   # two are enough
agent = "shell"

[checks]
test = "make test"
"""


def _user_file(repo: Repo) -> Path:
    return Path(repo.environ["XDG_CONFIG_HOME"]) / "toryo" / "config.toml"


def _write_user_file(repo: Repo, text: str) -> Path:
    path = _user_file(repo)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def _values(repo: Repo) -> dict[str, tuple[str, str]]:
    told = json.loads(repo.toryo("config", "show", "--json").out)
    return {row["key"]: (row["value"], row["origin"]) for row in told["values"]}


# ── set ──────────────────────────────────────────────────────────────────────


@pytest.mark.covers("A19")
def test_setting_a_value_keeps_everything_else(repo: Repo) -> None:
    path = _write_user_file(repo, COMMENTED)
    assert repo.toryo("config", "set", "run.parallel", "6").code == 0
    assert path.read_text() == COMMENTED.replace("parallel = 2", "parallel = 6")
    assert repo.toryo("config", "set", "checks.test.timeout", "1m").code == 0
    assert repo.toryo("config", "set", "model.roles.review.model", "big").code == 0
    values = _values(repo)
    assert values["checks.test.command"][0] == "make test"
    assert values["checks.test.timeout"][0] == "1m"
    assert values["model.roles.review.model"] == ("big", str(path))
    assert "# two are enough" in path.read_text()


@pytest.mark.covers("A19")
def test_the_project_has_its_own_file(repo: Repo) -> None:
    assert repo.toryo("config", "set", "--project", "run.attempts", "5").code == 0
    assert (repo.path / ".toryo" / "config.toml").read_text() == "[run]\nattempts = 5\n"
    assert not _user_file(repo).exists()
    done = repo.toryo("config", "set", "run.attempts", "4")
    assert done.code == 0
    assert f"run.attempts = 4 in {_user_file(repo)}" in done.err
    assert f"{repo.path / '.toryo' / 'config.toml'} goes before it: here run.attempts is 5" in done.err
    assert "attempts = 4" in _user_file(repo).read_text()


@pytest.mark.parametrize(
    ("key", "value", "code", "words"),
    [
        ("run.paralel", "3", "E120", "did you mean 'parallel'"),
        ("modl.provider", "openai", "E120", "did you mean 'model'"),
        ("run.parallel", "none", "E121", "whole number"),
        ("model.provider", "opnai", "E121", "did you mean 'openai'"),
        ("model.base_url", "localhost", "E121", "should be a URL"),
        ("model.api_key", SECRET, "E120", "toryo keys set"),
        ("model.key_env", SECRET, "E121", "name of an environment variable"),
        ("model", "x", "E121", "table"),
        ("", "x", "E120", "unknown"),
    ],
)
def test_what_a_file_may_not_hold_is_not_written(repo: Repo, key: str, value: str, code: str, words: str) -> None:
    path = _write_user_file(repo, COMMENTED)
    done = repo.toryo("config", "set", key, value)
    assert done.code == 64
    assert code in done.err
    assert words in done.err
    assert SECRET not in done.err
    assert path.read_text() == COMMENTED


def test_a_link_to_a_file_elsewhere_stays_one(repo: Repo, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    kept.write_text(COMMENTED)
    kept.chmod(0o640)
    path = _user_file(repo)
    path.parent.mkdir(parents=True)
    path.symlink_to(kept)
    assert repo.toryo("config", "set", "run.parallel", "6").code == 0
    assert path.is_symlink()
    assert "parallel = 6" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640


# ── edit ─────────────────────────────────────────────────────────────────────


def test_editing_looks_at_the_result(repo: Repo, tmp_path: Path) -> None:
    editor = tmp_path / "my editor"
    editor.write_text('#!/bin/sh\nprintf \'[run]\\nparallel = %s\\n\' "$WANTED" > "$2"\n')
    editor.chmod(0o755)
    repo.environ |= {"VISUAL": f"'{editor}' --wait", "WANTED": "7"}
    assert repo.toryo("config", "edit").code == 0
    assert _values(repo)["run.parallel"][0] == "7"
    repo.environ["WANTED"] = '"many"'
    done = repo.toryo("config", "edit")
    assert done.code == 64
    assert "config.toml:2: run.parallel" in done.err
    assert "toryo config edit" in done.err


def test_an_editor_that_fails_or_writes_nothing(repo: Repo) -> None:
    repo.environ |= {"EDITOR": "false"}
    assert repo.toryo("config", "edit", "--project").code == 64
    repo.environ |= {"EDITOR": "true"}
    assert repo.toryo("config", "edit", "--project").code == 0
    assert not (repo.path / ".toryo" / "config.toml").exists()
    repo.environ |= {"EDITOR": "no-such-editor"}
    assert repo.toryo("config", "edit").code == 69


# ── keys ─────────────────────────────────────────────────────────────────────


@pytest.mark.covers("P24")
def test_a_key_is_kept_for_its_owner_only_and_never_shown(repo: Repo) -> None:
    code, seen = converse(repo, "keys", "set", "openai", answers=[("Key for openai", f"{SECRET}\n")])
    assert code == 0, seen
    path = _user_file(repo).parent / "keys" / "openai"
    assert path.read_text() == f"{SECRET}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    shown = [seen]
    for args in (("keys",), ("keys", "--json"), ("config", "show"), ("doctor",)):
        done = repo.toryo(*args)
        shown += [done.out, done.err]
    assert SECRET not in "".join(shown)
    told = json.loads(repo.toryo("keys", "--json").out)["keys"]
    assert told[0] == {"provider": "openai", "is_set": True, "source": str(path)}
    repo.environ["OPENAI_API_KEY"] = SECRET
    assert json.loads(repo.toryo("keys", "--json").out)["keys"][0]["source"] == "environment OPENAI_API_KEY"
    assert "still SET by environment" in repo.toryo("keys", "remove", "openai").err
    assert not path.exists()


@pytest.mark.covers("P24")
def test_a_key_cannot_be_an_argument(repo: Repo) -> None:
    done = repo.toryo("keys", "set", "openai", SECRET)
    assert done.code == 64
    assert not (_user_file(repo).parent / "keys").exists()


@pytest.mark.covers("P24")
def test_a_key_that_others_can_read_is_not_used(repo: Repo) -> None:
    repo.environ["TORYO_MODEL_PROVIDER"] = "openai"
    converse(repo, "keys", "set", "openai", answers=[("Key for openai", f"{SECRET}\n")])
    path = _user_file(repo).parent / "keys" / "openai"
    path.chmod(0o644)
    done = repo.toryo("doctor")
    assert done.code == 69
    assert f"chmod 600 {path}" in done.out
    assert "can be used by others" in repo.toryo("keys").out


# ── init ─────────────────────────────────────────────────────────────────────


def test_without_a_terminal_it_says_what_it_needs(repo: Repo) -> None:
    done = repo.toryo("config", "init")
    assert done.code == 64
    assert "--provider" in done.err
    done = repo.toryo("config", "init", "--yes")
    assert done.code == 69
    assert "AI settings are required" in done.err
    assert not _user_file(repo).exists()


@pytest.mark.covers("G2")
def test_everything_can_be_said_by_flags(repo: Repo) -> None:
    path = _write_user_file(repo, COMMENTED)
    with model_endpoint(["OK"]) as endpoint:
        flags = ("--provider", "openai", "--model", "m", "--base-url", endpoint.openai_url, "--agent", "claude")
        done = repo.toryo("config", "init", *flags, "--yes", "--test")
        assert done.code == 0, done
        assert "openai/m answered" in done.err
        assert len(endpoint.requests) == 1
    values = _values(repo)
    assert (values["model.provider"][0], values["model.model"][0]) == ("openai", "m")
    assert values["run.agent"] == ("claude", str(path))
    assert "# two are enough" in path.read_text()


@pytest.mark.covers("G2")
def test_a_model_that_does_not_answer_is_not_saved(repo: Repo) -> None:
    with model_endpoint([Refuse(401)]) as endpoint:
        flags = ("--provider", "openai", "--model", "m", "--base-url", endpoint.openai_url, "--yes", "--test")
        done = repo.toryo("config", "init", *flags)
    assert done.code == 69
    assert "not logged in" in done.err
    assert not _user_file(repo).exists()


def test_another_provider_takes_nothing_over(repo: Repo) -> None:
    _write_user_file(
        repo, '[model]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://localhost:9/v1"\nprice_in = 3\n'
    )
    done = repo.toryo("config", "init", "--provider", "anthropic", "--yes", "--project")
    assert done.code == 0
    assert "its key is NOT SET yet: toryo keys set anthropic" in done.err
    values = _values(repo)
    assert (values["model.provider"][0], values["model.model"][0]) == ("anthropic", "")
    assert values["model.base_url"][0] == ""


@pytest.mark.covers("G2", "P24")
def test_the_questions_lead_to_a_configuration_and_a_key(repo: Repo) -> None:
    with model_endpoint(["OK"]) as endpoint:
        answers = [
            ("Who plans and judges?", "anthropic\n"),
            ("Its URL", f"{endpoint.url}\n"),
            ("Its model", "clever\n"),
            ("Its key", f"{SECRET}\n"),
            ("Who does tasks?", "codex\n"),
            ("tiny question", "y\n"),
        ]
        code, seen = converse(repo, "config", "init", answers=answers)
        assert code == 0, seen
        assert endpoint.requests[0].headers["x-api-key"] == SECRET
        assert SECRET not in seen
        assert SECRET not in _user_file(repo).read_text()
        again = [("Who plans", "\n"), ("Its URL", "\n"), ("Its model", "\n"), ("Who does", "\n"), ("tiny", "n\n")]
        before = _user_file(repo).read_bytes()
        code, seen = converse(repo, "config", "init", answers=again)
        assert code == 0, seen
        for present in ("[anthropic]", f"[{endpoint.url}]", "[clever]", "key is SET", "[codex]"):
            assert present in seen
        assert _user_file(repo).read_bytes() == before


@pytest.mark.parametrize("at", ["Who plans and judges?", "Its key", "tiny question"])
def test_an_interrupt_leaves_everything_as_it_was(repo: Repo, at: str) -> None:
    path = _write_user_file(repo, COMMENTED)
    answers = [
        ("Who plans and judges?", "openai\n"),
        ("Its URL", "http://127.0.0.1:9/v1\n"),
        ("Its model", "m\n"),
        ("Its key", f"{SECRET}\n"),
        ("Who does tasks?", "codex\n"),
        ("tiny question", "y\n"),
    ]
    place = [question for question, _ in answers].index(at)
    code, seen = converse(repo, "config", "init", answers=[*answers[:place], (at, "\x03")])
    assert code == 130, seen
    assert path.read_text() == COMMENTED
    assert list(path.parent.iterdir()) == [path]


# ── doctor ───────────────────────────────────────────────────────────────────


def _told_of_model(repo: Repo) -> list[dict[str, str]]:
    findings = json.loads(repo.toryo("doctor", "--json").out)["findings"]
    return [finding for finding in findings if finding["what"].startswith("model")]


@pytest.mark.covers("P2", "P23")
def test_doctor_says_which_model_would_be_used_and_asks_it_nothing(repo: Repo) -> None:
    [found] = _told_of_model(repo)
    assert (found["level"], found["hint"]) == ("note", "toryo config init")
    repo.environ["ANTHROPIC_API_KEY"] = SECRET
    [found] = _told_of_model(repo)
    assert found["level"] == "ok"
    assert "anthropic/" in found["says"]
    assert "key SET (environment ANTHROPIC_API_KEY)" in found["says"]
    repo.environ["TORYO_MODEL_ROLES_REVIEW_PROVIDER"] = "openai"
    plan, review = _told_of_model(repo)
    assert plan["level"] == "ok"
    assert (review["what"], review["level"]) == ("model (review)", "problem")
    assert "NOT SET" in review["says"]
    with model_endpoint() as endpoint:
        repo.environ |= endpoint.environ("openai")
        assert {found["level"] for found in _told_of_model(repo)} == {"ok"}
        assert endpoint.requests == ()

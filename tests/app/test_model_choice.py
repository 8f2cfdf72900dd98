"""Which model is used where nobody, or somebody, has named one."""

from pathlib import Path

import pytest

from toryo.adapters.settings import Settings, load_settings
from toryo.app.models import Models, choose, usable, with_choice
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.plan import Chosen


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin"), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def _settings(environ: dict[str, str], **more: str) -> Settings:
    return load_settings(None, {**environ, **more}, {})


def _install(environ: dict[str, str], program: str, login: str = "") -> None:
    path = Path(environ["PATH"]) / program
    path.write_text("#!/bin/sh\nexit 99\n")
    path.chmod(0o755)
    if login:
        file = Path(environ["HOME"]) / login
        file.parent.mkdir(exist_ok=True)
        file.write_text('{"some": "login"}')


def test_the_first_that_is_there_is_taken(environ: dict[str, str]) -> None:
    def chosen() -> str:
        found = choose(_settings(environ), "plan", environ)
        assert found is None or found.is_automatic
        return found.name if found else ""

    assert chosen() == ""
    environ["ANTHROPIC_API_KEY"] = "a-key"
    assert chosen().startswith("anthropic/")
    environ["OPENAI_API_KEY"] = "a-key"
    assert chosen().startswith("openai/")
    _install(environ, "codex")
    assert chosen().startswith("openai/")  # nobody is logged in to it
    _install(environ, "codex", ".codex/auth.json")
    assert chosen() == "codex"
    _install(environ, "claude", ".claude/.credentials.json")
    assert chosen() == "claude-code"


def test_nothing_at_all_is_said_so(environ: dict[str, str]) -> None:
    with pytest.raises(ToryoError, match="AI settings are required") as refused:
        usable(_settings(environ), "plan", environ)
    assert (refused.value.code, refused.value.exit_code) == ("E510", Exit.MISSING)
    assert refused.value.hint == "toryo config init"


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TORYO_MODEL_PROVIDER": "claude-code"}, "'claude' is not installed"),
        ({"TORYO_MODEL_PROVIDER": "openai"}, "NOT SET"),
        ({"TORYO_MODEL_PROVIDER": "anthropic", "TORYO_MODEL_KEY_ENV": "MY_KEY"}, "environment MY_KEY"),
        ({"TORYO_MODEL_PROVIDER": "openai", "TORYO_MODEL_BASE_URL": "http://h/v1"}, "no model is named"),
        ({"TORYO_MODEL_PROVIDER": "scripted", "TORYO_MODEL_SCENARIO": "/no/such/file"}, "there is no file"),
    ],
)
def test_who_is_named_and_cannot_is_not_replaced(
    environ: dict[str, str], variables: dict[str, str], words: str
) -> None:
    if variables["TORYO_MODEL_PROVIDER"] != "openai" or "TORYO_MODEL_BASE_URL" in variables:
        environ["OPENAI_API_KEY"] = "a-key"  # which would do, but was not asked for
    with pytest.raises(ToryoError) as refused:
        usable(_settings(environ, **variables), "plan", environ)
    assert words in refused.value.message
    assert refused.value.hint
    assert refused.value.exit_code == Exit.MISSING


def test_a_local_server_needs_no_key(environ: dict[str, str]) -> None:
    local = {"TORYO_MODEL_PROVIDER": "openai", "TORYO_MODEL_BASE_URL": "http://h/v1", "TORYO_MODEL_MODEL": "m"}
    assert usable(_settings(environ, **local), "plan", environ).base_url == "http://h/v1"


def test_the_providers_own_variable_for_its_url_is_heeded(environ: dict[str, str]) -> None:
    environ |= {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gateway/v1"}
    own = {"TORYO_MODEL_PROVIDER": "openai", "TORYO_MODEL_MODEL": "m"}
    assert usable(_settings(environ, **own), "plan", environ).base_url == "http://gateway/v1"


async def test_roles_with_equal_settings_share_a_model(environ: dict[str, str]) -> None:
    environ["OPENAI_API_KEY"] = "k"
    variables = {"TORYO_MODEL_PROVIDER": "openai", "TORYO_MODEL_ROLES_REVIEW_MODEL": "big"}
    models = Models(_settings(environ, **variables), environ)
    assert models.for_role("plan") is models.for_role("judge")
    assert models.for_role("review").name == "openai/big"
    await models.close()


@pytest.mark.covers("P23")
def test_what_a_person_chose_is_asked_in_every_role_that_has_no_model_of_its_own(environ: dict[str, str]) -> None:
    settings = _settings(
        environ,
        TORYO_MODEL_PROVIDER="openai",
        TORYO_MODEL_MODEL="usual",
        TORYO_MODEL_BASE_URL="http://localhost:1",
        TORYO_MODEL_ROLES_REVIEW_MODEL="strict",
        TORYO_MODEL_ROLES_JUDGE_TIMEOUT="7s",
    )

    def asked(chosen: Chosen) -> dict[str, str]:
        changed = with_choice(settings, chosen).model_roles
        return {role: f"{changed[role].provider}/{changed[role].model}" for role in ("plan", "review", "judge")}

    assert asked(Chosen()) == {"plan": "openai/usual", "review": "openai/strict", "judge": "openai/usual"}
    mine = {"plan": "openai/mine", "review": "openai/strict", "judge": "openai/mine"}
    assert asked(Chosen(model="mine")) == asked(Chosen("openai", "mine")) == mine
    assert asked(Chosen("anthropic")) == {"plan": "anthropic/", "review": "openai/strict", "judge": "anthropic/"}
    assert with_choice(settings, Chosen("anthropic")).model_roles["plan"].base_url == ""
    assert with_choice(settings, Chosen("openai", "mine")).model_roles["plan"].base_url == "http://localhost:1"
    assert with_choice(settings, Chosen("anthropic")).model_roles["judge"].timeout == 7.0

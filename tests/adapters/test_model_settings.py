"""What can be said about models, for all of them and by role."""

from pathlib import Path

import pytest

from toryo.adapters.settings import ModelSettings, Settings, load_settings
from toryo.domain.errors import ToryoError


def _load(root: Path, text: str, **environ: str) -> Settings:
    (root / ".toryo").mkdir(exist_ok=True)
    (root / ".toryo" / "config.toml").write_text(text)
    return load_settings(root, {"XDG_CONFIG_HOME": str(root / "nowhere"), **environ}, {})


def _refused(root: Path, text: str, **environ: str) -> str:
    with pytest.raises(ToryoError) as refused:
        _load(root, text, **environ)
    return "\n".join(refused.value.details)


def test_without_a_word_nothing_is_decided(tmp_path: Path) -> None:
    settings = _load(tmp_path, "")
    assert settings.model == ModelSettings()
    assert set(settings.model_roles) == {"plan", "review", "judge", "replan", "retry", "summary"}
    assert set(settings.model_roles.values()) == {ModelSettings()}


@pytest.mark.covers("P53")
def test_a_role_takes_over_what_it_does_not_say(tmp_path: Path) -> None:
    general = '[model]\nprovider = "openai"\nmodel = "m"\nbase_url = "http://h/v1"\nprice_in = 3\n'
    text = f'{general}[model.roles.judge]\nmodel = "j"\n'
    settings = _load(tmp_path, text, TORYO_MODEL_TIMEOUT="30s", TORYO_MODEL_ROLES_JUDGE_MAX_TOKENS="99")
    assert settings.model_roles["plan"] == settings.model
    assert settings.model_roles["judge"] == ModelSettings(
        "openai", "j", "http://h/v1", price_in=3.0, timeout=30.0, max_tokens=99
    )


def test_a_role_with_another_provider_takes_over_nothing_of_the_first(tmp_path: Path) -> None:
    text = """
[model]
provider = "openai"
model = "m"
base_url = "http://h/v1"
key_env = "K"
price_in = 3
context = 9
timeout = "9s"
max_tokens = 77
roles.review = { provider = "anthropic", model = "c" }
"""
    settings = _load(tmp_path, text)
    assert settings.model_roles["review"] == ModelSettings("anthropic", "c", timeout=9.0, max_tokens=77)
    assert settings.origins["model.roles.review.provider"].endswith("config.toml")


def test_a_scenario_is_relative_to_its_file(tmp_path: Path) -> None:
    settings = _load(tmp_path, '[model]\nprovider = "scripted"\nscenario = "s.yaml"\n')
    assert settings.model.scenario == tmp_path / ".toryo" / "s.yaml"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('provider = "opnai"', "one of claude-code, codex, openai, anthropic, scripted, not 'opnai'; did you mean"),
        ('provider = "scripted"', "model.scenario: required key is missing"),
        ('provider = "codex"\nbase_url = "http://h"', "model.base_url: is for openai and anthropic only"),
        ('base_url = "h:80"', "should be a URL"),
        ('base_url = "http://me:secret@h/v1"', "should not hold a name or a password"),
        ('api_key = "x"', "toryo keys set PROVIDER"),
        ('key_env = "sk-1"', "should be the name of an environment variable"),
        (f'key_env = "AIza{"a" * 35}"', "should be the name of an environment variable"),
        ("context = -1", "at least 1"),
        ("price_in = -1", "per million tokens"),
        ("price_in = nan", "per million tokens"),
        ('price_out = "dear"', "should be a number"),
        ("max_tokens = 0", "at least 1"),
        ('roles.revew = { model = "x" }', "model.roles.revew: unknown key; did you mean 'review'"),
        ('roles.review = { modl = "x" }', "model.roles.review.modl: unknown key; did you mean 'model'"),
        ('roles.review = "x"', "should be a table"),
    ],
)
def test_what_cannot_be_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    told = _refused(tmp_path, f"[model]\n{text}\n")
    assert words in told
    assert "config.toml:" in told
    assert "secret" not in told


def test_a_near_miss_in_the_environment_is_told(tmp_path: Path) -> None:
    assert "did you mean 'TORYO_MODEL_BASE_URL'" in _refused(tmp_path, "", TORYO_MODEL_BASEURL="x")
    told = _refused(tmp_path, "", TORYO_MODEL_ROLES_REVIEW_MODLE="x")
    assert "did you mean 'TORYO_MODEL_ROLES_REVIEW_MODEL'" in told


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        (ModelSettings("openai", "m", "http://h"), 16_000),
        (ModelSettings("openai"), 120_000),
        (ModelSettings("anthropic"), 160_000),
        (ModelSettings("openai", "m", "http://h", context=500), 500),
        (ModelSettings(), 16_000),
    ],
)
def test_what_a_model_can_read_is_assumed_with_care(model: ModelSettings, tokens: int) -> None:
    assert model.context_tokens == tokens

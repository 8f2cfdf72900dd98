"""Secrets never get through, and ordinary text does."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toryo.rules.masking import has_secret, mask

# Made up; joined here so that no scanner takes this file for a leak.
HEX = "0123456789abcdef" * 4
MIXED = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA" * 2
PEM = "-----BEGIN RSA PRIVATE" + " KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE" + " KEY-----"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxIn0" + ".c2lnbmF0dXJl"

# The table of the source, row by row.
SOURCE = [
    ("sk-" + MIXED[:20], "OPENAI_KEY"),
    ("sk-" + "ant-" + MIXED[:20], "ANTHROPIC_KEY"),
    ("sk-" + "ant-api03-" + MIXED[:20] + "-" + MIXED[:5], "ANTHROPIC_KEY"),
    (PEM, "PRIVATE_KEY"),
    (JWT, "JWT"),
    ("authorization: bearer abc", "AUTH_HEADER"),
    ("Authorization: Bearer abc", "AUTH_HEADER"),
    ("cookie: sid=1", "COOKIE"),
    ("Cookie: sid=1", "COOKIE"),
    ("set-cookie: sid=1;", "SET_COOKIE"),
    ("Set-Cookie: sid=1;", "SET_COOKIE"),
    ('"password": "hunter2"', "JSON_CREDENTIAL"),
    ('"secret":"x"', "JSON_CREDENTIAL"),
    ('"token": "x"', "JSON_CREDENTIAL"),
    ('"api_key": "x"', "JSON_CREDENTIAL"),
    ('"apiKey": "x"', "JSON_CREDENTIAL"),
    ("PASSWORD=x", "ENV_CREDENTIAL"),
    ("SECRET=x", "ENV_CREDENTIAL"),
    ("TOKEN=x", "ENV_CREDENTIAL"),
    ("API_KEY=x", "ENV_CREDENTIAL"),
    ("Bearer " + MIXED[:20], "BEARER_TOKEN"),
    ("password: " + MIXED[:16], "GENERIC_SECRET"),
    ("secret = '" + MIXED[:16] + "'", "GENERIC_SECRET"),
    ('token="' + MIXED[:16] + '"', "GENERIC_SECRET"),
    ("key: " + HEX[:32], "GENERIC_SECRET"),
]
TODAY = [
    ("sk-" + "proj-" + MIXED[:40], "OPENAI_KEY"),
    ("sk-" + "svcacct-" + MIXED[:40], "OPENAI_KEY"),
    ("-----BEGIN PRIVATE" + " KEY-----\nAAAA\n-----END PRIVATE" + " KEY-----", "PRIVATE_KEY"),
    ("-----BEGIN OPENSSH PRIVATE" + " KEY-----\nAAAA\n-----END OPENSSH PRIVATE" + " KEY-----", "PRIVATE_KEY"),
    ("AIza" + MIXED[:35], "GOOGLE_KEY"),
    ("AKIA" + "ABCDEFGHIJKLMNOP", "AWS_KEY"),
    ("ASIA" + "ABCDEFGHIJKLMN12", "AWS_KEY"),
    ("ghp_" + MIXED[:36], "GITHUB_TOKEN"),
    ("gho_" + MIXED[:36], "GITHUB_TOKEN"),
    ("ghs_" + MIXED[:36], "GITHUB_TOKEN"),
    ("github_pat_" + MIXED[:22] + "_" + MIXED[:59], "GITHUB_TOKEN"),
    ("glpat-" + MIXED[:20], "GITLAB_TOKEN"),
    ("xoxb-" + "123456789012-" + MIXED[:24], "SLACK_TOKEN"),
    ("npm_" + MIXED[:36], "NPM_TOKEN"),
    ("pypi-" + MIXED[:60], "PYPI_TOKEN"),
]


@pytest.mark.covers("P47")
@pytest.mark.parametrize(("secret", "kind"), SOURCE + TODAY)
def test_masked(secret: str, kind: str) -> None:
    assert mask(secret) == f"[MASKED:{kind}]"
    assert mask(f"before {secret} after") == f"before [MASKED:{kind}] after"
    assert mask(f"one\n{secret}\ntwo") == f"one\n[MASKED:{kind}]\ntwo"
    assert has_secret(secret)


@pytest.mark.covers("P47")
@pytest.mark.parametrize(
    "text",
    [
        "key: value",
        "token count = 12",
        "token = 12345678901234",
        "the secret: keep functions short",
        "password: required",
        "monkey: 0123456789abcdef0",
        "key=src/toryo/rules/masking.py",
        "keyboard = qwerty1234567890",
        "sk-short",
        "task-0123abcd-1 is planned",
        "run-0a1b2c3d-4e5f-6789-abcd-ef0123456789 started",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "bearer of bad news",
        "Bearer token",
        "fixed cookies: none",
        "git diff main...agent/risk-assessment",
        '{"keys": ["a", "b"], "tokens": 12}',
        "鍵: 値",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask(text) == text
    assert not has_secret(text)


@pytest.mark.covers("P47")
def test_every_secret_in_a_text_is_masked() -> None:
    text = "\n".join(secret for secret, _ in SOURCE + TODAY)
    assert mask(text) == "\n".join(f"[MASKED:{kind}]" for _, kind in SOURCE + TODAY)


PIECES = st.sampled_from(
    [secret for secret, _ in SOURCE + TODAY] + ["\n", " ", "key: value", "token=", "x", '"', "Cookie: ", "12"]
)


@pytest.mark.covers("P47")
@given(st.lists(st.one_of(PIECES, st.text(max_size=10)), max_size=8).map("\n".join))
@example("API_KEY=" + "sk-" + MIXED[:24])
@example("Cookie: \n" + "sk-" + MIXED[:24])
def test_masking_twice_changes_nothing_more(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@pytest.mark.covers("P47")
@given(st.text(max_size=20), st.sampled_from(SOURCE[:5] + TODAY), st.text(max_size=20))
def test_no_surroundings_let_a_secret_through(before: str, case: tuple[str, str], after: str) -> None:
    secret, _ = case
    assert secret not in mask(f"{before} {secret} {after}")


@pytest.mark.parametrize(
    "text",
    [
        "AWS_SECRET_ACCESS_KEY=" + MIXED[:40],
        "access_token=" + MIXED[:24],
        "client_secret: " + MIXED[:24],
        "api_key = " + MIXED[:24],
        'db_password: "' + MIXED[:24] + '"',
    ],
)
def test_names_that_end_in_a_telling_word(text: str) -> None:
    assert MIXED[:24] not in mask(text)


@pytest.mark.covers("P47")
@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("API_KEY=" + "sk-" + MIXED[:24], "API_KEY=[MASKED:OPENAI_KEY]"),
        ("Authorization: Bearer " + JWT, "Authorization: Bearer [MASKED:JWT]"),
        ('"token": "ghp_' + MIXED[:36] + '"', '"token": "[MASKED:GITHUB_TOKEN]"'),
    ],
)
def test_the_kind_of_highest_priority_is_named(text: str, masked: str) -> None:
    assert mask(text) == masked


@pytest.mark.parametrize("piece", ["eyJ", "key=", "-----BEGIN PRIVATE KEY-----", "sk-", "token: ", "Cookie:", "a"])
def test_long_logs_take_no_time(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    began = time.process_time()
    mask(text)
    assert time.process_time() - began < 2

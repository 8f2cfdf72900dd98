"""Secrets never get through, and ordinary text does."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.secrets import HEX, JWT, KEYS, LINE, MIXED, NAMED, SHAPES, SOURCE, key_block

from toryo.rules.masking import HIDDEN, has_secret, mask, masked

pytestmark = pytest.mark.covers("P47")
ORDINARY = Path(__file__).parent / "ordinary"
WHOLE = SOURCE + SHAPES + KEYS


@pytest.mark.parametrize(("secret", "kind"), WHOLE)
def test_masked(secret: str, kind: str) -> None:
    assert mask(secret) == f"[MASKED:{kind}]"
    assert mask(f"before {secret} after") == f"before [MASKED:{kind}] after"
    assert mask(f"one\n{secret}\ntwo") == f"one\n[MASKED:{kind}]\ntwo"
    assert mask(f"（{secret} です）") == f"（[MASKED:{kind}] です）"
    assert has_secret(secret)
    assert masked(secret)[1] == (kind,)


@pytest.mark.parametrize(("text", "secret", "kind"), NAMED)
def test_masked_by_what_stands_before_it(text: str, secret: str, kind: str) -> None:
    assert secret in text
    assert secret not in mask(text)
    assert f"[MASKED:{kind}]" in mask(text)
    assert secret not in mask(f"2026-01-02 03:04:05 INFO {text} # and so on") or "\n" in text


@pytest.mark.parametrize(
    "text",
    [
        "key: value",
        "monkey: banana",
        "monkey: 0123456789abcdef0",
        "key=lambda x: x",
        "token: str",
        "token: str | None = None",
        "password = getpass()",
        'SECRET_KEY = os.environ["X"]',
        'SECRET_KEY=os.environ["X"]',
        "TOKEN=$(cat x)",
        "TOKEN=${TOKEN}",
        'TOKEN="$TOKEN"',
        "TOKEN=`cat x`",
        "token count = 12",
        "token = 12345678901234",
        "the secret: keep functions short",
        "password: required",
        "key=src/toryo/rules/masking.py",
        "key: ~/.ssh/id_ed25519.pub",
        "keyboard = qwerty1234567890",
        "public_key: " + HEX[:32],
        "key: 0a1b2c3d-4e5f-6789-abcd-ef0123456789",
        "if token == previous_token2:",
        "token = tokens[index1].value2",
        "password: UserPassword2 = field()",
        "sk-short",
        "sk-learn-compatible-estimators-and-transformers",
        "task-0123abcd-1 is planned",
        "run-0a1b2c3d-4e5f-6789-abcd-ef0123456789 started",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "bearer of bad news",
        "Bearer token",
        "Authorization: required",
        "Authorization: Bearer $TOKEN",
        'headers = {"Authorization": f"Bearer {token}"}',
        "fixed cookies: none",
        "use --password to log in",
        "--token TOKEN  the token",
        "--password <password>",
        "docker run -u 1000:1000 image",
        "http://localhost:8080/@scope/package",
        "git@github.com:me/project.git",
        "ssh://git@example.com:22/x.git",
        "mail me@example.com or see https://example.com",
        "git diff main...agent/risk-assessment",
        '{"keys": ["a", "b"], "tokens": 12, "token_type": "bearer", "next": "x"}',
        '"password": "${DB_PASSWORD}"',
        "PWD=/home/me OLDPWD=/tmp",
        "鍵: 値。トークン: なし",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert mask(text) == text
    assert not has_secret(text)


@pytest.mark.parametrize("file", sorted(ORDINARY.iterdir()), ids=lambda path: path.name)
def test_ordinary_files_are_left_alone(file: Path) -> None:
    text = file.read_text("utf-8")
    assert len(text) > 500
    assert mask(text) == text


def test_the_code_of_toryo_is_left_alone() -> None:
    """But for what is about secrets itself."""
    source = Path(__file__).parents[2] / "src"
    about = ("masking", "surveying.py", "prompting.py", "environment.py")
    touched = [path for path in source.rglob("*.py") if has_secret(path.read_text("utf-8"))]
    assert [path for path in touched if not any(name in str(path) for name in about)] == []


def test_every_secret_in_a_text_is_masked() -> None:
    text = "\n".join(secret for secret, _ in WHOLE)
    assert mask(text) == "\n".join(f"[MASKED:{kind}]" for _, kind in WHOLE)


# ── private keys ─────────────────────────────────────────────────────────────


def test_a_key_that_never_ends_is_hidden_as_far_as_it_goes() -> None:
    text = f"cat key\n{key_block(end=False)}\nThen this happened.\n"
    assert mask(text) == "cat key\n[MASKED:PRIVATE_KEY]\nThen this happened.\n"


def test_a_key_that_is_longer_than_anybody_looks_is_hidden() -> None:
    text = key_block(body="\n".join([LINE] * 5000), end=False) + "\n"
    assert LINE[:10] not in mask(text)
    assert LINE[:10] not in mask(key_block(body="\n".join([LINE] * 5000)))


def test_where_a_key_is_only_spoken_of_nothing_else_is_hidden() -> None:
    text = "A file with -----BEGIN RSA PRIVATE " + "KEY----- in it is a key.\nMore about it below.\n"
    assert mask(text) == "A file with [MASKED:PRIVATE_KEY] in it is a key.\nMore about it below.\n"


def test_public_keys_and_certificates_are_none() -> None:
    text = f"-----BEGIN CERTIFICATE-----\n{LINE}\n-----END CERTIFICATE-----\n" + f"-----BEGIN PUBLIC KEY-----\n{LINE}\n"
    assert mask(text) == text


def test_a_key_in_a_difference() -> None:
    text = "\n".join("+" + line for line in key_block().split("\n"))
    assert mask(text) == "+[MASKED:PRIVATE_KEY]"


# ── whatever the text ────────────────────────────────────────────────────────

PIECES = st.sampled_from(
    [secret for secret, _ in WHOLE]
    + [text for text, _, _ in NAMED]
    + ["\n", " ", "key: value", "token=", "x", '"', "'", "Cookie: ", "12", "password: ", "://", "@", "a:b@c", "-----"]
    + ["[MASKED:JWT]", "-----BEGIN PRIVATE " + "KEY-----", "-----END PRIVATE " + "KEY-----", "TOKEN=", "\\n", "$", ";"]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=10)), max_size=8).flatmap(
    lambda pieces: st.sampled_from(["\n", " ", ""]).map(lambda between: between.join(pieces))
)


@given(TEXTS)
@example("API_KEY=" + "sk-" + MIXED[:24])
@example("Cookie: \n" + "sk-" + MIXED[:24])
@example(f"token: {key_block()}abcdef123456789")
def test_masking_twice_changes_nothing_more(text: str) -> None:
    once = mask(text)
    assert mask(once) == once


@given(
    st.text(max_size=20),
    st.sampled_from([case for case in WHOLE if case[1] not in ("GENERIC_SECRET",)]),
    st.text(max_size=20),
)
def test_no_surroundings_let_a_secret_through(before: str, case: tuple[str, str], after: str) -> None:
    secret, _ = case
    assert secret not in mask(f"{before} {secret} {after}")


BEHIND_A_LETTER = ["\x1b[32m", "\x1b[1;31m\x1b[K", "\x1b[m", "\\u001b[0m", "'first\\n", '{"cut": "off\\t', "C:\\r\\n"]


@pytest.mark.parametrize("before", BEHIND_A_LETTER)
@pytest.mark.parametrize(("secret", "kind"), WHOLE)
def test_the_letter_that_ends_an_escape_begins_no_word(before: str, secret: str, kind: str) -> None:
    """Colours of a terminal, and line breaks that are written out."""
    assert mask(f"{before}{secret}\x1b[0m").startswith(f"{before}[MASKED:{kind}]")


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[32mpassword\x1b[0m=\x1b[31mS3cretPassw0rd\x1b[0m",
        "\x1b[1mpassword: \x1b[0mS3cretPassw0rd",
        '\x1b[34;1m"password"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"S3cretPassw0rd"\x1b[0m',
        "\x1b[1m--password\x1b[0m=S3cretPassw0rd",
        "\x1b[36mAuthorization\x1b[39m: \x1b[33mBearer S3cretPassw0rd\x1b[39m",
        "b'first\\npassword=S3cretPassw0rd\\n'",
    ],
)
def test_names_and_values_in_colours(text: str) -> None:
    assert "S3cretPassw0rd" not in mask(text)


@pytest.mark.parametrize("word", ["token", "password", "key", "secret"])
@pytest.mark.parametrize("value", ["null", "None", "true", "12", "undefined", "str", "[Function: f]", "value"])
def test_ordinary_words_in_colours_are_left_alone(word: str, value: str) -> None:
    text = f"\x1b[36m{word}\x1b[39m: \x1b[33m{value}\x1b[39m"
    assert mask(text) == text


PROSE = ["the", "quick", "fox", "jumps", "over", "12", "dogs", "「はい」", "x", "=", "3;", "(a,", "b)", "->", "c"]
WORDS = st.lists(st.sampled_from(PROSE), max_size=30)


@given(WORDS.map(" ".join))
def test_text_without_any_of_the_shapes_is_unchanged(text: str) -> None:
    assert mask(text) == text


@given(st.from_regex(r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", fullmatch=True))
def test_hashes_and_ids_are_no_secrets(text: str) -> None:
    for around in ("commit {}", "index {}..{}", "sha256:{}", "id={}", "{}\n", "refs/heads/{}"):
        assert mask(around.format(text, text)) == around.format(text, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("API_KEY=" + "sk-" + MIXED[:24], "API_KEY=[MASKED:OPENAI_KEY]"),
        ("Authorization: Bearer " + JWT, "Authorization: Bearer [MASKED:JWT]"),
        ('"token": "ghp_' + MIXED[:36] + '"', '"token": "[MASKED:GITHUB_TOKEN]"'),
        ("https://me:ghp_" + MIXED[:36] + "@example.com", "https://me:[MASKED:GITHUB_TOKEN]@example.com"),
    ],
)
def test_the_kind_of_highest_priority_is_named(text: str, expected: str) -> None:
    assert mask(text) == expected


class Unruly(str):
    """Text that cannot even be read."""

    __slots__ = ()

    def lower(self) -> str:
        raise RuntimeError("no")


@pytest.mark.covers("P25")
def test_what_cannot_be_masked_is_hidden() -> None:
    assert mask(Unruly("token: " + MIXED[:20])) == HIDDEN

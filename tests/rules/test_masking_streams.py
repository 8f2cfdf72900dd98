"""Text that comes in pieces is masked as if it came at once, in bounded memory and linear time."""

import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.test_masking import PIECES, TEXTS, WHOLE
from tests.support.secrets import HEX, LINE, MIXED, NAMED, key_block

from toryo.rules.masking import HIDDEN, Masker, mask
from toryo.rules.masking.streaming import LONGEST_LINE, TextMasker

pytestmark = pytest.mark.covers("P47")


def in_pieces(text: str, sizes: list[int]) -> str:
    masker = TextMasker()
    out = []
    for size in sizes:
        piece, text = text[:size], text[size:]
        out.append(masker.feed(piece))
    return "".join((*out, masker.feed(text), masker.feed("", is_last=True)))


def logged(pieces: list[str] | list[bytes]) -> str:
    masker = Masker()
    return "".join((*map(masker.feed, pieces), masker.finish()))


def cut(text: str, sizes: list[int]) -> list[str]:
    pieces = []
    for size in sizes:
        pieces.append(text[:size])
        text = text[size:]
    return [*pieces, text]


SIZES = st.lists(st.integers(0, 40), max_size=20)


@given(TEXTS, SIZES)
def test_pieces_make_no_difference(text: str, sizes: list[int]) -> None:
    assert in_pieces(text, sizes) == mask(text)


@pytest.mark.parametrize(("secret", "kind"), WHOLE)
def test_a_secret_cut_anywhere_is_still_masked(secret: str, kind: str) -> None:
    text = f"before {secret} after\n"
    for place in range(1, len(text)):
        assert in_pieces(text, [place]) == f"before [MASKED:{kind}] after\n"
    assert in_pieces(text, [1] * len(text)) == f"before [MASKED:{kind}] after\n"


FILLERS = st.sampled_from(["x", "ab ", "a.b/", "=", '"', "key=", "-----", "sk-", "[MASKED:JWT] ", "あ "])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(FILLERS, st.integers(0, 60_000), st.one_of(PIECES, st.just(""))), min_size=1, max_size=4),
    st.lists(st.integers(0, 70_000), max_size=6),
)
def test_pieces_make_no_difference_in_very_long_lines(parts: list[tuple[str, int, str]], sizes: list[int]) -> None:
    text = " ".join(filler * (length // len(filler)) + " " + piece for filler, length, piece in parts)
    assert in_pieces(text, sizes) == mask(text)


@pytest.mark.parametrize("offset", [-70, -40, -30, -20, -5, -8192, -8212, -8000, -1, 0, 1])
@pytest.mark.parametrize("filler", ["x", "word ", "key=", '"', "="])
def test_a_secret_at_the_edge_of_a_window_is_masked(filler: str, offset: int) -> None:
    secret = "ghp_" + MIXED[:36]
    before = (filler * LONGEST_LINE)[: LONGEST_LINE + offset - 1]
    assert secret not in mask(f"{before} {secret} {filler * LONGEST_LINE}")


def test_a_secret_that_goes_on_for_ever_is_hidden_in_little_memory() -> None:
    masker = TextMasker()
    out = masker.feed("TOKEN=" + "ghp_")
    for _ in range(300):
        out += masker.feed("a1" * 5_000)
        assert len(masker._held) <= LONGEST_LINE + 20_000
    out += masker.feed(' "then this"', is_last=True)
    assert out.endswith(' "then this"')
    assert "a1a1" not in out


def test_a_key_that_goes_on_for_ever_is_hidden_in_little_memory() -> None:
    masker = TextMasker()
    out = masker.feed(key_block(end=False, body=LINE) + "\n")
    for _ in range(3_000):
        out += masker.feed(LINE + "\n")
        assert len(masker._keys._held) < 70_000
    assert out + masker.feed("!\n", is_last=True) == "[MASKED:PRIVATE_KEY]!\n"


def test_bytes_are_decoded_over_the_edges_of_pieces() -> None:
    text = "鍵 password: hunter2 です\n".encode()
    assert logged([text[i : i + 1] for i in range(len(text))]) == "鍵 [MASKED:GENERIC_SECRET] です\n"


# ── lines of JSON ────────────────────────────────────────────────────────────

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), PIECES, st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(st.sampled_from(["token", "a", "password", "text"]), st.text(max_size=4)), inner, max_size=3
        ),
    ),
    max_leaves=12,
)


@given(st.lists(st.one_of(JSON.map(json.dumps), TEXTS), max_size=5).map("\n".join), SIZES)
def test_pieces_make_no_difference_in_logs(text: str, sizes: list[int]) -> None:
    assert logged(cut(text, sizes)) == logged([text])


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.booleans())
def test_lines_of_json_stay_json(value: object, is_ascii: bool) -> None:
    line = json.dumps(value, ensure_ascii=is_ascii)
    out = logged([line + "\n"])
    assert json.loads(out) is not None
    assert logged([out]) == out
    assert out.count("\n") == 1


@given(st.sampled_from(WHOLE))
def test_secrets_in_strings_of_json_are_masked(case: tuple[str, str]) -> None:
    secret, kind = case
    line = json.dumps({"type": "text", "text": f"see {secret} here", "n": 1.50, "big": 10**30})
    out = logged([line])
    assert json.loads(out) == {"type": "text", "text": f"see [MASKED:{kind}] here", "n": 1.5, "big": 10**30}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"password": "x", "n": 1.0}', '{"password": "[MASKED:JSON_CREDENTIAL]", "n": 1.0}'),
        (
            '{"a": {"accessToken":"x y"}, "b": "token"}',
            '{"a": {"accessToken":"[MASKED:JSON_CREDENTIAL]"}, "b": "token"}',
        ),
        (
            '{"password": ["x", "y"], "z": "x"}',
            '{"password": ["[MASKED:JSON_CREDENTIAL]", "[MASKED:JSON_CREDENTIAL]"], "z": "x"}',
        ),
        ('{"password": 123456, "token": 12}', '{"password": "[MASKED:JSON_CREDENTIAL]", "token": 12}'),
        ('{"token": {"count": "x"}}', '{"token": {"count": "x"}}'),
        ('{"secret": ""}', '{"secret": ""}'),
        ('{"out": "{\\"token\\": \\"x\\"}"}', '{"out": "{\\"token\\": \\"[MASKED:JSON_CREDENTIAL]\\"}"}'),
        ('{"t": "pass\\u0077ord: hunter2"}', '{"t": "[MASKED:GENERIC_SECRET]"}'),
        (
            '{"session_id": "0a1b", "usage": {"input_tokens": 5}}',
            '{"session_id": "0a1b", "usage": {"input_tokens": 5}}',
        ),
        ('[INFO] {"token": "x"}', "[INFO] {[MASKED:JSON_CREDENTIAL]}"),
    ],
)
def test_a_line_of_json(line: str, expected: str) -> None:
    assert logged([line + "\n"]) == expected + "\n"


def test_a_key_over_plain_lines_ends_where_json_begins() -> None:
    text = f'{key_block(end=False)}\n{{"type": "result", "text": "done"}}\n'
    assert logged([text]) == '[MASKED:PRIVATE_KEY]\n{"type": "result", "text": "done"}\n'


def test_all_named_secrets_are_masked_inside_json() -> None:
    for text, secret, _ in NAMED:
        out = logged([json.dumps({"text": text}) + "\n"])
        assert secret not in json.loads(out)["text"]


@pytest.mark.covers("P25")
def test_what_cannot_be_masked_is_hidden_with_all_that_follows() -> None:
    masker = Masker()
    assert masker.feed("fine\n") == "fine\n"
    assert masker.feed(None) == HIDDEN + "\n"  # type: ignore[arg-type]
    assert masker.feed("password: hunter2\n") == ""
    assert masker.finish() == ""


# ── time ─────────────────────────────────────────────────────────────────────

BOMBS = [
    *(
        "eyJ",
        "eyJ.",
        "eyJa.eyJ",
        " eyJ",
        "key=",
        "key:'",
        "token: ",
        "sk-",
        "sk-a",
        "Cookie:",
        "Cookie: a=<b>;",
        "a",
        '"',
        "'",
    ),
    *(
        "=",
        ":",
        "TOKEN=$(",
        '"a":"',
        "'a':",
        '\\"a\\":\\"',
        '"token":',
        "-----BEGIN PRIVATE " + "KEY-----",
        "-----BEGIN ",
        "-",
    ),
    *(
        "-----END PRIVATE " + "KEY-----",
        "authorization: digest <x> ",
        "authorization:",
        "://a:",
        "://",
        "@",
        "--password ",
        "[",
        "{",
    ),
    *(
        "password ",
        "login x password ",
        "[MASKED:JWT]",
        "ghp_",
        "discord M.",
        "twilio ",
        "curl -u a:",
        "x-a-key: ",
        "key ",
        "key\t",
    ),
    *("A" * 40 + " ", HEX + "\n", "secret=a;", "key=key(", "\\", "\\n", "AAAA.", "あ", "key: あ", "://a@"),
]


def best_of(times: int, act: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(times):
        began = time.process_time()
        act()
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("bomb", BOMBS)
def test_time_grows_with_the_length_and_no_faster(bomb: str) -> None:
    small = bomb * (8_000 // len(bomb))
    one, eight = best_of(5, lambda: mask(small)), best_of(3, lambda: mask(small * 8))
    assert eight < 8 * 4 * max(one, 0.001)

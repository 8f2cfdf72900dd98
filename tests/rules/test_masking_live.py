"""A text that is read while it is written shows no part of a secret at any moment, and all the rest of it soon."""

import pytest
from hypothesis import given
from tests.rules.test_masking import TEXTS, WHOLE
from tests.rules.test_masking_streams import SIZES, cut
from tests.support.secrets import MIXED, key_block

from toryo.rules.masking import mask
from toryo.rules.masking.live import LiveMasker

pytestmark = pytest.mark.covers("P47")

_TELLING = 12
"""So many characters of a secret say something about it."""


def _moments(text: str, size: int = 1) -> list[str]:
    masker = LiveMasker()
    seen = []
    for place in range(0, len(text), size):
        masker.feed(text[place : place + size])
        seen.append(masker.text)
    return [*seen, masker.finish()]


@pytest.mark.parametrize(
    "about", ["before {} after", '{{"tasks": [{{"key": "T1", "says": "{}"}}, ', "{}", "前置き{}です"]
)
def test_no_part_of_a_secret_is_shown_at_any_moment(about: str) -> None:
    for secret in ("ghp_" + MIXED[:36], "sk-" + MIXED[:30], "AKIA" + "ABCDEFGHIJKLMNOP"):
        telling = secret[-_TELLING:]
        for after in ("", " and more\n", " and more" * 100):
            assert not any(telling in moment for moment in _moments(about.format(secret) + after, 3)[:-1])


@pytest.mark.parametrize(("secret", "kind"), WHOLE)
def test_what_is_masked_in_the_end_was_never_shown(secret: str, kind: str) -> None:
    text = f"before {secret} after\nmore\n"
    *moments, last = _moments(text)
    assert last == f"before [MASKED:{kind}] after\nmore\n"
    word = max(secret.split(), key=len)
    if len(word) >= _TELLING:
        assert not any(word[-_TELLING:] in moment for moment in moments)


def test_a_private_key_is_not_shown_whether_or_not_its_end_comes() -> None:
    for text in (f"see:\n{key_block()}\nafter\n", '{"text": "' + key_block(line="\\n") + '", "more": "said"}'):
        *moments, last = _moments(text, 7)
        assert not any(MIXED[:16] in moment for moment in (*moments, last))


def test_words_are_shown_as_soon_as_they_are_whole_in_any_script() -> None:
    masker = LiveMasker()
    masker.feed("A greeting in two wor")
    assert masker.text == "A greeting in two "
    masker.feed("ds\n挨拶を追加しま")
    assert masker.text == "A greeting in two words\n挨拶を追加しま"


def test_a_long_line_goes_on_though_a_word_in_it_often_stands_before_secrets() -> None:
    masker = LiveMasker()
    masker.feed(
        '{"tasks": [{"key": "T001", "title": "Say hello", ' + '"description": "Every word of it is shown. ' + "x " * 600
    )
    assert "Every word of it is shown" in masker.text


@given(TEXTS, SIZES)
def test_in_the_end_it_is_what_masking_says_however_it_came(text: str, sizes: list[int]) -> None:
    masker = LiveMasker()
    for piece in cut(text, sizes):
        masker.feed(piece)
        assert masker.text.count("\n") <= text.count("\n")
    assert masker.finish() == mask(text)

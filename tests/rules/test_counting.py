"""Tokens and money that nobody told us."""

import pytest

from toryo.domain.calls import Call, Message, Speaker
from toryo.domain.report import Usage
from toryo.rules.counting import estimated_tokens, estimated_usage, priced
from toryo.rules.transcripts import as_one_prompt


@pytest.mark.covers("G35", "B11")
@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("日本語", 3), ("日本語 and English", 3 + 3)],
)
def test_each_script_counts_in_its_own_way(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_a_call_is_counted_with_everything_it_says() -> None:
    call = Call("s" * 40, (Message(Speaker.USER, "u" * 80),))
    assert estimated_usage(call, "日本") == Usage(10 + 4 + 20 + 4, 2)


def test_prices_are_per_million_and_never_replace_a_known_cost() -> None:
    assert priced(Usage(1_000_000, 500_000), 3.0, 15.0).usd == 10.5
    assert priced(Usage(1000, 1000, usd=0.5), 3.0, 15.0).usd == 0.5
    assert priced(Usage(1000, 1000), 0.0, 0.0).usd == 0.0


def test_one_message_is_its_own_prompt_and_several_keep_their_speakers() -> None:
    ask, answer = Message(Speaker.USER, "What?"), Message(Speaker.MODEL, "That.")
    assert as_one_prompt(Call("", (ask,))) == "What?"
    told = as_one_prompt(Call("", (ask, answer, Message(Speaker.USER, "Why?"))))
    assert told.index('<message from="user">\nWhat?') < told.index('<message from="assistant">\nThat.')
    assert told.endswith('<message from="user">\nWhy?\n</message>')

"""Tokens and money where a provider says nothing about them."""

from dataclasses import replace

from toryo.domain.calls import Call
from toryo.domain.report import Usage

_CHARACTERS_PER_TOKEN = 4
_TOKENS_AROUND_A_MESSAGE = 4


def estimated_tokens(text: str) -> int:
    """About what a model counts: four ASCII characters make a token, of other scripts each character is one.

    English comes out a little high, Japanese and Chinese about right, Cyrillic and Greek high: a budget is kept
    rather than overrun.
    """
    plain = sum(map(str.isascii, text))
    return -(-plain // _CHARACTERS_PER_TOKEN) + len(text) - plain


def estimated_usage(call: Call, reply: str) -> Usage:
    asked = [call.system, *(message.text for message in call.messages)]
    tokens = sum(estimated_tokens(text) + _TOKENS_AROUND_A_MESSAGE for text in asked)
    return Usage(tokens, estimated_tokens(reply))


def priced(usage: Usage, price_in: float, price_out: float) -> Usage:
    """With its cost, from prices per million tokens; what was cached counts in full, since its price is not known."""
    if usage.usd or not (price_in or price_out):
        return usage
    usd = (usage.input_tokens * price_in + usage.output_tokens * price_out) / 1_000_000
    return replace(usage, usd=round(usd, 9))

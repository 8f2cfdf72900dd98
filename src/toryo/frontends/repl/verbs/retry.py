"""`/retry`: send a blocked task round again, with words for its agent."""

from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.freetext import first_word, options_of, take_flags, take_words
from toryo.frontends.repl.reading import Typed


def retry(dialogue: Dialogue, typed: Typed) -> int:
    options = options_of(dialogue.line.command("retry"))
    flags, text = take_flags(typed.rest, options)
    which, text = first_word(text)
    more, text = take_flags(text, options)
    text, last = take_words(text, options)
    words = ["--say", text] if text else []
    return dialogue.line.invoke("retry", [*flags, *more, *last, *words, "--", *([which] if which else [])])

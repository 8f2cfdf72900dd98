"""Words of guessing in what an agent says about its own work: no fault, but worth knowing."""

import re
from collections.abc import Iterator

MOST_GUESSES = 3
_LONGEST = 160
_MOST_READ = 20_000

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)"  # code
    r"|~~~.*?(?:~~~|\Z)"
    r"|`[^`\n]*`"
    r'|"[^"\n]{1,300}"|“[^”\n]{1,300}”|‘[^’\n]{1,300}’|(?<!\w)\'[^\'\n]{1,300}\'(?!\w)'
    r"|「[^」\n]{1,300}」|『[^』\n]{1,300}』"
    r"|^[ \t]*>[^\n]*$",
    re.DOTALL | re.MULTILINE,
)
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:[.!?](?![\s\n]|$)[^\n.!?。！？]*)*[.!?。！？]?")
_LIST_MARK = re.compile(r"^(?:[-*+#>]+|\d+[.)])\s+")
_WORKS = "work|be (?:fine|fixed|ok|okay|enough|correct|good)|pass|compile|build|suffice|do it|do the trick"
_ENGLISH = re.compile(
    r"(?<![\w./-])(?:"
    r"probably|presumably|perhaps|maybe|hopefully|(?:most|very) likely"
    rf"|should (?:(?:now|all|just|still|also|then) )*(?:{_WORKS})"
    r"|I (?:think|believe|guess|suppose|assume|suspect)"
    r"|(?<!you )(?<!You )might(?! want| wish| like)"
    r"|(?:am|I'm|not) (?:not )?(?:entirely |quite |completely )?sure (?:whether|if|that|it|this)"
    r")(?![\w-])",
    re.IGNORECASE,
)
_JAPANESE = re.compile(
    r"おそらく|恐らく|たぶん|多分(?!岐)|と(?:思います|思われます|思われる|思う)|かもしれ(?:ません|ない)"
    r"|はず(?=です|だ|である|なので|なのに|で[、。]|[。、]|$)|(?:でしょう|だろう)(?!か)|(?:と|だと)推測"
)


def guesses(text: str) -> tuple[str, ...]:
    """The sentences in which something is guessed, the first few; what is quoted or code is not looked at."""
    found = dict.fromkeys(_guesses(_QUOTED.sub(" … ", text[-_MOST_READ:])))
    return tuple(found)[:MOST_GUESSES]


def _guesses(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for part in _SENTENCE.findall(line):
            sentence = _LIST_MARK.sub("", part.strip())
            if _JAPANESE.search(sentence) or any(_is_meant(sentence, each) for each in _ENGLISH.finditer(sentence)):
                yield _clipped(" ".join(sentence.split()))


def _is_meant(sentence: str, found: re.Match[str]) -> bool:
    """A capital letter in mid-sentence makes a name of it: the type Maybe."""
    word = found[0]
    return not word[0].isupper() or word.startswith("I") or not sentence[: found.start()].strip(" *_([{…")


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"

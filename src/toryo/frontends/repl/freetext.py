"""Commands that end in a person's own words: no quotes are needed, and an apostrophe is none."""

import re
from collections.abc import Mapping

import click

_QUOTED = r"'[^']*'|\"(?:\\.|[^\"\\])*\""
_FIRST = re.compile(rf"({_QUOTED}|\S+)\s*", re.DOTALL)
_OPTION = re.compile(rf"(--?[A-Za-z][\w-]*)(?:=({_QUOTED}|\S*))?(?:\s+|$)", re.DOTALL)
_ONLY_QUOTED = re.compile(rf"({_QUOTED})(?:\s+(-.*))?", re.DOTALL)

Options = Mapping[str, bool]
"""What an option is called, and whether a value follows it."""


def options_of(command: click.Command) -> Options:
    options = [param for param in command.params if isinstance(param, click.Option)]
    return {
        name: not (option.is_flag or option.count)
        for option in options
        for name in (*option.opts, *option.secondary_opts)
    }


def take_flags(text: str, options: Options) -> tuple[list[str], str]:
    """The options at the beginning of a text, and what is left of it; after `--` everything is words."""
    flags: list[str] = []
    while True:
        if text == "--" or re.match(r"--\s", text):
            return flags, text[2:].lstrip()
        found = _OPTION.match(text)
        if found is None:
            return flags, text
        name, value = found[1], found[2]
        text = text[found.end() :]
        if value is not None:
            flags.append(f"{name}={unquoted(value)}")
            continue
        flags.append(name)
        if options.get(name) and text:
            value, text = first_word(text)
            flags.append(value)


def first_word(text: str) -> tuple[str, str]:
    """The first word, or what stands in quotes there; and the rest."""
    found = _FIRST.match(text)
    return (unquoted(found[1]), text[found.end() :]) if found else ("", "")


def take_words(text: str, options: Options) -> tuple[str, list[str]]:
    """A person's own words; where all of them are in quotes, without these, and the options that stand behind."""
    found = _ONLY_QUOTED.fullmatch(text)
    if found is None:
        return text, []
    flags, rest = take_flags(found[2] or "", options)
    return (text, []) if rest else (unquoted(found[1]), flags)


def unquoted(word: str) -> str:
    if len(word) < 2 or word[0] not in "'\"" or word[-1] != word[0]:
        return word
    return word[1:-1] if word[0] == "'" else re.sub(r"\\([\"\\])", r"\1", word[1:-1])

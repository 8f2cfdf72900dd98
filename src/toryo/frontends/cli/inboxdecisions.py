"""What is asked of a person at a terminal before a key's decision holds: a reason, an answer, words for an agent."""

import click

from toryo.app.deciding import Asking
from toryo.frontends.cli.questioning import ask_in_words
from toryo.frontends.cli.talking import note_secrets


def words_for(asking: Asking) -> str:
    """Asks what has to be asked; raises Abort where the person would rather not."""
    if asking.questions:
        return ask_in_words(asking.questions)
    if not asking.prompt:
        return ""
    default = None if asking.is_needed else ""
    words = str(click.prompt(asking.prompt, default=default, show_default=False, err=True)).strip()
    note_secrets(words)
    return words

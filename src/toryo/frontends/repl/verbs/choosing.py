"""What provider and model have in common: one of several is chosen, kept, and said back."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from toryo.app.choosing import in_use, known_models
from toryo.app.project import Project, open_project
from toryo.app.replmemory import ReplMemory
from toryo.frontends.speech import show, spoken

DEFAULT = "default"


def opened() -> tuple[Project, ReplMemory]:
    """The memory as it is in the file: choosing a model needs nothing of the journal, which may be long."""
    project = open_project(Path.cwd(), writing=True)
    return project, ReplMemory(project.place)


def choose_one(question: str, options: Sequence[tuple[str, str]], default: str) -> str:
    """With the arrow keys; raises Abort where the person would rather not."""
    from prompt_toolkit.shortcuts import choice

    def ask() -> str:
        keys = "↑ ↓ Enter; Ctrl-C leaves it as it is"
        return choice(question, options=options, default=default, bottom_toolbar=keys, interrupt_exception=click.Abort)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ask()
    with ThreadPoolExecutor(1) as aside:  # whoever reads the line is in the middle of an event loop of their own
        return aside.submit(ask).result()


def models_to_choose(project: Project, memory: ReplMemory) -> dict[str, str]:
    """By name, with what is known of each; the one in use is among them."""
    used = in_use(project, memory.chosen)
    known = known_models(project, used.provider)
    return {**known, used.model: "selected"} if used.model and used.model not in known else known


def show_standing(project: Project, memory: ReplMemory) -> None:
    """What holds from now on, and what would keep it from working."""
    state, used = memory.state, in_use(project, memory.chosen)
    found = "found here" if used.choice and used.choice.is_automatic else "as configured"
    show(f"provider: {used.provider or 'none'} ({'selected' if state.selected_provider else found})")
    says = (
        "selected" if state.selected_model else known_models(project, used.provider).get(used.model, "its own choice")
    )
    show(f"model: {used.model} ({says})" if used.model else "model: the provider's own choice")
    if used.trouble:
        show(f"warning: {used.trouble}; {spoken(used.hint)}" if used.hint else f"warning: {used.trouble}")

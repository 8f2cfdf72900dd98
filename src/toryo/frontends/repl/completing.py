"""What can be typed next: commands and their options, ids, files; found while the person goes on typing."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

import click
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from toryo.app.known import Known, Names
from toryo.domain.repl import Provider
from toryo.frontends.repl.dialogue import Dialogue
from toryo.views.screen import printable

_MOST = 100
_LONGEST_WORD = 200
_COMMAND = re.compile(r"\s*/(\S*)$")
_ARGUMENTS = re.compile(r"\s*/(\S+)\s+(.*)$", re.DOTALL)
_OWN: Mapping[str, tuple[str, ...]] = {
    "help": ("command",),
    "respond": ("which", "words"),
    "approve": ("which",),
    "reject": ("which",),
    "retry": ("which",),
    "start": ("words",),
    "provider": ("provider",),
    "model": ("model",),
}
"""What the REPL's own commands take, in the words that the command line's use."""


def offers_commands(text: str) -> bool:
    """Whether a command is being typed: then they are offered without being asked for."""
    return _COMMAND.match(text) is not None and "\n" not in text


class Completing(Completer):
    def __init__(self, dialogue: Dialogue, known: Known) -> None:
        self._dialogue, self._known = dialogue, known
        self._sources: Mapping[str, Callable[[], Names]] = {
            "session_id": known.sessions,
            "task_id": known.tasks,
            "slug": known.intents,
            "which": lambda: [*known.sessions(), *known.tasks(), *known.intents()],
            "wanted": lambda: [*known.sessions(), *known.tasks()],
            "key": known.settings,
            "model": known.models,
            "provider": lambda: [(provider.value, "") for provider in Provider],
            "command": self._commands,
        }

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        text = document.text_before_cursor
        if found := _COMMAND.match(text):
            yield from _matching(found[1], self._commands())
        elif not complete_event.completion_requested:
            return  # as they type, only commands are offered
        elif found := _ARGUMENTS.match(text):
            yield from self._arguments(found[1].lower(), found[2])
        else:
            yield from self._files_in(text)

    def _commands(self) -> Names:
        own = {name: verb.says for name, verb in self._dialogue.own.items()}
        return sorted({**self._dialogue.line.summaries, **own}.items())

    # ── behind a command ─────────────────────────────────────────────────────

    def _arguments(self, name: str, rest: str) -> Iterator[Completion]:
        *before, word = re.split(r"\s+", rest)
        command = self._command(name)
        while isinstance(command, click.Group):
            subcommands = _subcommands(command)
            if not before:
                yield from _matching(word, [(name, each.get_short_help_str(80)) for name, each in subcommands.items()])
                if not subcommands.get(word):
                    yield from _matching(word, _options(command)) if word.startswith("-") else ()
                return
            if before[0] not in subcommands:
                return
            command, before = subcommands[before[0]], before[1:]
        if command is not None and word.startswith("-"):
            yield from _matching(word, _options(command))
            return
        if command is not None and before and (option := _valued(command, before[-1])):
            yield from self._values(option, word)
            return
        place = sum(not each.startswith("-") for each in before)
        wanted = _OWN.get(name) if name in self._dialogue.own or command is None else None
        parameters = _positional(command) if command is not None and wanted is None else []
        names = wanted or tuple(parameter.name or "" for parameter in parameters)
        if not names:
            return
        if parameters and isinstance(parameters[min(place, len(parameters) - 1)].type, click.Choice):
            yield from self._values(parameters[min(place, len(parameters) - 1)], word)
            return
        argument = names[min(place, len(names) - 1)]
        if source := self._sources.get(argument):
            yield from _matching(word, source())
        elif argument == "words":
            yield from self._files_in(rest)

    def _command(self, name: str) -> click.Command | None:
        line = self._dialogue.line
        return line.command(name) if name in line.summaries else None

    def _values(self, parameter: click.Parameter, word: str) -> Iterator[Completion]:
        if isinstance(parameter.type, click.Choice):
            yield from _matching(word, [(str(choice), "") for choice in parameter.type.choices])
        elif isinstance(parameter.type, click.Path | click.File):
            for name in islice(self._known.files.beginning_with(word), _MOST):
                yield _completion(shlex.quote(name), name, "", len(word))
        elif source := self._sources.get({"--show": "session_id", "--model": "model"}.get(parameter.opts[-1], "")):
            yield from _matching(word, source())

    # ── in plain text ────────────────────────────────────────────────────────

    def _files_in(self, text: str) -> Iterator[Completion]:
        """The longest end of the text that is the beginning of a file's name: not everybody puts blanks before it."""
        run = re.search(r"\S*$", text)
        word = run[0][-_LONGEST_WORD:] if run else ""
        for start in range(len(word)):
            typed = word[start:]
            if found := list(islice(self._known.files.beginning_with(typed), _MOST)):
                for name in found:
                    yield _completion(name, name, "", len(typed))
                return


def _matching(word: str, names: Names) -> Iterator[Completion]:
    """Those that begin with what is typed first, then those that have it somewhere."""
    typed = word.lower()
    begin = [(name, says) for name, says in names if name.lower().startswith(typed)]
    other = [(name, says) for name, says in names if typed and typed in name.lower() and (name, says) not in begin]
    for name, says in islice([*begin, *other], _MOST):
        yield _completion(name, name, says, len(word))


def _completion(text: str, shown: str, says: str, typed: int) -> Completion:
    return Completion(text, start_position=-typed, display=printable(shown), display_meta=printable(says))


# ── what click knows ─────────────────────────────────────────────────────────


def _subcommands(group: click.Group) -> dict[str, click.Command]:
    context = click.Context(group)
    named = ((name, group.get_command(context, name)) for name in group.list_commands(context))
    return {name: command for name, command in named if command is not None}


def _options(command: click.Command) -> Names:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return [(max(each.opts, key=len), each.help or "") for each in options]


def _positional(command: click.Command) -> list[click.Parameter]:
    return [each for each in command.params if isinstance(each, click.Argument)]


def _valued(command: click.Command, typed: str) -> click.Parameter | None:
    """The option whose value comes next."""
    return next(
        (each for each in command.params if isinstance(each, click.Option) and typed in each.opts and not each.is_flag),
        None,
    )

"""`/help`: all commands, or one of them in full."""

import copy
import difflib

import click

from toryo.domain.errors import Exit
from toryo.frontends.repl.dialogue import Dialogue, Verb
from toryo.frontends.repl.reading import Typed
from toryo.frontends.speech import room, show, spoken
from toryo.views.columns import columns

_GROUPS = {
    "Talk": (
        *("start", "respond", "approve", "reject", "say", "continue", "plan", "run", "spec"),
        *("intent", "audit", "observe", "reflect"),
    ),
    "Look": (
        *("status", "tasks", "logs", "trace", "inbox", "queue", "info", "diff", "conflicts", "report", "budget"),
        *("verify", "proof", "history"),
    ),
    "Steer": ("stop", "resume", "retry", "watch", "attach", "parallel"),
    "Land": ("land", "undo", "clean"),
    "Set up": ("init", "provider", "models", "model", "keys", "config", "agents", "prompts", "eval", "doctor"),
    "Here": ("help", "exit"),
}
_SAME = frozenset({"answer"})
"""Another name for one that is listed."""
_INTRODUCTION = (
    "Plain text is an instruction: it is planned, and you approve the plan. While other work goes on, it waits for its "
    "turn. What is asked on the way is answered with /respond; 'run it' approves the plan that waits."
)
_MORE = "/help COMMAND, or /COMMAND --help, shows one in full. Flags go before words: /start --yes TEXT"
_WIDEST = 100
_NARROWEST = 40


def help_(dialogue: Dialogue, typed: Typed) -> int:
    name, *more = typed.rest.lower().replace("/", "").split() or [""]
    lines = help_of(dialogue, name, more) if name else overview(dialogue)
    for line in lines:
        show(line)
    return Exit.COMPLETE


def overview(dialogue: Dialogue) -> list[str]:
    """Every command once, by what it is for."""
    grouped = {name for names in _GROUPS.values() for name in names}
    others = [name for name in dialogue.names if name not in grouped | _SAME]
    lines = _broken(_INTRODUCTION)
    for title, names in {**_GROUPS, **({"More": tuple(others)} if others else {})}.items():
        rows = [(f"/{name} {_usage(dialogue, name)}".rstrip(), _says(dialogue, name)) for name in names]
        lines += ["", title, *(f"  {line}" for line in columns(rows, (), max(0, room() - 2)))]
    return [*lines, "", *_broken(_MORE)]


def _broken(text: str) -> list[str]:
    """Between words, for this screen."""
    return click.wrap_text(text, _width()).split("\n")


def _says(dialogue: Dialogue, name: str) -> str:
    verb = dialogue.own.get(name)
    return verb.says if verb else dialogue.line.summaries[name]


def _usage(dialogue: Dialogue, name: str) -> str:
    if verb := dialogue.own.get(name):
        return verb.usage
    command = dialogue.line.command(name)
    if isinstance(command, click.Group):
        verbs = "|".join(command.list_commands(click.Context(command)))
        return f"[{verbs}]" if command.invoke_without_command else verbs
    context = click.Context(command)
    return " ".join(param.make_metavar(context) for param in command.params if isinstance(param, click.Argument))


# ── one in full ──────────────────────────────────────────────────────────────


def help_of(dialogue: Dialogue, name: str, more: list[str]) -> list[str]:
    if verb := dialogue.own.get(name):
        if more and dialogue.is_group(name):
            return _click_help(dialogue, name, more)
        return _own_help(dialogue, name, verb)
    if name not in dialogue.line.summaries:
        raise dialogue.unknown(name)
    return _click_help(dialogue, name, more)


def _own_help(dialogue: Dialogue, name: str, verb: Verb) -> list[str]:
    form = click.HelpFormatter(width=_width())
    has_options = bool(verb.stands_for)
    form.write_usage(f"/{name}", f"{'[OPTIONS] ' if has_options else ''}{verb.usage}")
    form.write_paragraph()
    with form.indentation():
        form.write_text(verb.says)
        if verb.about:
            form.write_paragraph()
            form.write_text(verb.about)
    if has_options:
        command = _in_own_words(dialogue.line.command(verb.stands_for))
        command.format_options(_context(command, f"/{name}"), form)
    if verb.example:
        form.write_paragraph()
        form.write_text(f"Example: {verb.example}")
    return form.getvalue().rstrip("\n").split("\n")


def _click_help(dialogue: Dialogue, name: str, more: list[str]) -> list[str]:
    command, path = dialogue.line.command(name), f"/{name}"
    for word in more[:1]:
        if isinstance(command, click.Group):
            found = command.get_command(click.Context(command), word)
            if found is None:
                near = difflib.get_close_matches(word, command.list_commands(click.Context(command)), n=1)
                asks = f"; did you mean '{near[0]}'?" if near else ""
                raise click.UsageError(f"{path} has no command '{word}'{asks}", _context(command, path))
            command, path = found, f"{path} {word}"
    command = _in_own_words(command)
    return spoken(command.get_help(_context(command, path))).split("\n")


def _context(command: click.Command, path: str) -> click.Context:
    return click.Context(command, info_name=path, terminal_width=_width())


def _width() -> int:
    return max(_NARROWEST, min(_WIDEST, room() or _WIDEST))


def _in_own_words(command: click.Command) -> click.Command:
    """The command with a help that mentions commands as they are typed here; reworded before lines are broken."""
    reworded = copy.copy(command)
    reworded.help, reworded.epilog = spoken(command.help or ""), spoken(command.epilog or "")
    reworded.params = [_reworded(param) for param in command.params]
    return reworded


def _reworded(param: click.Parameter) -> click.Parameter:
    if not isinstance(param, click.Option) or not param.help:
        return param
    option = copy.copy(param)
    option.help = spoken(param.help)
    return option

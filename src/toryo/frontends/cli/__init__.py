"""The command line: one file per verb, loaded only when it is called."""

import os
import sys
from importlib import import_module
from keyword import iskeyword

import click

COMMANDS = {
    "run": "Turn an instruction, or a plan, into proven code, merged on a branch of its own.",
    "plan": "Turn an instruction into a plan, and no further.",
    "approve": "Approve intents or a plan, and have it carried out; or let a task's work through.",
    "reject": "Reject a plan with a reason, and it is planned anew; or an intent.",
    "answer": "Answer what an intent, a session or a task asks.",
    "say": "Tell a session something while it works.",
    "continue": "Add to a session what is missing, or something more.",
    "spec": "Write a specification, its plan and its tasks, file by file.",
    "status": "Show the sessions here, and what is going on now.",
    "info": "Show one session, task or run in full.",
    "tasks": "Show the tasks of a session by how they stand.",
    "conflicts": "Show which work will collide when it is merged, before it is.",
    "diff": "Show what a session or a task has changed, as a patch.",
    "logs": "Show what happened, or what an agent printed.",
    "trace": "Show every round trip with models and agents.",
    "report": "Show how a session went, in Markdown.",
    "verify": "Check that a session's evidence, logs and commits are those that were recorded.",
    "proof": "Put a session's evidence into one file that can be verified elsewhere.",
    "resume": "Go on with a session that was interrupted, stopped or blocked.",
    "watch": "Work off intents as they come: what was approved, and what may run by itself.",
    "queue": "Show what is at work and what waits for its turn, and change the order.",
    "conduct": "Take up the sessions that are queued, one after the other.",
    "stop": "Stop a session's agents; it can be resumed.",
    "retry": "Send a blocked task, or an intent that failed, round again.",
    "attach": "Go to the window where a task's agent is at work.",
    "intent": "Write down what you want, and look at what is written down.",
    "audit": "Have agents look for what is wrong, and propose it as intents.",
    "observe": "Note something worth knowing for later work, or list what was noted.",
    "history": "Show how intents went, one effort after the other.",
    "reflect": "Make proposals of what was noted and of how intents went.",
    "eval": "Check with fixtures that the model still replies to Toryo's prompts as it should.",
    "inbox": "Show what waits for you, the riskiest first, and decide with one key.",
    "parallel": "Change how many tasks run at once.",
    "budget": "Show what a session has used up, and let it use more or less.",
    "land": "Bring a session's result home: merged, or as pull requests.",
    "undo": "Go back to before a session's result was landed.",
    "clean": "Remove worktrees and branches whose work is merged.",
    "repl": "Talk with Toryo at a prompt, or from a script.",
    "agents": "Show which agents are here, and what each can do.",
    "config": "Show and change the configuration, and see where each value comes from.",
    "keys": "Show whether model providers' keys are set, and set them.",
    "prompts": "Show what the model is asked, and make the questions your own.",
    "doctor": "Check that everything Toryo needs is here and well.",
    "demo": "See Toryo work, in a throw-away repository, without any model.",
}


LOOKING = frozenset(
    [
        *("status", "info", "tasks", "conflicts", "diff", "logs", "trace", "report", "budget", "queue"),
        *("agents", "config", "keys", "prompts", "intent"),
    ]
)
"""Commands of which nothing is lost where nobody reads to the end."""


class LazyGroup(click.Group):
    """Knows its commands by name and help; imports one only to run it."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # click would call it a failure
            if ctx.invoked_subcommand in LOOKING:
                raise SystemExit(0) from None
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = import_module(f"toryo.frontends.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"there is no command '{args[0]}'{_near(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _near(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from toryo import __version__

        click.echo(f"toryo {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    epilog="Alone, at a terminal: the terminal app. Try it: toryo demo. A real one: toryo run 'Add a --json flag'",
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_version,
    help="Show the version.",
)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Toryo turns an instruction into proven, merged code.

    A crew of agents works in parallel git worktrees; Toryo proves each result itself, merges the good ones
    on a branch of its own, and leaves your checkout alone until you land them.
    """
    if ctx.invoked_subcommand is None:
        _open_app(ctx)


def _open_app(ctx: click.Context) -> None:
    """Where nobody sits at a terminal, or at one that only prints, what can be said instead."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        raise click.exceptions.NoArgsIsHelpError(ctx)
    from toryo.frontends.cli.opening_app import open_app

    raise SystemExit(open_app())


def main() -> None:
    """The one place where errors become words and exit codes."""
    code: object = 0
    try:
        _replace_closed_streams()
        cli.main(standalone_mode=False, prog_name="toryo")
    except SystemExit as left:
        code = left.code
    except BaseException as error:  # noqa: BLE001 - the boundary: whatever it is, a person gets words and a code
        from toryo.frontends.cli.boundary import leave

        code = leave(error)
    _end(code if isinstance(code, int) else int(bool(code)))


def _replace_closed_streams() -> None:
    """What was closed before we began becomes nothing at all, so that no file of ours is opened in its place."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - kept to the end


def _end(code: int) -> None:
    """At once: all is written, and taking the interpreter apart would cost as much as several git commands."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue  # whoever read our output has seen enough
    os._exit(code)

"""The REPL's own commands, a file each; all others are the command line's."""

from toryo.frontends.repl.dialogue import Verb
from toryo.frontends.repl.reading import Typed
from toryo.frontends.repl.verbs.approve import approve
from toryo.frontends.repl.verbs.config import asks_or_edits, config, init
from toryo.frontends.repl.verbs.continue_ import continue_
from toryo.frontends.repl.verbs.exit_ import exit_
from toryo.frontends.repl.verbs.help_ import help_
from toryo.frontends.repl.verbs.keys import asks_for_key, keys
from toryo.frontends.repl.verbs.model import model
from toryo.frontends.repl.verbs.models import models
from toryo.frontends.repl.verbs.provider import provider
from toryo.frontends.repl.verbs.reject import reject
from toryo.frontends.repl.verbs.respond import respond
from toryo.frontends.repl.verbs.retry import retry
from toryo.frontends.repl.verbs.run import run
from toryo.frontends.repl.verbs.say import say
from toryo.frontends.repl.verbs.start import start


def _always(_: Typed) -> bool:
    return True


def _bare(typed: Typed) -> bool:
    return not typed.rest


_ANSWERING = Verb(
    "Answer what an intent, a session or a task asks.",
    "[ID] [ANSWER]",
    respond,
    "Without an answer, the questions are shown. Without an ID, the one that waits is meant. Several questions are "
    "answered like 1b 2a, in your own words as 1: …, each on a line of its own; a blocked task is sent round again "
    "with what you say.",
    "/respond use the second option, /respond 7682b3a8 1b 2a, or /respond T003 don't use quotes",
    "answer",
)

OWN = {
    "start": Verb(
        "Begin with an instruction; without one, go on with what was stopped.",
        "[TEXT]",
        start,
        "The same as plain text; it is for instructions that begin with a slash, and for options.",
        "/start, or /start --agent claude /usr/lib is missing in the search path",
        "run",
    ),
    "respond": _ANSWERING,
    "answer": _ANSWERING,
    "approve": Verb(
        "Approve intents, or a plan, and carry it out; or let a task go on, beyond its limits too.",
        "[ID]... [WHY]",
        approve,
        "Without an ID, the one that waits is meant. For a task you stand in for its review, let it go beyond its "
        "limits, or let through what was found in its lines or where it changed files, and say why.",
        "/approve, /approve add-json-export,fix-dates, or /approve T003 because the word is the feature",
        "approve",
    ),
    "reject": Verb(
        "Reject a plan with a reason, and it is planned anew; or an intent, and nothing comes of it.",
        "[ID] WHY",
        reject,
        "Without an ID, the plan that waits is meant.",
        "/reject the tests are missing, or /reject fix-dates was done by hand",
        "reject",
    ),
    "say": Verb(
        "Tell a session something while it works.",
        "[ID] TEXT",
        say,
        "Only the tasks it concerns are stopped, changed and begun again. Without an ID, the latest session is meant.",
        "/say the flag should be called --format",
        "say",
    ),
    "continue": Verb(
        "Add to a session what is missing, or something more.",
        "[ID] [TEXT]",
        continue_,
        "Makes tasks for what the final judgement found missing, or for what you add; at most three times. A session "
        "that is finished is continued by a new one that begins from its branch.",
        "/continue, or /continue 7682b3a8 add MFA as well",
        "continue",
    ),
    "plan": Verb(
        "Turn an instruction into a plan, and no further.",
        "TEXT",
        run,
        "To be approved later with /approve. /plan --show [ID] shows a session's plan.",
        "/plan add a --json flag to export",
        "plan",
    ),
    "run": Verb(
        "Turn an instruction, a file, an issue or a plan into proven, merged code.",
        "[TEXT | FILE | #ISSUE | URL]",
        run,
        "What plain text does, with options.",
        "/run --plan plan.yaml --parallel 4, or /run #42",
        "run",
    ),
    "retry": Verb(
        "Send a blocked task, or an intent that failed, round again, with words for its agent.",
        "TASK [TEXT]",
        retry,
        "",
        "/retry T003 use the second option, or /retry T003 --by-hand",
        "retry",
    ),
    "init": Verb(
        "Choose the model and the agent, step by step.",
        "",
        init,
        "The same as /config init. From a script: /init --provider openai --model NAME --yes",
        "/init",
        takes_terminal=_always,
    ),
    "provider": Verb(
        "Show or select who plans and judges.",
        "[NAME | default | show]",
        provider,
        "claude-code, openai or anthropic; default is what is configured. It holds for sessions that are begun from "
        "now on, in this repository. At a terminal, without a name, it is chosen from a list.",
        "/provider anthropic",
        takes_terminal=_bare,
    ),
    "models": Verb(
        "List the models that are known for the provider, and the one in use.",
        "",
        models,
        "Nobody is asked: it is what is configured, selected, or known to this version.",
        "/models",
    ),
    "model": Verb(
        "Select a model by its name.",
        "[NAME | default]",
        model,
        "Any name will do; whether the provider has it shows when it is asked. default is what is configured. It holds "
        "for sessions that are begun from now on. At a terminal, without a name, it is chosen from a list.",
        "/model gpt-5-mini",
        takes_terminal=_bare,
    ),
    "keys": Verb(
        "Show whether providers' keys are set, and set them.",
        "[set|remove PROVIDER]",
        keys,
        "Only SET or NOT SET is ever shown. A key is asked for and typed unseen, never in the line.",
        "/keys set anthropic",
        takes_terminal=asks_for_key,
    ),
    "config": Verb(
        "Show and change the configuration.",
        "[show|set|init|edit]",
        config,
        "/config set KEY VALUE changes one value; /help config set has its options.",
        "/config, or /config set run.parallel 8",
        takes_terminal=asks_or_edits,
    ),
    "help": Verb(
        "Show the commands, or one of them in full.",
        "[COMMAND]",
        help_,
        "",
        "/help logs",
    ),
    "exit": Verb(
        "Leave; work in the background goes on.",
        "",
        exit_,
        "Says what goes on, and what waits for you.",
        "/exit",
    ),
}

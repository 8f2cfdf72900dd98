"""The REPL's own commands, a file each; all others are the command line's."""

from toryo.frontends.repl.conversation import Verb
from toryo.frontends.repl.verbs.exit_ import exit_
from toryo.frontends.repl.verbs.help_ import help_

OWN = {
    "help": Verb("Show the commands, or one of them in full.", "[COMMAND]", help_),
    "exit": Verb("Leave; work in the background goes on.", "", exit_),
}

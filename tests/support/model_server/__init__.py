"""A scripted language-model server on loopback that speaks the providers' real protocols.

The prompt is the script. Of the last user message with lines starting with `MODEL: ` the server follows these
lines; which one is due is told by the number of tool results that came after that message:

    MODEL: run <shell command>            a call of the agent's own shell tool
    MODEL: background <shell command>     the same, in the background where the tool can do that
    MODEL: write <path> <text>            writes a file; \\n, \\t and \\\\ are escapes
    MODEL: ask <question>                 a call of the agent's own tool for questions to the user
    MODEL: think <seconds>                a pause before what follows
    MODEL: http <status> [times=N] [retry-after=S] [reset=EPOCH] [unless=PATH] [message=...]
                                          the provider's error: for ever, for the first N requests of the
                                          conversation, until the reset, or until there is such a file
    MODEL: cut                            breaks the stream half way, once
    MODEL: say <text>                     the final answer ("done." after the last line)
"""

from tests.support.model_server.server import ModelServer

__all__ = ["ModelServer"]

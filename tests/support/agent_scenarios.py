"""The situations that tests/support/record_agents.py puts the real agent programs into."""

from dataclasses import dataclass

from tests.support.agent_programs import AGENTS


@dataclass(frozen=True, slots=True)
class Scenario:
    """A situation: what the model does, and how the agent is run. {tree}, {fifo} and {reset} are filled in."""

    name: str
    script: str
    agents: tuple[str, ...] = AGENTS
    first_script: str | None = None
    full_auto: bool = True
    unknown_conversation: bool = False
    model_is_down: bool = False
    terminated_when_busy: bool = False
    claude_subscriber: bool = False
    few_retries: bool = True
    flags: tuple[str, ...] = ()


SCENARIOS = (
    Scenario("ok", "MODEL: write notes/one.txt first\\nsecond\\n\nMODEL: say I wrote notes/one.txt."),
    Scenario("resume", "MODEL: run cat one.txt\nMODEL: say It says one.", first_script="MODEL: write one.txt one"),
    Scenario("nothing", "MODEL: say There is nothing to do."),
    Scenario("command-fails", "MODEL: run echo out; echo err >&2; exit 3\nMODEL: say It failed."),
    Scenario("ask", "MODEL: ask Left or right?\nMODEL: say I went left."),
    Scenario("http-429-twice", "MODEL: http 429 times=2 retry-after=1\nMODEL: say At last.", few_retries=False),
    Scenario("http-429-forever", "MODEL: http 429"),
    Scenario("http-429-reset", "MODEL: http 429 reset={reset}", claude_subscriber=True),
    Scenario("http-429-reset-no-subscriber", "MODEL: http 429 reset={reset} retry-after=2", agents=("claude",)),
    Scenario("http-500-forever", "MODEL: http 500"),
    Scenario("http-529", "MODEL: http 529", agents=("claude",)),
    Scenario("http-503", "MODEL: http 503", agents=("gemini", "codex")),
    Scenario("http-401", "MODEL: http 401"),
    Scenario("http-400", "MODEL: http 400"),
    Scenario("refused", "MODEL: say Never heard.", model_is_down=True),
    Scenario(
        "refused-bounded",
        "MODEL: say Never heard.",
        agents=("codex",),
        model_is_down=True,
        flags=("--disable", "unbounded_connection_retries"),
    ),
    Scenario("cut", "MODEL: cut\nMODEL: say At last."),
    Scenario(
        "sigterm",
        "MODEL: run echo started > {fifo}; python3 -c 'import time; time.sleep(600)'\nMODEL: say Slept.",
        terminated_when_busy=True,
    ),
    Scenario(
        "denied",
        "MODEL: write denied.txt no\nMODEL: run touch {tree}/../outside.txt\nMODEL: say All done.",
        full_auto=False,
    ),
    Scenario("unknown-conversation", "MODEL: say Never heard.", unknown_conversation=True),
)

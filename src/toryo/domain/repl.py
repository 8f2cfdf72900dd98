"""What the REPL remembers, and how it was started; field by field as in the source."""

from enum import StrEnum

from toryo.domain.facts import fact


class ReplExecutionMode(StrEnum):
    INTERACTIVE = "interactive"
    NON_INTERACTIVE = "non_interactive"


class ProjectMode(StrEnum):
    TEMP = "temp"
    FIXED = "fixed"


class Provider(StrEnum):
    """Those that can be selected; others are configured."""

    CLAUDE_CODE = "claude-code"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


@fact
class ReplState:
    """What `repl.json` holds."""

    selected_provider: Provider | None = None
    selected_model: str | None = None
    updated_at: str | None = None
    current_task_id: str | None = None
    last_task_id: str | None = None


@fact
class ReplConfig:
    """What the options come to."""

    project: str | None = None
    """Where it is set, it is the project, whatever the mode."""
    project_mode: ProjectMode = ProjectMode.TEMP
    project_root: str | None = None
    print_project_path: bool = False
    non_interactive: bool = False
    exit_on_eof: bool = False
    wait: bool = False

    @property
    def execution_mode(self) -> ReplExecutionMode:
        return ReplExecutionMode.NON_INTERACTIVE if self.non_interactive else ReplExecutionMode.INTERACTIVE

"""What the options of the REPL come to: how it reads, and in which project it works."""

from pathlib import PurePath

from toryo.domain.errors import ToryoError
from toryo.domain.facts import fact
from toryo.domain.repl import ProjectMode, ReplConfig


@fact
class Options:
    """The options as they were given; None: left out."""

    project: str | None = None
    project_mode: ProjectMode | None = None
    project_root: str | None = None
    print_project_path: bool = False
    non_interactive: bool = False
    exit_on_eof: bool | None = None
    wait: bool | None = None


@fact
class Resolved:
    config: ReplConfig
    warnings: tuple[str, ...] = ()


def resolve(asked: Options, *, is_terminal: bool, repository: str | None) -> Resolved:
    """`repository`: the folder it was started in, where that is in one. Raises ToryoError for what cannot be."""
    _refuse_contradictions(asked)
    is_script = asked.non_interactive or not is_terminal
    project = asked.project if asked.project is not None else None if asked.project_mode else repository
    config = ReplConfig(
        project=project,
        project_mode=asked.project_mode or ProjectMode.TEMP,
        project_root=asked.project_root if asked.project_mode is ProjectMode.FIXED else None,
        print_project_path=asked.print_project_path,
        non_interactive=is_script,
        exit_on_eof=is_script if asked.exit_on_eof is None else asked.exit_on_eof,
        wait=is_script if asked.wait is None else asked.wait,
    )
    return Resolved(config, _warnings(asked, is_terminal=is_terminal))


def _refuse_contradictions(asked: Options) -> None:
    if asked.project is not None and asked.project_mode is not None:
        raise ToryoError(
            "E158",
            "--project and --project-mode each say where the project is",
            hint="leave one of them out",
        )
    if asked.project_mode is not ProjectMode.FIXED:
        return
    if asked.project_root is None:
        raise ToryoError(
            "E158", "--project-mode fixed needs to know where", hint="add --project-root with the folder's whole path"
        )
    if not PurePath(asked.project_root).is_absolute():
        raise ToryoError(
            "E158",
            f"--project-root is not a whole path: {asked.project_root or 'it is empty'}",
            hint='name it from the root of the file system, e.g. --project-root "$PWD"',
        )


def _warnings(asked: Options, *, is_terminal: bool) -> tuple[str, ...]:
    said = []
    if asked.project_root is not None and asked.project_mode is not ProjectMode.FIXED:
        said.append("--project-root is ignored: it is for --project-mode fixed")
    if asked.exit_on_eof is False and not is_terminal:
        said.append("--no-exit-on-eof is for a terminal: what is read from here ends once")
    return tuple(said)

"""Options of the REPL: what each comes to by itself, and which do not go together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.repl import ProjectMode, ReplConfig, ReplExecutionMode
from toryo.rules.repl_config import Options, resolve

pytestmark = pytest.mark.covers("P32")
TEMP, FIXED = ProjectMode.TEMP, ProjectMode.FIXED


def config(asked: Options, *, is_terminal: bool = True, repository: str | None = None) -> ReplConfig:
    return resolve(asked, is_terminal=is_terminal, repository=repository).config


def test_at_a_terminal_and_from_a_pipe() -> None:
    terminal, pipe = config(Options()), config(Options(), is_terminal=False)
    assert terminal == ReplConfig()
    assert pipe == ReplConfig(non_interactive=True, exit_on_eof=True, wait=True)
    assert terminal.execution_mode is ReplExecutionMode.INTERACTIVE
    assert pipe.execution_mode is ReplExecutionMode.NON_INTERACTIVE
    assert config(Options(non_interactive=True)) == pipe
    assert config(Options(exit_on_eof=True, wait=True)) == ReplConfig(exit_on_eof=True, wait=True)
    assert not config(Options(wait=False), is_terminal=False).wait


def test_the_repository_it_was_started_in_unless_something_else_is_said() -> None:
    assert config(Options(), repository="/here") == ReplConfig(project="/here")
    assert config(Options()) == ReplConfig()
    assert config(Options("/there"), repository="/here") == ReplConfig(project="/there")
    assert config(Options(project_mode=TEMP), repository="/here") == ReplConfig()
    fixed = config(Options(project_mode=FIXED, project_root="/there"), repository="/here")
    assert fixed == ReplConfig(project_mode=FIXED, project_root="/there")


@pytest.mark.parametrize(
    "asked",
    [
        Options(project_mode=FIXED),
        Options(project_mode=FIXED, project_root=""),
        Options(project_mode=FIXED, project_root="not/whole"),
        Options(project_mode=FIXED, project_root="~/there"),
        Options("/there", FIXED, "/there"),
        Options("/there", TEMP),
    ],
)
def test_what_does_not_go_together_is_refused(asked: Options) -> None:
    with pytest.raises(ToryoError) as refused:
        config(asked)
    assert refused.value.code == "E158"
    assert refused.value.exit_code is Exit.USAGE
    assert refused.value.hint


@pytest.mark.parametrize("mode", [None, TEMP])
def test_a_root_that_is_not_fixed_is_ignored_with_a_warning(mode: ProjectMode | None) -> None:
    found = resolve(Options(project_mode=mode, project_root="/x"), is_terminal=True, repository=None)
    assert found.config == ReplConfig()
    assert "--project-root is ignored" in found.warnings[0]


def test_who_wants_to_go_on_after_the_end_of_a_pipe_is_told_that_it_ends() -> None:
    asked = Options(exit_on_eof=False)
    assert resolve(asked, is_terminal=False, repository=None).warnings
    assert not resolve(asked, is_terminal=True, repository=None).warnings


@given(
    st.builds(
        Options,
        st.sampled_from([None, "/p", "p"]),
        st.sampled_from([None, *ProjectMode]),
        st.sampled_from([None, "/r", "r"]),
        st.booleans(),
        st.booleans(),
        st.sampled_from([None, True, False]),
        st.sampled_from([None, True, False]),
    ),
    st.booleans(),
    st.sampled_from([None, "/here"]),
)
def test_whatever_is_asked_there_is_one_project_or_a_refusal(asked: Options, terminal: bool, here: str | None) -> None:
    try:
        found = config(asked, is_terminal=terminal, repository=here)
    except ToryoError as error:
        assert error.code == "E158"
        return
    assert (found.project_mode is FIXED) == (found.project_root is not None)
    assert found.project is None or found.project_root is None
    assert found.project is None or asked.project_mode is None
    assert found.non_interactive == (asked.non_interactive or not terminal)
    assert found.wait == (found.non_interactive if asked.wait is None else asked.wait)
    assert found.exit_on_eof == (found.non_interactive if asked.exit_on_eof is None else asked.exit_on_eof)

"""A dialogue goes on whatever a command does, and knows which of them want the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import pytest

from toryo.domain.errors import ToryoError
from toryo.domain.repl import ReplConfig
from toryo.frontends.repl.dialogue import Dialogue
from toryo.frontends.repl.reading import Typed, read
from toryo.frontends.repl.verbs import OWN
from toryo.frontends.speech import may_ask, say, show


class Commands:
    """A command line of a few commands."""

    def __init__(self) -> None:
        self.asked: dict[str, bool] = {}

    @property
    def summaries(self) -> Mapping[str, str]:
        return dict.fromkeys(("status", "logs", "resume", "attach", "keys", "config", "approve"), "Does something.")

    def command(self, name: str) -> click.Command:
        return click.Group(name) if name in ("keys", "config") else click.Command(name)

    def invoke(self, name: str, args: Sequence[str]) -> int:
        self.asked[name] = may_ask()
        match name, args:
            case "status", ["fault"]:
                raise RuntimeError("the secret is sk-proj-0123456789abcdefghijklmnop")
            case "status", ["refused"]:
                raise ToryoError("E205", "'x' names 2 things", hint="'toryo status' lists them").with_details(
                    ["a", "b"]
                )
            case "status", _:
                show("the answer, with 'toryo status' in what an agent printed")
                say("next: toryo logs --follow")
                say("  an agent said: toryo status")
                say("10:11:12 T1: toryo status")
        return 0


def dialogue(*, is_script: bool = True) -> Dialogue:
    return Dialogue(Commands(), ReplConfig(non_interactive=is_script), OWN)


@pytest.mark.covers("P46")
def test_a_fault_is_an_answer_and_the_dialogue_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    talk = dialogue()
    assert talk.answer("/status fault") == 70
    shown = capsys.readouterr()
    first, hint = shown.out.splitlines()
    assert first.startswith("ERROR: a fault of Toryo's own: RuntimeError: ")
    assert first.endswith("(E900)")
    assert "sk-proj" not in first
    assert shown.err == "kept: everything recorded so far; /resume goes on from there\n"
    log = Path(hint.removeprefix("HINT: the details are in "))
    assert "RuntimeError" in log.read_text()
    assert "sk-proj" not in log.read_text()
    log.unlink()
    assert talk.answer("/status") == 0
    assert capsys.readouterr().out.startswith("the answer")


@pytest.mark.covers("P46")
def test_errors_are_answers_with_details_first_and_commands_as_typed_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert dialogue().answer("/status refused") == 1
    shown = capsys.readouterr()
    assert shown.out.splitlines() == ["a", "b", "ERROR: 'x' names 2 things (E205)", "HINT: /status lists them"]
    assert shown.err == ""


def test_only_what_toryo_says_itself_is_reworded(capsys: pytest.CaptureFixture[str]) -> None:
    dialogue().answer("/status")
    shown = capsys.readouterr()
    assert shown.out == "the answer, with 'toryo status' in what an agent printed\n"
    assert shown.err.splitlines() == [
        "next: /logs --follow",
        "  an agent said: toryo status",
        "10:11:12 T1: toryo status",
    ]


@pytest.mark.parametrize(
    ("said", "wants"),
    [
        *((said, True) for said in ("/init", "/config init", "/config edit", "/keys set openai", "/attach T1")),
        *((said, True) for said in ("/provider", "/model", "/INIT --yes")),
        *((said, False) for said in ("/status", "/config", "/config set a b", "/keys", "/provider openai", "/model x")),
        *((said, False) for said in ("/nothing", "/keys remove openai", "/attach T1 --print")),
    ],
)
def test_some_want_the_terminal_for_themselves(said: str, wants: bool) -> None:
    typed = read(said)
    assert isinstance(typed, Typed)
    assert dialogue(is_script=False).takes_terminal(typed) is wants
    assert dialogue(is_script=True).takes_terminal(typed) is False


def test_nothing_is_asked_while_somebody_types(capsys: pytest.CaptureFixture[str]) -> None:
    talk = dialogue(is_script=False)
    for said in ("/attach T1", "/status", "/keys set openai"):
        talk.answer(said)
    assert isinstance(talk.line, Commands)
    assert talk.line.asked == {"attach": True, "status": False, "keys": True}
    assert may_ask(), "outside of a dialogue a command may ask"
    capsys.readouterr()

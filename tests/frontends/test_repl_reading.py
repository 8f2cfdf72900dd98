"""What a typed line means, and how commands are mentioned: pure rules of the REPL."""

import shlex
import unicodedata

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.freetext import options_of, take_flags, take_words
from toryo.frontends.repl.mentions import as_typed_here
from toryo.frontends.repl.reading import Instruction, Typed, as_elsewhere, read, slip
from toryo.rules.keylines import keepable

NAMES = ("run", "resume", "approve", "answer", "config", "keys", "logs", "plan", "status", "reject", "doctor")
OPTIONS = {"--why": True, "--only": False, "-y": False, "--yes": False}


# ── slips ────────────────────────────────────────────────────────────────────


@pytest.mark.covers("P41")
@pytest.mark.parametrize(
    "said",
    [
        *(
            "exit",
            "  exit  ",
            "EXIT",
            "ｅｘｉｔ",
            "Ｅｘｉｔ",
            "exit;",
            "exit()",
            "exit( )",
            "exit(0)",
            "exit 0",
            "exit.",
            "'exit'",
        ),
        *(
            "quit",
            "quit!",
            "quit()",
            ":q",
            ":Q",
            ":q!",
            ":wq",
            "：ｑ",
            "bye",
            "logout",
            "q",
            "終了",
            "　終了。",
            "終わり",
        ),
    ],
)
def test_leaving_in_another_programs_manner_is_a_slip(said: str) -> None:
    with pytest.raises(ToryoError) as refused:
        read(said)
    assert (refused.value.message, refused.value.hint) == ("Did you mean /exit?", "/exit")


@pytest.mark.covers("P41")
@pytest.mark.parametrize("said", ["help", "HELP", "help?", "?", "？", "ヘルプ", "ﾍﾙﾌﾟ", "help()"])
def test_so_is_asking_for_help(said: str) -> None:
    assert slip(said) == "/help"


@pytest.mark.covers("P41")
@pytest.mark.parametrize(
    "said",
    [
        "exit handling in the parser is broken",
        "help texts are missing",
        "quit() leaves a zombie",
        "exit codes: 0 is wrong",
        "終了コードを直して",
        "ヘルプを書いて",
        "add exit",
        "exit 0 is returned on failure",
        "don't say 'quit'",
    ],
)
def test_what_only_begins_like_one_is_an_instruction(said: str) -> None:
    assert read(said) == Instruction(said)


_NAMES = ("status", "logs", "land", "approve", "config", "keys", "run")


def _verbs_of(name: str) -> tuple[str, ...]:
    return {"config": ("set", "init"), "keys": ("set", "remove")}.get(name, ())


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("toryo status", "/status"),
        ("$ toryo logs --follow 7682b3a8", "/logs --follow 7682b3a8"),
        ("toryo approve 7682", "/approve 7682"),
        ("toryo run 'Add a greeting'", "/run 'Add a greeting'"),
        ("toryo config init", "/config init"),
        ("toryo config set run.land merge", "/config set run.land merge"),
        ("toryo keys set openai", "/keys set openai"),
        ("toryo", "/help"),
        ("toryo repl", "/help"),
        ("land --merge", "/land --merge"),
        ("Logs T003", "/logs T003"),
        ("approve 7682b3a8", "/approve 7682b3a8"),
        ("toryo status shows too much", ""),
        ("toryo config is slow", ""),
        ("toryo lands nothing", ""),
        ("status of the export is wrong", ""),
        ("land the plane", ""),
        ("approve added faces", ""),
        ("rename x --json", ""),
        ("toryo status\nis wrong", ""),
    ],
)
def test_a_command_as_at_the_shell_or_without_its_slash_is_no_sentence(said: str, meant: str) -> None:
    assert as_elsewhere(said, _NAMES, _verbs_of) == meant


@given(st.text())
def test_a_line_is_nothing_or_a_command_or_an_instruction_or_a_slip(line: str) -> None:
    try:
        found = read(line)
    except ToryoError as error:
        assert error.code == "E151"
        return
    match found:
        case None:
            assert not line.strip()
        case Instruction(text):
            assert text == line.strip()
            assert not unicodedata.normalize("NFKC", text).startswith("/")
        case Typed(name):
            assert name == name.lower()


# ── commands ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("P41")
@pytest.mark.parametrize(
    ("said", "name", "rest"),
    [
        ("/status", "status", ""),
        ("  /STATUS  7682 ", "status", "7682"),
        ("／ｓｔａｔｕｓ　T003", "status", "T003"),
        ("/usr/lib/foo is broken", "usr/lib/foo", "is broken"),
        ("/", "", ""),
        ("/respond it's\nfine", "respond", "it's\nfine"),
    ],
)
def test_whatever_begins_with_a_slash_is_a_command(said: str, name: str, rest: str) -> None:
    assert read(said) == Typed(name, rest)


def test_words_are_split_as_a_shell_does_also_at_wide_blanks() -> None:
    assert Typed("logs", "T003　'a b'  --full").words == ["T003", "a b", "--full"]
    with pytest.raises(ToryoError, match="no closing quotation") as refused:
        _ = Typed("logs", "it's").words
    assert refused.value.code == "E150"


# ── words of one's own ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "flags", "rest"),
    [
        ("use the second option", [], "use the second option"),
        ("don't use quotes", [], "don't use quotes"),
        ("--only it's fine", ["--only"], "it's fine"),
        ("-y --why 'a b' rest", ["-y", "--why", "a b"], "rest"),
        ('--why="a \\"b\\"" rest', ['--why=a "b"'], "rest"),
        ("--why", ["--why"], ""),
        ("--unknown rest", ["--unknown"], "rest"),
        ("-- --only is a word here", [], "--only is a word here"),
        ("-1 is wrong", [], "-1 is wrong"),
        ("- a list", [], "- a list"),
        ("the flag --only", [], "the flag --only"),
        ("--only", ["--only"], ""),
    ],
)
def test_options_come_first(said: str, flags: list[str], rest: str) -> None:
    assert take_flags(said, OPTIONS) == (flags, rest)


@pytest.mark.parametrize(
    ("said", "words", "flags"),
    [
        ("'1b 2a'", "1b 2a", []),
        ('"it\'s"', "it's", []),
        ("'x y' --only", "x y", ["--only"]),
        ("'x y' --why z", "x y", ["--why", "z"]),
        ("'x' or 'y'", "'x' or 'y'", []),
        ("'x' --only then", "'x' --only then", []),
        ("don't", "don't", []),
        ("'", "'", []),
        ("", "", []),
    ],
)
def test_quotes_around_all_of_it_are_taken_off(said: str, words: str, flags: list[str]) -> None:
    assert take_words(said, OPTIONS) == (words, flags)


@given(st.text(min_size=1).filter(lambda text: not text.startswith(("-", "'", '"'))))
def test_other_words_stay_as_they_are(text: str) -> None:
    assert take_flags(text, OPTIONS) == ([], text)
    assert take_words(text, OPTIONS) == (text, [])


@given(st.text().filter(lambda text: "'" not in text))
def test_what_a_shell_would_quote_comes_out_as_it_was(text: str) -> None:
    assert take_words(f"'{text}'", OPTIONS) == (text, [])
    assert take_flags(f"--why {shlex.quote(text)} x", OPTIONS) == (["--why", text], "x")


def test_options_are_those_of_the_command() -> None:
    @click.command()
    @click.option("--why")
    @click.option("-y", "--yes", is_flag=True)
    @click.option("--on/--off")
    @click.argument("which")
    def command() -> None: ...

    assert options_of(command) == {"--why": True, "-y": False, "--yes": False, "--on": False, "--off": False}


# ── mentions ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("P46")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'toryo resume 1234' goes on", "/resume 1234 goes on"),
        ("toryo approve T003 --why '…', or toryo reject", "/approve T003 --why '…', or /reject"),
        ("next: toryo answer 1234 '1b 2a'", "next: /respond 1234 '1b 2a'"),
        ("'toryo answer 1234'", "/respond 1234"),
        ("run: toryo config init", "run: /init"),
        ("toryo config init --yes", "/init --yes"),
        ("see 'toryo config show'", "see /config show"),
        ("approved later with 'toryo\n    plan'", "approved later with /plan"),
        ("look ('toryo logs')", "look (/logs)"),
        # no command, or none of these
        ("toryo demo shows it", "toryo demo shows it"),
        ("toryo is a carpenter", "toryo is a carpenter"),
        ("toryo runs", "toryo runs"),
        ("toryo run-time", "toryo run-time"),
        ("toryo status.py", "toryo status.py"),
        ("mytoryo run", "mytoryo run"),
        ("./toryo run", "./toryo run"),
        ("`toryo run`", "`toryo run`"),
        ("pass show openai | toryo keys set openai", "pass show openai | toryo keys set openai"),
        (".git/toryo/logs", ".git/toryo/logs"),
    ],
)
def test_commands_are_mentioned_as_they_are_typed_here(text: str, expected: str) -> None:
    assert as_typed_here(text, NAMES) == expected


@given(st.text())
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert as_typed_here(text, NAMES) == text or "toryo" in text
    assert as_typed_here(f"toryo run {text.replace('toryo', '')}", ()) == f"toryo run {text.replace('toryo', '')}"


# ── what is kept ─────────────────────────────────────────────────────────────


@pytest.mark.covers("P24")
@pytest.mark.parametrize(
    "said",
    [
        "/keys set openai abc123",
        " /KEYS set openai abc123",
        "／keys　set　openai　abc123",
        "/key set openai abc123",
        "/keys abc123",
        "/keys set abc123",
        "keys set openai abc123",
        "key set anthropic: abc123",
        "toryo keys set openai abc123",
        "$ toryo keys set abc123",
    ],
)
def test_a_key_typed_in_the_line_is_kept_nowhere(said: str) -> None:
    assert "abc123" not in keepable(said)


@given(st.text())
def test_other_lines_are_kept_whole(line: str) -> None:
    assert keepable(line) == line or "key" in line.lower() or "／" in line
    ordinary = ("keys set openai", "toryo keys set openai", "keys set in the file are ignored", "toryo keys is slow")
    for said in ("/keys set openai", "/keys remove anthropic", "/keys", "/status T003", *ordinary):
        assert keepable(said) == said

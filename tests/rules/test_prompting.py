"""A program that stands at a question is recognised, and one that merely printed something is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.rules.prompting import prompt_in

OPEN = [
    "Continue? [y/N] ",
    "Continue? [Y/n]",
    "Overwrite 'a.py' (y/n)? ",
    "Proceed (yes/no)",
    "Proceed (yes/no/[fingerprint])? ",
    "[ y / n ]",
    "Are you sure you want to continue connecting (yes/no)?",
    "Do you trust the files in this folder?",
    "続けますか？",
    "Password: ",
    "Enter passphrase for key '/home/x/.ssh/id': ",
    "Username for 'https://example.org': ",
    "user name: ",
    "login: ",
    "Enter your name: ",
    "Token：",
    "Press any key to continue...",
    "Press ENTER",
]


@pytest.mark.covers("P34")
@pytest.mark.parametrize("prompt", OPEN)
def test_what_waits_for_somebody(prompt: str) -> None:
    assert prompt_in(prompt) == prompt.strip()
    assert prompt_in(f"building...\nready\n{prompt}") == prompt.strip(), "the last line alone is told"


@pytest.mark.parametrize("choice", ["Continue? [y/N]", "Proceed (yes/no)", "Overwrite (y/n/a)?"])
def test_a_choice_may_be_followed_by_a_line_break(choice: str) -> None:
    assert prompt_in(choice + "\n") == choice
    assert prompt_in(choice + "\r\n\n") == choice


@pytest.mark.parametrize("said", ["What is left to do?\n", "Password: \n", "Press any key\n", "login: \r\n"])
def test_anything_weaker_counts_only_while_the_cursor_stands_behind_it(said: str) -> None:
    assert prompt_in(said) == ""


@pytest.mark.covers("P34")
@pytest.mark.parametrize(
    "said",
    [
        "",
        "\n",
        "compiling",
        "compiling...",
        "done: 3 files",
        "Is it? Yes, it is.",
        "Continue? [y/N] y\ncompiling",
        "password: hunter2 accepted",
        "array[y/2]",
        "https://example.org/?q=1",
        "100%|██████████| 3/3",
    ],
)
def test_what_waits_for_nobody(said: str) -> None:
    assert prompt_in(said) == ""


def test_colours_and_titles_are_not_part_of_the_question() -> None:
    assert prompt_in("\x1b[1m\x1b[32m?\x1b[0m Continue? \x1b[2m[y/N]\x1b[0m \x1b[?25h") == "? Continue? [y/N]"
    assert prompt_in("\x1b]0;a title\x07Password: ") == "Password:"
    assert prompt_in("\x1b]0;a title\x1b\\Password: ") == "Password:"


def test_what_was_written_over_is_gone() -> None:
    assert prompt_in("Password: \rcompiling") == ""
    assert prompt_in("compiling\rPassword: ") == "Password:"


def test_a_question_without_end_is_cut_at_its_beginning() -> None:
    prompt = prompt_in("x" * 10_000 + " [y/N]")
    assert len(prompt) == 500
    assert prompt.endswith("x [y/N]")


@given(st.text(alphabet="ay/n[]()? \n\r\x1b:;m\x07", max_size=60))
def test_whatever_is_printed_it_is_one_line_or_nothing(tail: str) -> None:
    prompt = prompt_in(tail)
    assert "\n" not in prompt
    assert prompt == prompt.strip()
    assert prompt in tail or "\x1b" in tail


@pytest.mark.parametrize("word", ["[y/", "press a ", "\x1b]", "\x1b[", "password ", "enter a ", " "])
def test_a_line_without_end_is_looked_at_in_no_time(word: str) -> None:
    began = time.process_time()
    assert prompt_in(word * 5000) == ""
    assert time.process_time() - began < 1

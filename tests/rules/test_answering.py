"""What a person's answer to a batch of questions means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.planning import Answer, Question
from toryo.rules.answering import NotUnderstood, answers_from

FILE = Question("Which file?", "", ("a.txt", "b.txt"), "a.txt")
COLOUR = Question("Which colour?", "", ("red", "green", "blue"), "red")
OPEN = Question("Which place?")
BOTH = (FILE, COLOUR)


def given_by(text: str, *questions: Question) -> list[str]:
    return [answer.text for answer in answers_from(text, questions or BOTH)]


@pytest.mark.covers("G5")
def test_nothing_is_every_default() -> None:
    for text in ("", "  \n"):
        assert answers_from(text, BOTH) == (Answer("Which file?", "a.txt"), Answer("Which colour?", "red"))
        assert given_by(text, FILE, OPEN) == ["a.txt"], "what has no default is not answered"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("1b 2c", ["b.txt", "blue"]),
        ("2c", ["a.txt", "blue"]),
        ("1B, 2C", ["b.txt", "blue"]),
        ("1b、2c", ["b.txt", "blue"]),
        ("1b;2c", ["b.txt", "blue"]),
        ("1=b 2=c", ["b.txt", "blue"]),
        ("1.b 2)c", ["b.txt", "blue"]),
        ("1 b 2 c", ["b.txt", "blue"]),
        ("1. b, 2) c", ["b.txt", "blue"]),
        ("1b\n2c\n", ["b.txt", "blue"]),
        ("１b ２c", ["b.txt", "blue"]),
        ("1: my own file", ["my own file", "red"]),
        ("2: 青にして", ["a.txt", "青にして"]),
        ("1：別のファイル\n2c", ["別のファイル", "blue"]),
        ("1b\n2: 1a 2b", ["b.txt", "1a 2b"]),
        ("1: b\n2: C", ["b.txt", "blue"]),
        ("1a 1b", ["b.txt", "red"]),
    ],
)
def test_letters_and_own_words(text: str, answers: list[str]) -> None:
    assert given_by(text) == answers


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("3a", "there is no question 3"),
        ("0a", "there is no question 0"),
        ("3: what?", "there is no question 3"),
        ("1c", "'Which file?' has no option c"),
        ("b", "'b' is no answer: say '1b', or '1: your own words', each on a line"),
        ("the second one", "'the' is no answer"),
        ("1b and 2c", "'and' is no answer"),
        ("9" * 5000 + "a", "is no answer"),
        ("9" * 5000 + ": x", "is no answer"),
    ],
)
def test_what_fits_no_question_is_not_guessed_at(text: str, why: str) -> None:
    with pytest.raises(NotUnderstood) as error:
        answers_from(text, BOTH)
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("b", "b.txt"),
        ("B", "b.txt"),
        ("1b", "b.txt"),
        ("1 b", "b.txt"),
        ("1) b", "b.txt"),
        ("1: b", "b.txt"),
        ("1: another", "another"),
        ("another file, please", "another file, please"),
        ("two\nlines", "two\nlines"),
        ("b.txt", "b.txt"),
        ("", "a.txt"),
    ],
)
def test_one_question_needs_no_number(text: str, answer: str) -> None:
    assert given_by(text, FILE) == [answer]


def test_a_letter_that_is_no_option_is_a_slip_of_the_finger() -> None:
    for slip in ("c", "z", "X"):
        with pytest.raises(NotUnderstood, match=f"has no option {slip}"):
            given_by(slip, FILE)
    assert given_by("x", Question("Which axis?", "", ("y", "x"), "y")) == ["x"]


def test_an_open_question_takes_everything_as_it_is() -> None:
    assert given_by("b", OPEN) == ["b"]
    assert given_by("ログイン画面", OPEN) == ["ログイン画面"]
    assert given_by("", OPEN) == []


@given(st.text(), st.sampled_from([(), (FILE,), BOTH, (OPEN,), (FILE, OPEN)]))
def test_any_text_is_an_answer_or_not_understood(text: str, questions: tuple[Question, ...]) -> None:
    try:
        answers = answers_from(text, questions)
    except NotUnderstood as error:
        assert str(error)
    else:
        assert {answer.question for answer in answers} <= {question.text for question in questions}
        assert all(answer.text for answer in answers)

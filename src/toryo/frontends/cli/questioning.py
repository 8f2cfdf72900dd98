"""A batch of questions to the person at the terminal: Enter takes all defaults."""

import click

from toryo.domain.planning import Answer, Question
from toryo.frontends.cli.talking import note_secrets, say
from toryo.rules.answering import NotUnderstood, answers_from
from toryo.views.plan import question_lines


def ask_person(questions: tuple[Question, ...]) -> tuple[Answer, ...]:
    return answers_from(ask_in_words(questions), questions)


def ask_in_words(questions: tuple[Question, ...]) -> str:
    """Words that answer all of them, as `answers_from` reads them."""
    say("")
    for line in question_lines(questions):
        say(line)
    say("")
    while True:
        words = click.prompt(_how_to_answer(questions), default="", show_default=False, err=True)
        try:
            answers = answers_from(words, questions)
        except NotUnderstood as error:
            say(str(error))
            continue
        if answers:
            note_secrets(words)
            return str(words)
        say("this one has no default")


def _how_to_answer(questions: tuple[Question, ...]) -> str:
    if not any(question.options for question in questions):
        return "Your answer" if len(questions) == 1 else "Your answers, like 1: your own words"
    if len(questions) == 1:
        how = "a letter, or your own words"
        return f"Enter takes the default; or {how}" if questions[0].default else how.capitalize()
    how = "answer like 1b 2a, or 1: your own words"
    return f"Enter takes all defaults; or {how}" if all(q.default for q in questions) else how.capitalize()

"""Words of guessing, and what only looks like them."""

import pytest

from toryo.rules.speculation import MOST_GUESSES, guesses


@pytest.mark.covers("P15", "B11")
@pytest.mark.parametrize(
    "text",
    [
        "This should work.",
        "It should now pass.",
        "That should be fine now",
        "I think the login is right.",
        "I believe all tests are green.",
        "This is probably enough.",
        "Maybe the cache has to be cleared.",
        "- Perhaps it was the clock",
        "The retry might fail on Windows.",
        "It is most likely the parser.",
        "I'm not sure whether it is used anywhere.",
        "おそらく動作します。",
        "たぶん大丈夫です。",
        "これで直ったと思います。",
        "テストは通るはずです。",
        "問題ないかもしれません。",
    ],
)
def test_guesses_are_found(text: str) -> None:
    assert len(guesses(f"Done. {text}")) == 1, text


@pytest.mark.covers("P15")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "All 12 tests pass; the file hello.txt exists.",
        "Added a Maybe type and a function `maybe`.",
        "The user sees “This should work”.",
        'It prints "probably" now.',
        "```\n# this should work, I think\n```",
        "```\nan unclosed block: maybe",
        "> I think so",
        "The test test_might_fail is gone, and so is --maybe.",
        "You might want to look at the README.",
        "The function returns what it should.",
        "An almighty mighty string.",
        "見出しを「おそらく」に変えました。",
        "ネジをはずした。はずかしい誤字を直した。",
        "仕様は次のとおりでしょうか。",
        "多分岐の処理を整理した。",
    ],
)
def test_few_false_alarms(text: str) -> None:
    assert guesses(text) == (), text


def test_whole_sentences_are_shown_once_and_only_a_few() -> None:
    text = "Done. This should work. The rest is tested. " * 2 + "Maybe one. Maybe two. Maybe three."
    assert guesses(text)[0] == "This should work."
    assert len(guesses(text)) == MOST_GUESSES
    assert len(guesses("I think " + "very " * 500)[0]) < 200


def test_a_long_text_is_quick_to_look_at() -> None:
    assert guesses("`" * 50_000 + "'" * 50_000 + "「" * 50_000) == ()

"""Short things people say instead of commands."""

import pytest

from toryo.rules.phrases import means_go, wants_only_a_plan


@pytest.mark.covers("G12", "B11")
@pytest.mark.parametrize(
    "text",
    [
        "run it",
        "Run it!",
        " go ahead. ",
        "OK",
        "yes",
        "LGTM!!",
        "実行",
        "実行して。",
        "はい！",
        "お願いします",
        "承認します。",
    ],
)
def test_go(text: str) -> None:
    assert means_go(text)


@pytest.mark.parametrize(
    "text",
    ["", "no", "yes, but in blue", "do not run it", "go back", "実行しないで", "いいえ", "okay then change T001", "."],
)
def test_not_go(text: str) -> None:
    assert not means_go(text)


@pytest.mark.covers("G12", "B11")
@pytest.mark.parametrize("text", ["Add a flag. Only the plan, please.", "Dry run: add x", "ログインを追加、計画だけ"])
def test_only_a_plan(text: str) -> None:
    assert wants_only_a_plan(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Add a plan page",
        "Add a dry run flag",
        "Support --dry-run in export.",
        "計画を実行",
        "only the plan " + "x" * 2000,
    ],
)
def test_more_than_a_plan(text: str) -> None:
    assert not wants_only_a_plan(text)

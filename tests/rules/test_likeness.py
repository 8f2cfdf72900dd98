"""Two wishes are the same where their words are, in whatever order and form; a different wish is never lost for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.intent import Intent, IntentStatus
from toryo.rules.likeness import REMEMBERED, is_duplicate, likeness, most_related, remembered, words_of

TEXTS = st.text(st.sampled_from("abc déÉ日本語テスト。-_/.\n ABC123"), max_size=60)
DAY = 86400.0


def wish(title: str, body: str = "", status: IntentStatus = IntentStatus.PROPOSED, at: float = 0.0) -> Intent:
    return Intent(title, title, body, status=status, created_at=at)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Validate e-mail addresses at login", "validate  E-Mail addresses at login."),
        ("Validate email addresses at the login", "Validating email address at login"),
        ("ログイン時にメールアドレスを検証する", "ログイン時にメールアドレスを検証する。"),
        ("Tests", "tests"),
        ("ＡＰＩ を速くする", "API を速くする"),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert is_duplicate(one, "", [wish(other)])
    assert is_duplicate(other, "", [wish(one)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Validate email addresses at login", "Validate email addresses at sign-up and send a mail"),
        ("Fix the parser", "Fix the printer"),
        ("Add tests", "Add docs"),
        ("ログイン画面を直す", "設定画面を直す"),
        ("Remove the old parser", "Remove the old printer"),
    ],
)
def test_another_thing(one: str, other: str) -> None:
    assert not is_duplicate(one, "because of this", [wish(other, "because of this")])


@given(TEXTS, TEXTS)
def test_likeness_is_mutual_and_a_text_is_like_itself(one: str, other: str) -> None:
    a, b = words_of(one), words_of(other)
    assert likeness(a, b) == likeness(b, a)
    assert 0 <= likeness(a, b) <= 1
    assert likeness(a, a) == (1.0 if a else 0.0)


@given(TEXTS.filter(str.strip), st.lists(TEXTS, max_size=4))
def test_what_is_there_already_is_found_whatever_its_case_and_spaces(title: str, others: list[str]) -> None:
    listed = [wish(other) for other in others] + [wish(title)]
    assert (
        is_duplicate(f"  {title.upper().lower()} ", "", listed) or title.upper().lower().casefold() != title.casefold()
    )
    assert is_duplicate(title, "whatever", listed)


def test_open_and_recently_rejected_ones_are_remembered() -> None:
    now = 1000 * DAY
    known = [
        wish("open", status=IntentStatus.BLOCKED),
        wish("done", status=IntentStatus.DONE, at=now),
        wish("fresh", status=IntentStatus.REJECTED, at=now - REMEMBERED + DAY),
        wish("long ago", status=IntentStatus.REJECTED, at=now - REMEMBERED - DAY),
    ]
    assert [intent.title for intent in remembered(known, now)] == ["open", "fresh"]


@given(st.integers(0, 60), st.integers(1, 50))
def test_the_most_related_are_few_and_keep_their_order(count: int, most: int) -> None:
    listed = [wish(f"Matter {number}", at=number) for number in range(count)]
    chosen = most_related("Matter 7 and more", listed, most)
    assert len(chosen) == min(count, most)
    assert [one.created_at for one in chosen] == sorted(one.created_at for one in chosen)
    assert count <= 7 or listed[7] in chosen

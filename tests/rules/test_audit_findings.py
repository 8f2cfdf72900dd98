"""What becomes of what an audit found: one intent for each thing that is wrong, whoever saw it."""

import pytest

from toryo.domain.intent import AuditFinding, Intent, Severity
from toryo.rules.auditing import filed, ranked
from toryo.rules.instants import in_a_row
from toryo.views.audits import how_to_decide

NOW = 1_800_000_000.1239
AUDIT = "audit-of-src"


def found(title: str, focus: str = "", path: str = "src/login.py", line: int = 2, **more: object) -> AuditFinding:
    said = {"why": "A name is carried out.", "suggestion": "Pass a list.", **more}
    return AuditFinding(Severity.HIGH, path, line, title, focus=focus, **said)  # type: ignore[arg-type]


@pytest.mark.covers("A25")
def test_two_that_look_for_different_things_and_see_the_same_make_one_intent_of_it() -> None:
    first = found("A name is run as a command", "security")
    second = found("The name is run as command", "quality", line=3)
    findings, new = filed(ranked([first, second]), AUDIT, (), NOW)
    (intent,) = new
    assert [one.intent for one in findings] == [intent.slug, intent.slug]
    assert not any(one.is_known for one in findings)
    assert "Place: `src/login.py:2`, `src/login.py:3`." in intent.body
    assert how_to_decide(findings) == f"toryo approve {intent.slug}"
    assert filed(findings, AUDIT, new, NOW + 5) == (findings, new), "done again after an interruption"


@pytest.mark.covers("A25")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(found("A name is run as a command", "security", line=90), id="one who looks, another place"),
        pytest.param(found("A name is run as a command", "quality", path="src/other.py"), id="another file"),
        pytest.param(found("Passwords are printed in clear", "quality", why="They are."), id="another thing"),
    ],
)
def test_what_is_not_the_same_stays_apart(other: AuditFinding) -> None:
    findings, new = filed([found("A name is run as a command", "security"), other], AUDIT, (), NOW)
    assert len(new) == 2
    assert len({one.intent for one in findings}) == 2


@pytest.mark.covers("A25")
def test_where_an_open_intent_wants_what_one_of_them_says_both_are_known() -> None:
    open_ = Intent("run-a-list", "The name is run as command", "in src/login.py: A name is carried out. Pass a list.")
    pair = [found("A name is run as a command", "security"), found("The name is run as command", "quality")]
    findings, new = filed(pair, AUDIT, (open_,), NOW)
    assert new == ()
    assert [(one.intent, one.is_known) for one in findings] == [("run-a-list", True)] * 2


def test_intents_come_in_the_order_of_their_findings_and_none_from_the_future() -> None:
    titles = ("Passwords are printed", "Names are trusted", "Logs are never rotated")
    _, new = filed([found(title, why="", suggestion="") for title in titles], AUDIT, (), NOW)
    moments = [one.created_at for one in new]
    assert [one.title for one in new] == list(titles)
    assert moments == sorted(set(moments))
    assert max(moments) <= NOW
    assert in_a_row(3, NOW) == [1_800_000_000.121, 1_800_000_000.122, 1_800_000_000.123]
    assert in_a_row(0, NOW) == []

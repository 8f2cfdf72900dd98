"""What a pull request says."""

import pytest
from tests.support.sessions import a_session, integrate, planned

from toryo.domain.changing import changed
from toryo.domain.plan import TaskType
from toryo.domain.session import Session
from toryo.views.request import LONGEST_BODY, LONGEST_TITLE, About, request_body, request_title

_ABOUT = About(paths=("src/a.py",), added=3, removed=1)


def _titled(title: str, kind: TaskType = TaskType.IMPLEMENTATION) -> Session:
    session = a_session(planned("A", type=kind))
    return changed(integrate(session, "A"), title=title)


@pytest.mark.covers("G29")
@pytest.mark.parametrize(
    ("title", "kind", "wanted"),
    [
        ("Add an export", TaskType.IMPLEMENTATION, "feat: Add an export"),
        ("Fix the login", TaskType.IMPLEMENTATION, "fix: Fix the login"),
        ("ログインを修正する", TaskType.IMPLEMENTATION, "fix: ログインを修正する"),
        ("Explain the export", TaskType.DOCUMENTATION, "docs: Explain the export"),
        ("refactor(core)!: split it", TaskType.IMPLEMENTATION, "refactor(core)!: split it"),
        ("two\nlines \x1b[31m", TaskType.IMPLEMENTATION, "feat: two lines [31m"),
        ("", TaskType.IMPLEMENTATION, "feat: work"),
    ],
)
def test_titles_are_conventional(title: str, kind: TaskType, wanted: str) -> None:
    assert request_title(_titled(title, kind)) == wanted


def test_long_titles_are_cut_at_a_word() -> None:
    title = request_title(_titled("word " * 40))
    assert len(title) <= LONGEST_TITLE
    assert title.endswith("word…")
    assert len(request_title(_titled("長" * 200))) == LONGEST_TITLE


@pytest.mark.covers("A27")
def test_only_the_issue_it_came_from_is_referred_to() -> None:
    session = _titled("Resolves https://forge.test/a/b/issues/3, fixes #4 and GH-5 for @somebody")
    issue = "https://forge.test/a/b/issues/12"
    body = request_body(session, changed(_ABOUT, issue=issue, closes=12))
    assert body.endswith("\n\nCloses #12\n")
    head = body.removesuffix("Closes #12\n")
    for word in ("#4", "GH-5", "@somebody", "Resolves https://"):
        assert word not in head
    elsewhere = request_body(session, changed(_ABOUT, issue=issue))
    assert elsewhere.endswith(f"\n\nCame from {issue}\n")
    assert "Closes" not in elsewhere


def test_a_body_is_never_too_long_and_keeps_its_links() -> None:
    session = a_session(*(planned(f"T{number}", acceptance=("x" * 390,) * 20) for number in range(60)))
    body = request_body(session, changed(_ABOUT, paths=tuple(f"{n}" * 900 for n in range(90)), closes=7))
    assert LONGEST_BODY * 0.9 < len(body) < 65_536
    assert body.endswith("`toryo report`\n\nCloses #7\n")

"""Branches as rows and words: which come first, which are meant by what was typed, and how each stands."""

from collections.abc import Iterable, Sequence

from toryo.domain.branch import Branch, BranchSummary, Details, Work
from toryo.domain.facts import fact
from toryo.views.columns import clipped, columns, width
from toryo.views.finding import alike
from toryo.views.moments import date_time

CURRENT, RUNNING, CHECKED_OUT, PLAIN = "*", "▶", "+", " "
"""Marks: the main checkout's, one that somebody is at work on, one with a worktree, any other."""
LEGEND = ((CURRENT, "checked out"), (RUNNING, "at work"), (CHECKED_OUT, "has a worktree"))
_STEPS = ((60, "s"), (60, "min"), (24, "h"), (7, "d"), (52, "w"))
_MOST_WORDS = 60
_LONGEST_SUBJECT = 120
"""Cells: what else there is to know must not be far below."""
_DISTANCE, _CHANGES, _AGE = 9, 5, 6


@fact
class Row:
    """What a list shows of a branch, each a column."""

    mark: str
    name: str
    distance: str
    changes: str
    age: str
    work: str

    @property
    def cells(self) -> tuple[str, ...]:
        return self.mark, self.name, self.distance, self.changes, self.age, self.work


HEADS = Row("", "branch", "↑↓", "±", "age", "work")


def row_of(branch: Branch, now: float) -> Row:
    return Row(
        mark_of(branch), one_line(branch.name), distance_words(branch), changes_words(branch),
        "broken" if branch.broken else age_words(now - branch.committed_at), one_line(work_words(branch)),
    )  # fmt: skip


def mark_of(branch: Branch) -> str:
    if branch.is_current:
        return CURRENT
    if branch.is_running:
        return RUNNING
    return CHECKED_OUT if branch.worktree else PLAIN


def distance_words(branch: Branch) -> str:
    """`↑2 ↓1`; `=` where it stands at the same commit; empty: not counted, or there is nothing to count against."""
    if branch.ahead is None or branch.behind is None:
        return ""
    ahead = f"↑{short_count(branch.ahead)}" if branch.ahead else ""
    behind = f"↓{short_count(branch.behind)}" if branch.behind else ""
    return " ".join(filter(None, (ahead, behind))) or "="


def changes_words(branch: Branch) -> str:
    if branch.under_way:
        return "!" + (f"±{short_count(branch.changes)}" if branch.changes else "")
    return f"±{short_count(branch.changes)}" if branch.changes else ""


def work_words(branch: Branch) -> str:
    """Who is at work on it, or whose work it is."""
    if branch.broken:
        return f"broken: {branch.broken}"
    if branch.under_way:
        return f"{branch.under_way} is under way"
    if branch.by_hand:
        return f"{branch.by_hand}, started by hand"
    return whose_words(branch.work) if branch.work else ""


def whose_words(work: Work) -> str:
    what = f"{work.task} {work.task_title}" if work.task else work.title
    agent = f" ({work.agent})" if work.is_running and work.agent else ""
    return f"{work.state}{agent}: {what}"


def short_count(count: int) -> str:
    return str(count) if count < 1000 else f"{count // 1000}k"


def age_words(seconds: float) -> str:
    """The largest unit that matters: `now`, `5 min`, `3 h`, `2 d`, `7 w`, `2 y`."""
    amount = max(seconds, 0.0)
    for size, unit in _STEPS:
        if amount < size:
            return "now" if unit == "s" else f"{int(amount)} {unit}"
        amount /= size
    return f"{int(max(amount, 1))} y"


def one_line(text: str) -> str:
    """Names and subjects are others' text."""
    from toryo.views.screen import clean

    return " ".join(clean(text).split())


# ── which, and in what order ─────────────────────────────────────────────────


def ordered(branches: Iterable[Branch]) -> tuple[Branch, ...]:
    """The one that is checked out, then where somebody is at work, then the latest first."""
    return tuple(sorted(branches, key=_place))


def _place(branch: Branch) -> tuple[bool, bool, float, str]:
    return not branch.is_current, not branch.is_running, -branch.committed_at, branch.name


def matching(branches: Iterable[Branch], words: str) -> tuple[Branch, ...]:
    """Those in which every word is found, in whatever is known about them; the order stays. Case does not matter.

    `:agent`, `:running`, `:dirty`, `:ahead`, `:worktree` stand for what they say; `-` before a word for its contrary.
    """
    wanted = alike(words).split()
    return tuple(branch for branch in branches if all(_has(branch, word) for word in wanted))


def _has(branch: Branch, word: str) -> bool:
    if len(word) > 1 and word.startswith("-"):
        return not _has(branch, word[1:])
    match word:
        case ":agent":
            return branch.is_agents
        case ":running":
            return branch.is_running
        case ":dirty":
            return bool(branch.changes)
        case ":ahead":
            return bool(branch.ahead)
        case ":worktree":
            return bool(branch.worktree)
    return word in alike(_known(branch))


def _known(branch: Branch) -> str:
    work = branch.work
    about = (work.session, work.title, work.task, work.task_title, work.state, work.agent) if work else ()
    return "\n".join((branch.name, branch.subject, branch.author, branch.commit, branch.by_hand, *about))


# ── the list, for who has no table of their own ──────────────────────────────


def branch_lines(branches: Sequence[Branch], room: int, now: float) -> list[str]:
    """Aligned columns no wider than the room; the name and what it is about give way."""
    rows = [row_of(branch, now) for branch in branches]
    fixed = 1 + _DISTANCE + _CHANGES + _AGE + 2 * 5
    widest = max((width(row.name) for row in rows), default=0)
    has_work = any(row.work for row in rows)
    for_name = min(widest, max((room - fixed) * (3 if has_work else 5) // 5, 12))
    for_work = max(room - fixed - for_name, 0)
    return [
        "  ".join(
            (
                row.mark,
                _padded(row.name, for_name),
                _padded(row.distance, _DISTANCE),
                _padded(row.changes, _CHANGES),
                _padded(row.age, _AGE),
                clipped(row.work, for_work) if for_work else "",
            )
        ).rstrip()
        for row in rows
    ]


def _padded(text: str, cells: int) -> str:
    shown = clipped(text, cells)
    return shown + " " * (cells - width(shown))


# ── the panels ───────────────────────────────────────────────────────────────


def facts_about(details: Details, now: float) -> list[tuple[str, str]]:
    """A word and what it says, in the order in which a person wants to know."""
    branch = details.branch
    work = branch.work
    found = [
        ("last commit", f"{branch.commit[:8]} {clipped(one_line(branch.subject), _LONGEST_SUBJECT)}"),
        ("", f"{branch.author}, {date_time(branch.committed_at)} ({age_words(now - branch.committed_at)})"),
        ("compared to", _compared_words(branch)),
        ("merged", details.merged),
        ("worktree", _worktree_words(branch)),
        ("task", f"{work.task} {work.task_title}: {work.state}" if work and work.task else ""),
        ("session", f"{work.session} {work.title}" + ("" if work.task else f": {work.state}") if work else ""),
        ("agent", f"{branch.by_hand}, started by hand" if branch.by_hand else work.agent if work else ""),
        *details.task,
    ]
    return [(word, one_line(says)) for word, says in found if says]


def _compared_words(branch: Branch) -> str:
    if not branch.compared_to:
        return ""
    kind = " (upstream)" if branch.upstream else ""
    if branch.ahead is None or branch.behind is None:
        return f"{branch.compared_to}{kind}"
    told = [f"{count} {word}" for count, word in ((branch.ahead, "ahead"), (branch.behind, "behind")) if count]
    return f"{branch.compared_to}{kind}: {', '.join(told) or 'the same'}"


def _worktree_words(branch: Branch) -> str:
    if not branch.worktree:
        return ""
    state = [branch.under_way and f"{branch.under_way} is under way"]
    if branch.changes is not None:
        state.append(f"{branch.changes} not committed" if branch.changes else "clean")
    told = ", ".join(filter(None, state))
    return f"{branch.worktree} ({told})" if told else branch.worktree


def commit_lines(details: Details, room: int, now: float) -> list[str]:
    rows = [
        (one.id, age_words(now - one.at), one_line(one.author), one_line(one.subject)[: _MOST_WORDS * 2])
        for one in details.commits
    ]
    return [*columns(rows, room=room), *_and_more(details.more_commits, "commit")]


def file_lines(details: Details, room: int) -> list[str]:
    """`+12 -3  path`, the lines of numbers one under the other."""
    rows = [(_signed("+", one.added), _signed("-", one.removed), one_line(one.path)) for one in details.files]
    return [*columns(rows, room=room), *_and_more(details.more_files, "file")]


def total_words(details: Details) -> str:
    files = len(details.files) + details.more_files
    commits = len(details.commits) + details.more_commits
    return f"{_count(commits, 'commit')}, {_count(files, 'file')}, +{details.added} -{details.removed}"


def change_lines(details: Details, room: int) -> list[str]:
    """As git says it: in the first column what is staged, in the second what is not."""
    told = [line[:3] + clipped(one_line(line[3:]), max(room - 3, 1)) for line in details.changes]
    return told + _and_more(details.more_changes, "path")


def summary_note(summary: BranchSummary, now: float) -> str:
    """What stands under a summary: who said it, and when."""
    return one_line(f"{summary.model}, {summary.commit[:8]}, {age_words(now - summary.at)}")


def _signed(sign: str, count: int | None) -> str:
    return "bin" if count is None else f"{sign}{count}"


def _and_more(count: int, noun: str) -> list[str]:
    return [f"… and {_count(count, f'more {noun}')}"] if count else []


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"

"""Planned tasks written as a list, and read back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.adapters.tasklists.reading import read_tasklist
from toryo.domain.plan import PlannedTask
from toryo.domain.tasklist import TaskList
from toryo.views.tasklist import tasklist_text


def task(key: str, title: str = "Do it", *depends_on: str, **more: object) -> PlannedTask:
    return PlannedTask(key, title, "scripted", depends_on=depends_on, **more)  # type: ignore[arg-type]


@pytest.mark.covers("G8")
def test_it_looks_like_spec_kit() -> None:
    tasks = [
        task("T001", "Set up"),
        task("T002", "Parse", "T001", acceptance=("rejects *nothing*",), expect=("src/parse.py",)),
        task("T003", "Print", "T001", description="Plain text.\n\n- [ ] T009 not a task"),
        task("T004", "Join", "T002", "T003"),
    ]
    assert tasklist_text("The [tool]", tasks) == (
        "# Tasks: The \\[tool\\]\n"
        "\n"
        "- [ ] T001 Set up\n"
        "- [ ] T002 [P] Parse (depends on T001)\n"
        "  - Acceptance: rejects \\*nothing\\*\n"
        "  - Files: `src/parse.py`\n"
        "- [ ] T003 [P] Print (depends on T001)\n"
        "\n"
        "  > Plain text.\n"
        "  >\n"
        "  > - [ ] T009 not a task\n"
        "- [ ] T004 Join (depends on T002, T003)\n"
    )


def test_phases_are_headings_and_need_not_wait_for_each_other() -> None:
    tasks = [task("T001"), task("T002", "B", "T001"), task("T003", "C"), task("T004", "D")]
    text = tasklist_text("List", tasks, {"Base": ["T001", "T002"], "Other": ["T003"]})
    assert "## Phase 1: Base\n\n- [ ] T001 Do it\n- [ ] T002 B (depends on T001)" in text
    assert text.endswith(
        "## Dependencies\n\n"
        "- **Phase 2**: No dependencies, but for those of its tasks\n"
        "- **Phase 3**: No dependencies, but for those of its tasks\n"
    )
    assert before(read_tasklist(text)) == {"T001": set(), "T002": {"T001"}, "T003": set(), "T004": set()}


def before(tasklist: TaskList) -> dict[str, set[str]]:
    return _closed({entry.key: entry.depends_on for entry in tasklist.entries})


def _closed(edges: dict[str, tuple[str, ...]]) -> dict[str, set[str]]:
    closed: dict[str, set[str]] = {}

    def of(key: str) -> set[str]:
        if key not in closed:
            closed[key] = set(edges[key]).union(*(of(other) for other in edges[key]))
        return closed[key]

    return {key: of(key) for key in edges}


TITLES = st.text(
    alphabet=st.sampled_from("abc XYZ019 .,:;-_*`[]()<>#!?/\\~|&@'\"あ索検引é→✓"), min_size=1, max_size=60
).filter(lambda title: title.strip() and any(letter.isalpha() for letter in title))
USUAL_KEYS = st.lists(st.integers(1, 999).map("T{:03}".format), min_size=1, max_size=8, unique=True)
ANY_KEYS = st.lists(st.from_regex(r"[A-Za-z0-9._-]{1,12}", fullmatch=True), min_size=1, max_size=8, unique=True)


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[PlannedTask], dict[str, list[str]]]:
    keys = draw(USUAL_KEYS | ANY_KEYS)
    tasks = [
        task(
            key,
            draw(TITLES),
            *draw(st.lists(st.sampled_from(keys[:place]), unique=True, max_size=3) if place else st.just([])),
            acceptance=tuple(draw(st.lists(TITLES, max_size=2))),
            description=draw(st.sampled_from(["", "Some words.\n\n- [ ] T001 and a box\n```\ncode"])),
            expect=tuple(draw(st.lists(st.just(f"src/file{place}.py"), max_size=1))),
        )
        for place, key in enumerate(keys)
    ]
    split = draw(st.integers(0, len(keys)))
    phases = {"First": keys[:split], "Second": keys[split:]} if draw(st.booleans()) else {}
    return draw(st.permutations(tasks)) if not phases else tasks, phases


@pytest.mark.covers("G8")
@given(plans())
@settings(max_examples=120, deadline=None)
def test_what_is_written_reads_as_the_same_keys_titles_and_order(
    drawn: tuple[list[PlannedTask], dict[str, list[str]]],
) -> None:
    tasks, phases = drawn
    text = tasklist_text("A plan", tasks, phases)
    found = read_tasklist(text)
    assert not found.errors, text
    assert {entry.key: entry.title for entry in found.entries} == {
        each.key: " ".join(each.title.split()) for each in tasks
    }, text
    assert before(found) == _closed({each.key: each.depends_on for each in tasks}), text
    assert read_tasklist(text).title == "A plan"

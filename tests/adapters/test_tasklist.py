"""Lists of tasks as people and other tools write them."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.adapters.tasklists.file import MOST_BYTES, load_tasklist, remark_lines, tick
from toryo.adapters.tasklists.reading import read_tasklist
from toryo.domain.errors import ToryoError
from toryo.domain.tasklist import Entry, Remark, TaskList

FOLDER = Path(__file__).parent / "tasklists"
SAMPLES = sorted(FOLDER.glob("*.md"))


def read(name: str) -> TaskList:
    return read_tasklist((FOLDER / f"{name}.md").read_text(encoding="utf-8"), name)


def entry(tasklist: TaskList, key: str) -> Entry:
    return next(each for each in tasklist.entries if each.key == key)


def waits(tasklist: TaskList) -> dict[str, tuple[str, ...]]:
    return {each.key: each.depends_on for each in tasklist.entries if not each.is_done}


def said(tasklist: TaskList) -> list[tuple[int, str]]:
    return [(remark.line, remark.text) for remark in tasklist.remarks]


def errors(text: str) -> list[tuple[int, str]]:
    return [(remark.line, remark.text) for remark in read_tasklist(text).errors]


def listed(*tasks: str) -> str:
    return "\n".join(f"- [ ] {task}" for task in tasks) + "\n"


# ── spec-kit ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("G8")
def test_the_phases_and_stories_of_spec_kit() -> None:
    tasklist = read("spec-kit")
    assert tasklist.title == "Reader"
    assert [phase.title.split(":")[0] for phase in tasklist.phases] == [
        "Phase 1",
        "Phase 2",
        "Phase 3",
        "Phase 4",
        "Phase N",
    ]
    assert tasklist.phases[2].text == "**Goal**: People can log in"
    assert "Foundation ready" in tasklist.phases[1].text
    assert entry(tasklist, "T012").story == "US1"
    assert entry(tasklist, "T014").title == "Implement service in src/services/login.py"
    assert entry(tasklist, "T014").paths == ("src/services/login.py",)
    assert entry(tasklist, "T001").is_done


@pytest.mark.covers("G8")
def test_the_order_of_spec_kit() -> None:
    assert waits(read("spec-kit")) == {
        "T002": (),
        "T003": ("T002",),
        "T004": ("T003",),
        "T005": ("T004",),
        "T006": ("T004",),
        "T007": ("T005", "T006"),
        "T010": ("T007",),
        "T011": ("T007",),
        "T012": ("T010", "T011"),
        "T013": ("T012",),  # the same file
        "T014": ("T013",),
        "T018": ("T007",),  # stories run beside each other
        "T021": ("T014", "T018"),  # the same file
        "T022": ("T021",),
        "T023": ("T022",),
    }


@pytest.mark.covers("G8")
def test_what_is_unclear_in_spec_kit_is_said_with_its_lines() -> None:
    tasklist = read("spec-kit")
    assert not tasklist.errors
    assert said(tasklist) == [
        (44, "T013 touches the same file as T012 (line 43), so it waits for it"),
        (50, "T021 touches the same file as T014 (line 45), so it waits for it"),
        (54, "has no id; the task is called T022"),
        (55, "has no id; the task is called T023"),
        (76, "a general rule about the order, not about single tasks; the written order is kept"),
    ]
    assert tasklist.remarks[-1].last_line == 79


# ── others ───────────────────────────────────────────────────────────────────


@pytest.mark.covers("G8", "B11")
def test_japanese() -> None:
    tasklist = read("japanese")
    assert tasklist.title == "検索機能"
    assert waits(tasklist) == {
        "T002": (),
        "T003": (),
        "T004": ("T002", "T003"),
        "T005": ("T002", "T003"),
        "T006": ("T004", "T005"),
        "T007": ("T006",),
        "T008": ("T007",),
        "T009": ("T003",),
        "T010": ("T008", "T009"),
    }
    assert entry(tasklist, "T006").title == "`src/index.ts` に索引を実装する"
    assert tasklist.remarks == ()


def test_an_outline_of_numbers_with_groups() -> None:
    tasklist = read("kiro")
    assert waits(tasklist) == {
        "2.1": (),
        "2.2": ("2.1",),
        "2.3": ("2.1",),
        "2.4": ("2.2", "2.3"),
        "3.1": ("2.4",),
        "3.2": ("3.1",),
    }
    assert "Reject empty titles" in entry(tasklist, "2.1").text
    assert entry(tasklist, "2.1").text.startswith("Part of 2: Data model")
    assert (7, "2 stands for 2.1, 2.2, 2.3, 2.4, and is not done by itself") in said(tasklist)
    assert (17, "the task is marked as optional; it is done like the others") in said(tasklist)
    assert (23, "the mark [-] is not known; the task counts as open") in said(tasklist)


def test_a_list_without_ids() -> None:
    tasklist = read("github-issue")
    assert [(each.key, each.line, each.is_done) for each in tasklist.entries] == [
        ("T001", 5, True),
        ("T002", 6, False),
        ("T003", 7, False),
        ("T004", 10, True),
        ("T005", 11, False),
    ]
    assert entry(tasklist, "T002").title == "Remove the `/v1/users` route, see the discussion"
    assert entry(tasklist, "T003").text.endswith("* what replaces it\n* [ ] mention the date")
    assert waits(tasklist) == {"T002": (), "T003": ("T002",), "T005": ("T003",)}
    assert said(tasklist) == [(17, "a checkbox under 'Acceptance criteria' is taken for a criterion, not for a task")]


def test_what_stands_below_a_task() -> None:
    tasklist = read("nested")
    assert waits(tasklist) == {"T1": (), "T2": ("T1",), "T3": ("T2",), "T4": ("T3",), "T5": ("T4",)}
    text = entry(tasklist, "T1").text
    assert "reads a header" in text and "[ ] with tests" in text and "Report" not in text
    assert "with their numbers" in entry(tasklist, "T2").text
    assert entry(tasklist, "T2").text.startswith("Belongs to T1: Build the importer")


def test_tables_code_comments_and_quotations_hold_no_tasks_and_are_mentioned() -> None:
    tasklist = read("table")
    assert [each.key for each in tasklist.entries] == ["T001"]
    assert [(remark.line, remark.last_line, remark.text) for remark in tasklist.remarks] == [
        (5, 8, "tasks in a table are not read"),
        (12, 15, "tasks in a code block are not read"),
        (17, 19, "tasks in a comment or HTML block are not read"),
        (21, 0, "a checkbox in a quotation is not taken for a task"),
        (23, 23, "tasks in a code block are not read"),
    ]


def test_ids_of_all_sorts() -> None:
    tasklist = read("ids")
    assert [(each.key, each.title) for each in tasklist.entries[:13]] == [
        ("T-001", "With a dash"),
        ("TASK-12", "Longer"),
        ("T003", "In code"),
        ("T004", "In brackets"),
        ("T005", "With a full stop"),
        ("T006a", "With a letter"),
        ("Task-7", "Spelled out"),
        ("T008", "With a dash behind"),
        ("T009", "Struck through"),
        ("T010", "Without a blank"),
        ("FE-1", "Of a tracker"),
        ("FE-2", "Of the same tracker"),
        ("T017", "S3 bucket for uploads"),
    ]
    assert [(each.story, each.is_parallel) for each in tasklist.entries[-4:]] == [
        ("login", True),
        ("US2", True),
        ("", True),
        ("", True),
    ]
    assert (9, "'Task 7' cannot be a key; the task is called Task-7") in said(tasklist)


def test_dependencies_in_prose() -> None:
    tasklist = read("dependencies")
    assert waits(tasklist) == {
        "T001": (),
        "T002": ("T001",),
        "T003": ("T002",),
        "T004": ("T003",),
        "T005": ("T004",),
        "T006": ("T005",),  # unclear, so it keeps its place
        "T007": ("T006",),
        "T008": ("T007",),
        "T009": ("T006",),
        "T010": ("T009",),
        "T011": ("T008", "T010"),
        "T012": ("T004",),
    }
    assert [line for line, _ in said(tasklist)] == [18, 30]


def test_headings_with_ids_are_tasks_where_no_checkbox_is() -> None:
    tasklist = read("headings")
    assert waits(tasklist) == {"T-1": (), "T-2": ("T-1",)}
    assert "answers within a second" in entry(tasklist, "T-1").text
    assert entry(tasklist, "T-1").paths == ("src/service.ts",)
    with pytest.raises(ToryoError, match="has no checkbox"):
        tick((FOLDER / "headings.md").read_text(), "T-1")


def test_a_mixture() -> None:
    tasklist = read("mixed")
    assert [each.key for each in tasklist.entries] == ["T001", "T005", "T002", "T003", "T004"]
    assert said(tasklist) == [
        (8, "has no id; the task is called T005"),
        (10, "T002 is the same task as on line 9, and is read once"),
        (11, "a checkbox without any text is left out"),
        (16, "this checkbox is not understood, and is no task"),
        (22, "a checkbox under 'Validation Checklist' is taken for a criterion, not for a task"),
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("T003 depends on T001", {"T003": ("T001",)}),
        ("T003 requires T001 and T002", {"T003": ("T001", "T002")}),
        ("T001-T002 block T003", {"T003": ("T001", "T002")}),
        ("T001 blocks T003, T004 (they import it)", {"T003": ("T001",), "T004": ("T001",)}),
        ("T001 → T002 → T003", {"T002": ("T001",), "T003": ("T002",)}),
        ("T001 --> T002", {"T002": ("T001",)}),
        ("T004 ← T001", {"T004": ("T001",)}),
        ("T002 before T003", {"T003": ("T002",)}),
        ("Tests (T001-T002) before implementation (T003-T004)", {"T003": ("T001", "T002"), "T004": ("T001", "T002")}),
        ("**T002**: after `T001`", {"T002": ("T001",)}),
        ("T004: T001, T002に依存", {"T004": ("T001", "T002")}),
        ("T002はT001の後", {"T002": ("T001",)}),
        ("T001はT002の前提", {"T002": ("T001",)}),
        ("T001〜T002が完了したらT003を開始", {"T003": ("T001", "T002")}),
        ("T003 does not depend on T001", {}),
        ("T003はT001に依存しない", {}),
        ("T001 blocks everything", {"T002": ("T001",), "T003": ("T001",), "T004": ("T001",)}),
        ("T1 and T2 can run in parallel", {}),
    ],
)
def test_sentences_of_a_section_about_dependencies(sentence: str, expected: dict[str, tuple[str, ...]]) -> None:
    tasks = listed("T001 [P] A", "T002 [P] B", "T003 [P] C", "T004 [P] D")
    tasklist = read_tasklist(f"# List\n\n## Work\n\n{tasks}\n## Dependencies\n\n- {sentence}\n")
    assert {key: earlier for key, earlier in waits(tasklist).items() if earlier} == expected
    assert not tasklist.errors


def test_phases_of_the_dependency_section_override_the_written_order() -> None:
    phases = "".join(f"## Phase {n}: {name}\n\n{listed(f'T00{n} Do')}\n" for n, name in enumerate("ABCD", 1))
    section = "## Dependencies\n\n- Phase 3 depends on Phase 1\n- Phase 2: no dependencies\n"
    assert waits(read_tasklist(phases + section)) == {
        "T001": (),
        "T002": (),
        "T003": ("T001",),
        "T004": ("T002", "T003"),
    }
    assert waits(read_tasklist(phases))["T003"] == ("T002",)


def test_a_drawn_graph_is_not_understood_and_takes_the_parallelism_away() -> None:
    tasks = listed("T001 [P] A", "T002 [P] B")
    drawn = "```\nT001 ─┬─> T002\n      └─> T002\n```\n"
    tasklist = read_tasklist(f"## Work\n\n{tasks}\n## Dependencies\n\n{drawn}")
    assert waits(tasklist)["T002"] == ("T001",)
    assert "is not understood" in tasklist.remarks[0].text


def test_a_task_that_depends_on_a_later_one_waits_for_it() -> None:
    tasklist = read_tasklist(listed("T001 A (depends on T003)", "T002 B", "T003 C"))
    assert waits(tasklist) == {"T003": (), "T001": ("T003",), "T002": ("T001",)}
    assert said(tasklist) == [(1, "T001 depends on T003, which is written later (line 3); it goes first")]


def test_a_task_does_not_wait_for_the_story_it_belongs_to() -> None:
    tasklist = read_tasklist(listed("T001 [P] [US1] A", "T002 [P] [US1] B requires US1", "T003 [P] C (after US1)"))
    assert waits(tasklist) == {"T001": (), "T002": ("T001",), "T003": ("T002",)}
    assert [line for line, _ in said(tasklist)] == [2]


def test_a_title_that_speaks_of_dependencies_makes_no_section_of_them() -> None:
    text = "# Dependencies of the parser\n\n- [ ] T001 A\n- [ ] T002 B\n  - T001 before T002 and T009\n"
    assert errors(text) == [(5, "there is no task 'T009'")]
    assert errors(text.replace("T001 before T002 and T009", "models before services")) == []


def test_nobody_waits_for_what_is_done() -> None:
    text = "- [x] T001 A\n- [ ] T002 B (depends on T001)\n- [X] T003 C\n- [ ] T004 D (after T003)\n"
    assert waits(read_tasklist(text)) == {"T002": (), "T004": ("T002",)}


# ── errors ───────────────────────────────────────────────────────────────────


@pytest.mark.covers("G36")
def test_a_circle_is_an_error_with_its_lines() -> None:
    found = errors(listed("T001 A (depends on T002)", "T002 B (after T003)", "T003 C (blocked by T001)"))
    assert found == [(1, "circular dependency: T001 → T002 → T003 → T001 (lines 1, 2, 3)")]


def test_phases_that_wait_for_each_other_are_an_error() -> None:
    text = "## Phase 1: A\n\n- [ ] T001 A\n\n## Phase 2: B\n\n- [ ] T002 B\n\n## Dependencies\n\n"
    found = errors(f"{text}- Phase 1 depends on Phase 2\n- Phase 2 depends on Phase 1\n")
    assert [line for line, _ in found] == [11]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (listed("T001 A", "T002 B (depends on T009)"), 2, "there is no task 'T009'"),
        (listed("T001 A", "T002 B (depends on T001-T009)"), 2, "there is no task 'T009'"),
        (listed("T001 A", "T001 B"), 2, "T001 is used twice for different tasks; first on line 1"),
        (listed("T001 A depends on T001"), 1, "T001 depends on itself"),
        ("# Nothing\n", 1, "there is no task in this file"),
        ("", 1, "there is no task in this file"),
        (f"## A\n\n{listed('T001 A')}\n## Dependencies\n\nT007 blocks T001.\n", 7, "there is no task 'T007'"),
    ],
)
def test_what_stops_a_run(text: str, line: int, words: str) -> None:
    found = errors(text)
    assert len(found) == 1
    assert found[0][0] == line
    assert words in found[0][1]


def test_errors_come_all_at_once_as_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "tasks.md"
    path.write_text(listed("T001 A (depends on T008)", "T002 B (depends on T009)"))
    with pytest.raises(ToryoError) as caught:
        load_tasklist(path)
    assert caught.value.code == "E115"
    assert caught.value.details == (f"{path}:1: there is no task 'T008'", f"{path}:2: there is no task 'T009'")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe- [ ] T001", "E115"),
        (b"- [ ] T001 A\n\0", "E115"),
        (b"x" * (MOST_BYTES + 1), "E116"),
        (b"\n" * 100_000, "E116"),
        (b"- [ ] T001 " + b"depends on " * 1_000, "E116"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "tasks.md"
    path.write_bytes(content)
    with pytest.raises(ToryoError) as caught:
        load_tasklist(path)
    assert caught.value.code == code


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.md", tmp_path):
        with pytest.raises(ToryoError) as caught:
            load_tasklist(path)
        assert caught.value.code == "E116"


def test_remarks_about_several_lines_name_both_ends() -> None:
    remarks = (Remark(3, "one\x1b[31m"), Remark(5, "several", last_line=8))
    assert remark_lines(remarks, Path("tasks.md")) == ["tasks.md:3: one�[31m", "tasks.md:5-8: several"]


# ── bytes ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_line_ends_and_a_byte_order_mark_change_nothing(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    plain = read_tasklist(text)
    assert read_tasklist(text.replace("\n", "\r\n")) == plain
    assert read_tasklist(text.replace("\n", "\r")) == plain
    assert read_tasklist("\ufeff" + text) == plain


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_ticking_changes_one_character(path: Path, line_end: str) -> None:
    text = path.read_text(encoding="utf-8").replace("\n", line_end)
    for each in read_tasklist(text).open_entries:
        if not each.has_checkbox:
            continue
        ticked = tick(text, each.key)
        before, after = text.split("\n"), ticked.split("\n")
        changed = [number for number, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
        assert changed == [each.line]
        assert re.sub(r"\[x\]", "[ ]", after[each.line - 1], count=1) in (
            before[each.line - 1],
            before[each.line - 1].replace("[-]", "[ ]"),
        )
        assert entry(read_tasklist(ticked), each.key).is_done
        assert tick(ticked, each.key) == ticked


def test_ticking_what_is_not_there() -> None:
    with pytest.raises(ToryoError, match="no task 'T009'"):
        tick("- [ ] T001 A\n", "T009")


# ── anything at all ──────────────────────────────────────────────────────────

CHECKBOX_LINE = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]")

FRAGMENTS = st.sampled_from(
    [
        "- [ ] T001 One",
        "* [x] T002 [P] Two (depends on T001)",
        "  - [ ] T003 Three in `src/a.py`",
        "    - [ ] four",
        "\t+ [X] T005 after T001",
        "1. [ ] 1.1 Numbered",
        "   - [ ] 1.2 Below",
        "> - [ ] quoted",
        "```",
        "~~~",
        "<!--",
        "-->",
        "<details>",
        "| T001 | [ ] |",
        "|---|---|",
        "## Phase 1: Setup",
        "### Tests",
        "## Dependencies",
        "- T001 blocks T002",
        "- Phase 1 depends on Phase 2",
        "T001 → T002 → T001",
        "---",
        "===",
        "",
        "text",
        "    indented",
        "[ ] bare",
        "T003に依存",
    ]
)


def accounted_for(text: str) -> None:
    tasklist = read_tasklist(text)
    covered = {line for each in tasklist.entries for line in range(each.line, max(each.line, each.last_line) + 1)}
    covered |= {line for each in tasklist.remarks for line in range(each.line, max(each.line, each.last_line) + 1)}
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if CHECKBOX_LINE.match(line):
            assert number in covered, (number, line)
    keys = [each.key for each in tasklist.entries]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch("[A-Za-z0-9._-]{1,64}", key) for key in keys)
    assert {key for each in tasklist.entries for key in each.depends_on} <= {
        each.key for each in tasklist.entries if not each.is_done
    }


@pytest.mark.covers("G8")
@given(st.lists(FRAGMENTS | st.text(max_size=30), max_size=25))
@settings(max_examples=200, deadline=None)
def test_every_checkbox_is_accounted_for(fragments: list[str]) -> None:
    accounted_for("\n".join(fragments))


@given(st.text(alphabet="-[ ]xT01P*#|`>\n\t.:()<!→に依存Phase", max_size=200))
@settings(max_examples=200, deadline=None)
def test_nothing_makes_it_stumble(text: str) -> None:
    accounted_for(text)


def test_what_is_meant_to_hurt_does_not() -> None:
    begin = time.perf_counter()
    for text in (
        "- " * 50_000,
        "> " * 50_000,
        "[" * 100_000,
        "- [ ] T001 " + "(" * 50_000,
        "- [ ] T001 " + "[P] " * 20_000,
        "- [ ] T001 " + "a/" * 50_000,
        "- [ ] T001 depends on " + "T001, " * 2_000,
        "- [ ] T001 " + "*" * 50_000 + "`" * 9_999,
        "## Dependencies\n\n- " + "T001 → " * 3_000,
        "".join("  " * depth + "- [ ] x\n" for depth in range(500)),
        "---\n" * 10_000,
        listed(*(f"T{n:04} [P] Do" for n in range(3_000))) + "\n## Dependencies\n\n- T0000-T1499 block T1500-T2999\n",
    ):
        read_tasklist(text)
    assert time.perf_counter() - begin < 20


def test_five_thousand_lines_are_quick() -> None:
    task = (
        "- [ ] T{n:03} {mark}Write part {n} in `src/part{n}.py` (depends on T001)\n  - as described\n  - with care\n\n"
    )
    about = "Some words about the phase, over several lines.\n" * 250
    text = "".join(
        f"## Phase {phase}: Part {phase}\n\n{about}\n"
        + "".join(task.format(n=n, mark="[P] " if n % 3 else "") for n in range(phase * 25, phase * 25 + 25))
        for phase in range(12)
    ).replace("(depends on T001)", "", 2)
    assert 4_000 < text.count("\n") < 5_500
    read_tasklist(listed("T001 A"))
    begin = time.process_time()
    tasklist = read_tasklist(text)
    took = time.process_time() - begin
    assert len(tasklist.entries) == 300
    assert not tasklist.errors
    assert sum(len(each.depends_on) for each in tasklist.entries) < 1_000
    assert took < 1.0  # a sixth of it on an idle machine


def test_markdown_is_parsed_only_for_those_who_need_it() -> None:
    program = "import sys, toryo.app.opening, toryo.frontends.cli.run; sys.exit('markdown_it' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

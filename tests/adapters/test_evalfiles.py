"""Files of evals: what ships is sound, and what is wrong in a person's own is said with its line."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.evals import GOOD_REPLIES

from toryo.adapters.evalfiles import all_cases, cases_in, shipped
from toryo.adapters.evalmemory import EvalMemory
from toryo.adapters.evalquestions import ASKED
from toryo.adapters.prompts import built_in, names
from toryo.domain.errors import ToryoError
from toryo.domain.evals import Past, Want
from toryo.rules.evaluating import misses, value_at
from toryo.rules.wording import places

pytestmark = pytest.mark.covers("F19")
CASE = """\
cases:
  - name: mine
    prompt: score
    places: {instruction: Add a flag, tasks: none}
    expect:
      score: {at_most: 50}
      issues: {at_least: 1, contains: [flag]}
      reply: {lacks: banana}
"""


def problems(folder: Path, text: str) -> list[str]:
    path = folder / "own.yaml"
    path.write_text(text)
    with pytest.raises(ToryoError) as caught:
        cases_in([path])
    assert (caught.value.code, caught.value.exit_code) == ("E148", 64)
    return [line.removeprefix(f"{path}:") for line in caught.value.details]


def paths_in(record: dict[str, Any]) -> set[str]:
    found = set()
    for name, value in record.items():
        found.add(name)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            found |= {f"{name}.{inner}" for inner in paths_in(value[0])}
    return found


def test_every_question_is_tried_by_what_ships() -> None:
    assert {case.prompt for case in shipped()} == {*ASKED}
    assert {*ASKED} == {*names()} - {"system", "correct"}


@pytest.mark.parametrize("case", shipped(), ids=lambda case: case.name)
def test_what_ships_can_be_met(case: Any) -> None:
    record = ASKED[case.prompt].read(GOOD_REPLIES[case.name], case)
    assert misses(case, record, GOOD_REPLIES[case.name], 0) == ()
    assert paths_in(record) <= ASKED[case.prompt].fields.keys(), "every field can be spoken of"
    for field in ASKED[case.prompt].fields:
        value_at(record, field)


@pytest.mark.parametrize("prompt", ASKED)
def test_what_is_filled_by_itself_has_a_place(prompt: str) -> None:
    assert ASKED[prompt].fills.keys() <= {*places(built_in(prompt))}


def test_a_case_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(CASE)
    (case,) = cases_in([tmp_path / "own.yaml"])
    assert (case.name, case.prompt, case.line, case.origin) == ("mine", "score", 2, "file")
    assert [(one.field, one.want.value, one.values) for one in case.expectations] == [
        ("score", "at_most", (50,)),
        ("issues", "at_least", (1,)),
        ("issues", "contains", ("flag",)),
        ("reply", "lacks", ("banana",)),
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("prompt: score", "prompt: scroe", "3: cases[0].prompt: there is no prompt 'scroe'; did you mean 'score'?"),
        ("prompt: score", "prompt: system", "3: cases[0].prompt: 'system' is part of other questions"),
        ("places:", "place:", "4: cases[0].place: unknown field; did you mean 'places'?"),
        ("instruction:", "instructon:", "4: cases[0].places.instructon: the prompt has no such place; did you mean"),
        (", tasks: none", "", "4: cases[0].places: nothing fills tasks"),
        ("      score:", "      scor:", "6: cases[0].expect.scor: a reply to 'score' has no such field; did you mean"),
        ("{at_most: 50}", "{at_mots: 50}", "6: cases[0].expect.score.at_mots: unknown expectation; did you mean 'at_"),
        ("{at_most: 50}", "{at_most: few}", "6: cases[0].expect.score.at_most: should be a number, not text"),
        ("{at_most: 50}", "[1, 2]", "6: cases[0].expect.score: should be a value, or a mapping such as"),
        ("{at_most: 50}", "{}", "6: cases[0].expect.score: says nothing; there are is, one_of"),
        ("    expect:", "    may_ask: false\n    expect:", "5: cases[0].may_ask: is only for the prompts intent"),
        ("    expect:", "    corrections: 3\n    expect:", "5: cases[0].corrections: should be 0 to 2"),
        ("name: mine", "name: a b", "2: cases[0].name: 'a b' should consist of letters"),
        ("cases:", "cases: [", "2: not valid YAML"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in CASE
    found = problems(tmp_path, CASE.replace(old, new))
    assert any(line.startswith(said) for line in found), found


def test_a_value_that_can_never_come_is_refused(tmp_path: Path) -> None:
    places = "{intent: Do it}"
    text = f"cases:\n  - {{name: a, prompt: intent, places: {places}, expect: {{risk: {{one_of: [low, hihg]}}}}}}\n"
    assert problems(tmp_path, text) == ["2: cases[0].expect.risk: can never be 'hihg'; did you mean 'high'?"]


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    second = CASE.removeprefix("cases:\n").replace("score: {", "scoer: {")
    found = problems(tmp_path, CASE.replace("places:", "place:") + second + second)
    assert [line.partition(":")[0] for line in found] == ["4", "13", "16", "20"], found
    assert "the name 'mine' is used on line 9 already" in found[2]


def test_what_is_no_file_of_evals(tmp_path: Path) -> None:
    assert problems(tmp_path, "") == ["1: the file is empty"]
    assert problems(tmp_path, "- a\n") == ["1: a file of evals should be a mapping, not a list"]
    assert problems(tmp_path, "cases: []\n") == ["1: cases: should have at least one entry"]
    assert problems(tmp_path, "case: []\n")[-1].startswith("1: case: unknown field; did you mean 'cases'?")
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ToryoError) as caught:
            cases_in([path])
        assert caught.value.code == "E149"


def test_a_projects_own_case_goes_before_the_one_that_ships(tmp_path: Path) -> None:
    folder = tmp_path / ".toryo" / "evals"
    folder.mkdir(parents=True)
    (folder / "own.yml").write_text(CASE.replace("mine", "judge-complete"))
    (folder / "notes.md").write_text("nothing")
    cases = all_cases(tmp_path)
    assert len(cases) == len(shipped())
    (own,) = [case for case in cases if case.name == "judge-complete"]
    assert (own.prompt, own.path) == ("score", ".toryo/evals/own.yml")
    (folder / "two.yaml").write_text(CASE.replace("mine", "judge-complete"))
    with pytest.raises(ToryoError) as caught:
        all_cases(tmp_path)
    assert caught.value.details == (
        ".toryo/evals/two.yaml:2: the name 'judge-complete' is used in .toryo/evals/own.yml:2 already",
    )


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": {"passed": "x", "times": 1, "at": 1}}', '{"a": 1}'])
def test_a_memory_that_was_damaged_is_none(tmp_path: Path, damage: str) -> None:
    (tmp_path / "evals.json").write_text(damage)
    memory = EvalMemory(tmp_path)
    assert memory.past() == {}
    memory.keep({"b": Past(1, 2, 3.0, "m", "q")})
    memory.keep({"c": Past(2, 2, 3.0, "m", "q")})
    assert memory.past() == {"b": Past(1, 2, 3.0, "m", "q"), "c": Past(2, 2, 3.0, "m", "q")}
    assert [path.name for path in tmp_path.iterdir()] == ["evals.json"]


def test_the_example_that_is_documented_can_be_read(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "evals.md").read_text()
    example = text.partition("```yaml\n")[2].partition("```")[0]
    (tmp_path / "example.yaml").write_text(example)
    assert [case.name for case in cases_in([tmp_path / "example.yaml"])] == ["rejects-no-test", "payments-are-risky"]
    assert all(f"{{{want}: " in text for want in Want)

"""The templates of Toryo's questions: which one is used, and whether it can be."""

from pathlib import Path

import pytest

from toryo.adapters.prompts import Prompts, built_in, names
from toryo.domain.errors import Exit, ToryoError


@pytest.fixture
def prompts(tmp_path: Path) -> Prompts:
    found = Prompts({"project": tmp_path / "project", "user": tmp_path / "user"})
    for folder in found.folders.values():
        folder.mkdir()
    return found


def test_every_question_has_a_template() -> None:
    spec_kit = {"specify", "plan", "tasks", "questions", "analyze"}
    assert spec_kit < set(names())
    assert all(built_in(name).strip() for name in names())


def test_the_projects_own_goes_before_the_persons_own(prompts: Prompts) -> None:
    assert prompts.text("plan") == built_in("plan")
    for origin in ("user", "project"):
        (prompts.folders[origin] / "plan.md").write_text(f"{origin} {{{{rejections}}}}")
        assert prompts.text("plan") == f"{origin} {{{{rejections}}}}"
    origins = {template.name: template.origin for template in prompts.templates()}
    assert origins["plan"] == "project"
    assert origins["tasks"] == "built in"


@pytest.mark.parametrize("content", [b"{{nobody}}", b"\xff\xfe", b" \n"])
def test_one_that_cannot_be_used_is_refused_and_named(prompts: Prompts, content: bytes) -> None:
    path = prompts.folders["user"] / "plan.md"
    path.write_bytes(content)
    with pytest.raises(ToryoError) as error:
        prompts.text("plan")
    assert error.value.message.startswith(str(path))
    (bad,) = [template for template in prompts.templates() if template.problem]
    assert (bad.name, bad.path) == ("plan", path)


def test_unknown_names(prompts: Prompts) -> None:
    with pytest.raises(ToryoError) as error:
        prompts.text("specfy")
    assert error.value.hint == "did you mean 'specify'?"
    with pytest.raises(ToryoError):
        prompts.text("../prompts/plan")
    (prompts.folders["project"] / "taks.md").write_text("x")
    (stranger,) = prompts.strangers()
    assert (stranger.name, stranger.hint) == ("taks", "did you mean 'tasks'?")


def test_ejecting_takes_all_or_none(prompts: Prompts) -> None:
    folder = prompts.folders["project"]
    assert prompts.eject(["plan"], "project", force=False) == [folder / "plan.md"]
    assert (folder / "plan.md").read_text() == built_in("plan")
    prompts.eject(["plan"], "project", force=False)
    (folder / "plan.md").write_text("mine")
    for wanted in (["tasks", "plan"], ["tasks", "nonsense"]):
        with pytest.raises(ToryoError):
            prompts.eject(wanted, "project", force=False)
    assert [path.name for path in folder.iterdir()] == ["plan.md"]
    with pytest.raises(ToryoError) as refused:
        prompts.eject(["plan"], "project", force=False)
    assert refused.value.exit_code is Exit.REFUSED
    prompts.eject(names(), "project", force=True)
    assert {path.stem: path.read_text() for path in folder.iterdir()} == {name: built_in(name) for name in names()}
    assert not any(template.problem for template in prompts.templates())

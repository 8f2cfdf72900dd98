"""Files of evals: a project's own, those that Toryo ships with, or one that a person names."""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from toryo.adapters.evalforms import FILE
from toryo.adapters.evalquestions import ASKED, Asking
from toryo.adapters.located import Document, Place, Problems, did_you_mean
from toryo.adapters.planforms import Found
from toryo.adapters.prompts import built_in, names
from toryo.adapters.textfiles import unreachable
from toryo.adapters.yamlfields import BrokenFile, document_of, text_of
from toryo.domain.errors import ToryoError
from toryo.domain.evals import REPLY, EvalCase, Expectation, Want
from toryo.rules.wording import places

SHIPPED = "built in"
PROJECT, NAMED = "project", "file"
FOLDER = Path(".toryo", "evals")
_SUFFIXES = (".yaml", ".yml")
_ONLY_FOR = {"acceptance": ("review",), "may_ask": ("intent",), "keys": ("tasks", "reconsider", "saying")}


def all_cases(root: Path) -> list[EvalCase]:
    """The project's, then those that ship and whose names the project does not use; raises ToryoError."""
    folder = root / FOLDER
    paths = sorted(path for path in folder.glob("*") if path.suffix in _SUFFIXES) if folder.is_dir() else []
    own = cases_in(paths, PROJECT, root)
    taken = {case.name for case in own}
    return [*own, *(case for case in shipped() if case.name not in taken)]


def shipped() -> list[EvalCase]:
    folder = resources.files("toryo") / "evals"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return [case for file in files for case in _read(file, f"toryo/evals/{file.name}", SHIPPED)]


def cases_in(paths: list[Path], origin: str = NAMED, root: Path | None = None) -> list[EvalCase]:
    """All of these files; a name that two of them use is refused."""
    cases: dict[str, EvalCase] = {}
    for path in paths:
        shown = str(path.relative_to(root) if root else path)
        for case in _read(path, shown, origin):
            if first := cases.get(case.name):
                said = f"{shown}:{case.line}: the name '{case.name}' is used in {first.path}:{first.line} already"
                raise _refusal(shown, [said])
            cases[case.name] = case
    return list(cases.values())


def _read(file: Path | Traversable, shown: str, origin: str) -> list[EvalCase]:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise unreachable(Path(shown), error, code="E149", kind="file of evals") from error
    try:
        document = document_of(text_of(raw), "a file of evals")
    except BrokenFile as broken:
        raise _refusal(shown, [f"{shown}:{line}: {says}" for line, says in broken.problems]) from broken
    problems = Problems(document)
    found: Found = []
    said: Any = FILE(document.value, (), found)
    for place, message in found:
        problems.add(place, message)
    # What is wrong with the shape of one case hides nothing that is wrong with what the others mean.
    cases = said["cases"] if said else _whole_cases(document)
    for number, case in enumerate(cases):
        if case is not None:
            _look_at(case, ("cases", number), problems)
    _look_at_names(cases, problems)
    if problems.entries:
        raise _refusal(shown, problems.lines(Path(shown)))
    return [_case(case, document.line(("cases", number)), shown, origin) for number, case in enumerate(cases)]


def _whole_cases(document: Document) -> list[Any]:
    """Those whose shape is right; None in place of the others."""
    value: Any = document.value
    listed = value.get("cases") if isinstance(value.get("cases"), list) else []
    shaped: list[Any] = [FILE({"cases": [case]}, (), []) for case in listed]
    return [one["cases"][0] if one else None for one in shaped]


def _look_at_names(cases: list[Any], problems: Problems) -> None:
    seen: dict[str, int] = {}
    for number, case in enumerate(cases):
        name = case["name"] if case else ""
        if name and name in seen:
            line = problems.document.line(("cases", seen[name], "name"))
            problems.add(("cases", number, "name"), f"the name '{name}' is used on line {line} already")
        seen.setdefault(name, number)


# ── what a case means ────────────────────────────────────────────────────────


def _look_at(case: dict[str, Any], place: Place, problems: Problems) -> None:
    prompt = case["prompt"]
    asking = ASKED.get(prompt)
    if asking is None:
        problems.add((*place, "prompt"), _no_such_prompt(prompt))
        return
    _look_at_places(case, asking, place, problems)
    for name, prompts in _ONLY_FOR.items():
        if name in case and prompt not in prompts:
            problems.add((*place, name), f"is only for the prompts {', '.join(prompts)}")
    for expectation in case["expect"]:
        for inner, message in _of_expectation(expectation, prompt, asking):
            problems.add((*place, "expect", expectation.field, *inner), message)
    if not case["expect"] and (*place, "expect") not in problems.places:
        problems.add((*place, "expect"), "expects nothing")


def _no_such_prompt(prompt: str) -> str:
    if prompt in names():
        return f"'{prompt}' is part of other questions and is not asked by itself"
    return f"there is no prompt '{prompt}'" + (did_you_mean(prompt, ASKED) or f"; there are {', '.join(ASKED)}")


def _look_at_places(case: dict[str, Any], asking: Asking, place: Place, problems: Problems) -> None:
    known, filled = places(built_in(case["prompt"])), case.get("places", {})
    for name in filled:
        if name not in known:
            more = did_you_mean(name, known) or f"; there are {', '.join(known) or 'none'}"
            problems.add((*place, "places", name), f"the prompt has no such place{more}")
    if "criteria" in filled and "acceptance" in case:
        problems.add((*place, "places", "criteria"), "is filled with `acceptance` already; leave one of them out")
    if lacking := [name for name in known if name not in filled and name not in asking.fills]:
        problems.add((*place, "places"), f"nothing fills {', '.join(lacking)}")


def _of_expectation(expectation: Expectation, prompt: str, asking: Asking) -> Iterator[tuple[Place, str]]:
    field, want = expectation.field, expectation.want
    if field == REPLY:
        return
    if field not in asking.fields:
        more = did_you_mean(field, (*asking.fields, REPLY)) or f"; there are {', '.join((*asking.fields, REPLY))}"
        yield (), f"a reply to '{prompt}' has no such field{more}"
        return
    allowed = asking.fields[field]
    if allowed and want in (Want.IS, Want.ONE_OF):
        for value in expectation.values:
            if str(value).strip().casefold() not in allowed:
                more = did_you_mean(str(value), allowed) or f"; it is one of {', '.join(filter(None, allowed))}"
                yield (), f"can never be '{value}'{more}"


def _case(said: dict[str, Any], line: int, path: str, origin: str) -> EvalCase:
    return EvalCase(
        said["name"],
        said["prompt"],
        said["expect"],
        " ".join(said.get("says", "").split()),
        tuple(said.get("places", {}).items()),
        tuple(said.get("documents", {}).items()),
        said.get("repository", ""),
        tuple(said.get("acceptance", ())),
        tuple(said.get("keys", ())),
        may_ask=said.get("may_ask", True),
        corrections=said.get("corrections", EvalCase("", "").corrections),
        origin=origin,
        path=path,
        line=line,
    )


def _refusal(shown: str, lines: list[str]) -> ToryoError:
    count = "1 problem" if len(lines) == 1 else f"{len(lines)} problems"
    hint = "correct these lines and run it again; docs/evals.md tells what a case may say"
    return ToryoError("E148", f"{shown} has {count}", hint=hint).with_details(lines)

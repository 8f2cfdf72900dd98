"""A survey for those who read it: a model that plans, and a person in a hurry."""

import re

from toryo.domain.survey import Confidence, Extract, Stack, Survey, TestCommand
from toryo.rules.numerals import several
from toryo.views.columns import clipped

LIMIT = 24_000
_SHARES = {"stacks": 0.12, "tree": 0.17, "modules": 0.1, "metadata": 0.2, "specs": 0.08, "truncated": 0.04}
_CUT = "\n… (cut)"
_FENCE = re.compile(r"`{3,}")


def survey_text(survey: Survey, limit: int = LIMIT) -> str:
    """Markdown for a model, at most so many characters; of equal surveys, equal to the byte."""
    head = "# The repository\n\n" + _tests(survey.test_command)
    parts = {
        "stacks": _section("Stacks", "\n".join(_stack_line(stack) for stack in survey.stacks)),
        "tree": _section("Folders, with the number of files", _fenced(survey.tree) if survey.tree else ""),
        "modules": _section("Overview", _modules(survey)),
        "metadata": _section("Project files", _extracts(survey.metadata)),
        "specs": _section("Specs", "\n".join(f"- `{spec.folder}`: {spec.title}".rstrip(": ") for spec in survey.specs)),
        "truncated": _section("Left out of this survey", "\n".join(f"- {note}" for note in survey.truncated)),
    }
    bounded = {name: _shortened(text, int(limit * _SHARES[name])) for name, text in parts.items()}
    # The repository's own words get whatever room the rest does not need.
    room = limit - len(head) - sum(len(text) + 2 for text in bounded.values()) - 2
    guides = _shortened(_section("What the repository tells its contributors", _extracts(survey.guides)), room)
    ordered = (head, bounded["stacks"], guides, *(bounded[name] for name in list(parts)[1:]))
    return _shortened("\n\n".join(part for part in ordered if part), limit)


def survey_lines(survey: Survey) -> list[str]:
    """The same in a few lines for a person."""
    languages = ", ".join(language.name for language in survey.modules.languages[:4]) or "no known language"
    lines = [f"{languages} · {several(survey.files, 'file')} · {words_for_test(survey.test_command)}"]
    lines += [
        f"{stack.folder or 'top'}: {stack.name}, "
        + (words_for_test(stack.tests[0]) if stack.tests else "no tests found")
        for stack in survey.stacks[:6]
        if len(survey.stacks) > 1
    ]
    if len(survey.stacks) > 6:
        lines.append(f"… and {len(survey.stacks) - 6} more stacks")
    if survey.guides:
        lines.append("guides: " + ", ".join(guide.path for guide in survey.guides))
    if survey.specs:
        lines.append(f"specs: {len(survey.specs)}")
    return [clipped(line, 300) for line in lines]


def words_for_test(test: TestCommand) -> str:
    if not test.command:
        return f"tests: none found ({test.why})"
    return f"tests: `{test.command}` ({test.confidence}: {test.why})"


def _tests(test: TestCommand) -> str:
    if test.confidence is Confidence.NONE or not test.command:
        return f"No test command was found: {test.why}."
    return f"Tests of the whole repository ({test.confidence}: {clipped(test.why, 300)}):\n\n{_fenced(test.command)}"


def _stack_line(stack: Stack) -> str:
    where = f"`{stack.folder}/`" if stack.folder else "top"
    words = [
        f"- {where}: {stack.name} ({', '.join(stack.languages)})" if stack.languages else f"- {where}: {stack.name}"
    ]
    if stack.build:
        words.append(f"build `{stack.build}`")
    words += [words_for_test(test) for test in stack.tests[:3]] or ["no tests found"]
    return "; ".join(words)


def _modules(survey: Survey) -> str:
    modules = survey.modules
    languages = ", ".join(f"{language.name} ({language.files})" for language in modules.languages)
    packages = ", ".join(f"{package.name} in {package.folder or 'top'}" for package in modules.packages)
    lines = (
        ("Languages, with files", languages),
        ("Entry points", ", ".join(f"`{path}`" for path in modules.entry_points)),
        ("Packages", packages),
    )
    return "\n".join(f"- {title}: {text}" for title, text in lines if text)


def _extracts(extracts: tuple[Extract, ...]) -> str:
    return "\n\n".join(
        f"### {extract.path}{' (beginning)' if extract.is_cut else ''}\n\n{_fenced(extract.text)}"
        for extract in extracts
    )


def _fenced(text: str) -> str:
    """Between fences that the text cannot close."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}" if body else ""


def _shortened(text: str, limit: int) -> str:
    """Cut at the end, and said so; a fence that was open is closed."""
    if len(text) <= limit:
        return text
    longest = max((len(run) for run in _FENCE.findall(text)), default=0)
    kept = text[: max(0, limit - len(_CUT) - longest - 1)]
    if kept.rpartition("\n")[2].strip("`") == "":
        kept = kept.rpartition("\n")[0]
    fence = _open_fence(kept)
    return f"{kept}\n{fence}{_CUT}" if fence else f"{kept}{_CUT}" if kept else ""


def _open_fence(text: str) -> str:
    """The fence that was opened and not closed, if any."""
    fence = ""
    for line in text.split("\n"):
        if not fence and _FENCE.fullmatch(line):
            fence = line
        elif fence and line == fence:
            fence = ""
    return fence

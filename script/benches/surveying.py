"""A survey of a repository with ten thousand files, against git's listing of them."""

import subprocess
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, milliseconds, ratio_of_medians, ratios
from benches.repositories import environment, run
from toryo.adapters.git.command import Git
from toryo.adapters.surveying import survey
from toryo.views.survey import survey_text

FILES, PACKAGES, LIMIT = 10_000, 50, 1000.0
_LIST = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    repository = _make(folder / "repository", env)
    git = Git(env)
    _verify(repository, git)
    floor, found = in_turns(
        rounds,
        (
            lambda _: milliseconds(
                lambda: subprocess.run(_LIST, cwd=repository, env=env, capture_output=True, check=True)
            ),
            lambda _: milliseconds(lambda: survey_text(survey(repository, git=git))),
        ),
    )
    listing, surveying = Figure("git ls-files", floor), Figure("survey, and its text for a model", found)
    ratio = ratio_of_medians(surveying, listing)
    figures = (listing, surveying, ratios("ratio, round by round", surveying, listing))
    target = Target(f"survey of {FILES:,} files, median", surveying.median, LIMIT, "ms", found)
    about = f"{FILES:,} files, {PACKAGES} packages of Python and TypeScript; {ratio:.1f} times the listing"
    return Report(about, figures, (target,))


def _make(repository: Path, env: dict[str, str]) -> Path:
    """Half of the files committed, half of them new; guides, manifests, CI and specs among them."""
    files = {
        "CLAUDE.md": "Be brief.\n" * 400,
        "AGENTS.md": "Run the tests.\n" * 400,
        "package.json": '{"private": true, "workspaces": ["packages/*"]}',
        "pyproject.toml": "[project]\nname = 'many'\n[tool.pytest.ini_options]\n",
        ".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n      - run: pytest\n      - run: npm test\n",
    }
    for number in range(PACKAGES):
        files[f"packages/p{number}/package.json"] = f'{{"name": "p{number}", "scripts": {{"test": "vitest run"}}}}'
        files[f"services/s{number}/pyproject.toml"] = f"[project]\nname = 's{number}'\n"
        files[f"specs/{number:03}-thing/spec.md"] = f"# Thing {number}\n\n" + "Words.\n" * 200
    for number in range(FILES - len(files)):
        place = number % PACKAGES
        kind = f"packages/p{place}/src/m{number}.ts" if number % 2 else f"services/s{place}/tests/test_{number}.py"
        files[kind] = f"# {number}\n"
    repository.mkdir(parents=True)
    run(["git", "init", "-q", "-b", "main"], repository, env)
    for number, (path, text) in enumerate(files.items()):
        if number == FILES // 2:
            run(["git", "add", "-A"], repository, env)
            run(["git", "commit", "-q", "-m", "base"], repository, env)
        target = repository / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return repository


def _verify(repository: Path, git: Git) -> None:
    """What is timed must have seen what is there."""
    found = survey(repository, git=git)
    if found.files != FILES or len(found.guides) != 2 or "pytest" not in found.test_command.command:
        raise RuntimeError(f"the survey has {found.files} files and `{found.test_command.command}`")


BENCH = Bench(10, measure)

"""Python: which runner, which test tool, and what it is known by."""

import re
from collections.abc import Iterator
from typing import Any

from toryo.domain.survey import Confidence, Stack, TestCommand
from toryo.rules.leniently import table_at, word_at, words_in
from toryo.rules.stack_ground import EVERYTHING, Ground, Sighting, is_plain, path_word

MANIFESTS = (
    "pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", "tox.toml", "noxfile.py", "requirements.txt",
    "requirements-dev.txt", "dev-requirements.txt", "requirements-test.txt", "Pipfile",
)  # fmt: skip
TEST_FILE = re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$")
_DJANGO_TEST = re.compile(r"(?:^|/)(?:tests?|test_[^/]*)\.py$")
_ANY_PYTHON = re.compile(r"\.py$")
_TEST_FUNCTION = re.compile(r"^(?:async )?def test_|^class Test\w*\s*(?:\(\s*\)|\(\s*object\s*\))?\s*:", re.MULTILINE)
_USES_PYTEST = re.compile(r"^[ \t]*(?:import|from) +pytest\b", re.MULTILINE)
_USES_UNITTEST = re.compile(r"^[ \t]*(?:import|from) +unittest\b|\bTestCase\b", re.MULTILINE)
_NAMES_PYTEST = re.compile(r"(?<![\w-])pytest(?![\w/.])")
_NOX_SESSION = re.compile(r"^@nox\.session.{0,200}?^def +(\w+)", re.MULTILINE | re.DOTALL)
_NOX_NAMED = re.compile(r"^@nox\.session\([^)]{0,200}name *= *[\"']([\w.-]+)[\"']", re.MULTILINE)
_TEST_NAMES = ("test", "tests", "unit", "unit_tests", "unittest", "pytest")


def look_at_python(ground: Ground) -> Sighting | None:
    if not ground.below(_ANY_PYTHON):
        return None
    project = ground.toml("pyproject.toml")
    runner = _runner(ground, project)
    direct = _direct(ground, project, runner)
    environments = tuple(_environments(ground, project))
    scripts = tuple(_scripts(ground, project, runner))
    # A bare pytest needs whatever is installed by chance; tox and nox bring what they need.
    tests = (*scripts, *direct, *environments) if runner else (*scripts, *environments, *direct)
    build = "uv build" if runner == "uv run" and "build-system" in project else ""
    return Sighting(Stack("Python", ground.folder, ("Python",), build, tests), _covered(ground, project, direct))


def _runner(ground: Ground, project: dict[str, Any]) -> str:
    tools = table_at(project, "tool")
    if ground.has("uv.lock") or "uv" in tools:
        return "uv run --all-packages" if table_at(tools, "uv", "workspace") else "uv run"
    if ground.has("poetry.lock") or "poetry" in tools:
        return "poetry run"
    if ground.has("pdm.lock") or "pdm" in tools:
        return "pdm run"
    if ground.has("pixi.lock") or "pixi" in tools:
        return "pixi run"
    return "pipenv run" if ground.has("Pipfile") else ""


def _direct(ground: Ground, project: dict[str, Any], runner: str) -> tuple[TestCommand, ...]:
    """pytest or unittest, by themselves."""
    pytest = f"{runner} pytest" if runner else "python3 -m pytest"
    configured = _configured_in(ground, project)
    tests = ground.below(TEST_FILE) if configured else ground.own_below(TEST_FILE)
    if configured:
        confidence = Confidence.CERTAIN if tests else Confidence.LIKELY
        return (TestCommand(pytest, ground.folder, confidence, f"pytest in {configured}"),)
    python = f"{runner} python" if runner else "python3"
    if ground.has("manage.py") and "django" in ground.text("manage.py") and ground.own_below(_DJANGO_TEST):
        return (ground.likely(f"{python} manage.py test", "manage.py of Django and test files"),)
    if not tests:
        return ()
    if ground.own_below(re.compile(r"(?:^|/)conftest\.py$")):
        return (ground.likely(pytest, "conftest.py and test files"),)
    if named := _required_in(ground):
        return (ground.likely(pytest, f"pytest in {named} and test files"),)
    samples = ground.texts_below(TEST_FILE)
    if any(_USES_PYTEST.search(text) for text in samples):
        return (ground.likely(pytest, "test files import pytest"),)
    if any(_USES_UNITTEST.search(text) for text in samples):
        return (_unittest(ground, tests, python),)
    if any(_TEST_FUNCTION.search(text) for text in samples):
        return (ground.likely(pytest, "test functions as pytest takes them"),)
    return (ground.guess(pytest, "files named like tests, but nothing says what runs them"),)


def _configured_in(ground: Ground, project: dict[str, Any]) -> str:
    if ground.has("pytest.ini", ".pytest.ini"):
        return "pytest.ini"
    if "pytest" in table_at(project, "tool") or re.search(
        r"^\[tool\.pytest", ground.text("pyproject.toml"), re.MULTILINE
    ):
        return "pyproject.toml"
    if re.search(r"^\[tool:pytest\]", ground.text("setup.cfg"), re.MULTILINE):
        return "setup.cfg"
    return "tox.ini" if re.search(r"^\[pytest\]", ground.text("tox.ini"), re.MULTILINE) else ""


def _required_in(ground: Ground) -> str:
    return next((name for name in MANIFESTS if _NAMES_PYTEST.search(ground.text(name))), "")


def _unittest(ground: Ground, first: str, python: str) -> TestCommand:
    *folders, name = first[len(ground.folder) + 1 if ground.folder else 0 :].split("/")
    top = "/".join(folders[:1] if folders[:1] in (["test"], ["tests"]) else folders)
    where = f" -s {path_word(top)}" if top else ""
    if top and ground.has(f"{top}/__init__.py"):
        where += " -t ."
    named = "" if name.startswith("test") else " -p '*_test.py'"
    return ground.likely(f"{python} -m unittest discover{where}{named}", "test files use unittest, nothing uses pytest")


def _environments(ground: Ground, project: dict[str, Any]) -> Iterator[TestCommand]:
    """Tools that make environments and run tests in them."""
    ini = (
        ground.text("tox.ini")
        + "\n"
        + ground.text("setup.cfg")
        + "\n"
        + word_at(project, "tool", "tox", "legacy_tox_ini")
    )
    if re.search(r"^\[testenv\]", ini, re.MULTILINE):
        yield ground.likely("tox -e py", "tox.ini")
    elif re.search(r"^\[testenv:", ini, re.MULTILINE) or ground.has("tox.toml") or table_at(project, "tool", "tox"):
        yield ground.likely("tox", "tox's own configuration")
    if ground.has("noxfile.py"):
        yield _nox(ground)
    for name in _TEST_NAMES:
        if name in table_at(project, "tool", "hatch", "envs", "default", "scripts"):
            yield ground.certain(f"hatch run {name}", f'script "{name}" for hatch in pyproject.toml')
            return
    for env, content in table_at(project, "tool", "hatch", "envs").items():
        script = next((name for name in _TEST_NAMES if name in table_at(content, "scripts")), "")
        if env == "hatch-test":
            yield ground.likely("hatch test", "the environment hatch-test in pyproject.toml")
        elif script and is_plain(env):
            yield ground.certain(f"hatch run {env}:{script}", f'script "{script}" for hatch in pyproject.toml')


def _nox(ground: Ground) -> TestCommand:
    text = ground.text("noxfile.py")
    sessions = {*_NOX_SESSION.findall(text), *_NOX_NAMED.findall(text)}
    name = next((name for name in _TEST_NAMES if name in sessions), "")
    return (
        ground.likely(f"nox -s {name}", f"session {name} in noxfile.py") if name else ground.guess("nox", "noxfile.py")
    )


def _scripts(ground: Ground, project: dict[str, Any], runner: str) -> Iterator[TestCommand]:
    """Scripts the project named itself."""
    tools = table_at(project, "tool")
    prefix = f"{runner} " if runner else ""
    for tool, keys, command in (
        ("pdm", ("pdm", "scripts"), "pdm run"),
        ("pixi", ("pixi", "tasks"), "pixi run"),
        ("pixi", ("pixi", "feature", "test", "tasks"), "pixi run"),
        ("poe", ("poe", "tasks"), f"{prefix}poe"),
        ("taskipy", ("taskipy", "tasks"), f"{prefix}task"),
    ):
        tasks = table_at(tools, *keys)
        name = next((name for name in _TEST_NAMES[:2] if name in tasks), "")
        if name:
            yield ground.certain(f"{command} {name}", f'"{name}" for {tool} in pyproject.toml')


def _covered(ground: Ground, project: dict[str, Any], direct: tuple[TestCommand, ...]) -> tuple[str, ...]:
    """pytest goes into every folder below, unless it was told where to look."""
    if not direct or not _configured_in(ground, project):
        return ()
    options = table_at(project, "tool", "pytest", "ini_options") or table_at(project, "tool", "pytest")
    told = options.get("testpaths")
    if told is None:
        ini = re.search(
            r"^testpaths *=(.*(?:\n[ \t]+\S.*)*)", ground.text("pytest.ini", "setup.cfg", "tox.ini"), re.MULTILINE
        )
        told = ini[1] if ini else None
    if told is None:
        return EVERYTHING
    paths = told.split() if isinstance(told, str) else words_in(told)
    return tuple(path.removeprefix("./").removesuffix("/tests").removesuffix("/test") for path in paths if "/" in path)

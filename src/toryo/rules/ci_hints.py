"""Which test commands a repository's own CI runs. A hint only: text of a CI file never becomes a command."""

import re
from collections.abc import Iterable, Mapping

from toryo.domain.survey import Confidence, TestCommand

CI_FILE = re.compile(
    r"(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.circleci/config\.ya?ml|azure-pipelines\.ya?ml"
    r"|\.travis\.ya?ml|\.woodpecker\.ya?ml|\.forgejo/workflows/[^/]+\.ya?ml|\.gitea/workflows/[^/]+\.ya?ml"
    r"|\.drone\.ya?ml|\.buildkite/pipeline\.ya?ml|bitbucket-pipelines\.ya?ml|\.cirrus\.ya?ml|Jenkinsfile|\.ci/[^/]+)"
)
_LONGEST_LINE = 500
_MOST_LINES = 5_000
_KEY = re.compile(r"(?:-\s+)*(?:(?P<key>[\w.-]+):(?:\s+|$))?(?P<rest>.*)")
_COMMAND_KEYS = ("run", "script", "command", "cmd", "before_script", "bash", "sh", None)
_WRAPPERS = (
    ("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run"), ("pixi", "run"), ("rye", "run"),
    ("hatch", "run"), ("coverage", "run"), ("bundle", "exec"), ("pnpm", "exec"), ("yarn", "exec"), ("npm", "exec"),
    ("bun", "x"), ("python", "-m"), ("python3", "-m"), ("npx",), ("bunx",), ("sudo",), ("time",), ("exec",),
    ("xvfb-run",), ("env",), ("sh",),
)  # fmt: skip
_PLACES = ("./vendor/bin/", "vendor/bin/", "./node_modules/.bin/", "node_modules/.bin/", "./")
_ONE_WORD = frozenset((
    "pytest", "tox", "nox", "jest", "vitest", "mocha", "ava", "ctest", "rspec", "phpunit", "pest", "bats", "prove",
    "unittest",
))  # fmt: skip
_SAME = {"mvnw": "mvn", "gradlew": "gradle", "py.test": "pytest"}
# These run the tests on their way to something more.
_MORE_THAN_TESTS = {"mvn": ("verify", "install", "package"), "gradle": ("check", "build")}

Key = tuple[str, ...]


def ci_hints(texts: Mapping[str, str]) -> frozenset[Key]:
    """The commands in CI files, each reduced to what tells them apart."""
    keys: set[Key] = set()
    for path, text in texts.items():
        if CI_FILE.fullmatch(path):
            for line in text.split("\n")[:_MOST_LINES]:
                keys.update(_keys_of_line(line[:_LONGEST_LINE].strip()))
    return frozenset(keys)


def _keys_of_line(line: str) -> Iterable[Key]:
    found = _KEY.match(line)
    if line.startswith("#") or not found or found["key"] not in _COMMAND_KEYS:
        return
    for part in re.split(r"&&|\|\|?|;", found["rest"].strip("'\"[]")):
        words = _bare(part.replace('"', " ").replace("'", " ").split())
        if words:
            yield _key(words)
            for goal in _MORE_THAN_TESTS.get(words[0], ()):
                if goal in words:
                    yield words[0], "test"


def _bare(words: list[str]) -> list[str]:
    """Without variables, wrappers and options."""
    while words:
        wrapper = next((wrapper for wrapper in _WRAPPERS if tuple(words[: len(wrapper)]) == wrapper), ())
        if wrapper:
            words = words[len(wrapper) :]
        elif re.match(r"[A-Za-z_]\w*=|-|\d", words[0]):
            words = words[1:]
        else:
            break
    words = [word for word in words if not word.startswith("-")]
    if not words:
        return []
    head = next((words[0].removeprefix(place) for place in _PLACES if words[0].startswith(place)), words[0])
    rest = words[1:]
    if head in ("npm", "pnpm", "yarn") and rest[:1] == ["run"]:
        rest = rest[1:]
    if head == "mvn" and "test" in rest:
        rest = ["test"]
    return [_SAME.get(head, head), *rest]


def _key(words: list[str]) -> Key:
    return tuple(words[:1] if words[0] in _ONE_WORD or "/" in words[0] else words[:2])


def is_hinted(command: str, hints: frozenset[Key]) -> bool:
    words = _bare(command.rpartition("&&")[2].split())
    return bool(words) and _key(words) in hints


def with_hints(test: TestCommand, hints: frozenset[Key]) -> TestCommand:
    """Surer by one step if CI runs it too."""
    if not is_hinted(test.command, hints):
        return test
    surer = {Confidence.GUESS: Confidence.LIKELY, Confidence.LIKELY: Confidence.CERTAIN}
    return TestCommand(
        test.command, test.folder, surer.get(test.confidence, test.confidence), f"{test.why}, and CI runs it"
    )

"""Changes that wait for a person because of where they are."""

import pytest

from toryo.domain.difference import Difference, FileDifference
from toryo.domain.evidence import Change
from toryo.domain.hygiene import Protection
from toryo.domain.plan import PlannedTask
from toryo.rules.protection import protected_changes


def notes(
    *paths: str,
    change: Change = Change.MODIFIED,
    scope: tuple[str, ...] = (),
    expect: tuple[str, ...] = (),
    **terms: object,
) -> list[str]:
    files = tuple(FileDifference(path, change) for path in paths)
    task = PlannedTask("T1", "x", "crew", scope=scope, expect=expect)
    found = protected_changes(Difference(files), task, Protection(**terms))  # type: ignore[arg-type]
    return [note.partition(": ")[0] for note in found]


PROTECTED = [
    *(".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile", ".circleci/config.yml", "azure-pipelines-dev.yml"),
    *(".env", "app/.env.production", "certs/server.pem", "id_rsa", "deploy.key", ".npmrc", "home/.netrc", ".pypirc"),
    *("package-lock.json", "uv.lock", "api/go.sum", "Cargo.lock", "poetry.lock"),
    *("app/migrations/0001_initial.py", "db/migrate/2024_add.rb", "alembic/versions/a.py"),
    *(".gitattributes", ".gitmodules", ".husky/pre-commit", ".toryo/config.toml", ".toryo/config.local.toml"),
    ".toryo/prompts/review.md",
]
FREE = [
    *("src/a.py", ".env.example", "app/.env.sample", "docs/ci.md", "src/environment.py", "src/migrations.py"),
    *(".github/ISSUE_TEMPLATE.md", "src/keys.py", "id_rsa.pub", ".toryo/plan.yaml", "app/migrations/__init__.py"),
]


@pytest.mark.covers("P58")
@pytest.mark.parametrize("path", PROTECTED)
def test_it_waits_for_a_person(path: str) -> None:
    assert notes("src/a.py", path) == [path]


@pytest.mark.covers("P58")
@pytest.mark.parametrize("path", FREE)
def test_it_waits_for_nobody(path: str) -> None:
    assert notes(path) == []


@pytest.mark.covers("P58")
def test_a_lock_beside_what_asks_for_it_is_expected() -> None:
    assert notes("package.json", "package-lock.json") == []
    assert notes("Cargo.lock", "crates/a/Cargo.toml") == [], "a member of the workspace"
    assert notes("web/package.json", "api/package-lock.json") == ["api/package-lock.json"]


@pytest.mark.covers("P58")
def test_a_new_migration_is_not_a_changed_one() -> None:
    assert notes("app/migrations/0002_more.py", change=Change.CREATED) == []
    assert notes("app/migrations/0001.py", change=Change.DELETED) == ["app/migrations/0001.py"]
    renamed = FileDifference("app/migrations/0003.py", Change.MODIFIED, old_path="app/migrations/0002.py")
    found = protected_changes(Difference((renamed,)), PlannedTask("a", "b", "c"), Protection())
    assert [note.partition(":")[0] for note in found] == ["app/migrations/0002.py"]


@pytest.mark.covers("P58")
@pytest.mark.parametrize(
    ("path", "scope"),
    [
        (".github/workflows/ci.yml", ".github/**"),
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        ("app/migrations/0001.py", "app/migrations/**"),
        ("app/.env", "**/.env"),
        ("uv.lock", "uv.lock"),
    ],
)
def test_what_the_task_names_is_no_surprise(path: str, scope: str) -> None:
    assert notes(path, scope=(scope,)) == []
    if "*" not in scope:
        assert notes(path, expect=(scope,)) == []


@pytest.mark.covers("P58")
@pytest.mark.parametrize(
    ("path", "scope"),
    [
        (".github/workflows/ci.yml", "**"),
        (".github/workflows/ci.yml", "."),
        ("app/migrations/0001.py", "app/**"),
        ("app/.env", "app/**"),
        ("src/payments/a.py", "src/**"),
    ],
)
def test_a_scope_of_everything_names_nothing(path: str, scope: str) -> None:
    assert notes(path, scope=(scope,), paths=("src/payments/**",)) == [path]


@pytest.mark.covers("P58")
def test_the_configuration_adds_and_allows() -> None:
    assert notes("infra/a.tf", paths=("infra/**",)) == ["infra/a.tf"]
    assert notes("infra/a.tf", paths=("infra/**",), scope=("infra/**",)) == []
    assert notes(".env", "Jenkinsfile", allow=(".env",)) == ["Jenkinsfile"]


@pytest.mark.covers("P58")
def test_many_deletions_are_one_note() -> None:
    paths = [f"src/f{number}.py" for number in range(11)]
    assert notes(*paths[:10], change=Change.DELETED) == []
    assert notes(*paths, change=Change.DELETED) == ["11 files deleted"]
    assert notes(*paths, change=Change.DELETED, scope=("src/**",)) == []
    assert notes(paths[0], change=Change.DELETED, deletions=0) == ["1 files deleted"]

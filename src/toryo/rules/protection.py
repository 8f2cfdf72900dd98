"""Changes that a person should see before they are merged: what runs elsewhere, holds secrets, or cannot be undone."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from toryo.domain.difference import Difference, FileDifference, readable
from toryo.domain.evidence import Change
from toryo.domain.hygiene import Protection
from toryo.domain.plan import PlannedTask
from toryo.rules.scope import covers

_CI = (
    *(".github/workflows", ".github/actions", ".circleci", ".buildkite", ".woodpecker", ".gitlab/ci", ".teamcity"),
    *(".gitlab-ci.yml", ".gitlab-ci.yaml", "Jenkinsfile", ".travis.yml", "azure-pipelines*.yml", "appveyor.yml"),
    *("bitbucket-pipelines.yml", ".drone.yml", "cloudbuild.yaml", ".ci", "codemagic.yaml", ".woodpecker.yml"),
)
_GIT = (".gitattributes", ".gitmodules", ".githooks", ".husky", ".pre-commit-config.yaml", ".lfsconfig")
_OWN = (".toryo/config.toml", ".toryo/config.local.toml")
_PROMPTS = (".toryo/prompts",)
"""What is asked of whoever reviews: the one whose work it is does not say that."""
_WORD = (".toryo/intents", ".toryo/drafts")
"""Where people say what they want, and to what they say yes."""
_SECRETS = (
    *(".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.asc"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials"),
    *("credentials.json", "service-account*.json", ".htpasswd", ".dockercfg", "secrets.y*ml", "secrets.json"),
)
_NO_SECRETS = re.compile(r"(?:^|[._-])(?:example|sample|template|dist|defaults?|tmpl|pub)(?:$|[._-])", re.IGNORECASE)
_LOCKS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"),
        ("package.json", "pnpm-workspace.yaml"),
    ),
    **dict.fromkeys(("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml"), ("pyproject.toml",)),
    "Pipfile.lock": ("Pipfile",),
    "Cargo.lock": ("Cargo.toml",),
    "go.sum": ("go.mod",),
    "Gemfile.lock": ("Gemfile", "*.gemspec"),
    "composer.lock": ("composer.json",),
    "mix.lock": ("mix.exs",),
    "pubspec.lock": ("pubspec.yaml",),
    "Podfile.lock": ("Podfile",),
    "flake.lock": ("flake.nix",),
    "deno.lock": ("deno.json", "deno.jsonc"),
    "packages.lock.json": ("*.csproj",),
    "gradle.lockfile": ("build.gradle", "build.gradle.kts"),
}
_WILD = re.compile(r"[*?\[]")
_MIGRATION = re.compile(r"(?:^|/)(?:migrations|db/migrate|alembic/versions)/(?!__init__\.py$|.*\.(?:md|txt)$)")


Reason = tuple[str, int]
"""Why a path is protected, and from which of its parts on that shows."""


def protected_changes(found: Difference, task: PlannedTask, terms: Protection) -> tuple[str, ...]:
    """Each with its path and why; what the task is about, by its scope or what it is to make, is no surprise."""
    notes = []
    names = {path for file in found.files for path in (file.path, file.old_path) if path}
    for file in found.files:
        for path in filter(None, dict.fromkeys((file.old_path, file.path))):
            why, first = _why(file, path, names, terms)
            if why and not _is_named(path, first, task) and not (terms.allow and covers(path, terms.allow)):
                notes.append(f"{readable(path)}: {why}")
    return (*notes, *_deletions(found, task, terms))


def _why(file: FileDifference, path: str, names: set[str], terms: Protection) -> Reason:
    pure = PurePosixPath(path)
    last = len(pure.parts) - 1
    if any(_lies_in(pure, place) for place in _OWN):
        return "Toryo's own configuration", 0
    if any(_lies_in(pure, place) for place in _PROMPTS):
        return "it says what models are asked", 0
    if any(_lies_in(pure, place) for place in _WORD):
        return "a person says there what is to be done", 0
    if any(_lies_in(pure, place) for place in _CI):
        return "it runs in CI", 0
    if any(_lies_in(pure, place) for place in _GIT) or pure.name in _GIT:
        return "it changes what git does", 0 if last == 0 else 1
    if any(fnmatchcase(pure.name, glob) for glob in _SECRETS) and not _NO_SECRETS.search(pure.name):
        return "secrets are kept in files of that name", last
    if pure.name in _LOCKS and not _has_manifest(pure, names):
        return "a lock file changed, and nothing that asks for it", last
    if (migration := _MIGRATION.search(path)) and _is_altered(file, path):
        return "a migration that exists was changed or taken away", path[: migration.end() - 1].count("/")
    for glob in terms.paths:
        if covers(path, (glob,)):
            return "protected by the configuration", max(0, min(last, _literal_parts(glob) - 1))
    return "", 0


def _is_altered(file: FileDifference, path: str) -> bool:
    """It was there under this very name."""
    return path == file.old_path or (file.change is not Change.CREATED and not file.old_path)


def _literal_parts(glob: str) -> int:
    parts = PurePosixPath(glob.removeprefix("./")).parts
    return next((place for place, part in enumerate(parts) if _WILD.search(part)), len(parts))


def _lies_in(path: PurePosixPath, place: str) -> bool:
    """The place itself, or a folder of that name at the top."""
    return any(fnmatchcase(str(part), place) for part in (path, *path.parents))


def _has_manifest(lock: PurePosixPath, names: set[str]) -> bool:
    """What the lock follows from changed with it: in the same folder, or in a member of the workspace below."""
    folder = "" if str(lock.parent) == "." else f"{lock.parent}/"
    changed = [PurePosixPath(name).name for name in names if name.startswith(folder)]
    return any(fnmatchcase(name, glob) for name in changed for glob in _LOCKS[lock.name])


def _deletions(found: Difference, task: PlannedTask, terms: Protection) -> Iterator[str]:
    gone = [file for file in found.files if file.change is Change.DELETED and not _is_named(file.path, 0, task)]
    if len(gone) > terms.deletions:
        yield f"{len(gone)} files deleted: more than {terms.deletions} at once"


def _is_named(path: str, first: int, task: PlannedTask) -> bool:
    """A glob of the task names the file, or the folder for which it is protected: `.github/**`, but not `**`."""
    telling = PurePosixPath(path).parts[first:]
    globs = [glob for glob in (*task.scope, *task.expect) if covers(path, (glob,))]
    return any(part in telling and not _WILD.search(part) for glob in globs for part in PurePosixPath(glob).parts)

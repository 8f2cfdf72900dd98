"""JavaScript and TypeScript: package managers, scripts, workspaces, and Deno."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from toryo.domain.survey import Stack, TestCommand
from toryo.rules.folder_globs import is_named_by
from toryo.rules.leniently import json_of, table_at, word_at, words_in
from toryo.rules.listing import joined, parent_of
from toryo.rules.stack_ground import EVERYTHING, Ground, Sighting

TEST_FILE = re.compile(r"(?:^|/)[^/]+[._](?:test|spec)\.[cm]?[jt]sx?$")
_TYPESCRIPT = re.compile(r"\.[cm]?tsx?$")
_LOCKS = (
    ("pnpm", ("pnpm-lock.yaml", "pnpm-workspace.yaml")),
    ("yarn", ("yarn.lock", ".yarnrc.yml")),
    ("bun", ("bun.lock", "bun.lockb", "bunfig.toml")),
    ("npm", ("package-lock.json", "npm-shrinkwrap.json")),
)
_PLACEHOLDER = re.compile(
    r"no tests? (?:specified|yet|configured)|^\s*(?:echo\b[^&|;]*(?:&&\s*(?:exit \d|true)\s*)?|exit \d|true|:|)$",
    re.IGNORECASE,
)
_WATCHES = re.compile(r"(?:^|\s)(?:--watch(?:All)?(?!\S*=false)|-w)(?=\s|$)|\bnodemon\b|\bng test\b(?!.*--watch)")
_ASKS_WITHOUT_CI = re.compile(r"\b(?:react-scripts|craco|react-app-rewired) test\b")
_LONGEST_SCRIPT = 2_000
_ONCE = ("test:ci", "test:run", "test:unit", "test:once", "test:all", "tests", "unit")
_TOOLS = (
    ("vitest", r"vitest\.(?:config|workspace)\..+", "vitest run"),
    ("jest", r"jest\.config\..+", "jest"),
    ("mocha", r"\.mocharc\..+|\.mocharc", "mocha"),
    ("ava", r"ava\.config\..+", "ava"),
    ("@playwright/test", r"playwright\.config\..+", "playwright test"),
)


def look_at_node(ground: Ground) -> Sighting | None:
    package = ground.json("package.json")
    manager = _manager(ground, package)
    languages = ("TypeScript",) if ground.has("tsconfig.json") or ground.own_below(_TYPESCRIPT) else ("JavaScript",)
    build = _script(manager, "build") if word_at(package, "scripts", "build") else ""
    globs = _members(ground, package)
    tests = tuple(_tests(ground, package, manager, globs))
    covers = (*globs, *_named_in_scripts(ground, package)) if tests else ()
    return Sighting(Stack("Node", ground.folder, languages, build, tests), covers)


def _manager(ground: Ground, package: dict[str, Any]) -> str:
    """Named in package.json, or known by its lock file, here or further up."""
    named = word_at(package, "packageManager").partition("@")[0]
    if named in ("npm", "pnpm", "yarn", "bun"):
        return named
    folder = ground.folder
    while True:
        for manager, locks in _LOCKS:
            if any(ground.listing.has(joined(folder, lock)) for lock in locks):
                return manager
        if not folder:
            return "npm"
        folder = parent_of(folder)
        above = word_at(json_of(ground.texts.get(joined(folder, "package.json"), "")), "packageManager").partition("@")[
            0
        ]
        if above in ("npm", "pnpm", "yarn", "bun"):
            return above


def _script(manager: str, name: str) -> str:
    # `bun test` is bun's own test runner, not the script of that name.
    return f"{manager} test" if name == "test" and manager != "bun" else f"{manager} run {name}"


def _program(manager: str, command: str) -> str:
    return {"npm": "npx", "pnpm": "pnpm exec", "yarn": "yarn", "bun": "bunx"}[manager] + f" {command}"


def _tests(ground: Ground, package: dict[str, Any], manager: str, globs: Sequence[str]) -> Iterator[TestCommand]:
    scripts = {name: text[:_LONGEST_SCRIPT] for name, text in table_at(package, "scripts").items() if _is_test(text)}
    test = scripts.get("test", "")
    once = next((name for name in _ONCE if name in scripts and not _WATCHES.search(scripts[name])), "")
    if test and _ASKS_WITHOUT_CI.search(test):
        yield ground.certain(f"CI=true {_script(manager, 'test')}", 'script "test" in package.json')
    elif test and not _WATCHES.search(test):
        yield ground.certain(_script(manager, "test"), 'script "test" in package.json')
    elif once:
        yield ground.likely(_script(manager, once), f'script "{once}" in package.json')
    elif test:
        yield ground.guess(f"CI=true {_script(manager, 'test')}", 'script "test" in package.json, which seems to watch')
    elif globs:
        yield from _workspace(ground, manager, globs)
    if not scripts:
        yield from _unscripted(ground, package, manager)


def _is_test(script: object) -> bool:
    return isinstance(script, str) and not _PLACEHOLDER.search(script[:_LONGEST_SCRIPT])


def _unscripted(ground: Ground, package: dict[str, Any], manager: str) -> Iterator[TestCommand]:
    """Tools that are configured or required although no script calls them."""
    required = {**table_at(package, "dependencies"), **table_at(package, "devDependencies")}
    tests = ground.own_below(TEST_FILE)
    for tool, config, command in _TOOLS:
        sure = ground.guess if "playwright" in tool else ground.likely  # it needs browsers
        if found := ground.found(config):
            yield sure(_program(manager, command), found[0])
        elif tool in required and tests:
            yield sure(_program(manager, command), f"{tool} in package.json and test files")
    samples = "\n".join(ground.texts_below(TEST_FILE)) if tests else ""
    if "node:test" in samples:
        yield ground.likely("node --test", "test files import node:test")
    elif "bun:test" in samples or (tests and manager == "bun"):
        yield ground.likely("bun test", "bun and test files")


def _workspace(ground: Ground, manager: str, globs: Sequence[str]) -> Iterator[TestCommand]:
    """One command for all packages; only if one of them has tests."""
    prefix = ground.folder + "/" if ground.folder else ""
    members = [
        text
        for path, text in ground.texts.items()
        if path.startswith(prefix)
        and path.endswith("/package.json")
        and is_named_by(parent_of(path.removeprefix(prefix)), globs)
    ]
    if not any(_is_test(table_at(json_of(text), "scripts").get("test")) for text in members):
        return
    if ground.has("turbo.json"):
        yield ground.certain(_program(manager, "turbo run test"), "turbo.json, and packages with tests")
    elif ground.has("nx.json"):
        yield ground.certain(_program(manager, "nx run-many -t test"), "nx.json, and packages with tests")
    elif ground.has("lerna.json"):
        yield ground.certain(_program(manager, "lerna run test"), "lerna.json, and packages with tests")
    else:
        yarn = "foreach -A run test" if ground.has(".yarnrc.yml") else "run test"
        command = {
            "npm": "npm test --workspaces --if-present",
            "pnpm": "pnpm -r test",
            "yarn": f"yarn workspaces {yarn}",
            "bun": "bun run --filter '*' test",
        }[manager]
        yield ground.certain(command, "a workspace, and packages with tests")


def _members(ground: Ground, package: dict[str, Any]) -> tuple[str, ...]:
    """Globs of a workspace's packages."""
    named = package.get("workspaces")
    globs = words_in(named) or words_in(table_at(package, "workspaces").get("packages"))
    listed = re.findall(
        r"^[ \t]+-[ \t]+[\"']?([^\"'#\n]{1,200}?)[\"']?[ \t]*(?:#.*)?$",
        ground.text("pnpm-workspace.yaml"),
        re.MULTILINE,
    )
    wanted = tuple(glob.removeprefix("./") for glob in (*globs, *listed) if not glob.startswith("!"))
    return wanted or (EVERYTHING if ground.has("turbo.json", "nx.json", "lerna.json") else ())


def _named_in_scripts(ground: Ground, package: dict[str, Any]) -> Iterator[str]:
    """Folders below that the scripts here go into themselves."""
    told = " ".join(text for text in table_at(package, "scripts").values() if isinstance(text, str))[:20_000]
    for nested in ground.nested:
        folder = nested[len(ground.folder) + 1 if ground.folder else 0 :].rstrip("/")
        if re.search(rf"(?:cd|--prefix|-C|--cwd|-w|--workspace)[ =](?:\./)?{re.escape(folder)}(?![\w-])", told):
            yield folder


def look_at_deno(ground: Ground) -> Sighting | None:
    config = ground.json("deno.json") or ground.json("deno.jsonc")
    tests: tuple[TestCommand, ...] = ()
    if "test" in table_at(config, "tasks"):
        tests = (ground.certain("deno task test", 'task "test" in deno.json'),)
    elif ground.own_below(TEST_FILE):
        tests = (ground.likely("deno test", "deno.json and test files"),)
    covers = EVERYTHING if "workspace" in config else ()
    return Sighting(Stack("Deno", ground.folder, ("TypeScript",), "", tests), covers)

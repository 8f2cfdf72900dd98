"""Files that cannot be parsed any more: named with their line, and only if they could be before."""

import os
import shutil
from pathlib import Path

import pytest

from toryo.adapters.git.command import Git
from toryo.adapters.syntax import OwnParsers
from toryo.ports.parsing import Parsable
from toryo.rules.hygiene.grammars import grammar_of

BROKEN = [
    ("a.py", "x = 1\ndef f(:\n    pass\n", 2),
    ("a.py", "def f():\nreturn 1\n", 2),
    ("a.json", '{\n  "a": 1,\n}\n', 3),
    ("tsconfig.json", '{\n  // why\n  "a": 1,\n  "b" 2\n}\n', 4),
    ("a.toml", "a = 1\nb = \n", 2),
    ("a.yml", "a: 1\nb: [1, 2\nc: 3\n", 3),
    ("a.js", "const a = 1;\nfunction f( {\n}\n", 2),
    ("a.ts", "const a: number = 1;\nlet = ;\n", 2),
    ("a.tsx", "export const A = () => <div>\n", 1),
    ("a.go", "package a\n\nfunc f( {\n}\n", 3),
    ("a.rs", "fn f() {\n    let x = ;\n}\n", 2),
    ("A.java", "class A {\n    void f( { }\n}\n", 2),
    ("a.c", "int f(void) {\n    return 1\n}\n", 2),
    ("a.cpp", "class a {\n    int f() { return 1 }\n};\n", 2),
    ("a.cs", "class A {\n    void F( { }\n}\n", 2),
    ("a.rb", "def f\n  if x\nend\n", 1),
    ("a.php", "<?php\nfunction f( {\n}\n", 2),
    ("a.sh", "if true; then\n  echo x\n", 3),
]
FINE = [
    ("a.py", "type X[T] = list[T]\nx = f\"{y['z']}\"\n"),
    ("a.pyi", "def f() -> int: ...\n"),
    ("tsconfig.json", '{\n  // why\n  "a": "http://x", /* b */\n}\n'),
    (".vscode/settings.json", '{"a": 1, // c\n}\n'),
    ("a.yml", "a: !custom {b: c}\n---\nd: &x 1\ne: *x\n"),
    ("chart.yml", "a: {{ .Values.a }}\n{{- if .b }}\nb: [\n{{- end }}\n"),
    ("a.js", "const a = <div>{...x}</div>;\n"),
    ("a.js", "const f = () => {\n}\n\n[...a].forEach(b)\n"),
    ("flow.js", "// @flow\ntype A = {| a: ?number |};\nconst f = (x: A): %checks => !!x;\n"),
    ("a.ts", "enum A { B }\nconst x = { a: 1 } satisfies T;\n@dec class C<const T> { accessor x = 1 }\n"),
    ("a.h", "#pragma once\ntemplate <typename T> class A : public B<T> { T x; };\n"),
    ("a.cpp", "MY_EXPORT class Widget : public Base {\n    Q_OBJECT\n    FOO(bar)\n};\n"),
    ("a.rb", "puts <<~X\n  a\nX\ncase [1]\nin [a] then a\nend\n"),
    ("a.sh", "cat <<'X'\n$(\nX\n"),
    ("tests/fixtures/broken.json", "{"),
    ("a.txt", "def f(:"),
]


def parsable(folder: Path, name: str, text: str, base: str = "") -> Parsable:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Parsable(grammar_of(name) or "none", path, base)


def has_own_program(name: str) -> bool:
    return not name.endswith(".js") or shutil.which("node") is not None


@pytest.mark.covers("P49")
async def test_the_first_line_at_fault_is_named(tmp_path: Path) -> None:
    files = [parsable(tmp_path / str(number), name, text) for number, (name, text, _) in enumerate(BROKEN)]
    found = await OwnParsers(Git(os.environ), tmp_path).newly_broken(files)
    expected = [line for _, _, line in BROKEN]
    assert [(name, line) for (name, _, _), line in zip(BROKEN, found, strict=True)] == [
        (name, line) for (name, _, _), line in zip(BROKEN, expected, strict=True)
    ]


@pytest.mark.covers("P49")
async def test_what_is_right_or_unknown_is_no_fault(tmp_path: Path) -> None:
    fine = [(name, text) for name, text in FINE if has_own_program(name)]
    files = [parsable(tmp_path / str(number), name, text) for number, (name, text) in enumerate(fine)]
    found = await OwnParsers(Git(os.environ), tmp_path).newly_broken(files)
    assert [name for (name, _), line in zip(fine, found, strict=True) if line] == []


@pytest.mark.covers("P49")
async def test_who_found_it_broken_may_leave_it_so(tmp_path: Path) -> None:
    git = Git(os.environ)
    git.text(tmp_path, "init", "-q", "r")

    def blob(text: str) -> str:
        (tmp_path / "before").write_text(text, encoding="utf-8")
        return git.text(tmp_path / "r", "hash-object", "-w", str(tmp_path / "before")).strip()

    files = [
        parsable(tmp_path, "a.py", "def f(:\n", blob("def g(:\n")),
        parsable(tmp_path, "b.py", "def f(:\n", blob("def g(): ...\n")),
        parsable(tmp_path, "c.py", "def f(:\n", "0" * 39 + "1"),
    ]
    assert await OwnParsers(git, tmp_path / "r").newly_broken(files) == [0, 1, 0]


@pytest.mark.covers("P49")
async def test_hostile_files_harm_nobody(tmp_path: Path) -> None:
    """Nested without end, huge, or no text at all: nothing is said about them, and the others are still looked at."""
    texts = {
        "a.py": "(" * 100_000,
        "b.py": "x = " + "-" * 400_000 + "1",
        "c.json": "[" * 400_000,
        "d.yml": "[" * 20_000,
        "f.py": "x" * 3_000_000 + "(",
        "g.toml": "a=" + "[" * 100_000,
        "h.py": "\0(",
    }
    files = [parsable(tmp_path, name, text) for name, text in texts.items()]
    files += [Parsable("python", tmp_path / "gone.py"), Parsable("python", tmp_path)]
    files.append(parsable(tmp_path, "z.py", "def f(:\n"))
    found = await OwnParsers(Git(os.environ), tmp_path).newly_broken(files)
    assert found[-1] == 1
    said = {file.file.name for file, line in zip(files, found, strict=True) if line}
    assert said <= {"a.py", "z.py"}, "nobody can tell about the others"

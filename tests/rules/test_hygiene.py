"""What does not belong in the lines that a run added: each rule, language by language, and what is no fault."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toryo.domain.difference import Difference, FileDifference, Hunk
from toryo.domain.evidence import Change
from toryo.domain.hygiene import Allowance, Blemish, Hygiene, Level, Rule
from toryo.domain.plan import Terms
from toryo.rules.hygiene.languages import is_test, language_of
from toryo.rules.hygiene.looking import blemishes_in
from toryo.rules.hygiene.scanning import scanned
from toryo.rules.hygiene.terms import hygiene_of, under_terms

Places = list[tuple[Rule, int]]


def numbered(text: str, first: int = 1) -> tuple[tuple[int, str], ...]:
    return tuple(enumerate(text.split("\n"), first))


def new_file(path: str, text: str) -> FileDifference:
    return FileDifference(path, Change.CREATED, hunks=(Hunk((), numbered(text)),))


def look(path: str, text: str) -> list[Blemish]:
    """What is found in a new file with this text."""
    return blemishes_in(Difference((new_file(path, text),)), {path: text})


def places(path: str, text: str) -> Places:
    return [(blemish.rule, blemish.line) for blemish in look(path, text)]


# ── work put off ─────────────────────────────────────────────────────────────

PUT_OFF = [
    ("a.py", "x = 1  # TODO: later"),
    ("a.py", "# TODO"),
    ("a.py", "# todo: later"),
    ("a.py", "# Todo(anna): later"),
    ("a.py", "# It works. FIXME make it fast"),
    ("a.py", "#TODO fix"),
    ("a.py", "# ＴＯＤＯ：あとで"),
    ("a.py", "# あとで実装する"),
    ("a.py", "# 後で対応"),
    ("a.py", "# 未実装"),
    ("a.py", "#: XXX is this right?"),
    ("a.js", "// TODO later"),
    ("a.ts", "const x = 1; /* FIXME */"),
    ("a.tsx", "/**\n * TODO: say what\n */"),
    ("a.go", "// TODO(anna): later"),
    ("a.rs", "/// TODO later"),
    ("a.rs", "fn f() { todo!() }"),
    ("a.kt", 'fun f(): Int = TODO("later")'),
    ("A.java", "// HACK: this works by chance"),
    ("a.c", "/* XXX */"),
    ("a.rb", "# FIXME"),
    ("a.php", "<?php // TODO"),
    ("a.sh", "echo x # TODO: later"),
    ("a.yml", "a: b # TODO"),
    ("a.sql", "-- TODO index"),
    ("a.html", "<!-- TODO: text -->"),
    ("a.css", "/* TODO */"),
    ("Dockerfile", "# TODO pin"),
    ("a.vue", "<!-- FIXME -->"),
]
NOT_PUT_OFF = [
    ("a.py", 'print("# TODO: later")'),
    ("a.py", '"""TODO and FIXME are words.\n# TODO: this is text\n"""'),
    ("a.py", "class TodoList: ..."),
    ("a.py", "todo = TODO_STATES['todo']"),
    ("a.py", "# reads todo.txt, and TODO_LIST"),
    ("a.py", "# TODO comments are found here"),
    ("a.py", "# TODO and FIXME are what it looks for"),
    ("a.py", "# the list of todos"),
    ("a.py", "# 'TODO' is a word"),
    ("a.py", "# `TODO` is one of them"),
    ("a.py", "# TODOを検出する"),
    ("a.py", "# 未実装のメソッドを探す"),
    ("a.py", "# あとでわかるように名前を付ける"),
    ("a.py", "# hack the planet"),
    ("a.js", "const url = 'http://todo.example/TODO'"),
    ("a.js", "const t = `// TODO: ${'// TODO'} text`"),
    ("a.js", "const r = /\\/\\/ TODO['\"]/; // fine"),
    ("a.go", 'x := "// TODO"'),
    ("a.go", "x := `\n// TODO\n`"),
    ("a.rs", 'let c = \'"\'; let s = "// TODO";'),
    ("a.sh", 'echo "${x#TODO}" $#'),
    ("a.sql", "select '-- TODO'"),
    ("docs/about.md", "TODO: write\n\n# TODO"),
    ("about.rst", ".. TODO: x"),
    ("todo.txt", "TODO: buy milk"),
    ("data.json", '{"a": "TODO: x"}'),
    ("unknown.xyz", "# TODO: x"),
]


@pytest.mark.covers("P49", "A23")
@pytest.mark.parametrize(("path", "text"), PUT_OFF)
def test_work_that_was_put_off_is_found(path: str, text: str) -> None:
    assert [rule for rule, _ in places(path, text)] == [Rule.TODO]


@pytest.mark.covers("P49")
@pytest.mark.parametrize(("path", "text"), NOT_PUT_OFF)
def test_words_about_it_are_no_fault(path: str, text: str) -> None:
    assert places(path, text) == []


# ── code left out ────────────────────────────────────────────────────────────

OMITTED = [
    ("a.py", "# ... rest of code"),
    ("a.py", "# ... existing code ..."),
    ("a.py", "# existing code here"),
    ("a.py", "# rest of the function remains the same"),
    ("a.py", "# unchanged"),
    ("a.py", "# omitted for brevity"),
    ("a.py", "    # (rest of the methods unchanged)\n"),
    ("a.py", "... rest of the code ..."),
    ("a.py", "x = 1\n# ...\ny = 2"),
    ("a.py", "# 以下省略"),
    ("a.py", "# 既存のコード"),
    ("a.py", "# 残りのコードは変更なし"),
    ("a.py", "# 以下同様"),
    ("a.py", "# (中略)"),
    ("a.py", "# エラー処理は省略"),
    ("a.py", "# your code here"),
    ("a.js", "// unchanged"),
    ("a.js", "// ..."),
    ("a.js", "/* ... */"),
    ("a.ts", "// ... (other methods)"),
    ("a.ts", "{/* ... existing components ... */}"),
    ("a.go", "// remaining code unchanged"),
    ("a.rs", "// … existing imports …"),
    ("A.java", "// same as before"),
    ("a.css", "/* ...rest of styles */"),
    ("a.html", "<!-- rest remains the same -->"),
    ("a.html", "<!-- ... -->"),
    ("a.sh", "# implementation goes here"),
    ("a.yml", "# ... other jobs ..."),
]
NOT_OMITTED = [
    ("a.py", "def f() -> int: ..."),
    ("a.py", "class P(Protocol):\n    def f(self) -> int:\n        ...\n"),
    ("a.py", "x = a[..., 0]"),
    ("a.py", "# the rest of the line is a comment"),
    ("a.py", "# keeps the existing code as it is where that can be"),
    ("a.py", "# all fields that are\n# unchanged."),
    ("a.py", "# for example:\n# a = 1\n# ...\n# b = 2"),
    ("a.py", "# waits... then goes on"),
    ("a.py", "# 引数は省略可能"),
    ("a.py", "# 省略時は既定値を使う"),
    ("a.py", "# 変更なしの場合は何もしない"),
    ("a.py", "# 既存のコードを読み込んで解析する"),
    ("a.py", 'x = "# ... rest of code"'),
    ("a.py", "# other tests run first"),
    ("a.js", "const y = [...x, ...rest]"),
    ("a.js", "f(\n  ...rest,\n)"),
    ("a.js", "const { a, ...others } = b // takes the rest"),
    ("a.c", "int f(const char *, ...);"),
    ("a.go", "func f(xs ...int) {}"),
    ("docs/a.md", "```js\n// ... rest of code\n```"),
]


@pytest.mark.covers("P49")
@pytest.mark.parametrize(("path", "text"), OMITTED)
def test_code_that_was_left_out_is_found(path: str, text: str) -> None:
    assert [rule for rule, _ in places(path, text)] == [Rule.OMISSION]


@pytest.mark.covers("P49")
@pytest.mark.parametrize(("path", "text"), NOT_OMITTED)
def test_dots_and_such_words_elsewhere_are_no_fault(path: str, text: str) -> None:
    assert places(path, text) == []


# ── conflict markers ─────────────────────────────────────────────────────────


@pytest.mark.covers("A23")
@pytest.mark.parametrize("path", ["a.py", "list", "docs/a.md", "a.json"])
def test_markers_are_found_in_any_file(path: str) -> None:
    text = "a\n<<<<<<< HEAD\nb\n||||||| base\n=======\nc\n>>>>>>> other\n"
    assert [line for rule, line in places(path, text) if rule is Rule.CONFLICT] == [2, 4, 5, 7]


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.md", "Heading\n=======\n"), ("a.py", "x = '''\n ======= '''"), ("a.txt", "=======\n"), ("a.py", "# <<<<<<<")],
)
def test_what_only_looks_like_one(path: str, text: str) -> None:
    assert places(path, text) == []


# ── errors swallowed ─────────────────────────────────────────────────────────

SWALLOWED = [
    ("a.py", "try:\n    f()\nexcept:\n    pass", 3),
    ("a.py", "try:\n    f()\nexcept Exception:  # never mind\n    pass", 3),
    ("a.py", "for x in y:\n    try:\n        f()\n    except (ValueError, BaseException) as e:\n        continue", 4),
    ("a.py", "try:\n    f()\nexcept Exception: ...", 3),
    ("a.py", "with contextlib.suppress(Exception):\n    f()", 1),
    ("a.js", "try { f() } catch (e) {}", 1),
    ("a.ts", "try {\n  f()\n} catch {\n  // ignore\n}", 3),
    ("a.ts", "f().catch(() => {})", 1),
    ("A.java", "try { f(); } catch (Exception e) { }", 1),
    ("a.cs", "try { F(); } catch { }", 1),
    ("a.php", "<?php try { f(); } catch (\\Throwable $e) {}", 1),
    ("a.kt", "try { f() } catch (e: Exception) { }", 1),
    ("a.cpp", "try { f(); } catch (...) { }", 1),
    ("a.rb", "begin\n  f\nrescue => e\nend", 3),
    ("a.rb", "x = f rescue nil", 1),
    ("a.go", "if err := f(); err != nil {\n}", 1),
    ("a.go", "_ = err", 1),
]
NOT_SWALLOWED = [
    ("a.py", "try:\n    f()\nexcept KeyError:\n    pass"),
    ("a.py", "try:\n    f()\nexcept Exception:\n    log()"),
    ("a.py", "try:\n    f()\nexcept Exception:\n    raise"),
    ("a.py", "with suppress(FileNotFoundError):\n    f()"),
    ("a.py", "x = 'except Exception: pass'"),
    ("a.js", "try { f() } catch (e) { log(e) }"),
    ("a.js", "const s = 'catch (e) {}'"),
    ("A.java", "try { f(); } catch (NoSuchFileException e) { }"),
    ("a.cs", "try { F(); } catch (FileNotFoundException) { }"),
    ("a.rb", "begin\n  f\nrescue KeyError\nend"),
    ("a.rb", "begin\n  f\nrescue => e\n  log(e)\nend"),
    ("a.go", "if err != nil {\n\treturn err\n}"),
    ("a.go", "_ = f()"),
    ("a.sh", "f || true"),
]


@pytest.mark.covers("A23")
@pytest.mark.parametrize(("path", "text", "line"), SWALLOWED)
def test_errors_that_vanish_are_found(path: str, text: str, line: int) -> None:
    assert places(path, text) == [(Rule.SWALLOWED, line)]


@pytest.mark.covers("A23")
@pytest.mark.parametrize(("path", "text"), NOT_SWALLOWED)
def test_errors_that_are_dealt_with_are_no_fault(path: str, text: str) -> None:
    assert places(path, text) == []


def test_it_counts_where_the_change_is() -> None:
    """The handler was there; that it does nothing now is new."""
    text = "try:\n    f()\nexcept Exception:\n    pass\n"
    file = FileDifference("a.py", Change.MODIFIED, hunks=(Hunk(((4, "    log()"),), ((4, "    pass"),)),))
    found = blemishes_in(Difference((file,)), {"a.py": text})
    assert [(blemish.rule, blemish.line) for blemish in found] == [(Rule.SWALLOWED, 4)]


# ── tests skipped ────────────────────────────────────────────────────────────

SKIPPED = [
    ("tests/test_a.py", "@pytest.mark.skip\ndef test_a(): assert f()"),
    ("tests/test_a.py", '@pytest.mark.skip(reason="slow")\ndef test_a(): assert f()'),
    ("tests/test_a.py", "@pytest.mark.xfail\ndef test_a(): assert f()"),
    ("tests/test_a.py", "@unittest.skip('x')\nclass T: ..."),
    ("tests/test_a.py", "@pytest.mark.skipif(True, reason='x')\ndef test_a(): assert f()"),
    ("tests/test_a.py", "def test_a():\n    pytest.skip('later')"),
    ("a.test.js", "it.skip('works', () => {})"),
    ("a.test.ts", "describe.only('x', () => {})"),
    ("a.spec.ts", "xit('works', () => {})"),
    ("a.spec.ts", "test.todo('works')"),
    ("a_test.go", 'func TestA(t *testing.T) {\n\tt.Skip("later")\n}'),
    ("src/lib.rs", "#[test]\n#[ignore]\nfn works() {}"),
    ("src/test/ATest.java", "@Disabled\n@Test\nvoid works() {}"),
    ("tests/ATests.cs", '[Fact(Skip = "later")]\npublic void Works() {}'),
    ("spec/a_spec.rb", "  xit 'works' do\n  end"),
    ("spec/a_spec.rb", "it 'works' do\n  skip 'later'\nend"),
    ("tests/ATest.php", "<?php class A { function testA() {\n    $this->markTestSkipped('x');\n}}"),
    ("tests/a_test.cpp", "TEST(A, DISABLED_works) {}"),
]
NOT_SKIPPED = [
    ("tests/test_a.py", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_a(): assert f()"),
    ("tests/test_a.py", "@pytest.mark.xfail(sys.platform == 'win32', reason='x')\ndef test_a(): assert f()"),
    ("tests/test_a.py", "def test_a():\n    if not tmux:\n        pytest.skip('no tmux')"),
    ("tests/test_a.py", "def test_skip():\n    assert skip(1) == 'pytest.mark.skip'"),
    ("src/a.py", "def test_a():\n    pytest.skip('not a test file')"),
    ("a.spec.ts", "test.skip(browserName === 'webkit', 'not there')"),
    ("a.test.js", "it('skips what it should', () => { list.skip(1) })"),
    ("a_test.go", "func TestA(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}"),
    ("src/test/ATest.java", "@DisabledOnOs(OS.WINDOWS)\n@Test\nvoid works() {}"),
    ("spec/a_spec.rb", "it 'works' do\n  skip 'later' if windows?\nend"),
]


@pytest.mark.covers("A23")
@pytest.mark.parametrize(("path", "text"), SKIPPED)
def test_tests_that_no_longer_run_are_found(path: str, text: str) -> None:
    assert [rule for rule, _ in places(path, text)] == [Rule.SKIPPED_TEST]


@pytest.mark.covers("A23")
@pytest.mark.parametrize(("path", "text"), NOT_SKIPPED)
def test_skipping_under_a_condition_is_no_fault(path: str, text: str) -> None:
    assert places(path, text) == []


# ── tests removed ────────────────────────────────────────────────────────────


def changes(path: str, removed: str, added: str = "", **more: object) -> FileDifference:
    hunk = Hunk(numbered(removed) if removed else (), numbered(added) if added else ())
    return FileDifference(path, Change.MODIFIED, hunks=(hunk,))


def gone(*files: FileDifference) -> list[str]:
    found = blemishes_in(Difference(files), {})
    return [blemish.text for blemish in found if blemish.rule is Rule.REMOVED_TEST]


REMOVED = [
    ("tests/test_a.py", "def test_works():\n    assert f()", "test_works"),
    ("tests/test_a.py", "    async def test_works(self):\n        assert f()", "test_works"),
    ("a.test.ts", "it('works', () => {\n})", "works"),
    ("a.spec.js", 'test.each([1])("works %s", () => {})', "works %s"),
    ("a_test.go", "func TestWorks(t *testing.T) {\n}", "TestWorks"),
    ("src/lib.rs", "    #[test]\n    fn works() {\n    }", "works"),
    ("src/test/ATest.java", "@Test\npublic void works() {\n}", "works"),
    ("tests/ATests.cs", "[Fact]\npublic void Works() {\n}", "Works"),
    ("spec/a_spec.rb", "  it 'works' do\n  end", "works"),
    ("tests/ATest.php", "public function testWorks() {\n}", "testWorks"),
    ("tests/a_test.cpp", "TEST(A, works) {\n}", "A, works"),
]


@pytest.mark.covers("A23")
@pytest.mark.parametrize(("path", "text", "name"), REMOVED)
def test_a_test_that_went_is_named(path: str, text: str, name: str) -> None:
    assert gone(changes(path, text)) == [name]


@pytest.mark.covers("A23")
def test_a_test_that_came_back_elsewhere_did_not_go() -> None:
    text = "def test_works():\n    assert f()"
    assert gone(changes("tests/test_a.py", text), changes("tests/test_b.py", "", text)) == []


def test_a_renamed_test_did_not_go() -> None:
    assert gone(changes("tests/test_a.py", "def test_works():", "def test_it_works_now():")) == []


def test_tests_that_became_one_did_not_go() -> None:
    removed = "def test_one(): assert f(1)\ndef test_two(): assert f(2)"
    added = "@pytest.mark.parametrize('x', [1, 2])\ndef test_all(x): assert f(x)"
    assert gone(changes("tests/test_a.py", removed, added)) == []


def test_one_that_is_skipped_is_still_there() -> None:
    assert gone(changes("a.test.ts", "it('works', f)", "it.skip('works', f)")) == []


def test_other_new_tests_do_not_make_up_for_it() -> None:
    file = FileDifference(
        "tests/test_a.py",
        Change.MODIFIED,
        hunks=(
            Hunk(((3, "def test_refuses_overdraft(): assert f()"),), ()),
            Hunk((), ((90, "def test_hello(): ..."),)),
        ),
    )
    assert gone(file) == ["test_refuses_overdraft"]


def test_a_deleted_test_file_is_named_with_its_tests() -> None:
    hunk = Hunk(numbered("def test_a(): assert f()\ndef test_b(): assert f()"), ())
    file = FileDifference("tests/test_x.py", Change.DELETED, hunks=(hunk,))
    assert gone(file) == ["deleted: test_a, test_b"]
    source = FileDifference("src/x.py", Change.DELETED, hunks=(Hunk(((1, "x = 1"),), ()),))
    assert gone(file, source) == [], "what it tested went with it"


def test_a_function_of_another_kind_may_go() -> None:
    assert gone(changes("src/db.py", "def test_connection(): ...")) == []
    assert gone(changes("tests/test_a.py", "def helper(): ...")) == []


# ── only what was added ──────────────────────────────────────────────────────

FAULTY = st.sampled_from([text for _, text in (*PUT_OFF[:8], *OMITTED[:8])] + ["x = 1", "", "except Exception: pass"])


@pytest.mark.covers("P49")
@settings(max_examples=150, deadline=None)
@given(st.lists(FAULTY, max_size=12), st.integers(0, 12), st.sampled_from(["a.py", "tests/test_a.py", "a.js", "a.md"]))
def test_lines_that_were_there_never_count(lines: list[str], place: int, path: str) -> None:
    """Whatever a file holds: with one harmless line added, nothing is found."""
    every = [each for line in lines for each in line.split("\n")]
    place = min(place, len(every))
    text = "\n".join([*every[:place], "harmless = 1", *every[place:]])
    file = FileDifference(path, Change.MODIFIED, hunks=(Hunk((), ((place + 1, "harmless = 1"),)),))
    assert blemishes_in(Difference((file,)), {path: text}) == []


def test_a_line_that_moved_is_not_new() -> None:
    file = FileDifference(
        "a.py",
        Change.MODIFIED,
        hunks=(Hunk(((1, "# TODO: old"),), ()), Hunk((), ((5, "    # TODO: old"), (6, "    # TODO: old")))),
    )
    text = "\n\n\n\n    # TODO: old\n    # TODO: old\n"
    found = blemishes_in(Difference((file,)), {"a.py": text})
    assert [blemish.line for blemish in found] == [6], "it moved once, and the second one is new"


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.sampled_from("#/*'\"`${}\\\n\r -<>!=a\t@[]()…略"), max_size=80),
    st.sampled_from(["python", "javascript", "rust", "ruby", "html", "sql", "php", "go", "component", "yaml"]),
)
def test_telling_code_from_comments_keeps_the_lines(text: str, language: str) -> None:
    lines = scanned(text, language)
    assert len(lines.code) == len(lines.comments) == text.count("\n") + 1
    flat = text.replace("\r\n", "\n").split("\n")
    assert all(
        set(code) <= {*line, " "} and len(code) == len(line) for code, line in zip(lines.code, flat, strict=True)
    )


def test_secrets_are_masked_and_long_lines_clipped() -> None:
    (found,) = look("a.py", f"# TODO: remove sk-ant-{'a' * 30} {'x' * 400}")
    assert "sk-ant-a" not in found.text
    assert "MASKED" in found.text
    assert len(found.text) <= 160


# ── terms ────────────────────────────────────────────────────────────────────


def test_levels_and_allowances() -> None:
    found = [Blemish(Rule.TODO, "src/a.py", 1, "x"), Blemish(Rule.OMISSION, "src/a.py", 2, "y")]
    hygiene = Hygiene(((Rule.TODO, Level.WARN), (Rule.SYNTAX, Level.OFF)))
    kept, more = under_terms(found, hygiene)
    assert [(blemish.rule, blemish.level) for blemish in kept] == [
        (Rule.OMISSION, Level.RETRY),
        (Rule.TODO, Level.WARN),
    ]
    assert more == 0
    assert under_terms(found, Hygiene(tuple((rule, Level.OFF) for rule in Rule))) == ((), 0)
    allow = (Allowance(Rule.TODO, ("docs/**",), "x"), Allowance(Rule.OMISSION, ("src/*.py",), "y"))
    assert [blemish.rule for blemish in under_terms(found, Hygiene(), allow)[0]] == [Rule.TODO]
    assert under_terms(found, Hygiene(allow=(Allowance(Rule.TODO, (), "x"),)), allow)[0] == ()


def test_there_is_a_limit_and_the_rest_is_counted() -> None:
    found = [Blemish(Rule.TODO, "a.py", number, str(number)) for number in range(1, 251)]
    kept, more = under_terms(found, Hygiene())
    assert (len(kept), more) == (200, 50)


def test_sessions_from_before_have_no_rules_but_for_markers() -> None:
    assert hygiene_of(Terms(), is_resolution=False) is None
    old = hygiene_of(Terms(), is_resolution=True)
    assert old is not None
    assert {rule for rule in Rule if old.level(rule) is not Level.OFF} == {Rule.CONFLICT}
    lax = Terms(hygiene=Hygiene(((Rule.CONFLICT, Level.OFF),)))
    settled = hygiene_of(lax, is_resolution=True)
    assert settled is not None
    assert settled.level(Rule.CONFLICT) is Level.RETRY


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("tests/test_a.py", True),
        ("src/a_test.go", True),
        ("src/a.test.tsx", True),
        ("spec/a_spec.rb", True),
        ("src/test/java/ATest.java", True),
        ("src/contest.py", False),
        ("src/latest.js", False),
        ("tests/data.yml", False),
        ("docs/tests/a.md", False),
    ],
)
def test_which_files_test_others(path: str, is_one: bool) -> None:
    assert is_test(path) is is_one


def test_languages_by_name() -> None:
    assert language_of("a/Dockerfile") == "hash"
    assert language_of("A.PY") == "python"
    assert language_of("README") == ""


@pytest.mark.parametrize("now", ["", "something else\n", "x = 1\n# TODO: y\n"])
def test_a_file_that_is_not_the_one_that_was_compared_says_nothing(now: str) -> None:
    file = FileDifference("a.py", Change.MODIFIED, hunks=(Hunk((), ((1, "# TODO: x"), (2, "y = 1"))),))
    assert blemishes_in(Difference((file,)), {"a.py": now}) == []


@pytest.mark.parametrize(
    "hostile", ["(" * 50_000, "-" * 200_000 + "1", "lambda: " * 20_000 + "1", "a." * 100_000 + "b"]
)
def test_hostile_code_stops_nobody(hostile: str) -> None:
    text = f"try:\n    x = {hostile}\nexcept Exception:\n    pass\n# TODO: y\n"
    found: list[Places] = []
    thread = threading.Thread(target=lambda: found.append(places("a.py", text)))
    thread.start()
    thread.join()
    assert (Rule.TODO, 5) in found[0]

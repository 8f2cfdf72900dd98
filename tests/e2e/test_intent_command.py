"""`toryo intent`, as a person uses it."""

import json
import sys
from pathlib import Path

import pytest
from tests.support.answers import assert_answer
from tests.support.repositories import Repo
from tests.support.terminals import converse

from toryo.views.columns import width


def _file(repo: Repo, slug: str) -> Path:
    return repo.path / ".toryo" / "intents" / f"{slug}.yaml"


@pytest.mark.covers("F1", "F6")
def test_written_down_listed_and_shown(repo: Repo) -> None:
    made = repo.toryo("intent", "new", "Add", "a --json flag", "-m", "Because\nof scripts", "--type", "feature")
    assert (made.code, made.out) == (0, "add-a-json-flag\n")
    assert "toryo approve add-a-json-flag" in made.err
    text = _file(repo, "add-a-json-flag").read_text()
    assert text.startswith(
        'title: "Add a --json flag"\nbody: |\n  Because\n  of scripts\ntype: feature\nsource: human\nrisk: null\n'
        "status: proposed\nparent: null\ncreated_at: 20"
    )
    assert repo.toryo("intent", "new", "Add a --json flag", "--risk", "high", "--approved").out == "add-a-json-flag-2\n"
    second = repo.toryo("intent", "new", "-F", "-", "--parent", "add-a-json-flag-2")
    assert second.code == 64, "nothing was said on standard input"
    child = json.loads(repo.toryo("intent", "new", "ログイン画面", "--parent", "add-a-json-flag-2", "--json").out)
    assert_answer("intent new", child)
    slug = child["intent"]["id"]
    listed = repo.toryo("intent", "list")
    rows = listed.out.splitlines()
    assert [row.split()[0] for row in rows] == ["INTENT", "add-a-json-flag", "add-a-json-flag-2", slug], "first come"
    assert {width(row[: row.index(title)]) for row, title in zip(rows[1:], ("Add", "Add", "ログ"), strict=True)} == {
        rows[0].index("TITLE")
    }
    shown = repo.toryo("intent", "show", "add-a-json-flag-2")
    assert "high" in shown.out
    assert f"child     {slug} (proposed): ログイン画面" in shown.out
    data = json.loads(repo.toryo("intent", "show", slug, "--json").out)
    assert_answer("intent show", data)
    assert data["intent"]["parent"] == "add-a-json-flag-2"


@pytest.mark.covers("F6")
@pytest.mark.parametrize("command", ["info", "logs", "diff", "land", "stop", "status", "report"])
def test_who_names_an_intent_where_a_session_is_wanted_is_told_where_to_look(repo: Repo, command: str) -> None:
    repo.write(".toryo/intents/greet-people.yaml", "title: Greet people\n")
    for name in ("greet-people", "greet"):
        done = repo.toryo(command, name)
        assert done.code == 64, done
        assert "greet-people is an intent, not a session or one of its tasks (E204)" in done.err
        assert "hint: toryo intent show greet-people" in done.err
    assert "is an intent" not in repo.toryo(command, "grete").err


@pytest.mark.covers("F6")
def test_a_list_says_what_it_leaves_out_and_what_is_broken(repo: Repo) -> None:
    nothing = repo.toryo("intent", "list")
    assert (nothing.code, nothing.out) == (0, "")
    assert "toryo intent new" in nothing.err
    assert not (repo.path / ".toryo").exists(), "looking makes nothing"
    assert not repo.store.exists()
    repo.write(".toryo/intents/a.yaml", "title: a\nstatus: done\n")
    repo.write(".toryo/intents/b.yaml", "title: b\nstatus: blocked\ntype: fix\n")
    repo.write(".toryo/intents/c.yaml", "title: c\nrisk: hihg\n")
    repo.write(".toryo/drafts/d.md", "Fix it\n")
    listed = repo.toryo("intent", "list")
    assert [row.split()[0] for row in listed.out.splitlines()] == ["INTENT", "b"]
    assert ".toryo/intents/c.yaml:2: risk: unknown risk 'hihg'; did you mean 'high'?" in listed.err
    assert "1 done or rejected" in listed.err
    assert "1 draft in .toryo/drafts" in listed.err
    everything = json.loads(repo.toryo("intent", "list", "--all", "--json").out)
    assert_answer("intent list", everything)
    assert [row["id"] for row in everything["intents"]] == ["a", "b"]
    assert everything["broken"][0]["line"] == 2
    assert [row.split()[0] for row in repo.toryo("intent", "list", "--status", "done").out.splitlines()] == [
        *("INTENT", "a"),
    ]
    unknown = repo.toryo("intent", "show", "bb")
    assert unknown.code == 64
    assert "did you mean b?" in unknown.err
    broken = repo.toryo("intent", "show", "c")
    assert "(E171)" in broken.err
    assert "hint: put it right: toryo intent edit c" in broken.err
    assert len(broken.err.splitlines()) <= 3
    assert "toryo reject" in repo.toryo("intent", "delete", "b").err


@pytest.mark.covers("F3")
def test_a_draft_that_cannot_be_read_is_told_everywhere_and_keeps_nobody_from_the_others(repo: Repo) -> None:
    repo.write(".toryo/drafts/bad.md", "---\ntype: fix\nrisk: hihg\n---\nFix it\n")
    repo.write(".toryo/drafts/good.md", "Greet people\n")
    (repo.path / ".toryo/drafts/away.md").symlink_to("/etc/hostname")
    listed = repo.toryo("intent", "list")
    assert ".toryo/drafts/bad.md:3: risk: unknown risk 'hihg'; did you mean 'high'?" in listed.err
    assert ".toryo/drafts/away.md:1: it leads out of the repository" in listed.err
    assert "1 draft in .toryo/drafts" in listed.err, listed
    data = json.loads(repo.toryo("intent", "list", "--json").out)
    assert_answer("intent list", data)
    assert data["drafts"] == [".toryo/drafts/good.md"]
    assert {row["path"]: row["line"] for row in data["broken"]} == {
        ".toryo/drafts/bad.md": 3,
        ".toryo/drafts/away.md": 1,
    }
    waits = repo.toryo("inbox")
    assert waits.code == 2, waits
    assert "broken, .toryo/drafts/bad.md, since" in waits.out
    assert "put it right: ${EDITOR:-vi} .toryo/drafts/bad.md" in waits.out
    (repo.path / ".toryo/drafts/good.md").unlink()
    watched = repo.toryo("watch", "--once")
    assert watched.code == 2, watched
    assert watched.out.count(".toryo/drafts/bad.md:3: risk") == 1
    assert (repo.path / ".toryo/drafts/bad.md").exists()
    (repo.path / ".toryo/drafts/away.md").unlink()
    repo.write(".toryo/drafts/bad.md", "")
    assert repo.toryo("inbox").code == 0, "it says nothing, and so asks for nothing"
    assert repo.toryo("watch", "--once").code == 0


def _editor(repo: Repo, *texts: str) -> None:
    """An editor that saves one text after the other."""
    folder = repo.path.parent / "texts"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / str(number)).write_text(text)
    program = repo.path.parent / "editor.py"
    program.write_text(
        "import sys, pathlib\n"
        f"texts = sorted(pathlib.Path({str(folder)!r}).iterdir())\n"
        "pathlib.Path(sys.argv[1]).write_text(texts[0].read_text())\n"
        "texts[0].unlink()\n"
    )
    repo.environ["EDITOR"] = f"{sys.executable} {program}"


@pytest.mark.covers("F6")
def test_what_was_edited_is_looked_at_and_kept(repo: Repo) -> None:
    repo.toryo("intent", "new", "Fix it")
    broken, good = "title: Fix it\nstatus: aproved\n", "title: Fix it  # now\nstatus: approved\n"
    _editor(repo, broken, broken, good)
    done = repo.toryo("intent", "edit", "fix")
    assert done.code == 64
    assert "fix-it.yaml:2: status: unknown status 'aproved'; did you mean 'approved'?" in done.err
    assert ".toryo/intents/fix-it.yaml as you saved it" in done.err
    assert _file(repo, "fix-it").read_text() == broken
    code, said = converse(repo, "intent", "edit", "fix-it", answers=[("Correct it now?", "y\n")])
    assert code == 0, said
    assert "fix-it is valid: approved" in said
    assert _file(repo, "fix-it").read_text() == good
    del repo.environ["EDITOR"]
    nobody = repo.toryo("intent", "edit", "fix-it", timeout=20)
    assert (nobody.code, "without a terminal an editor has to be named" in nobody.err) == (69, True), nobody
    repo.environ["EDITOR"] = "false"
    assert "E123" in repo.toryo("intent", "edit", "fix-it").err
    assert _file(repo, "fix-it").read_text() == good


def test_a_run_decides_nothing_about_intents(repo: Repo) -> None:
    repo.environ |= {"TORYO_RUN": "run-1", "TORYO_MAIN": str(repo.path)}
    assert repo.toryo("intent", "new", "Let me", "--approved").code == 73
    assert not _file(repo, "let-me").exists()


def test_a_folder_that_cannot_be_written_is_named(repo: Repo) -> None:
    (repo.path / ".toryo").mkdir()
    (repo.path / ".toryo" / "intents").write_text("a file\n")
    done = repo.toryo("intent", "new", "Fix it")
    assert done.code == 69
    assert "E175" in done.err
    assert [path.name for path in (repo.path / ".toryo").iterdir()] == ["intents"]

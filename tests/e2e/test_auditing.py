"""Audits: agents look, Toryo looks up what they say, and what is there becomes proposed intents."""

import json
from typing import Any

import pytest
from tests.support.answers import assert_answer
from tests.support.instructions import work
from tests.support.queueing import short_in, until_idle
from tests.support.repositories import Repo, until

LOGIN = "def login(name):\n    return run('ls ' + name)\n"
INJECTED = {
    "severity": "high",
    "place": "src/login.py:2",
    "title": "A name is run as a command",
    "why": "`; rm -rf ~` as a name would be carried out.",
    "suggestion": "Pass a list of arguments.",
}
INVENTED = {"severity": "high", "place": "src/login.py:99", "title": "Passwords are printed", "why": "They are."}
SMALL = {"severity": "low", "place": "README.md", "title": "README には使い方がない"}


def tells(*findings: dict[str, Any]) -> dict[str, Any]:
    """A step of a scripted agent."""
    return {"say": "I looked. " + json.dumps({"findings": list(findings)}, ensure_ascii=False)}


@pytest.fixture
def audited(repo: Repo) -> Repo:
    """A repository with a fault; nobody asks a model in it."""
    repo.write("src/login.py", LOGIN)
    repo.commit("login")
    repo.environ["TORYO_RUN_AGENT"] = "scripted"
    return repo


def intents(repo: Repo) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in (repo.path / ".toryo/intents").glob("*.yaml")}


@pytest.mark.covers("A25", "F6")
def test_what_is_there_becomes_proposed_intents_and_what_is_not_does_not(audited: Repo) -> None:
    work(audited, {"audit": [[tells(SMALL, INVENTED, INJECTED)]]})
    done = audited.toryo("audit")
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "high  src/login.py:2  A name is run as a command",
        "high  src/login.py:99  Passwords are printed",
        "low   README.md  README には使い方がない",
        "3 findings (1 unconfirmed)",
    ]
    assert "      → proposed: a-name-is-run-as-a-command" in lines
    assert "unconfirmed: that place is not there" in done.out
    assert "next: toryo approve a-name-is-run-as-a-command," in done.err
    found = intents(audited)
    assert len(found) == 3, "two findings, and the audit itself"
    fix = found["a-name-is-run-as-a-command"]
    for words in ("status: proposed", "source: audit", "Severity as it stands: high", "`src/login.py:2`"):
        assert words in fix
    assert "status: done" in found["audit-of-the-repository"]
    assert audited.git("status", "--porcelain", "--", "src") == ""

    work(audited, {"audit": [[tells(INJECTED)]], "security": [[tells({**INJECTED, "place": "src/login.py"})]]})
    again = audited.toryo("audit", "login.py", "--focus", "security", "--json", cwd=audited.path / "src")
    assert again.code == 0, again
    data = json.loads(again.out)
    assert_answer("audit", data)
    assert (data["kind"], data["intent"]) == ("audit", "audit-of-src-login-py-for-security")
    (row,) = data["findings"]
    assert (row["known"], row["intent"], row["line"]) == (True, "a-name-is-run-as-a-command", None)
    assert len(intents(audited)) == 4, "nothing is proposed twice"
    info = audited.toryo("info").out
    assert "flow      investigate → file" in info
    assert "known already: a-name-is-run-as-a-command" in info


@pytest.mark.covers("A25")
def test_what_two_see_is_proposed_once_and_how_the_audit_went_is_told(audited: Repo) -> None:
    seen_otherwise = {**INJECTED, "title": "The name is run as command", "severity": "med"}
    work(audited, {"security": [[tells(INJECTED, SMALL)]], "quality": [[tells(seen_otherwise)]]})
    done = audited.toryo("audit", "--focus", "security", "--focus", "quality")
    assert done.code == 0, done
    assert done.out.count("→ proposed: a-name-is-run-as-a-command") == 2
    assert done.err.count("a-name-is-run-as-a-command") == 1
    found = intents(audited)
    assert len(found) == 3, "two things are wrong, and the audit itself"
    listed = audited.toryo("intent", "list", "--status", "proposed").out.splitlines()
    ages = [line.split()[4] for line in listed[1:]]
    assert len(ages) == 2
    assert "-" not in ages, listed
    (history,) = json.loads(audited.toryo("history", "--json").out)["histories"]
    assert (history["intent_type"], history["outcome"]) == ("audit", "success")


@pytest.mark.covers("A25")
def test_how_an_audit_went_is_told_also_where_somebody_watches(audited: Repo) -> None:
    work(audited, {"audit": [[tells()]]})
    watching = audited.start("watch")
    until(lambda: audited.status()["watcher"] == watching.pid)
    done = audited.toryo("audit")
    assert done.code == 0, done
    until(lambda: "status: done" in intents(audited)["audit-of-the-repository"])
    (history,) = json.loads(audited.toryo("history", "--json").out)["histories"]
    assert history["intent_id"] == "audit-of-the-repository"
    assert audited.toryo("watch", "--stop").code == 0
    watching.communicate(timeout=60)


@pytest.mark.covers("A25", "P55")
def test_an_audit_that_tells_nothing_readable_looks_again_and_one_that_changes_files_is_not_accepted(
    audited: Repo,
) -> None:
    work(audited, {"audit": [[{"say": "All is well!"}], [tells()]]})
    done = audited.toryo("audit", "--detach")
    assert done.code == 0, done
    until_idle(audited)
    row = audited.info(short_in(done))["session"]
    assert (row["state"], row["outcome"], row["pursuit"]["findings"]) == ("closed", "COMPLETE", [])
    first, second = audited.info("audit")["task"]["runs"]
    assert "its findings cannot be read: there is no JSON object" in first["reasons"][0]
    assert second["disposition"] == "accept"

    audited.environ["TORYO_RUN_ATTEMPTS"] = "1"
    work(audited, {"tests": [[{"write": {"path": "src/login.py", "text": "fixed\n"}}, tells(INJECTED)]]})
    done = audited.toryo("audit", "src", "--focus", "tests")
    assert done.code == 2, done
    assert "must not change files: src/login.py" in audited.tasks()["tests"]["reason"]
    assert sorted(intents(audited)) == ["audit-of-src-for-tests", "audit-of-the-repository"]
    assert audited.show("main", "src/login.py") + "\n" == LOGIN


@pytest.mark.covers("A25")
def test_a_place_that_is_none_is_refused_before_anything_begins(audited: Repo) -> None:
    audited.write("new.py", "x = 1\n")
    for path, code, words in (
        ("../elsewhere", "E270", "is not in this repository"),
        ("src/logni.py", "E271", "there is no such file or folder"),
        ("new.py", "E271", "commit it first"),
    ):
        done = audited.toryo("audit", path)
        assert done.code == 64, done
        assert code in done.err
        assert words in done.err
    assert audited.toryo("audit", "--focus", "taste").code == 64
    assert not (audited.path / ".toryo").exists()

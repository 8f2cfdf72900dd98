"""`toryo reflect`: what was noted becomes proposals exactly once, whenever somebody dies."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.support.answers import assert_answer
from tests.support.planning_server import Endpoint, json_text, model_endpoint
from tests.support.repositories import Repo

from toryo.adapters.observationfile import Kept, ObservationFile
from toryo.domain.learning import Observation
from toryo.rules.observing import fit_to_keep

HISTORY = """\
intent_id: {slug}
title: A fix
outcome: success
created_at: 2026-01-0{day}T10:00:00Z
"""
MORTAL = """
import os, signal, sys
left = int(os.environ["DIES_AT"])
def die_in_the_end(event, args):
    global left
    is_step = event in ("os.rename", "os.link", "os.mkdir", "os.remove")
    is_writing = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
    path = str(args[0]) if args else ""
    if (is_step or is_writing) and ("/.toryo/" in path or "/reflections/" in path):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(die_in_the_end)
from toryo.frontends.cli import main
sys.argv = ["toryo", "reflect"]
main()
"""


@pytest.fixture
def model(repo: Repo) -> Iterator[Endpoint]:
    with model_endpoint() as endpoint:
        repo.environ |= endpoint.environ("openai")
        yield endpoint


def noted(repo: Repo, *said: str) -> list[str]:
    return [repo.toryo("observe", words, "--file", "src/login.py").out.strip() for words in said]


def histories(repo: Repo, *slugs: str) -> list[str]:
    for day, slug in enumerate(slugs, 1):
        repo.write(f".toryo/knowledge/history/{slug}-1234567{day}.yaml", HISTORY.format(slug=slug, day=day))
    return [f"{slug}-1234567{day}" for day, slug in enumerate(slugs, 1)]


def intents(repo: Repo) -> dict[str, dict[str, Any]]:
    files = sorted((repo.path / ".toryo" / "intents").glob("*.yaml"))
    return {path.stem: YAML(typ="safe", pure=True).load(path) for path in files}


def thoughts(because: list[str], seen: list[str], title: str = "Check addresses in one place") -> dict[str, Any]:
    wish = {"title": title, "body": "It is done twice.", "type": "refactor", "risk": "low", "because": because}
    skill = {"name": "check-twice", "description": "Look at both handlers", "body": "# How\n\nLook.\n", "seen": seen}
    return {"intents": [wish], "skills": [skill]}


def processed(repo: Repo) -> dict[str, bool]:
    data = json.loads(repo.toryo("observe", "--list", "--json").out)
    return {row["id"]: row["processed"] for row in data["observations"]}


@pytest.mark.covers("F14", "F17")
def test_what_was_noted_becomes_proposals_once(repo: Repo, model: Endpoint) -> None:
    first, second = noted(repo, "login and signup check addresses twice", "the key sk-ant-api03-" + "a" * 93)
    seen = histories(repo, "fix-login", "fix-signup")
    said = thoughts([first, "made-up"], seen)
    said["intents"] += [{"title": "Rests on nothing", "because": ["ffff"]}, dict(said["intents"][0], body="Again.")]
    said["skills"].append(dict(said["skills"][0], name="once", seen=[seen[0], seen[0], "../../etc"]))
    model.add(json_text(said))
    dry = repo.toryo("reflect", "--dry-run")
    assert (dry.code, intents(repo)) == (0, {}), dry
    model.add(json_text(said))
    done = repo.toryo("reflect")
    assert done.code == 0, done
    assert done.out == (
        "intent check-addresses-in-one-place: Check addresses in one place (low)\n"
        "skill check-twice: Look at both handlers\n"
    )
    assert "Rests on nothing': rests on nothing that was noted" in done.err
    assert "was proposed twice" in done.err
    assert "skill 'once': was seen in fewer than 2 efforts" in done.err
    (wish,) = intents(repo).values()
    assert (wish["source"], wish["status"], wish["risk"]) == ("reflection", "proposed", "low")
    assert "login and signup check addresses twice (src/login.py)" in wish["body"]
    assert processed(repo) == {first: True, second: True}
    skill = (repo.path / ".toryo/proposals/skills/check-twice/SKILL.md").read_text()
    assert skill.startswith('---\nname: check-twice\ndescription: "Look at both handlers"\n---\n\n# How\n')
    assert f"Seen in: {seen[0]}, {seen[1]}" in skill
    assert "sk-ant-api03" not in model.conversations()[-1][1], "a secret that was noted reaches no model"
    again = repo.toryo("reflect")
    assert "nothing new was noted" in again.err
    assert model.left_over == []


@pytest.mark.covers("F14")
def test_more_histories_than_fit_into_one_question_are_all_looked_at(repo: Repo, model: Endpoint) -> None:
    names = [f"fix-{number:02}-12345678" for number in range(50)]
    for number, name in enumerate(names):
        text = HISTORY.format(slug=name[:-9], day=1).replace("10:00:00", f"10:00:{number:02}")
        repo.write(f".toryo/knowledge/history/{name}.yaml", text)
    model.add(json_text({"intents": [], "skills": []}), json_text({"intents": [], "skills": []}))
    first, second = repo.toryo("reflect"), repo.toryo("reflect")
    assert "10 more to look at" in first.err, first
    assert "more to look at" not in second.err, second
    asked = [texts[-1] for texts in model.conversations()]
    for name in names:
        assert [f"{name} (new" in text for text in asked].count(True) == 1
    assert "nothing new was noted" in repo.toryo("reflect").err


@pytest.mark.covers("F17")
def test_a_proposed_skill_waits_in_the_inbox_and_is_taken_over_or_never_proposed_again(
    repo: Repo, model: Endpoint
) -> None:
    seen = histories(repo, "fix-login", "fix-signup")
    said = thoughts([], seen)
    said["skills"].append(dict(said["skills"][0], name="other", description="Something quite different"))
    model.add(json_text(said))
    assert repo.toryo("reflect").code == 0
    items = json.loads(repo.toryo("inbox", "--json").out)["items"]
    assert [(one["what"], one["id"], one["can"]) for one in items] == [
        ("skill", f"skill:{name}", ["approve", "reject"]) for name in ("check-twice", "other")
    ]
    assert items[0]["do"].startswith("toryo approve skill:check-twice, or toryo reject skill:check-twice")
    assert repo.toryo("approve", "skill:check-twice,skill:nothing").code == 64
    done = repo.toryo("approve", "skill:check-twice", "--json")
    answer = json.loads(done.out)
    assert_answer("approve (decisions)", answer)
    assert [(one["kind"], one["id"]) for one in answer["decided"]] == [("skill", "skill:check-twice")]
    assert (repo.path / ".claude/skills/check-twice/SKILL.md").is_file()
    assert repo.toryo("reject", "skill:other", "--why", "not here").code == 0
    assert repo.toryo("inbox").out == "nothing waits for you\n"
    noted(repo, "once more")
    model.add(json_text(said))
    done = repo.toryo("reflect")
    assert done.out == "", done
    assert "is here already, or was proposed before" in done.err
    assert repo.toryo("approve", "skill:other").code == 64


@pytest.mark.covers("F14")
def test_nothing_open_or_rejected_is_proposed_again(repo: Repo, model: Endpoint) -> None:
    (first,) = noted(repo, "login and signup check addresses twice")
    model.add(json_text(thoughts([first], [])))
    assert repo.toryo("reflect").code == 0
    (path,) = (repo.path / ".toryo" / "intents").glob("*.yaml")
    path.write_text(path.read_text().replace("status: proposed", "status: rejected"))
    (second,) = noted(repo, "addresses are checked in two places")
    model.add(json_text(thoughts([second], [], title="Check the addresses in one place")))
    done = repo.toryo("reflect", "--json")
    data = json.loads(done.out)
    assert_answer("reflect", data)
    assert (data["reflection"]["intents"], data["calls"]) == ([], 1), done
    assert "rejected not long ago" in data["reflection"]["dropped"][0]
    assert list(intents(repo)) == [path.stem]
    assert processed(repo) == {first: True, second: True}


@pytest.mark.covers("F14", "F17")
def test_killed_anywhere_it_is_done_exactly_once(repo: Repo, tmp_path: Path) -> None:
    """Every step that writes is a place to die; whoever comes next finishes, and no wish comes twice."""
    seen = histories(repo, "fix-login", "fix-signup")
    rounds = range(1, 60)
    replies = [{"when": f"about matter{number}.", "repeat": True, "json": _wish(number, seen)} for number in rounds]
    replies.append({"repeat": True, "json": {"intents": []}})
    (tmp_path / "model.json").write_text(json.dumps(replies))
    repo.environ |= {"TORYO_MODEL_PROVIDER": "scripted", "TORYO_MODEL_SCENARIO": str(tmp_path / "model.json")}
    for number in rounds:
        file = ObservationFile(repo.path, repo.store)
        file.path.unlink(missing_ok=True)
        assert file.add(_noted(f"about matter{number}.")) is Kept.ADDED
        mortal = _mortal(repo, number)
        if mortal.returncode == 0:
            break
        assert mortal.returncode == -9, mortal.stderr
        assert file.add(_noted("noticed meanwhile")) is Kept.ADDED
        done = repo.toryo("reflect")
        assert done.code == 0, done
        assert [one.processed for one in file.observed().observations] == [True, True], number
        titles = [one["title"] for one in intents(repo).values()]
        assert sorted(titles) == sorted(map(_title, range(1, number + 1))), number
        assert (repo.path / f".toryo/proposals/skills/skill-{number}/SKILL.md").exists()
    assert number > 10, "there are that many steps at least"
    left = [path for path in (repo.path / ".toryo").rglob(".*") if path.parent.name != "intents"]
    assert left == [], "nothing half-written"


def _noted(words: str) -> Observation:
    return fit_to_keep(Observation(words, created_at=time.time()))


def _title(number: int) -> str:
    return " ".join(f"{word}{number}" for word in ("Wish", "about", "subject", "part"))


def _wish(number: int, seen: list[str]) -> dict[str, Any]:
    said = thoughts(seen[:1], seen, _title(number))
    said["skills"][0] |= {"name": f"skill-{number}", "description": f"words{number} of{number} its{number} own{number}"}
    return said


def _mortal(repo: Repo, dies_at: int) -> subprocess.CompletedProcess[str]:
    own = {"DIES_AT": str(dies_at), "BELOW": str(repo.path)}
    return subprocess.run(
        [sys.executable, "-c", MORTAL],
        cwd=repo.path,
        env=repo.environ | own,
        capture_output=True,
        text=True,
        check=False,
    )

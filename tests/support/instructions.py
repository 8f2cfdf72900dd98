"""Sessions that begin with words: a model endpoint with prepared replies, and a scripted agent that does the work."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tests.support.planning_server import Answer, Endpoint, Prepared, json_text, model_endpoint
from tests.support.repositories import Done, Repo

ASKED = "what has to be asked before"
SPEC = "Your task: the specification"
PLAN = "Your task: the technical plan"
TASKS = "Your task: the tasks"
SCORE = "Your task: judge this plan"
REVIEW = "Your task: review the work"
JUDGE = "Your task: is this what was asked for"
RECONSIDER = "Your task: what should become of a task"
SAYING = "Your task: a person steps in"
CORRECTION = "Your reply cannot be used"

DOCUMENT = "# A document\n\n## Summary\n\nWhat is to be true when this is done, in enough words.\n"


def question(text: str, *options: str, default: str = "") -> dict[str, Any]:
    return {"question": text, "why": "it matters", "options": list(options), "default": default or options[0]}


def questions(*asked: Mapping[str, Any], title: str = "The wish") -> Answer:
    return json_text({"title": title, "questions": list(asked)}, when=ASKED)


def spec(text: str = DOCUMENT) -> Answer:
    return Answer(text, when=SPEC)


def plan(text: str = DOCUMENT) -> Answer:
    return Answer(text, when=PLAN)


def task(key: str, *needs: str, **more: Any) -> dict[str, Any]:
    about = {"description": f"Do {key} well, with tests.", "acceptance": [f"{key}.txt exists"]}
    return {"key": key, "title": f"Work {key}", "depends_on": list(needs), **about, **more}


def tasks(*planned: Mapping[str, Any], **more: Any) -> Answer:
    return json_text({"tasks": list(planned), **more}, when=TASKS)


def score(points: int, *issues: str) -> Answer:
    return json_text({"score": points, "issues": list(issues)}, when=SCORE)


def review(opinion: str = "approved", *, of: str = REVIEW, **more: Any) -> Answer:
    return json_text({"opinion": opinion, "reason": "as far as one can see", **more}, when=of)


def judged(complete: bool = True, *missing: str) -> Answer:
    return json_text({"complete": complete, "score": 90, "missing": list(missing), "suggestions": []}, when=JUDGE)


def usual(*keys: str) -> list[Prepared]:
    """Everything a session asks for, going well: no questions, these tasks, all of it approved."""
    planned = [task(key) for key in keys]
    return [questions(), spec(), plan(), tasks(*planned), score(90), *(review() for _ in keys), judged()]


@contextmanager
def planner(repo: Repo, replies: Sequence[Prepared | str], provider: str = "openai") -> Iterator[Endpoint]:
    """The repository's Toryo asks this endpoint, and its scripted agent writes `KEY.txt` for every task."""
    with model_endpoint(replies) as endpoint:
        repo.environ |= endpoint.environ(provider)
        repo.environ |= {"TORYO_RUN_AGENT": "scripted"}
        if "TORYO_AGENTS_SCRIPTED_SCENARIO" not in repo.environ:
            work(repo, {key: [[_writes(key)]] for key in ("A", "B", "C", "D", "T001")})
        yield endpoint


def work(repo: Repo, scenario: Mapping[str, Any]) -> None:
    """What the scripted agent does: for each task's key its runs, each a list of steps."""
    path = repo.path.parent / "scenario.json"
    path.write_text(json.dumps(scenario), encoding="utf-8")
    repo.environ["TORYO_AGENTS_SCRIPTED_SCENARIO"] = str(path)


def _writes(key: str) -> dict[str, Any]:
    return {"write": {"path": f"{key}.txt", "text": f"{key}\n"}}


def writes(path: str, text: str = "done\n") -> dict[str, Any]:
    return {"write": {"path": path, "text": text}}


def asks(repo: Repo, words: str, *flags: str) -> Done:
    return repo.toryo("run", words, *flags)


def calls_of(repo: Repo) -> list[dict[str, Any]]:
    """The session's log of calls, oldest first."""
    (log,) = sorted((repo.store / "calls").glob("*.jsonl"))
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def kinds(repo: Repo) -> list[str]:
    return [event["kind"] for event in repo.events()]

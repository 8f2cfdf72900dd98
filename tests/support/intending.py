"""Intents as people write them, what a model makes of them, and somebody who watches."""

import json
from collections.abc import Sequence
from typing import Any

from ruamel.yaml import YAML
from tests.support.instructions import (
    REVIEW,
    SCORE,
    TASKS,
    judged,
    plan,
    review,
    score,
    spec,
    task,
    tasks,
    work,
    writes,
)
from tests.support.planning_server import Answer, Prepared, json_text
from tests.support.repositories import Done, Repo

from toryo.domain.intent import Risk
from toryo.rules.flows import JUDGE, PLAN, SPECIFY, flow_of

ANALYSE = "what does this intent come to?"
JUDGED = {"title": "", "type": "docs", "risk": "low", "why": "it is small"}


def wish(repo: Repo, slug: str, **fields: Any) -> None:
    """A file as somebody writes it by hand; strings may have several lines."""
    said = {"title": f"Wish {slug}", "body": f"Something about {slug}.", "created_at": "2025-02-22T10:00:00Z", **fields}
    path = repo.path / ".toryo" / "intents" / f"{slug}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        YAML().dump(said, file)


def edit(repo: Repo, slug: str, **fields: Any) -> None:
    """The file with other values in it, and all else as it stands."""
    path = repo.path / ".toryo" / "intents" / f"{slug}.yaml"
    said = YAML().load(path.read_text(encoding="utf-8"))
    said.update(fields)
    with path.open("w", encoding="utf-8") as file:
        YAML().dump(said, file)


def intent(repo: Repo, slug: str) -> dict[str, Any]:
    path = repo.path / ".toryo" / "intents" / f"{slug}.yaml"
    return dict(YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8")))


def status(repo: Repo, slug: str) -> str:
    return str(intent(repo, slug).get("status", "proposed"))


def analysed(end: str = "tasks", *, type_: str = "docs", risk: str = "low", when: str = "", **more: Any) -> Answer:
    """A reply to the first question about an intent; `when`: only about one whose text has that."""
    said = {"end": end, "title": "", "type": type_, "risk": risk, "why": "as far as one can see", **more}
    return json_text(said, when=when or ANALYSE)


def carried_out(*keys: str, type_: str = "docs") -> list[Prepared]:
    """Everything that is asked for once an intent of that type may be carried out, going well."""
    flow = flow_of(type_, Risk.LOW).steps
    before = [document for step, document in ((SPECIFY, spec()), (PLAN, plan())) if step in flow]
    after = [judged()] if JUDGE in flow else []
    return [*before, tasks(*(task(key) for key in keys)), score(90), *(review() for _ in keys), *after]


def modelled(repo: Repo, *more: tuple[str, dict[str, Any]], keys: Sequence[str] = ("A",)) -> None:
    """A model in a file that always says the same: an intent comes to these tasks, and all is well.

    Before it says what an intent comes to, it says what `more` has, where these words are. A budget is set, as
    autonomy needs one; autonomy itself is off.
    """
    said = [
        (TASKS, {"tasks": [task(key) for key in keys]}),
        (SCORE, {"score": 90, "issues": []}),
        (REVIEW, {"opinion": "approved", "reason": "as far as one can see"}),
        *more,
        (ANALYSE, {"end": "tasks", **JUDGED}),
        ("", {"intents": []}),
    ]
    path = repo.path.parent / "model.json"
    path.write_text(json.dumps([{"when": when, "repeat": True, "json": reply} for when, reply in said]))
    work(repo, {"A": [[writes("A.txt", "A\n")]]})
    repo.environ |= {
        "TORYO_MODEL_PROVIDER": "scripted",
        "TORYO_MODEL_SCENARIO": str(path),
        "TORYO_RUN_AGENT": "scripted",
        "TORYO_AUTONOMY_PER_DAY": "100",
        "TORYO_BUDGET_RUNS": "20",
    }


def work_off(repo: Repo, *flags: str) -> Done:
    return repo.toryo("watch", "--once", *flags)


def sessions(repo: Repo) -> list[dict[str, Any]]:
    """Oldest first."""
    return list(reversed(repo.status()["sessions"]))

"""Files of intents, and what a model makes of them."""

from typing import Any

from ruamel.yaml import YAML
from tests.support.planning_server import Answer, json_text
from tests.support.repositories import Repo

ANALYSE = "Your task: what does this intent come to"


def intent_file(repo: Repo, slug: str, title: str = "A wish", *lines: str, **fields: str) -> None:
    """Fields as they stand in the file; more lines of YAML behind them."""
    usual = {"title": title, "status": "proposed", "created_at": "2026-01-02T03:04:05Z", **fields}
    text = "".join(f"{name}: {value}\n" for name, value in usual.items())
    repo.write(f".toryo/intents/{slug}.yaml", text + "".join(f"{line}\n" for line in lines))


def read_intent(repo: Repo, slug: str) -> dict[str, Any]:
    text = (repo.path / ".toryo" / "intents" / f"{slug}.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = YAML(typ="safe").load(text)
    return read


def analysed(end: str = "tasks", risk: str = "low", **more: Any) -> Answer:
    """The reply to what an intent comes to."""
    about = {"title": "The wish", "type": "feature", "why": "it is small"}
    return json_text({"end": end, "risk": risk, **about, **more}, when=ANALYSE)

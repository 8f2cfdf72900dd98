"""What the JSON answers of commands look like, as one schema that ships with Toryo."""

from typing import Any

from toryo.views.records import answershapes, evalshapes, intentshapes, learningshapes, logshapes, rowshapes, shapes
from toryo.views.records.schema import schema

ANSWERS: dict[str, type] = {
    "info": answershapes.SessionAnswer,
    "info TASK": answershapes.TaskAnswer,
    "info RUN": answershapes.RunAnswer,
    "audit": answershapes.AuditAnswer,
    "report": answershapes.ReportAnswer,
    "tasks": answershapes.TasksAnswer,
    "intent list": intentshapes.IntentsAnswer,
    "intent show": intentshapes.IntentAnswer,
    "intent new": intentshapes.IntentAnswer,
    "inbox": answershapes.InboxAnswer,
    "approve (decisions)": answershapes.DecisionsAnswer,
    "logs": logshapes.TaskLogIndex,
    "logs TASK": logshapes.TaskLog,
    "logs --tree": shapes.SessionMetadata,
    "logs --events": answershapes.EventLine,
    "trace (call)": answershapes.CallLine,
    "trace (run)": answershapes.RunLine,
    "watch": answershapes.WatchLine,
    "watch --detach": answershapes.WatcherAnswer,
    "queue": answershapes.QueueAnswer,
    "observe": learningshapes.ObservationAnswer,
    "observe --list": learningshapes.ObservationsAnswer,
    "history": learningshapes.HistoriesAnswer,
    "reflect": learningshapes.ReflectionAnswer,
    "eval": evalshapes.EvalAnswer,
    "eval --list": evalshapes.EvalsAnswer,
}
"""By the command that gives them; of those that print lines, the shape of one."""
ALSO: dict[str, type] = {"Evidence": shapes.Evidence, "FileLock": shapes.FileLock}
"""Known structures that no answer holds as such."""
_OPEN_ENDED = [
    kind
    for module in (rowshapes, answershapes, intentshapes, learningshapes, evalshapes)
    for kind in vars(module).values()
    if getattr(kind, "__module__", "") == module.__name__
]


def answers_schema(*, strict: bool = False) -> dict[str, Any]:
    """`strict` lets no answer have fields that are not named: for tests, which shall notice them."""
    made = schema({**ANSWERS, **ALSO}, open_ended=() if strict else _OPEN_ENDED)
    about = "What the JSON answers of toryo's commands look like; $defs has one for each command"
    return {"$schema": made["$schema"], "title": about, "toryo": 1, "$defs": made["$defs"]}


def _write() -> None:
    import json
    from pathlib import Path

    text = json.dumps(answers_schema(), indent=1, ensure_ascii=False)
    Path(__file__).with_name("answers.schema.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()

"""Decides what the model does next: reads the script in the question and keeps count of faults already shown."""

import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.model_server.exchange import Question, Reply, Say, ToolResult, UserText
from tests.support.model_server.script import Fault, Step, fault_of, has_script, steps_due, steps_of
from tests.support.model_server.tools import call_for, offers_tools, sample_of

_SIDE_ANSWER = "Scripted work"


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks in the middle of an answer."""

    text: str = "This answer is never heard to its end."
    pause: float = 0.0
    """Seconds of silence before it breaks."""


Deed = Reply | Fault | Cut


class Director:
    def __init__(self) -> None:
        self._shown: Counter[tuple[str, str, int]] = Counter()
        self._lock = threading.Lock()

    def decide(self, question: Question, pause: Callable[[float], None], body: Any = None) -> Deed:
        """What the model does now; `pause` waits, and raises when the client hangs up meanwhile."""
        script, tool_results = _script_in(question)
        if script is None or not offers_tools(question):
            return _side_answer(question, script)
        for step in steps_due(steps_of(script), tool_results):
            match step.word:
                case "think":
                    pause(float(step.rest))
                case "http":
                    fault = fault_of(step.rest)
                    if not fault.is_over and self._still_due(question, script, step, fault.times):
                        return fault
                case "cut":
                    if self._still_due(question, script, step, 1):
                        return Cut()
                case "say":
                    return Say(step.rest)
                case _:
                    return call_for(step, question)
        return Say("done.")

    def _still_due(self, question: Question, script: str, step: Step, times: int | None) -> bool:
        """Counts one more showing of a fault, unless it was shown often enough in this conversation."""
        if times is None:
            return True
        key = (question.conversation, script, step.place)
        with self._lock:
            if self._shown[key] >= times:
                return False
            self._shown[key] += 1
        return True


def _script_in(question: Question) -> tuple[str | None, int]:
    """The last user text with a script, and the number of tool results since."""
    tool_results = 0
    for entry in reversed(question.heard):
        match entry:
            case ToolResult():
                tool_results += 1
            case UserText(text) if has_script(text):
                return text, tool_results
    return None, 0


def _side_answer(question: Question, script: str | None) -> Say:
    """An answer to a title, a summary, a choice of model: short, and of the shape that is asked for."""
    if question.wanted_schema is not None:
        return Say(json.dumps(sample_of(question.wanted_schema, _SIDE_ANSWER)))
    if offers_tools(question):
        return Say("done.")
    said = [step.rest for step in steps_of(script or "") if step.word == "say"]
    return Say(said[-1] if said else _SIDE_ANSWER)

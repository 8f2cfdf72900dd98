"""The files of how intents went: one for each effort, written by Toryo, with room for people's comments."""

from pathlib import Path
from typing import Any

from toryo.adapters.intentfiles import leads_out
from toryo.adapters.located import Document, Unreadable, locate
from toryo.adapters.located_plain import read_plain_yaml
from toryo.adapters.swapping import alone, attempts, bring_back, settled, swap, write_new
from toryo.adapters.yamlwriting import block
from toryo.domain.changing import changed
from toryo.domain.facts import fact
from toryo.domain.intent import Broken, Risk
from toryo.domain.learning import History, HistoryOutcome, StepResult
from toryo.rules.instants import instant, moment

FOLDER = Path(".toryo", "knowledge", "history")


@fact
class Told:
    """What is on file, oldest first, each with its name; and what of it cannot be read."""

    histories: tuple[tuple[str, History], ...] = ()
    broken: tuple[Broken, ...] = ()


class HistoryFiles:
    """Those of one repository."""

    def __init__(self, root: Path) -> None:
        self._root, self.folder = root, root / FOLDER

    def names(self) -> list[str]:
        return sorted(path.stem for path in self.folder.glob("*.yaml")) if self.folder.is_dir() else []

    def told(self) -> Told:
        found, broken = [], []
        for name in self.names():
            try:
                found.append((name, _history(self._said(name))))
            except (Unreadable, OSError, KeyError, ValueError, TypeError, AttributeError) as error:
                says = f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)
                broken.append(Broken(str(FOLDER / f"{name}.yaml"), getattr(error, "line", 1), says))
        found.sort(key=lambda each: (each[1].created_at, each[0]))
        return Told(tuple(found), tuple(broken))

    def write(self, name: str, history: History, store: Path) -> bool:
        """Makes the file say so, and keeps the rest of it; False: it did already. Raises OSError, Unreadable."""
        path = self.folder / f"{name}.yaml"
        if leads_out(self._root, path):
            raise OSError(f"{FOLDER} leads out of the repository")
        self.folder.mkdir(parents=True, exist_ok=True)
        with alone(store / "histories.lock"):
            target = path.resolve()
            bring_back(target)
            for _ in attempts():
                try:
                    raw = settled(path)
                except FileNotFoundError:
                    if write_new(path, _new(history)):
                        return True
                    continue
                after = _brought_up_to_date(raw, history)
                if after == raw:
                    return False
                if swap(target, raw, after):
                    return True
        raise OSError(f"{FOLDER / path.name} changes all the time")

    def _said(self, name: str) -> dict[str, Any]:
        return _read((self.folder / f"{name}.yaml").read_bytes())


def _read(raw: bytes) -> dict[str, Any]:
    document = _document(raw)
    assert isinstance(document.value, dict)
    return document.value


def _document(raw: bytes) -> Document:
    """A mapping; raises Unreadable."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(1, "is not text in UTF-8") from error
    root = read_plain_yaml(text)
    if root is None:
        from toryo.adapters.located_yaml import read_yaml  # takes longer to import than most of them to read

        root = read_yaml(text)
    document = locate(root) if root else Document(None)
    if not isinstance(document.value, dict):
        raise Unreadable(1, "should be a mapping")
    return document


def _new(history: History) -> bytes:
    return ("\n".join(block(_fields(history))) + "\n").encode(errors="backslashreplace")


def _brought_up_to_date(raw: bytes, history: History) -> bytes:
    """With what is said about it by now, and everything else in its place; raises Unreadable."""
    from toryo.adapters.yamledits import with_changes

    said = _read(raw)
    if at := said.get("created_at"):
        try:
            history = changed(history, created_at=instant(str(at)))
        except ValueError:
            line = _document(raw).line(("created_at",))
            raise Unreadable(line, f"created_at: '{str(at)[:40]}' is not a time") from None
    wanted = {name: value for name, value in _fields(history).items() if value is not None}
    known = {name: said[name] for name in _fields(history) if name in said}
    if known == wanted:
        return raw
    after = with_changes(raw.decode(), known, wanted).encode(errors="backslashreplace")
    if _read(after) != {name: value for name, value in said.items() if name not in known} | wanted:
        raise Unreadable(1, "cannot be changed without changing more than what Toryo wrote there")
    return after


def _fields(one: History) -> dict[str, Any]:
    return {
        "intent_id": one.intent_id,
        "intent_type": one.intent_type or None,
        "intent_risk": str(one.intent_risk) if one.intent_risk else None,
        "title": one.title,
        "session": one.session,
        "flow": {"steps": list(one.flow), "adjustments": list(one.adjustments)},
        "step_results": [_step(step) for step in one.step_results],
        "outcome": str(one.outcome),
        "failure_reason": one.failure_reason or None,
        "observations": list(one.observations),
        "tokens": one.tokens,
        "usd": round(one.usd, 6),
        "created_at": moment(one.created_at),
    }


def _step(step: StepResult) -> dict[str, Any]:
    more: dict[str, Any] = {"task": step.task, "tokens": step.tokens, "usd": round(step.usd, 6)}
    said = {name: value for name, value in more.items() if value}
    return {"step": step.step, "result": step.result, "seconds": step.seconds, **said}


def _history(said: dict[str, Any]) -> History:
    flow = said.get("flow") or {}
    return History(
        intent_id=str(said["intent_id"]),
        session=str(said.get("session") or ""),
        title=str(said.get("title") or ""),
        outcome=HistoryOutcome(said["outcome"]),
        intent_type=str(said.get("intent_type") or ""),
        intent_risk=Risk(said["intent_risk"]) if said.get("intent_risk") else None,
        flow=tuple(str(step) for step in flow.get("steps") or ()),
        adjustments=tuple(str(step) for step in flow.get("adjustments") or ()),
        step_results=tuple(_step_result(step) for step in said.get("step_results") or ()),
        failure_reason=str(said.get("failure_reason") or ""),
        observations=tuple(str(one) for one in said.get("observations") or ()),
        tokens=int(said.get("tokens") or 0),
        usd=float(said.get("usd") or 0),
        created_at=instant(str(said["created_at"])) if said.get("created_at") else 0.0,
    )


def _step_result(said: dict[str, Any]) -> StepResult:
    return StepResult(
        str(said["step"]),
        str(said.get("result") or ""),
        float(said.get("seconds") or 0),
        str(said.get("task") or ""),
        int(said.get("tokens") or 0),
        float(said.get("usd") or 0),
    )

"""Evals: each case is asked as Toryo asks in real work, and its reply compared with what is expected."""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from toryo.adapters.evalfiles import all_cases, cases_in
from toryo.adapters.evalmemory import EvalMemory
from toryo.adapters.evalquestions import ASKED, Record
from toryo.adapters.git.place import Place, cannot_write, find_place
from toryo.adapters.located import did_you_mean
from toryo.adapters.settings import load_settings
from toryo.app.inquiring import Ear, Inquiry, Listen
from toryo.app.models import usable
from toryo.domain.calls import CallRecord
from toryo.domain.errors import ToryoError
from toryo.domain.evals import EvalCase, EvalResult, EvalTry, Past
from toryo.rules.evaluating import is_wanted, misses, unusable
from toryo.rules.masking import mask
from toryo.rules.wording import criteria_lines, documents_text

_LOG = "eval"
_UNKNOWN = "(nothing is known about it)"


def chosen_cases(where: Path, wanted: Sequence[str] = (), files: Sequence[Path] = ()) -> list[EvalCase]:
    """Those of the files that are named, else all; of them those that are wanted. Raises ToryoError."""
    cases = cases_in(list(files)) if files else all_cases(find_place(where).root)
    if not wanted:
        return cases
    for one in wanted:
        if not any(is_wanted(case, one) for case in cases):
            near = did_you_mean(one, [*(case.name for case in cases), *ASKED]).removeprefix("; ")
            raise ToryoError("E144", f"there is no case '{one}'", hint=near or "toryo eval --list shows all")
    return [case for case in cases if any(is_wanted(case, one) for one in wanted)]


def past_results(where: Path) -> dict[str, Past]:
    return EvalMemory(find_place(where).store).past()


def role_of(case: EvalCase) -> str:
    return str(ASKED[case.prompt].role)


class Evaluation:
    """Cases on their way; it takes no lease, and keeps nothing but a log of calls and how each case went."""

    def __init__(self, where: Path, cases: Sequence[EvalCase], times: int, listen: Listen) -> None:
        place: Place = find_place(where)
        self.cases, self.times = tuple(cases), times
        self._settings = load_settings(place.root, os.environ, {})
        self._inquiry = Inquiry(place, self._settings, self._listen)
        self._hear, self._doing = listen, ""
        self._memory = EvalMemory(place.store)
        self._place = place
        self._past = self._memory.past()

    @property
    def calls(self) -> list[CallRecord]:
        return self._inquiry.calls

    def refuse_if_unusable(self) -> None:
        """Before anything is asked: every model that is needed, and every template."""
        for role in sorted({role_of(case) for case in self.cases}):
            usable(self._settings, role)
        for case in self.cases:
            self._question(case)

    def results(self) -> Iterator[EvalResult]:
        """One case after the other; each is remembered once it was asked as often as it should be."""
        for number, case in enumerate(self.cases, 1):
            tries = []
            for time_ in range(1, self.times + 1):
                again = f", {time_} of {self.times}" if self.times > 1 else ""
                self._doing = f"{number}/{len(self.cases)} {case.name}{again}: "
                tries.append(self._try(case))
            yield self._remembered(case, tuple(tries))

    def _try(self, case: EvalCase) -> EvalTry:
        asking, before = ASKED[case.prompt], len(self._inquiry.calls)

        def read(text: str) -> tuple[Record, str]:
            return asking.read(text, case), text

        asked = self._inquiry.ask(
            _LOG, case.prompt, self._prompt(case), read, role=asking.role, about=mask(case.repository) or _UNKNOWN
        )
        calls = tuple(self._inquiry.calls[before:])
        corrections = len(asked.calls) - 1
        if asked.value is None:
            return EvalTry((unusable(asked.errors),), calls, corrections)
        record, text = asked.value
        return EvalTry(misses(case, record, text, corrections), calls, corrections)

    def _prompt(self, case: EvalCase) -> str:
        """As in real work: files first, then the template that holds here, without anything secret."""
        values = {**ASKED[case.prompt].fills, **dict(case.places)}
        if case.acceptance:
            values["criteria"] = criteria_lines(case.acceptance)
        prompt = self._inquiry.prompt(case.prompt, **{name: mask(value) for name, value in values.items()})
        documents = documents_text({name: mask(text) for name, text in case.documents})
        return f"{documents}\n{prompt}" if documents else prompt

    def _question(self, case: EvalCase) -> str:
        """What tells one question from another."""
        system = self._inquiry.prompt("system", repository=mask(case.repository) or _UNKNOWN)
        return hashlib.sha256(f"{system}\0{self._prompt(case)}".encode(errors="replace")).hexdigest()[:16]

    def _remembered(self, case: EvalCase, tries: tuple[EvalTry, ...]) -> EvalResult:
        calls = [call for one in tries for call in one.calls if call.trouble is None]
        model = _name_of(calls[-1]) if calls else ""
        now = Past(sum(one.is_passed for one in tries), len(tries), time.time(), model, self._question(case))
        try:
            self._memory.keep({case.name: now})
        except OSError as error:
            raise cannot_write(self._place.store, error) from error
        return EvalResult(case, tries, now, self._past.get(case.name))

    def _listen(self, said: str) -> AbstractContextManager[Ear]:
        return self._hear(f"{self._doing}{said}")


def _name_of(call: CallRecord) -> str:
    """The provider and the model, as the configuration names them."""
    return f"{call.provider}/{call.model.removeprefix(f'{call.provider}/')}"

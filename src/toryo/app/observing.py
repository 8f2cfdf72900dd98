"""Noting what was noticed while working: by an agent in its run, or by a person."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from toryo.adapters.git.place import Place, find_place
from toryo.adapters.observationfile import Kept as Kept
from toryo.adapters.observationfile import ObservationFile
from toryo.adapters.observationfile import Observed as Observed
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.learning import EvidenceType, Observation, ObservationSource, Reference
from toryo.rules.observing import MOST_UNPROCESSED, fit_to_keep

_AUDIT = "audit"


def observation_file(place: Place) -> ObservationFile:
    return ObservationFile(place.root, place.store)


def observe(
    where: Path, text: str, evidence: Sequence[tuple[EvidenceType, str]], environ: Mapping[str, str] = os.environ
) -> tuple[Observation, Kept]:
    """Keeps it in the main checkout, wherever it is noted from; raises ToryoError where it cannot be kept at all."""
    refs = tuple(
        Reference(kind, _seen_from_root(where, ref) if kind is EvidenceType.FILE else ref) for kind, ref in evidence
    )
    observation = fit_to_keep(
        Observation(text, refs, _source(environ), environ.get("TORYO_INTENT", ""), False, time.time())
    )
    if not observation.content:
        raise ToryoError("E290", "an observation needs words", hint='toryo observe "what you noticed" --file PATH')
    file = observation_file(_place(where, environ))
    try:
        kept = file.add(observation)
    except OSError as error:
        raise ToryoError(
            "E291",
            f"the observation cannot be kept: {error}",
            hint="free some space, then again",
            exit_code=Exit.MISSING,
        ) from error
    if kept is Kept.REFUSED:
        raise ToryoError(
            "E292",
            f"{MOST_UNPROCESSED:,} observations wait already; this one was not kept",
            hint="'toryo reflect' makes something of them",
            exit_code=Exit.REFUSED,
        )
    return observation, kept


def observed_at(where: Path) -> Observed:
    file = observation_file(_place(where, os.environ))
    with suppress(OSError):
        file.join()
    return file.observed()


def is_in_a_run(environ: Mapping[str, str] = os.environ) -> bool:
    return bool(environ.get("TORYO_RUN"))


def _place(where: Path, environ: Mapping[str, str]) -> Place:
    """Of a run, the repository that it works for, wherever its agent went."""
    main = environ.get("TORYO_MAIN", "") if is_in_a_run(environ) else ""
    return find_place(Path(main) if main and Path(main).is_dir() else where)


def _source(environ: Mapping[str, str]) -> ObservationSource:
    if not is_in_a_run(environ):
        return ObservationSource.HUMAN
    is_audit = environ.get("TORYO_INTENT_TYPE") == _AUDIT
    return ObservationSource.AUDIT if is_audit else ObservationSource.IMPLEMENT


def _seen_from_root(where: Path, ref: str) -> str:
    """A path of the worktree as it goes by in the repository; any other as it was given."""
    root = next((folder for folder in (where, *where.parents) if (folder / ".git").exists()), None)
    path = Path(os.path.normpath(where / ref))
    return path.relative_to(root).as_posix() if root and path.is_relative_to(root) else ref

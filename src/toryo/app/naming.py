"""Ids as people give them: any beginning that is one's alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from toryo.domain.errors import ToryoError
from toryo.domain.session import short_of
from toryo.rules.naming import matching

NOTHING = ("E201", "E204")
"""The codes of what is said where nothing is called so."""


def the_one(wanted: str, ids: Sequence[str], kind: str) -> str:
    """The one id that is meant; raises ToryoError where none is, or several are."""
    found = matching(wanted, ids, kind)
    if len(found) == 1:
        return found[0]
    if found:
        raise ambiguous(wanted, found)
    raise unknown(wanted, ids)


def ambiguous(wanted: str, found: Sequence[str]) -> ToryoError:
    error = ToryoError("E205", f"'{wanted}' names {len(found)} things", hint="give more of the id")
    return error.with_details(list(found[:10]))


@contextmanager
def minding_intents(root: Path, wanted: str | None) -> Iterator[None]:
    """Where nothing is called so but an intent, that is said."""
    try:
        yield
    except ToryoError as error:
        if error.code not in NOTHING or not wanted or not (slug := _intent_called(root, wanted)):
            raise
        hint = f"toryo intent show {slug} shows it, and the session that works on it"
        words = f"{slug} is an intent, not a session or one of its tasks"
        raise ToryoError("E204", words, hint=hint) from None


def _intent_called(root: Path, wanted: str) -> str:
    """The name of the only one that is called so, or begins so; empty: there is none."""
    from toryo.adapters.intentfiles import FOLDER, SUFFIX  # nobody needs it who names what is there

    slugs = [path.stem for path in (root / FOLDER).glob(f"*{SUFFIX}") if path.stem.startswith(wanted)]
    return wanted if wanted in slugs else slugs[0] if len(slugs) == 1 else ""


def unknown(wanted: str, ids: Sequence[str]) -> ToryoError:
    import difflib

    shorts = [short_of(known) for known in ids]
    near = difflib.get_close_matches(wanted, shorts, n=1)
    hint = f"did you mean {near[0]}?" if near else "'toryo status' lists the sessions, 'toryo info' their tasks"
    return ToryoError("E204", f"nothing here is called '{wanted}'", hint=hint)

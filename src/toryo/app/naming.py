"""Ids as people give them: any beginning that is one's alone."""

from collections.abc import Sequence

from toryo.domain.errors import ToryoError
from toryo.domain.session import short_of
from toryo.rules.naming import matching


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


def unknown(wanted: str, ids: Sequence[str]) -> ToryoError:
    import difflib

    shorts = [short_of(known) for known in ids]
    near = difflib.get_close_matches(wanted, shorts, n=1)
    hint = f"did you mean {near[0]}?" if near else "'toryo status' lists the sessions, 'toryo info' their tasks"
    return ToryoError("E204", f"nothing here is called '{wanted}'", hint=hint)

"""Whose session it is that the file of an intent names, and whose parts are whose, also after files were renamed."""

from collections.abc import Mapping, Sequence

from toryo.domain.intent import Intent, Proposal


def is_anothers(intent: Intent, pursued: str, on_file: Mapping[str, str | None]) -> bool:
    """The session that its file names works on `pursued`, whose file names it too: this one was copied from it.

    Where that file is gone, or names another by now, this one was renamed. `on_file`: by slug the session that each
    file names; None: it cannot be read, and may name any.
    """
    return pursued != intent.slug and on_file.get(pursued, "") in (None, intent.session)


def name_by_now(pursued: str, session: str, on_file: Mapping[str, str | None]) -> str:
    """Of the intent that a session was opened for as `pursued`: its file may have been renamed since."""
    if on_file.get(pursued, "") in (None, session):
        return pursued
    return next((slug for slug, named in on_file.items() if named == session), pursued)


def without_their_parent(filed: Sequence[Proposal], others: Sequence[Intent]) -> list[Intent]:
    """Those of the parts a session has written down whose parent is not there by the name that they know it by."""
    known, ours = {one.slug for one in others}, {one.slug for one in filed}
    return [one for one in others if one.slug in ours and one.parent and one.parent not in known]

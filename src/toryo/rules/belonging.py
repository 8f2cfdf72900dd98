"""Whose session it is that the file of an intent names."""

from collections.abc import Mapping

from toryo.domain.intent import Intent


def is_anothers(intent: Intent, pursued: str, on_file: Mapping[str, str | None]) -> bool:
    """The session that its file names works on `pursued`, whose file names it too: this one was copied from it.

    Where that file is gone, or names another by now, this one was renamed. `on_file`: by slug the session that each
    file names; None: it cannot be read, and may name any.
    """
    return pursued != intent.slug and on_file.get(pursued, "") in (None, intent.session)

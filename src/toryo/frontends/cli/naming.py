"""Which session a person means who gave an id, or words, or both."""

from collections.abc import Callable

from toryo.app.project import Project
from toryo.domain.errors import ToryoError
from toryo.domain.session import Session

Wanted = Callable[[Session], object]


def id_and_words(
    project: Project,
    first: str | None,
    second: str | None,
    is_meant: Wanted | None = None,
    are_words: Callable[[str], bool] = lambda _: False,
) -> tuple[str | None, str | None]:
    """An id and words; a single argument that names nothing here is taken for words to the latest session.

    With `is_meant` to the latest one of which that is true; what `are_words` is no beginning of a session's id.
    """
    if first is not None and second is None and not _names_something(project, first, are_words):
        first, second = None, first
    if first is None and is_meant is not None:
        rows = [row for row in project.summaries() if row["state"] != "closed"]
        first = next((row["id"] for row in rows if is_meant(project.load(row["id"]))), None)
    return first, second


def _names_something(project: Project, wanted: str, are_words: Callable[[str], bool]) -> bool:
    try:
        _, task, _ = project.find(wanted)
    except ToryoError as error:
        return error.code != "E204" and not are_words(wanted)
    return task is not None or not are_words(wanted)

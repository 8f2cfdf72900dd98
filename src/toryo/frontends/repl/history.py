"""What was typed before, as the line editor wants it."""

from collections.abc import Iterable

from prompt_toolkit.history import History

from toryo.app.remembering import TypedBefore, as_kept


class KeptHistory(History):
    """On disk where that is possible; never with a secret in it, not even in memory."""

    def __init__(self, before: TypedBefore) -> None:
        super().__init__()
        self._before = before

    def load_history_strings(self) -> Iterable[str]:
        return reversed(self._before.lines())

    def append_string(self, string: str) -> None:
        kept = as_kept(string)
        if kept is None or (self._loaded_strings and self._loaded_strings[0] == kept):
            return
        super().append_string(kept)

    def store_string(self, string: str) -> None:
        self._before.keep(string)

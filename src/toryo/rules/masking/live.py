"""Masking a text that somebody reads while it is still being written, also in the middle of a line."""

from toryo.rules.masking.lines import HIDDEN, may_have_secret, replaced, spans_in
from toryo.rules.masking.rule import compiled
from toryo.rules.masking.streaming import TextMasker

_LAG = 400
"""Characters of a line in which there may be a secret that are not shown yet: by then the rules have seen enough."""
_LONG = 4096
"""Characters of a line that are certain: they are not looked at again."""
_WORD = r"[!-~]*\Z"
"""Secrets are of these characters: the word at the end may be the beginning of one."""
_KEY = r"----[- ]*(?:BEGIN|(?:B|BE|BEG|BEGI)?\Z)"
"""Where a private key begins, or may."""


class LiveMasker:
    """Whole lines are shown as they will be; of the last one, as much as is certain to hold no secret.

    What is shown once stays, but for what turns out to be part of a secret.
    """

    def __init__(self) -> None:
        self._kinds: set[str] = set()
        self._lines = TextMasker(self._kinds)
        self._done: list[str] = []
        self._line = ""
        """The last one, as far as it has come."""
        self._shown = 0
        """So much of it was shown."""

    def feed(self, piece: str) -> None:
        whole, _, rest = piece.rpartition("\n")
        if whole or piece.startswith("\n"):
            self._done.append(self._lines.feed(f"{self._line}{whole}\n"))
            self._line, self._shown = "", 0
        self._line += rest if whole or piece.startswith("\n") else piece

    @property
    def text(self) -> str:
        """All that can be shown by now."""
        if len(self._done) > 1:
            self._done = ["".join(self._done)]
        done = self._done[0] if self._done else ""
        if not self._lines.is_idle:
            return done  # in the middle of a private key, or of something that may be one
        try:
            return done + self._certain()
        except Exception:  # noqa: BLE001 - whatever goes wrong, the line may hold a secret
            return done + HIDDEN

    def finish(self) -> str:
        """All of it, once it is over."""
        return "".join((*self._done, self._lines.feed(self._line, is_last=True)))

    def _certain(self) -> str:
        line = self._line
        key = compiled(_KEY).search(line) if "----" in line else None
        if not may_have_secret(line) and not key:
            self._shown = max(self._shown, _end_of_words(line))
            return line[: self._shown]
        line = line[: key.start()] if key else line
        end = min(max(self._shown, _end_of_words(line[: max(0, len(line) - _LAG)])), len(line))
        spans = spans_in(line)
        for start, stop, _ in spans:
            if start < end < stop:
                end = start  # what says that it is a secret and the secret itself are not parted
        shown = replaced(line[:end], [span for span in spans if span[1] <= end], self._kinds)
        self._shown = end
        if end > _LONG:
            self._done.append(shown)
            self._line, self._shown = self._line[end:], 0
        return shown


def _end_of_words(text: str) -> int:
    found = compiled(_WORD).search(text)
    return found.start() if found else len(text)

"""What a window shows of a run's raw output: `python -m toryo.adapters.hosts.maskedview`, as a filter."""

import os
import sys

from toryo.rules.masking import Masker

_CHUNK = 65_536


def main() -> None:
    """Passes on what comes, masked, line by line as it comes."""
    masker = Masker()
    while chunk := os.read(0, _CHUNK):
        _show(masker.feed(chunk))
    _show(masker.finish())


def _show(text: str) -> None:
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

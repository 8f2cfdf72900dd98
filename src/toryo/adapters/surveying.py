"""Looking at a repository before planning: one listing by git, and a few files of it, read with care."""

import os
import stat
from pathlib import Path

from toryo.adapters.git.command import Git, checked
from toryo.domain.survey import Survey
from toryo.rules.listing import Listing
from toryo.rules.surveying import surveyed, worth_reading

LONGEST_READ = 64 * 1024
MOST_READ = 2 * 1024 * 1024

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")


def survey(root: Path, *, override: str = "", git: Git | None = None) -> Survey:
    """What the files of a checkout tell; runs nothing of it. Raises GitFailed where git cannot list them."""
    listed = checked((git or Git(os.environ)).run(root, *_LIST), _LIST)
    listing = Listing(listed.split("\0"))
    texts, notes = _read(root, listing)
    return surveyed(listing, texts, override, notes)


def _read(root: Path, listing: Listing) -> tuple[dict[str, str], tuple[str, ...]]:
    top = root.resolve()
    texts: dict[str, str] = {}
    room, cut, unread = MOST_READ, 0, 0
    for path in worth_reading(listing):
        content = _beginning_of(top, path, listing) if room > 0 else None
        if content is None:
            unread += 1
            continue
        texts[path] = (
            content[:LONGEST_READ].decode("utf-8", errors="replace").replace("\r\n", "\n").removeprefix("\ufeff")
        )
        cut += len(content) > LONGEST_READ
        room -= len(content)
    counted = ((cut, f"files read up to {LONGEST_READ // 1024} kB only: {cut}"), (unread, f"files not read: {unread}"))
    return texts, tuple(words for count, words in counted if count)


def _beginning_of(top: Path, path: str, listing: Listing) -> bytes | None:
    """The first bytes of a regular file that git lists, also by way of a link to another such file."""
    try:
        target = (top / path).resolve(strict=True)
        # A link may lead anywhere: out of the repository, to its git directory, to an ignored file with secrets.
        if not target.is_relative_to(top) or target.relative_to(top).as_posix() not in listing.listed:
            return None
        with os.fdopen(os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return file.read(LONGEST_READ + 1)
    except (OSError, ValueError, RuntimeError):
        return None

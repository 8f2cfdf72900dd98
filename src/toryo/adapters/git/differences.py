"""The difference between two commits, as git writes it for programs: the same everywhere, whatever is configured."""

from collections.abc import Iterator

from toryo.domain.evidence import Change

RAW = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames")
"""Modes, blobs and paths: unlike a patch it depends on no version, configuration or attribute."""
_CHANGES = {b"A": Change.CREATED, b"D": Change.DELETED}


def changes_in(raw: bytes) -> Iterator[tuple[str, Change]]:
    """Each file's name, as it is on disk, and what happened to it."""
    parts = raw.split(b"\0")
    for how, name in zip(parts[::2], parts[1::2], strict=False):
        yield name.decode(errors="surrogateescape"), _CHANGES.get(how.rpartition(b" ")[2], Change.MODIFIED)

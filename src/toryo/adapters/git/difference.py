"""Reading what git says differs between two commits: one command, bounded, whatever the files are called or hold."""

import re
from collections.abc import Iterator
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.domain.difference import Difference, FileDifference, Hunk, readable
from toryo.domain.errors import GitFailed
from toryo.domain.evidence import Change
from toryo.domain.facts import fact

_MOST_BYTES = 24_000_000
"""Of one difference; what comes after that is not looked at."""
_LARGEST_FILE = "2m"
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_IDS = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_FILE_MODES = (b"100644", b"100755")
# Names come first, as they are; the lines follow in the same order. What a repository configures for people to read
# (drivers, colours, prefixes) is left out, and what is larger than a source file ever is counts as binary.
_DIFF = (
    *("diff-tree", "-r", "-z", "--raw", "--patch", "--unified=0", "--full-index", "--find-renames", "-l400"),
    *("--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--diff-algorithm=myers"),
)


def difference(git: Git, where: Path, base: str, commit: str) -> Difference:
    """What differs; to be called in a thread, as it reads along while git writes."""
    with git.reading(where, "-c", f"core.bigFileThreshold={_LARGEST_FILE}", *_DIFF, base, commit) as process:
        assert process.stdout is not None
        text = process.stdout.read(_MOST_BYTES)
        while _is_cut_off_in_names(text) and (more := process.stdout.read(_MOST_BYTES)):
            text += more
        is_whole = not process.stdout.read(1)
        if not is_whole:
            process.kill()
        _, said = process.communicate()
    if is_whole and process.returncode != 0:
        raise GitFailed(f"git diff-tree failed ({process.returncode}): {said.decode(errors='replace').strip()[-500:]}")
    return parse(text, is_whole=is_whole)


def parse(text: bytes, *, is_whole: bool = True) -> Difference:
    """Reads `git diff-tree -z --raw --patch`; files whose lines are not all there are named."""
    entries, patch = _entries(text)
    sections = _sections(patch.split(b"\n"), is_whole)
    files, unread = [], []
    for entry in entries:
        section = _section_of(entry, sections)
        if section is None:
            unread.append(readable(entry.path))
        is_text = entry.is_file and section is not None and not section.is_binary
        hunks = section.hunks if section and is_text else ()
        files.append(FileDifference(entry.path, entry.change, entry.old_path, hunks, is_text, entry.base))
    return Difference(tuple(files), tuple(unread))


# ── names ────────────────────────────────────────────────────────────────────


@fact
class _Entry:
    """One changed file, before its lines are known."""

    path: str
    old_path: str
    status: bytes
    is_file: bool
    before: bytes
    after: bytes

    @property
    def change(self) -> Change:
        return {b"A": Change.CREATED, b"D": Change.DELETED}.get(self.status, Change.MODIFIED)

    @property
    def base(self) -> str:
        return self.before.decode() if self.before.strip(b"0") else ""


def _is_cut_off_in_names(text: bytes) -> bool:
    try:
        _entries(text)
    except ValueError:
        return True
    return False


def _entries(text: bytes) -> tuple[list[_Entry], bytes]:
    """The list of changed files at the beginning, and the rest; ValueError where the list does not end."""
    entries = []
    place = 0
    while text[place : place + 1] == b":":
        head, place = _upto_nul(text, place + 1)
        old_mode, new_mode, before, after, status = head.split(b" ")
        status = status[:1]
        old_path, place = _upto_nul(text, place) if status in (b"R", b"C") else (b"", place)
        path, place = _upto_nul(text, place)
        is_file = (old_mode if status == b"D" else new_mode) in _FILE_MODES and status != b"T"
        entries.append(_Entry(_name(path), _name(old_path), status, is_file, before, after))
    return entries, text[place + 1 :]


def _upto_nul(text: bytes, place: int) -> tuple[bytes, int]:
    end = text.index(b"\0", place)
    return text[place:end], end + 1


def _name(name: bytes) -> str:
    return name.decode(errors="surrogateescape")


# ── lines ────────────────────────────────────────────────────────────────────


@fact
class _Section:
    """What the patch says about one file."""

    before: bytes
    after: bytes
    hunks: tuple[Hunk, ...] = ()
    is_binary: bool = False


_NO_LINES = _Section(b"", b"")


def _section_of(entry: _Entry, sections: Iterator[_Section]) -> _Section | None:
    """The next section, if it is about this file; None: nobody knows its lines."""
    if entry.status == b"T":  # a file that became a link, say: one patch that takes away, and one that adds
        next(sections, None)
        next(sections, None)
        return _NO_LINES
    if entry.before == entry.after:
        return _NO_LINES
    section = next(sections, None)
    return section if section and (section.before, section.after) == (entry.before, entry.after) else None


def _sections(lines: list[bytes], is_whole: bool) -> Iterator[_Section]:
    """File by file, by the counts in the heads of hunks: no line of a file can be taken for one of git's."""
    place, last = 0, len(lines)
    while place < last:
        ids = None
        is_binary = False
        hunks: list[Hunk] = []
        place += 1  # the line that names the file
        while place < last and not lines[place].startswith(b"diff --git "):
            if head := _HUNK.match(lines[place]):
                hunk, place = _hunk(lines, place + 1, head)
                hunks.append(hunk)
                continue
            ids = ids or _IDS.match(lines[place])
            is_binary = is_binary or lines[place].startswith(b"Binary files ")
            place += 1
        if ids is None:
            continue  # only its mode or its name: such a file has no lines
        if place < last or is_whole:
            yield _Section(ids[1], ids[2], tuple(hunks), is_binary)


def _hunk(lines: list[bytes], place: int, head: re.Match[bytes]) -> tuple[Hunk, int]:
    old, olds, new, news = (1 if part is None else int(part) for part in head.groups())
    removed: list[tuple[int, str]] = []
    added: list[tuple[int, str]] = []
    while (len(removed) < olds or len(added) < news) and place < len(lines):
        line = lines[place]
        if line[:1] == b"-":
            removed.append((old + len(removed), _text(line)))
        elif line[:1] == b"+":
            added.append((new + len(added), _text(line)))
        place += 1
    return Hunk(tuple(removed), tuple(added)), place


def _text(line: bytes) -> str:
    return line[1:].removesuffix(b"\r").decode(errors="replace")

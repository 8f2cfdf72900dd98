"""Drafts of intents: Markdown that a person drops into a folder, read, claimed, and removed once it is an intent."""

import os
import re
import stat
from contextlib import AbstractContextManager
from pathlib import Path

from toryo.adapters.intentfiles import leads_out, refuse_leading_out
from toryo.adapters.replacing import sync_folder
from toryo.adapters.swapping import alone, is_being_written
from toryo.adapters.yamlfields import MOST_BYTES, BrokenFile, Fields, document_of, text_of
from toryo.domain.facts import fact
from toryo.domain.intent import Intent, Risk
from toryo.rules.drafting import title_and_body

FOLDER = Path(".toryo", "drafts")
_EDGE = "---"
"""A line of it before and after what is said about the text."""
_KNOWN = ("title", "type", "risk", "parent", "order")
_CLAIMED = re.compile(r"\.taking@(?P<slug>[^@]+)@(?P<millis>\d+)@(?P<name>.+)")
_LONGEST_NAME = 160
"""Bytes; beside it the name of a claim has room for a slug and a moment."""


@fact
class Claim:
    """A draft that is being made into an intent; its own name says into which, so that nobody makes two of it."""

    path: Path
    slug: str
    created_at: float
    name: str
    """What the person called it."""


class DraftFiles:
    def __init__(self, root: Path, store: Path) -> None:
        self._root, self._store = root, store
        self.folder = root / FOLDER

    def alone(self) -> AbstractContextManager[None]:
        """One at a time takes them in."""
        return alone(self._store / "drafts.lock")

    def waiting(self) -> list[Path]:
        """Oldest first; not those that an editor has put there for itself."""
        if not self.folder.is_dir():
            return []
        refuse_leading_out(self._root, self.folder)
        found = [path for path in self.folder.iterdir() if path.suffix == ".md" and not path.name.startswith(".")]
        saved = ((_saved_at(path), path.name, path) for path in found)
        return [path for _, _, path in sorted(each for each in saved if each[0])]

    def claims(self) -> list[Claim]:
        """What somebody who died had begun to take in."""
        if not self.folder.is_dir():
            return []
        refuse_leading_out(self._root, self.folder)
        found = [(path, _CLAIMED.fullmatch(path.name)) for path in sorted(self.folder.glob(".taking@*"))]
        return [Claim(path, said["slug"], int(said["millis"]) / 1000, said["name"]) for path, said in found if said]

    def claim(self, path: Path, slug: str, created_at: float) -> Claim:
        """From here on it is nobody's but ours; who saves it again makes another one."""
        name = os.fsencode(path.stem)[:_LONGEST_NAME].decode(errors="ignore") + path.suffix
        millis = round(created_at * 1000)
        target = path.with_name(f".taking@{slug}@{millis}@{name}")
        path.rename(target)
        sync_folder(self.folder)
        return Claim(target, slug, millis / 1000, name)

    def content_of(self, path: Path) -> bytes:
        """Of a link only where it stays in the repository: what it says is sent to a model. Raises BrokenFile."""
        if path.is_symlink() and leads_out(self._root, path):
            raise BrokenFile([(1, "it leads out of the repository")])
        try:
            with path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise BrokenFile([(1, f"cannot be read: {error.strerror or error}")]) from error

    def give_back(self, claim: Claim) -> Path:
        """Under its old name, or one like it where somebody has that by now."""
        stem = Path(claim.name).stem
        for number in range(1, 10_000):
            target = self.folder / (claim.name if number == 1 else f"{stem}-{number}.md")
            try:
                os.link(claim.path, target)
            except FileExistsError:
                continue
            except OSError:  # a disk that knows no links
                if target.exists():
                    continue
                claim.path.rename(target)
            claim.path.unlink(missing_ok=True)
            return target
        raise FileExistsError(claim.name)

    def discard(self, claim: Claim) -> None:
        claim.path.unlink(missing_ok=True)
        sync_folder(self.folder)


def _saved_at(path: Path) -> int:
    """In nanoseconds; 0: it is no file, or none any more."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_mtime_ns if stat.S_ISREG(found.st_mode) else 0


def is_unsettled(path: Path) -> bool:
    """Somebody is at it: a program writes it, or an editor says that a person has it open and changed it."""
    marks = (f".{path.name}.swp", f".#{path.name}")
    return is_being_written(path) or any(os.path.lexists(path.with_name(mark)) for mark in marks)


def read_draft(raw: bytes) -> Intent | None:
    """The intent that it describes, without a name yet; None: it says nothing. Raises BrokenFile."""
    text = text_of(raw)
    front, text = _front(text)
    said = _Front(front) if front.strip() else None
    title, body = title_and_body(text, said.title if said else "")
    if not title:
        return None
    if said is None:
        return Intent("", title, body)
    return Intent("", title, body, said.type, risk=said.risk, parent=said.parent, order=said.order)


def _front(text: str) -> tuple[str, str]:
    """What is said about the text, with a line for each line above it, and the text."""
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].rstrip() != _EDGE:
        return "", text
    last = next((number for number in range(first + 1, len(lines)) if lines[number].rstrip() == _EDGE), None)
    if last is None:
        raise BrokenFile([(first + 1, f"the front matter has no end: a line of {_EDGE} closes it")])
    return "\n".join(["" for _ in lines[: first + 1]] + lines[first + 1 : last]), "\n".join(lines[last + 1 :])


class _Front:
    """What stands between the lines of dashes; raises BrokenFile."""

    def __init__(self, text: str) -> None:
        fields = Fields(document_of(text + "\n", "the front matter"), text)
        for name in fields.values:
            if name == "status":
                fields.wrong(name, "a draft becomes a proposed intent; approve it then")
            elif name not in _KNOWN:
                fields.wrong(name, f"unknown field; a draft has {', '.join(_KNOWN)}, and its text")
        self.title = " ".join(fields.text("title").split())
        self.type = fields.text("type").strip()
        self.risk = fields.choice("risk", Risk)
        self.parent = fields.text("parent").strip()
        self.order = fields.number("order")
        if fields.problems:
            raise BrokenFile(fields.problems)

"""Specifications as folders of Markdown files: finding one, reading it, and writing without losing anything."""

import os
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.domain.planning import Document
from toryo.rules.naming import matching

_HOW_TO_GET = {Document.SPEC: "specify", Document.PLAN: "plan", Document.TASKS: "tasks"}


@fact
class Spec:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    def file(self, document: Document) -> Path:
        return self.folder / f"{document}.md"


# ── finding ──────────────────────────────────────────────────────────────────


def new_spec(root: Path) -> Spec:
    """A name that nothing has; nothing is made yet."""
    return Spec(root / "specs" / f"SPEC-{uuid.uuid4().hex[:8]}")


def find_spec(root: Path, where: Path, wanted: str | None) -> Spec:
    """By id, unique prefix or folder; without any of these, the one that was changed last."""
    known = {folder.name: folder for folder in _folders(root / "specs")}
    if wanted is None:
        if not known:
            raise ToryoError("E140", "there is no specification here yet", hint='begin one: toryo spec specify "…"')
        return Spec(max(known.values(), key=_last_change))
    if "/" not in wanted and wanted not in (".", ".."):
        names = {name.lower(): name for name in known}
        found = matching(wanted, names, "spec")
        if len(found) == 1:
            return Spec(known[names[found[0]]])
        if found:
            error = ToryoError("E205", f"'{wanted}' names {len(found)} specifications", hint="give more of the id")
            raise error.with_details([names[name] for name in found[:10]])
    path = (where / wanted).resolve()
    folder = path.parent if path.is_file() and path.suffix == ".md" else path
    if folder.is_dir():
        return Spec(folder)
    raise _unknown(wanted, list(known))


def every_spec(root: Path) -> list[Spec]:
    """All that are here, the one that was changed last first."""
    return [Spec(folder) for folder in sorted(_folders(root / "specs"), key=_last_change, reverse=True)]


def _folders(specs: Path) -> list[Path]:
    try:
        return sorted(entry for entry in specs.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _last_change(folder: Path) -> tuple[float, str]:
    times = [0.0]
    for path in (folder, *folder.glob("*.md")):
        with suppress(OSError):
            times.append(path.stat().st_mtime)
    return max(times), folder.name


def _unknown(wanted: str, known: list[str]) -> ToryoError:
    import difflib

    near = difflib.get_close_matches(wanted, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known[-5:]) or 'none'}"
    return ToryoError("E204", f"no specification is called '{wanted}'", hint=hint)


# ── reading and writing ──────────────────────────────────────────────────────


def read_document(spec: Spec, document: Document) -> str:
    """Its text, character by character as it is in the file; raises ToryoError where there is nothing to read."""
    path = spec.file(document)
    try:
        text = path.read_bytes().decode("utf-8", errors="surrogateescape")
    except FileNotFoundError:
        raise _missing(spec, document, "has no") from None
    except OSError as error:
        raise ToryoError("E141", f"{path} cannot be read: {error.strerror}") from error
    if not text.strip():
        raise _missing(spec, document, "has an empty")
    return text


def _missing(spec: Spec, document: Document, has: str) -> ToryoError:
    verb = _HOW_TO_GET[document]
    hint = f"write one, or begin with: toryo spec {verb} " + ('"…"' if document is Document.SPEC else spec.name)
    return ToryoError("E141", f"{spec.name} {has} {document}.md", hint=hint)


def refuse_existing(path: Path, kept: str = "") -> None:
    if os.path.lexists(path):
        raise ToryoError(
            "E142",
            f"{path.parent.name}/{path.name} is there already",
            hint="--force writes it anew; what is there now is kept aside",
            kept=kept,
            exit_code=Exit.REFUSED,
        )


def refuse_leading_out(root: Path, path: Path) -> None:
    """A link inside the repository may lead out of it; nothing is written there."""
    try:
        is_out = path.is_relative_to(root) and not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle
        is_out = True
    if is_out:
        where = path.relative_to(root)
        hint = "make specs/ a folder of the repository"
        raise ToryoError("E143", f"{where} leads out of the repository", hint=hint, exit_code=Exit.REFUSED)


def write_new(path: Path, text: str, aside: Path) -> None:
    """At once or not at all; what somebody else put there meanwhile stays, and the text goes aside."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = _beside(path, text)
    try:
        os.link(beside, path)
    except FileExistsError:
        refuse_existing(path, kept=f"what was to be written is in {keep_aside(aside, path.name, _bytes(text))}")
    except OSError:  # a disk that knows no links
        refuse_existing(path)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_over(path: Path, text: str, aside: Path) -> Path | None:
    """Where the former text is kept, if there was another."""
    path.parent.mkdir(parents=True, exist_ok=True)
    former = path.read_bytes() if path.is_file() else None
    kept = keep_aside(aside, path.name, former) if former not in (None, _bytes(text)) else None
    replace_text(path, text)
    return kept


def replace_text(path: Path, text: str) -> None:
    """At once or not at all; a person may be reading it."""
    target = path.resolve()
    beside = _beside(target, text)
    try:
        if target.is_file():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def keep_aside(folder: Path, name: str, content: bytes | None) -> Path:
    """A copy under a name that nothing has."""
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    stem, _, suffix = name.rpartition(".")
    at = time.strftime("%Y%m%d-%H%M%S")
    for number in range(1, 10_000):
        path = folder / f"{stem}-{at}{f'-{number}' if number > 1 else ''}.{suffix}"
        with suppress(FileExistsError), path.open("xb") as file:
            file.write(content or b"")
            return path
    raise FileExistsError(folder)


def _beside(path: Path, text: str) -> Path:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(_bytes(text))
    return beside


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", errors="surrogateescape")
    except UnicodeEncodeError:  # a model may say halves of characters
        return text.encode("utf-8", errors="backslashreplace")

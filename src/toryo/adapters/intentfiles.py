"""The files of intents: read with the lines of what is wrong, and changed without losing what people wrote in them."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from toryo.adapters.intentcache import IntentCache
from toryo.adapters.intentreading import read_intent
from toryo.adapters.swapping import alone, attempts, bring_back, settled, swap, write_new
from toryo.adapters.yamlfields import MOST_BYTES, BrokenFile
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.intent import Broken, Intent, Listing
from toryo.rules.slugs import may_be_named

FOLDER = Path(".toryo", "intents")
SUFFIX = ".yaml"
Edit = Callable[[Intent], Intent]
_FULL = (errno.ENOSPC, errno.EDQUOT)


class IntentFiles:
    """Those of one repository; `store` is where Toryo keeps what is its own."""

    def __init__(self, root: Path, store: Path) -> None:
        self._root, self._store = root, store
        self.folder = root / FOLDER

    def path(self, slug: str) -> Path:
        return self.folder / f"{slug}{SUFFIX}"

    # ── reading ──────────────────────────────────────────────────────────────

    def slugs(self) -> list[str]:
        """Of all files, also of those that cannot be read."""
        return sorted(name.removesuffix(SUFFIX) for name, _ in self._entries() if name.endswith(SUFFIX))

    def listing(self) -> Listing:
        """First come first; what cannot be read is named and left as it is."""
        intents, broken = [], []
        cache = IntentCache(self._store)
        for name, entry in self._entries():
            try:
                if entry.is_symlink() and leads_out(self._root, Path(entry.path)):
                    raise BrokenFile([(1, "it leads out of the repository")])
                intents.append(_read(name, entry, cache))
            except FileNotFoundError:
                continue  # removed since its name was read
            except BrokenFile as error:
                broken.append(Broken(str(FOLDER / name), error.line, error.says))
        cache.save()
        intents.sort(key=lambda intent: (intent.order, intent.created_at, intent.slug))
        return Listing(tuple(intents), tuple(broken))

    def read(self, slug: str) -> Intent:
        """Raises ToryoError where the file is not there or cannot be read."""
        return self._read_with_raw(slug)[0]

    def _entries(self) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
        try:
            with os.scandir(self.folder) as entries:
                found = sorted((entry.name, entry) for entry in entries if _looks_like_one(entry.name))
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            raise _unreachable(FOLDER, error) from error
        yield from found

    def _read_with_raw(self, slug: str) -> tuple[Intent, bytes]:
        path = self.path(slug)
        try:
            if not may_be_named(slug):
                raise FileNotFoundError
            _refuse_special(path)
            raw = settled(path)
            return read_intent(slug, raw)[0], raw
        except FileNotFoundError:
            raise ToryoError("E170", f"there is no intent '{slug}'", hint="'toryo intent list' shows them") from None
        except OSError as error:
            raise _unreachable(FOLDER / path.name, error) from error
        except BrokenFile as error:
            raise broken_file(FOLDER / path.name, error) from error

    # ── writing ──────────────────────────────────────────────────────────────

    def create(self, intent: Intent) -> bool:
        """False, and nothing changed: there is a file of that name already."""
        if not may_be_named(intent.slug):
            hint = "letters, digits, - and _, not too many"
            raise ToryoError("E172", f"an intent cannot be called '{intent.slug}'", hint=hint)
        refuse_leading_out(self._root, self.folder)
        from toryo.adapters.intentwriting import new_text  # who only looks at them does without

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            return write_new(self.path(intent.slug), new_text(intent).encode())
        except OSError as error:
            raise unwritable(self.folder.relative_to(self._root), error) from error

    def change(self, slug: str, edit: Edit) -> Intent:
        """What `edit` makes of the intent as it stands; asked again where a person was faster.

        Whatever else is in the file stays as it is, to the character.
        """
        refuse_leading_out(self._root, self.path(slug))
        try:
            with alone(self._store / "intents.lock"):
                target = self.path(slug).resolve()
                bring_back(target)
                for _ in attempts():
                    before, raw = self._read_with_raw(slug)
                    after = edit(before)
                    if after == before:
                        return before
                    if swap(target, raw, self._edited(slug, raw, before, after)):
                        return after
        except FileNotFoundError:
            raise ToryoError("E170", f"the file of the intent '{slug}' was removed meanwhile") from None
        except OSError as error:
            raise unwritable(FOLDER / f"{slug}{SUFFIX}", error) from error
        raise ToryoError(
            "E173",
            f"{FOLDER / slug}{SUFFIX} is being written by something else all the time",
            kept="the file as it is",
            hint="end that, then try again",
            exit_code=Exit.BUSY,
        )

    def _edited(self, slug: str, raw: bytes, before: Intent, after: Intent) -> bytes:
        from toryo.adapters.intentwriting import CannotEdit, edited

        try:
            return edited(raw, before, after)
        except CannotEdit as error:
            names = ", ".join(name for name in Intent.__match_args__ if getattr(before, name) != getattr(after, name))
            raise ToryoError(
                "E173",
                f"{FOLDER / slug}{SUFFIX} cannot be changed without changing more than {names}: {error}",
                kept="the file as it is",
                hint="write it without anchors and aliases, or change it by hand",
                exit_code=Exit.REFUSED,
            ) from error


def _looks_like_one(name: str) -> bool:
    """Hidden files are an editor's, or our own while we write."""
    return name.endswith((SUFFIX, ".yml")) and not name.startswith(".")


def _read(name: str, entry: "os.DirEntry[str]", cache: IntentCache) -> Intent:
    """Raises BrokenFile; and FileNotFoundError where it is gone by now, which a link that leads nowhere is not."""
    slug = name.removesuffix(SUFFIX)
    if not name.endswith(SUFFIX):
        raise BrokenFile([(1, f"files of intents end in {SUFFIX}: rename it")])
    if not may_be_named(slug):
        raise BrokenFile([(1, "its name is not one for an intent: letters, digits, - and _, not too many")])
    try:
        look = cache.look(entry)
        if look and (known := cache.get(slug, look)):
            return known
        _refuse_special(entry)
        with open(entry.path, "rb") as file:  # noqa: PTH123 - a thousand times, and a Path costs as much as the file
            intent = read_intent(slug, file.read(MOST_BYTES + 1))[0]
        if look:
            cache.put(intent, look)
        return intent
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not entry.is_symlink():
            raise
        raise BrokenFile([(1, f"cannot be read: {error.strerror or error}")]) from error


def _refuse_special(path: "Path | os.DirEntry[str]") -> None:
    """Reading a pipe would wait for ever."""
    if not path.is_file() and (path.is_dir() or os.path.exists(path)):  # noqa: PTH110 - of either
        raise OSError(errno.EINVAL, "it is not a file")


def leads_out(root: Path, path: Path) -> bool:
    try:
        return not path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return True


def refuse_leading_out(root: Path, path: Path) -> None:
    """A link inside the repository may lead out of it; nothing is written there."""
    if leads_out(root, path):
        where = path.relative_to(root)
        hint = "make it a part of the repository"
        raise ToryoError("E174", f"{where} leads out of the repository", hint=hint, exit_code=Exit.REFUSED)


def broken_file(path: Path, error: BrokenFile) -> ToryoError:
    """With every line that is wrong."""
    words = f"{path}:{error.line}: {error.problems[0][1]}"
    said = ToryoError("E171", words, hint=f"put it right: toryo intent edit {path.stem}")
    more = error.problems[1:]
    return said.with_details([f"{path}:{line}: {says}" for line, says in more]) if more else said


def _unreachable(path: Path, error: OSError) -> ToryoError:
    return ToryoError("E171", f"{path} cannot be read: {error.strerror or error}", exit_code=Exit.MISSING)


def unwritable(path: Path, error: OSError) -> ToryoError:
    what = "the disk is full" if error.errno in _FULL else str(error.strerror or error)
    hint = "free some space, then try again" if error.errno in _FULL else "make it writable for you"
    return ToryoError(
        "E175", f"{path} cannot be written: {what}", kept="what was there", hint=hint, exit_code=Exit.MISSING
    )

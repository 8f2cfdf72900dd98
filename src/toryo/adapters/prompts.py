"""The templates of Toryo's questions to a model: the project's own, else the person's own, else those it ships with."""

import difflib
import os
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path

from toryo.domain.errors import Exit, ToryoError
from toryo.domain.facts import fact
from toryo.rules.wording import places

BUILT_IN = "built in"
_BUILT_IN = resources.files("toryo") / "prompts"


def names() -> list[str]:
    return sorted(entry.name.removesuffix(".md") for entry in _BUILT_IN.iterdir() if entry.name.endswith(".md"))


def built_in(name: str) -> str:
    if name not in names():
        raise ToryoError("E145", f"there is no prompt '{name}'", hint=_near(name) or f"there are {', '.join(names())}")
    return (_BUILT_IN / f"{name}.md").read_text(encoding="utf-8")


def _near(name: str) -> str:
    near = difflib.get_close_matches(name.removesuffix(".md"), names(), n=1)
    return f"did you mean '{near[0]}'?" if near else ""


@fact
class Template:
    """A prompt, and where the one that is used comes from."""

    name: str
    origin: str
    path: Path | None = None
    """None: it is built in."""
    problem: str = ""
    """Why the file cannot be used."""
    hint: str = ""


class Prompts:
    """Looks for a template in these folders, by where they come from; the first one that has it."""

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self.folders = folders

    def text(self, name: str) -> str:
        """The template. One of a person's own may leave places out, but not name any that nothing fills."""
        original = built_in(name)
        _, path = self._found(name)
        if path is None:
            return original
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise _unusable(path, f"cannot be read: {error}") from error
        if not text.strip():
            raise _unusable(path, "is empty")
        if unknown := [place for place in places(text) if place not in places(original)]:
            known = ", ".join(f"{{{{{place}}}}}" for place in places(original)) or "none"
            raise _unusable(path, f"has a place {{{{{unknown[0]}}}}} that nothing fills (there are: {known})")
        return text

    def templates(self) -> list[Template]:
        """Every prompt, with what is wrong with it, if anything is."""
        return [self._template(name) for name in names()]

    def strangers(self) -> list[Template]:
        """Files among the prompts that nothing asks for."""
        known = names()
        return [
            Template(path.stem, origin, path, "is asked for by nothing", _near(path.stem))
            for origin, folder in self.folders.items()
            for path in sorted(folder.glob("*.md"))
            if path.stem not in known
        ]

    def eject(self, wanted: Iterable[str], origin: str, *, force: bool) -> list[Path]:
        """Copies built-in templates to a folder, to be changed there: all of them, or none."""
        folder = self.folders[origin]
        texts = {folder / f"{name}.md": built_in(name) for name in wanted}
        if not force and (taken := [path for path, text in texts.items() if _is_another(path, text)]):
            error = ToryoError(
                "E147",
                f"{taken[0].name} is there already" if len(taken) == 1 else f"{len(taken)} of them are there already",
                hint="name others, or write them anew with --force",
                exit_code=Exit.REFUSED,
            )
            raise error.with_details([str(path) for path in taken])
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            _write(path, text)
        return list(texts)

    def _template(self, name: str) -> Template:
        origin, path = self._found(name)
        try:
            self.text(name)
        except ToryoError as error:
            return Template(name, origin, path, error.message.removeprefix(f"{path} "), error.hint)
        return Template(name, origin, path)

    def _found(self, name: str) -> tuple[str, Path | None]:
        for origin, folder in self.folders.items():
            path = folder / f"{name}.md"
            if path.is_file():
                return origin, path
        return BUILT_IN, None


def _is_another(path: Path, text: str) -> bool:
    """Something is there that would be lost."""
    try:
        return path.read_bytes() != text.encode()
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _unusable(path: Path, why: str) -> ToryoError:
    return ToryoError("E146", f"{path} {why}", hint="correct it, or remove it to use the built-in one")

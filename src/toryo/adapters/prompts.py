"""The templates of Toryo's questions to a model: the project's own, else the person's own, else those it ships with."""

from importlib import resources
from pathlib import Path

from toryo.domain.errors import Exit, ToryoError
from toryo.rules.wording import places

_BUILT_IN = resources.files("toryo") / "prompts"


def names() -> list[str]:
    return sorted(entry.name.removesuffix(".md") for entry in _BUILT_IN.iterdir() if entry.name.endswith(".md"))


def built_in(name: str) -> str:
    try:
        return (_BUILT_IN / f"{name}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        known = ", ".join(names())
        raise ToryoError("E120", f"there is no prompt '{name}'", hint=f"there are {known}") from None


class Prompts:
    """Looks for a template in these folders, the first one that has it."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders

    def where(self, name: str) -> Path | None:
        """The file that is used instead of the built-in one."""
        return next((path for folder in self._folders if (path := folder / f"{name}.md").is_file()), None)

    def text(self, name: str) -> str:
        """The template. One of a person's own may leave places out, but not name any that nothing fills."""
        original = built_in(name)
        path = self.where(name)
        if path is None:
            return original
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise _unusable(path, f"cannot be read: {error}") from error
        if unknown := [place for place in places(text) if place not in places(original)]:
            known = ", ".join(f"{{{{{place}}}}}" for place in places(original)) or "none"
            raise _unusable(path, f"has a place {{{{{unknown[0]}}}}} that nothing fills (there are: {known})")
        return text


def _unusable(path: Path, why: str) -> ToryoError:
    return ToryoError(
        "E121", f"{path} {why}", hint="correct it, or remove it to use the built-in one", exit_code=Exit.USAGE
    )

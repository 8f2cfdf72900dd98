"""The main folders of a repository as indented text, with the number of files in and below each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from toryo.rules.listing import is_foreign

MOST_LINES, MOST_CHARACTERS = 120, 4_000
_MOST_CHILDREN, _MOST_FILES, _DEEPEST = 24, 30, 4
_LONGEST_NAME = 60


@dataclass(slots=True)
class _Folder:
    path: str
    files: int = 0
    children: list["_Folder"] = field(default_factory=list)


def file_tree(paths: Sequence[str]) -> tuple[str, bool]:
    """The tree, and whether anything was left out. Foreign folders are counted and not opened."""
    folders, is_whole = _folders(paths)
    shown, shows_all = _choose(folders)
    lines = _lines(folders[""], shown, 0)
    here = sorted(path for path in paths if "/" not in path)
    names = [_readable(name) for name in here[:_MOST_FILES]]
    if len(here) > len(names):
        names.append(f"… and {len(here) - len(names)} more")
    text = "\n".join([f"./ {len(paths)} files", *lines, *([", ".join(names)] if names else [])])
    if len(text) > MOST_CHARACTERS:
        text, shows_all = text[:MOST_CHARACTERS].rpartition("\n")[0] + "\n…", False
    return text, is_whole and shows_all and len(here) <= _MOST_FILES


def _folders(paths: Sequence[str]) -> tuple[dict[str, _Folder], bool]:
    counted = Counter(path.rpartition("/")[0] for path in paths)
    folders = {"": _Folder("")}
    is_whole = True
    for path, files in counted.items():
        parts = path.split("/") if path else []
        folders[""].files += files
        for end in range(1, len(parts) + 1):
            if end > _DEEPEST or is_foreign("/".join(parts[: end - 1])):
                is_whole = False
                break
            name = "/".join(parts[:end])
            if name not in folders:
                folders[name] = _Folder(name)
                folders["/".join(parts[: end - 1])].children.append(folders[name])
            folders[name].files += files
    for folder in folders.values():
        folder.children.sort(key=lambda child: child.path)
    return folders, is_whole


def _choose(folders: dict[str, _Folder]) -> tuple[set[str], bool]:
    """Level by level, in each folder those with most files, until the lines are used up."""
    shown: set[str] = set()
    level, is_whole = [folders[""]], True
    while level:
        following: list[_Folder] = []
        for folder in level:
            largest = sorted(folder.children, key=lambda child: (-child.files, child.path))[:_MOST_CHILDREN]
            room = MOST_LINES - len(shown)
            shown.update(child.path for child in largest[:room])
            following += largest[:room]
            is_whole = is_whole and len(largest[:room]) == len(folder.children)
        level = sorted(following, key=lambda folder: (-folder.files, folder.path))
    return shown, is_whole


def _lines(folder: _Folder, shown: set[str], indent: int) -> list[str]:
    lines: list[str] = []
    for child in folder.children:
        if child.path in shown:
            name = _readable(child.path.rpartition("/")[2])
            lines.append(f"{'  ' * indent}{name}/ {child.files}")
            lines += _lines(child, shown, indent + 1)
    hidden = sum(child.path not in shown for child in folder.children)
    if hidden and hidden < len(folder.children):
        lines.append(f"{'  ' * indent}… and {hidden} more folders")
    return lines


def _readable(name: str) -> str:
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return shown if len(shown) <= _LONGEST_NAME else shown[: _LONGEST_NAME - 1] + "…"

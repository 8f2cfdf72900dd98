"""Skills as files: proposed ones, those that a person took over, and those that a person did not want."""

from pathlib import Path

from toryo.adapters.located import Unreadable, locate
from toryo.adapters.specs import refuse_leading_out
from toryo.adapters.yamlwriting import scalar
from toryo.domain.errors import Exit, ToryoError
from toryo.domain.learning import Skill
from toryo.rules.slugs import is_skill_name

PROPOSED = Path(".toryo", "proposals", "skills")
REJECTED = Path(".toryo", "proposals", "rejected-skills")
_FILE = "SKILL.md"
_SEEN = "Seen in: "


class SkillFiles:
    """Those of one repository; `folder` is where its agents look for them."""

    def __init__(self, root: Path, folder: str) -> None:
        self._root = root
        self._folder = Path(folder)

    def proposals(self) -> list[tuple[Skill, float]]:
        """Each with when it was proposed."""
        return [(_read(path), path.stat().st_mtime) for path in _in(self._root / PROPOSED)]

    def known(self) -> dict[str, str]:
        """What there is to say again: descriptions by name, of skills in use, proposed or not wanted."""
        folders = (self._root / self._folder, self._root / PROPOSED, self._root / REJECTED)
        return {skill.name: skill.description for folder in folders for skill in map(_read, _in(folder))}

    def propose(self, skill: Skill) -> bool:
        """False, and nothing changed: one of that name is here, or was."""
        target = self._root / PROPOSED / skill.name
        refuse_leading_out(self._root, target)
        if any((self._root / folder / skill.name).exists() for folder in (PROPOSED, REJECTED, self._folder)):
            return False
        # The folder is put in its place as a whole, so that nobody ever sees half a skill.
        beside = target.with_name(f".{skill.name}.new")
        beside.mkdir(parents=True, exist_ok=True)
        (beside / _FILE).write_text(_text(skill), encoding="utf-8", errors="backslashreplace")
        beside.rename(target)
        return True

    def accept(self, name: str) -> Path:
        """Moves a proposal to where agents find it; never over another one."""
        target = self._root / self._folder / name
        refuse_leading_out(self._root, target)
        if target.exists():
            raise ToryoError(
                "E297",
                f"{self._folder / name} is there already",
                kept=f"the proposal, in {PROPOSED / name}",
                hint=f"compare the two, then 'toryo reject skill:{name}', or remove the one that is there",
                exit_code=Exit.REFUSED,
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        self.proposal(name).rename(target)
        return self._folder / name / _FILE

    def reject(self, name: str) -> None:
        """Takes a proposal away, and remembers it, so that it is not made again."""
        proposal = self.proposal(name)
        target = self._root / REJECTED / name
        target.parent.mkdir(parents=True, exist_ok=True)
        number = 2
        while target.exists():
            target, number = target.with_name(f"{name}-{number}"), number + 1
        proposal.rename(target)

    def proposal(self, name: str) -> Path:
        """Its folder; raises ToryoError where there is none."""
        path = self._root / PROPOSED / name
        if not is_skill_name(name) or not (path / _FILE).is_file():
            known = ", ".join(skill.name for skill, _ in self.proposals()) or "none"
            raise ToryoError("E296", f"no skill '{name}' is proposed", hint=f"proposed are: {known}")
        return path


def _in(folder: Path) -> list[Path]:
    return [path.parent for path in sorted(folder.glob(f"*/{_FILE}"))] if folder.is_dir() else []


def _text(skill: Skill) -> str:
    head = f"---\nname: {skill.name}\ndescription: {scalar(skill.description)}\n---\n"
    return f"{head}\n{skill.body.strip()}\n\n{_SEEN}{', '.join(skill.seen)}\n"


def _read(folder: Path) -> Skill:
    """As far as it can be read: people write them as they like."""
    try:
        text = (folder / _FILE).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return Skill(folder.name, "", "", ())
    head, body = "", text
    if text.startswith("---\n"):
        head, _, body = text.removeprefix("---\n").partition("\n---")
    last = body.rstrip().rpartition("\n")[2]
    seen = tuple(last.removeprefix(_SEEN).split(", ")) if last.startswith(_SEEN) else ()
    return Skill(folder.name, _described(head), body.strip() + "\n", seen)


def _described(head: str) -> str:
    from toryo.adapters.located_yaml import read_yaml

    try:
        root = read_yaml(head)
    except Unreadable:
        return ""
    said = locate(root).value if root else None
    return str(said.get("description") or "") if isinstance(said, dict) else ""

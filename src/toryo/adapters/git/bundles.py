"""Commits in a file: written from a repository and read beside one, neither of which is written to."""

from collections.abc import Mapping
from pathlib import Path

from toryo.adapters.git.command import Git, checked
from toryo.adapters.git.place import Place


def scratch_repository(git: Git, folder: Path, place: Place) -> Path:
    """An empty repository that sees everything the given one has."""
    path = folder / "scratch.git"
    asked = git.text(place.checkout, "rev-parse", "--show-object-format").strip()
    git.text(folder, "init", "-q", "--bare", "--template=", f"--object-format={asked}", str(path))
    alternates = path / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_bytes(bytes(place.common_dir / "objects") + b"\n")
    return path


def write_bundle(git: Git, scratch: Path, tips: Mapping[str, str], base: str, target: Path) -> bool:
    """The commits up to these tips that the base does not have; False: there are none."""
    for ref, commit in tips.items():
        git.text(scratch, "update-ref", ref, commit)
    if not tips or git.text(scratch, "rev-list", "--count", *tips, f"^{base}").strip() == "0":
        return False
    # In one thread, so that the same commits make the same file.
    git.text(scratch, "-c", "pack.threads=1", "bundle", "create", "-q", str(target), *tips, f"^{base}")
    return True


def read_bundle(git: Git, scratch: Path, source: Path) -> dict[str, str]:
    """Takes its commits into the scratch repository; where its refs stand. Raises GitFailed."""
    done = git.run(scratch, "bundle", "unbundle", str(source))
    listed = checked(done, ("bundle", "unbundle")).splitlines()
    pairs = (line.split(" ", 1) for line in listed)
    return {pair[1]: pair[0] for pair in pairs if len(pair) == 2}

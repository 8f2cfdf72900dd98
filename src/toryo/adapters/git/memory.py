"""Conflicts that were settled once, so that git settles them again: `rerere` in a repository of its own.

Git turns rerere on for everybody as soon as the repository has a folder `rr-cache`, so Toryo's memory is kept beside
it: a repository without commits that borrows the objects of the real one. Where the person uses rerere, theirs is used.
"""

import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from toryo.adapters.git.combining import Stage, Union
from toryo.adapters.git.command import Git

_FILES = ("100644", "100755")
# Nothing is converted on the way in or out: what is compared are the bytes that git stored.
_RERERE = ("-c", "core.autocrlf=false", "-c", "core.attributesFile=/dev/null", "-c", "rerere.enabled=true")


class Memory:
    """One conflict at a time; whoever uses it holds the lease."""

    def __init__(self, git: Git, common_dir: Path) -> None:
        self._common, self._place = common_dir, common_dir / "toryo" / "memory.git"
        self._files, self._plain = self._place / "files", git
        self._git = git.elsewhere(
            {
                "GIT_DIR": str(self._place),
                "GIT_WORK_TREE": str(self._files),
                "GIT_OBJECT_DIRECTORY": str(common_dir / "objects"),
            }
        )

    async def recall(self, union: Union) -> str | None:
        """The merged tree with everything settled as it was before; None: something in it was never settled."""
        if not all(_can_be_known(union.of(path)) for path in union.paths) or not self._holds_anything:
            return None
        await self._stage(union)
        await self._ask("-c", "rerere.autoUpdate=true", "rerere")
        listed = await self._git.ask(self._files, "ls-files", "-z", "--stage")
        settled = [entry for entry in listed.split("\0") if entry]
        if any(entry.partition("\t")[0].rpartition(" ")[2] != "0" for entry in settled):
            return None
        return await self._tree_with(union.tree, settled)

    async def learn(self, union: Union, result: str) -> None:
        """How the conflict was settled: as in the commit."""
        await self._make_place(len(union.tree))
        known = {path: await self._blob_at(result, path) for path in union.paths if _can_be_known(union.of(path))}
        settled = {path: blob for path, blob in known.items() if blob}
        if not settled:
            return
        await self._stage(Union(union.tree, tuple(stage for stage in union.stages if stage.path in settled)))
        await self._ask("rerere")
        await self._forget_staged(settled)
        for path, blob in settled.items():
            await self._write(path, blob)
        await self._ask("add", "-A", "-f")
        await self._ask("rerere")
        if not self._has_own_of_person:
            await self._ask("rerere", "gc")

    async def forget(self, union: Union, files: Collection[str]) -> None:
        """That it was ever settled: what came of it was no good."""
        if paths := [path for path in union.paths if path in files]:
            await self._stage(union)
            await self._forget_staged(paths)
            (self._place / "MERGE_RR").unlink(missing_ok=True)

    async def _forget_staged(self, paths: Iterable[str]) -> None:
        for path in paths:
            await self._ask("rerere", "forget", "--", f":(literal){path}")

    # ── the place ────────────────────────────────────────────────────────────

    @property
    def _holds_anything(self) -> bool:
        return self._has_own_of_person or (self._place / "remembered").is_dir()

    @property
    def _has_own_of_person(self) -> bool:
        return (self._common / "rr-cache").is_dir()

    async def _stage(self, union: Union) -> None:
        """The conflict as git leaves it in a folder: markers in the files, and all sides in the index."""
        await self._make_place(len(union.tree))
        for path in union.paths:
            await self._write(path, await self._blob_at(union.tree, path))
        lines = [f"{stage.mode} {stage.blob} {stage.number}\t{stage.path}" for stage in union.stages]
        await self._index(lines)

    async def _make_place(self, id_length: int) -> None:
        if not (self._place / "HEAD").exists():
            kind = "sha1" if id_length == 40 else "sha256"
            asked = ("init", "-q", "--bare", "--template=", f"--object-format={kind}", str(self._place))
            await self._plain.ask(self._common, *asked)
        shutil.rmtree(self._files, ignore_errors=True)
        self._files.mkdir(mode=0o700)
        for left in ("index", "index.lock", "MERGE_RR", "MERGE_RR.lock"):
            (self._place / left).unlink(missing_ok=True)
        own = self._place / "remembered"
        own.mkdir(mode=0o700, exist_ok=True)
        link = self._place / "rr-cache"
        link.unlink(missing_ok=True)
        link.symlink_to(self._common / "rr-cache" if self._has_own_of_person else own)

    async def _blob_at(self, where: str, path: str) -> str:
        """The file's blob in a commit or tree; empty: it is none there."""
        listed = await self._git.ask(self._files, "ls-tree", "-z", "--full-tree", where, "--", f":(literal){path}")
        head, _, _ = listed.partition("\t")
        mode, _, rest = head.partition(" ")
        return rest.rpartition(" ")[2] if mode in _FILES else ""

    async def _write(self, path: str, blob: str) -> None:
        content = (await self._git.attempt(self._files, "cat-file", "blob", blob)).stdout
        target = self._files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    async def _tree_with(self, tree: str, entries: Sequence[str]) -> str:
        await self._git.ask(self._files, "read-tree", tree)
        await self._index(entries)
        return (await self._git.ask(self._files, "write-tree")).strip()

    async def _index(self, entries: Sequence[str]) -> None:
        given = "".join(f"{entry}\0" for entry in entries).encode(errors="surrogateescape")
        await self._git.ask(self._files, "update-index", "-z", "--index-info", given=given)

    async def _ask(self, *args: str) -> None:
        await self._git.ask(self._files, *_RERERE, *args)


def _can_be_known(stages: Sequence[Stage]) -> bool:
    """Both sides have the file, as a file, and alike but for its content: git remembers nothing else."""
    sides = {stage.number: stage.mode for stage in stages}
    return sides.get(2) == sides.get(3) and sides.get(2) in _FILES

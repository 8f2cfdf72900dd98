"""The remote repository: fetched from, pushed to, never forced."""

import re
import shlex
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from toryo.adapters.git.command import Git
from toryo.adapters.programs import run_within
from toryo.domain.difference import readable
from toryo.domain.errors import GitFailed
from toryo.ports import Held, Impact
from toryo.rules.masking import mask

_SECONDS = 300.0
"""For one fetch or push; large files take their time."""
_PATIENCE = ("-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60", "-c", "push.gpgSign=false")
_SSH = "-o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=20"
# Compiled when needed: every session loads this, and few push.
_NETWORK = (
    r"could not resolve host|connection (refused|timed out|reset|closed)|network is unreachable|operation timed out"
    r"|failed to connect|could not connect|early eof|hung up unexpectedly|rpc failed|returned error: 5\d\d"
    r"|empty reply|proxy connect|no answer within|temporary failure|no route to host|ssl_"
)
_LOGIN = (
    r"authentication failed|could not read (username|password)|permission denied|terminal prompts disabled"
    r"|returned error: 40[13]|invalid username|access denied|host key verification|not allowed to push"
)


class GitRemote:
    """A remote by its name. The person's hooks run as they do when the person pushes: large files go up in one."""

    def __init__(self, environ: Mapping[str, str], root: Path, name: str) -> None:
        self._given, self.root, self.name = environ, root, name

    @cached_property
    def _git(self) -> Git:
        return Git({**self._given, **_no_questions(self._given, self.root)}).with_hooks()

    async def fetch(self, branch: str) -> str:
        here = f"refs/remotes/{self.name}/{branch}"
        refspec = f"+refs/heads/{branch}:{here}"
        done = await self._run("fetch", "-q", "--no-tags", "--no-write-fetch-head", self.name, refspec)
        if done.returncode == 0:
            return (await self._git.ask(self.root, "rev-parse", "--verify", f"{here}^{{commit}}")).strip()
        if "couldn't find remote ref" in _said(done).lower():
            return ""
        raise self._trouble("fetch", branch, done)

    async def push(self, branch: str, commit: str) -> None:
        done = await self._run("push", "--porcelain", "--no-follow-tags", self.name, f"{commit}:refs/heads/{branch}")
        if done.returncode:
            raise self._trouble("push", branch, done)

    async def forget(self, branch: str, commit: str) -> str:
        try:
            stands = await self._stands(branch)
            if not stands:
                return ""
            if stands != commit:
                return f"{self.name}/{branch} has commits that Toryo did not push"
            # The lease only makes sure that it is deleted as it stood a moment ago.
            lease = f"--force-with-lease=refs/heads/{branch}:{commit}"
            done = await self._run("push", "--porcelain", lease, self.name, f":refs/heads/{branch}")
            if done.returncode and await self._stands(branch):
                return f"{self.name}/{branch} could not be deleted: {_said(done)}"
        except (Held, GitFailed) as trouble:
            return str(trouble)
        return ""

    async def left_out(self, branch: str) -> tuple[str, ...]:
        listed = await self._git.ask(self.root, "worktree", "list", "--porcelain")
        for block in listed.split("\n\n"):
            lines = block.splitlines()
            if f"branch refs/heads/{branch}" in lines and Path(lines[0].removeprefix("worktree ")).is_dir():
                folder = Path(lines[0].removeprefix("worktree "))
                said = await self._git.ask(folder, "status", "--porcelain", "--no-renames", "-z")
                return tuple(readable(line[3:]) for line in said.split("\0") if line)
        return ()

    async def impact(self, base: str, commit: str) -> Impact:
        said = await self._git.ask(self.root, "diff", "--numstat", "--no-renames", "-z", f"{base}...{commit}")
        rows = [row.split("\t", 2) for row in said.split("\0") if row]
        added, removed = (sum(int(row[place]) for row in rows if row[place].isdigit()) for place in (0, 1))
        return Impact(tuple(readable(row[2]) for row in rows), added, removed)

    async def holds(self, target: str, commit: str, merged_as: str = "") -> bool:
        """Whether the remote's branch has the commit, or the commit that its forge says it was merged as."""
        tip = await self.fetch(target)
        return bool(tip) and any([await self._is_in(one, tip) for one in (commit, merged_as) if one])

    async def is_there(self) -> bool:
        return bool(await self.urls())

    async def urls(self) -> tuple[str, ...]:
        """Where it is, as it is written down and as git reads that."""
        written = await self._git.attempt(self.root, "config", "--get-all", f"remote.{self.name}.url")
        read = await self._git.attempt(self.root, "remote", "get-url", self.name)
        if written.returncode:
            return ()
        lines = (written.stdout + b"\n" + read.stdout).decode(errors="replace").split()
        return tuple(dict.fromkeys(lines))

    async def _is_in(self, commit: str, tip: str) -> bool:
        return (await self._git.attempt(self.root, "merge-base", "--is-ancestor", commit, tip)).returncode == 0

    async def _stands(self, branch: str) -> str:
        done = await self._run("ls-remote", self.name, f"refs/heads/{branch}")
        if done.returncode:
            raise self._trouble("ls-remote", branch, done)
        return done.stdout.decode().partition("\t")[0].strip()

    async def _run(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        if not await self.is_there():
            raise Held(
                f"there is no remote '{self.name}'",
                f"git remote add {self.name} <address>, or toryo config set land.remote <name>",
            )
        command = self._git.command(*_PATIENCE, *args)
        return await run_within(_SECONDS, command, self.root, self._git.environ)

    def _trouble(self, verb: str, branch: str, done: subprocess.CompletedProcess[bytes]) -> Exception:
        """A person has to act, or it may pass by itself."""
        said = _said(done)
        if re.search(_LOGIN, said, re.IGNORECASE):
            hint = f"see that 'git push {self.name}' works for you; for GitHub: gh auth login, then gh auth setup-git"
            return Held(f"{self.name} does not let you in: {said}", hint)
        if re.search(_NETWORK, said, re.IGNORECASE):
            return GitFailed(f"git {verb} {self.name} failed: {said}")
        if "non-fast-forward" in said or "fetch first" in said:
            hint = f"look at them: git fetch {self.name} && git log HEAD..{self.name}/{branch}; nothing is written over"
            return Held(f"{self.name}/{branch} has commits that are not in the result: {said}", hint)
        if verb == "push":
            hint = "the words above are those of the remote or of a hook; settle that, then go on"
            return Held(f"{self.name} refuses {branch}: {said}", hint)
        return Held(f"git {verb} {self.name} failed: {said}", f"see that 'git fetch {self.name}' works for you")


def _no_questions(environ: Mapping[str, str], root: Path) -> dict[str, str]:
    """ssh asks on the terminal whatever git says, unless it is told not to."""
    if environ.get("GIT_SSH"):
        return {}
    command = environ.get("GIT_SSH_COMMAND") or _configured(environ, root) or "ssh"
    is_ssh = Path(shlex.split(command)[0] if command.strip() else "").name == "ssh"
    return {"GIT_SSH_COMMAND": f"{command} {_SSH}"} if is_ssh else {}


def _configured(environ: Mapping[str, str], root: Path) -> str:
    return Git(environ).run(root, "config", "core.sshCommand").stdout.decode(errors="replace").strip()


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """Git's own words, without what is only for programs, and without secrets: addresses may hold some."""
    text = (done.stderr + b"\n" + done.stdout).decode(errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    told = [line for line in lines if line and not line.startswith(("To ", "Done", "hint:"))]
    return mask("; ".join(told)[-_MOST:]) or f"exit code {done.returncode}"


_MOST = 1500

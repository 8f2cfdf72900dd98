"""Pull requests on GitHub, by the person's own `gh`."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toryo.adapters.git.remote import GitRemote
from toryo.adapters.github_looking import look_of
from toryo.adapters.programs import run_within
from toryo.domain.facts import fact
from toryo.domain.landing import RequestState
from toryo.ports import ForgeFailed, Held, Request, RequestDraft, RequestLook
from toryo.rules.masking import mask

_SECONDS = 60.0
_VIEW = """number,url,state,headRefOid,baseRefName,mergeCommit,createdAt,isDraft,mergeable,mergeStateStatus,
reviewDecision,statusCheckRollup,reviews,comments"""
_JOB = re.compile(r"/actions/runs/[0-9]+/job/([0-9]+)")
_URL = re.compile(r"https?://\S+/pull/([0-9]+)")
_ISSUE = re.compile(r"https?://([^/\s]+/[^/\s]+/[^/\s]+)/issues/([0-9]+)(?:[/?#]\S*)?")
_SCP = re.compile(r"(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)")
_MAY_PASS = re.compile(
    r"HTTP 5\d\d|HTTP 429|rate limit|error connecting|connection (refused|reset)|timeout|no answer within|EOF"
    r"|no such host|dial tcp|proxyconnect|invalid character|unexpected end|looking for beginning|tls:",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"HTTP 401|bad credentials|gh auth login|not logged in|authentication", re.IGNORECASE)
HOW_TO_INSTALL = "install the GitHub CLI (the package is called gh), then gh auth login"


@fact
class Address:
    """A repository on a forge."""

    host: str
    owner: str
    name: str

    @property
    def words(self) -> str:
        return f"{self.host}/{self.owner}/{self.name}"


def address_of(url: str) -> Address | None:
    """What a remote's address says; None: it is a folder, or nothing that could be on a forge."""
    if "://" in url:
        scheme, _, rest = url.partition("://")
        host, _, path = rest.partition("/")
        if scheme == "file":
            return None
    elif found := _SCP.fullmatch(url):
        host, path = found.groups()
    else:
        return None
    parts = path.strip("/").removesuffix(".git").split("/")
    host = host.rpartition("@")[2].partition(":")[0].lower().removeprefix("www.")
    return Address(host, *parts) if len(parts) == 2 and all(parts) and host else None


class Gh:
    """The program itself: never asks, never pages, has a time limit."""

    def __init__(self, environ: Mapping[str, str], where: Path) -> None:
        self._environ = {
            **environ,
            "GH_PROMPT_DISABLED": "1",
            "GH_NO_UPDATE_NOTIFIER": "1",
            "NO_COLOR": "1",
            "GH_PAGER": "cat",
        }
        self._where = where

    def path(self) -> str | None:
        return shutil.which("gh", path=self._environ.get("PATH"))

    async def ask(self, *args: str, stdin: str = "") -> str:
        """What it printed; raises Held where a person has to act, ForgeFailed where it may pass."""
        program = self.path()
        if program is None:
            raise Held("pull requests are opened with gh, which is not installed", HOW_TO_INSTALL)
        try:
            done = await run_within(_SECONDS, [program, *args], self._where, self._environ, stdin=stdin.encode())
        except OSError as error:
            raise Held(f"gh cannot be started: {error.strerror}", HOW_TO_INSTALL) from error
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
        said = " ".join((done.stderr or done.stdout).decode(errors="replace").split())[-1500:]
        raise trouble_with(mask(said) or f"exit code {done.returncode}", " ".join(args[:2]))

    async def read(self, *args: str) -> Any:
        """The same, where it prints JSON."""
        said = await self.ask(*args)
        try:
            return json.loads(said)
        except ValueError as error:
            raise ForgeFailed(f"gh {' '.join(args[:2])} answered something that cannot be read") from error


def trouble_with(said: str, verb: str) -> Exception:
    if _LOGIN.search(said):
        return Held(f"gh is not logged in: {said}", "gh auth login")
    if _MAY_PASS.search(said):
        return ForgeFailed(f"gh {verb} failed: {said}")
    return Held(f"gh {verb} failed: {said}", "see 'gh auth status', and whether you may do this on the forge")


class GitHub:
    """One repository's pull requests."""

    def __init__(self, environ: Mapping[str, str], root: Path, remote: GitRemote) -> None:
        self._gh, self._remote = Gh(environ, root), remote

    async def version(self) -> str:
        found = re.search(r"gh version (\S+)", await self._gh.ask("--version"))
        return found[1] if found else "of an unknown version"

    async def place(self) -> str:
        """The repository it is about."""
        return (await self._known()).words

    async def ready(self) -> None:
        if self._gh.path() is None:
            raise Held("pull requests are opened with gh, which is not installed", HOW_TO_INSTALL)
        address = await self._known()
        try:
            await self._gh.ask("auth", "status", "--hostname", address.host)
        except Held as held:
            hint = f"gh auth login --hostname {address.host}"
            raise Held(f"gh is not logged in to {address.host}: {held}", hint) from held
        found = await self._gh.read("repo", "view", address.words, "--json", "nameWithOwner,isArchived")
        if found.get("isArchived"):
            raise Held(f"{address.words} is archived: nothing can be changed in it")

    async def own_issue(self, url: str) -> int:
        found, address = _ISSUE.fullmatch(url), await self._known()
        if found is None:
            return 0
        return int(found[2]) if found[1].lower() == address.words.lower() else 0

    async def find(self, head: str) -> Request | None:
        listed = await self._pr("list", "--head", head, "--state", "all", "--json", _FOUND, "--limit", "30")
        ours = [one for one in _read(listed) if one["headRefName"] == head and not one["isCrossRepository"]]
        still_open = [one for one in ours if one["state"] == "OPEN"]
        found = max(still_open or ours, key=lambda one: one["number"], default=None)
        return _request(found) if found else None

    async def open(self, draft: RequestDraft) -> Request:
        try:
            # Words are given as `--title=…`: they may begin with a dash.
            title, base, head = f"--title={draft.title}", f"--base={draft.base}", f"--head={draft.head}"
            said = await self._pr("create", title, base, head, "--body-file", "-", stdin=draft.body)
        except Held as held:
            if "already exists" in str(held) and (found := await self.find(draft.head)):
                return found
            if "No commits between" in str(held):
                raise Held(f"there is nothing to ask for: {draft.base} has everything already") from held
            raise
        found_url = _URL.search(said)
        if found_url is None:
            raise ForgeFailed("gh pr create did not say what it opened")
        return Request(int(found_url[1]), found_url[0], RequestState.OPEN)

    async def look(self, number: int) -> RequestLook:
        view = _read(await self._pr("view", str(number), "--json", "".join(_VIEW.split())))
        address = await self._known()
        place = f"repos/{address.owner}/{address.name}"
        lines = await self._api(f"{place}/pulls/{number}/comments?per_page=100")
        runs: Any = {}
        if any(check.get("conclusion") in _FAILED for check in view.get("statusCheckRollup") or ()):
            runs = await self._api(f"{place}/commits/{view['headRefOid']}/check-runs?per_page=100")
        try:
            look = look_of(view, lines, runs.get("check_runs", []))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ForgeFailed(f"gh pr view answered something that cannot be read ({error})") from error
        return look

    async def log_of(self, link: str) -> str:
        """What the failed steps of a job printed; empty: it cannot be had."""
        job = _JOB.search(link)
        if job is None:
            return ""
        try:
            return await self._gh.ask("run", "view", "--job", job[1], "--log-failed", "-R", (await self._known()).words)
        except (Held, ForgeFailed):
            return ""

    async def merge(self, number: int, *, head: str, squash: bool) -> None:
        how = "--squash" if squash else "--merge"
        await self._pr("merge", str(number), how, "--match-head-commit", head)

    async def retarget(self, number: int, base: str) -> None:
        address = await self._known()
        path = f"repos/{address.owner}/{address.name}/pulls/{number}"
        await self._gh.ask("api", "--hostname", address.host, "-X", "PATCH", path, "-f", f"base={base}")

    async def close(self, number: int) -> None:
        await self._pr("close", str(number))

    async def _pr(self, verb: str, *args: str, stdin: str = "") -> str:
        return await self._gh.ask("pr", verb, *args, "-R", (await self._known()).words, stdin=stdin)

    async def _api(self, path: str) -> Any:
        return await self._gh.read("api", "--hostname", (await self._known()).host, path)

    async def _known(self) -> Address:
        address = next((found for url in await self._remote.urls() if (found := address_of(url))), None)
        if address is None:
            hint = "push to a repository on GitHub, or land otherwise: toryo land --merge, toryo land --branch"
            raise Held(f"the remote '{self._remote.name}' is not on a forge: no pull request can be opened there", hint)
        return address


_FOUND = "number,url,state,headRefName,headRefOid,isCrossRepository"
_FAILED = ("FAILURE", "TIMED_OUT", "STARTUP_FAILURE", "ACTION_REQUIRED")


def _read(said: str) -> Any:
    try:
        return json.loads(said)
    except ValueError as error:
        raise ForgeFailed("gh answered something that cannot be read") from error


def _request(found: Mapping[str, Any]) -> Request:
    state = RequestState(str(found["state"]).lower())
    return Request(int(found["number"]), str(found["url"]), state, str(found.get("headRefOid") or ""))

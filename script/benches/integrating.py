"""Merging two hundred accepted branches into ten thousand files, against the same merges by git in a loop."""

import os
import time
import uuid
from pathlib import Path

from benches.measuring import Bench, Figure, Report, Target, in_turns, ratios
from benches.repositories import TORYO, count_merges, environment, run
from toryo.app.project import open_project
from toryo.domain import events as e
from toryo.domain.evidence import Change, CheckResult, CheckStatus, FileChange
from toryo.domain.plan import Check, PlannedTask, Terms
from toryo.domain.run import EndedBy, Observation
from toryo.domain.verdict import Disposition, Outcome, Verdict

BRANCHES, FILES, LIMIT = 200, 10_000, 1.5
_BRANCH = "agent/the-whole"
_CHECK = Check("check", "true")
_FLOOR = """\
set -e
git worktree add -q -b integration .worktrees/integration
cd .worktrees/integration
for n in $(seq 1 "$1"); do
    git merge -q --no-ff -m "Merge task $n" "agent/part-$n"
    $2
done
"""


def measure(rounds: int, folder: Path) -> Report:
    env = environment(folder)
    os.environ.update(env)
    script = folder / "floor.sh"
    script.write_text(_FLOOR)
    origin = _origin(folder / "origin", env)
    sides = in_turns(
        rounds,
        (
            lambda number: _floor(script, _copy(origin, folder / f"floor{number}", env), env, check=":"),
            lambda number: _toryo(_copy(origin, folder / f"toryo{number}", env), env),
            lambda number: _floor(script, _copy(origin, folder / f"floor-checked{number}", env), env, check="true"),
            lambda number: _toryo(_copy(origin, folder / f"checked{number}", env), env, _CHECK),
        ),
    )
    names = ("git merge in a loop", "toryo", "git merge and a check in a loop", "toryo, with a check after each merge")
    plain, ours, checked, ours_checked = (Figure(name, took, "s") for name, took in zip(names, sides, strict=True))
    by_round = ratios("ratio, round by round", ours, plain)
    with_check = ratios("ratio with a check, round by round", ours_checked, checked)
    return Report(
        f"{BRANCHES} accepted branches merged into {FILES} files",
        (plain, ours, by_round, checked, ours_checked, with_check),
        (Target("time against git merge in a loop", by_round.median, LIMIT, "×", by_round.samples),),
        (
            f"both sides were seen to have made {BRANCHES} merges that hold the same files",
            "Toryo's time is that of `toryo resume`: starting, merging, recording, forgetting the branches, reporting",
        ),
    )


def _origin(path: Path, env: dict[str, str]) -> Path:
    """Every branch changes a file of its own and adds one, from the same commit."""
    path.mkdir()
    run(["git", "init", "-q", "-b", "main"], path, env)
    (path / "stream").write_text("".join(_stream()))
    run(["sh", "-c", "git fast-import --quiet < stream"], path, env)
    (path / "stream").unlink()
    run(["git", "reset", "-q", "--hard", "main"], path, env)
    run(["git", "pack-refs", "--all"], path, env)
    return path


def _stream() -> list[str]:
    who = "committer Bench <bench@localhost> 1700000000 +0000\n"
    lines = ["commit refs/heads/main\nmark :1\n", who, "data 4\nbase\n"]
    for number in range(FILES):
        text = f"file {number}\n" * 10
        lines.append(f"M 100644 inline dir{number % 100}/file{number}.txt\ndata {len(text)}\n{text}\n")
    for number in range(1, BRANCHES + 1):
        text = f"new {number}\n"
        lines += [f"commit refs/heads/agent/part-{number}\n", who, "data 4\nwork\nfrom :1\n"]
        lines.append(f"M 100644 inline new/part{number}.txt\ndata {len(text)}\n{text}\n")
        lines.append(f"M 100644 inline dir{number % 100}/file{number}.txt\ndata {len(text)}\n{text}\n")
    return lines


def _copy(origin: Path, path: Path, env: dict[str, str]) -> Path:
    run(["cp", "-a", str(origin), str(path)], path.parent, env)
    run(["git", "update-index", "-q", "--refresh"], path, env)
    return path


def _floor(script: Path, repository: Path, env: dict[str, str], *, check: str) -> float:
    begun = time.perf_counter()
    run(["sh", str(script), str(BRANCHES), check], repository, env)
    took = time.perf_counter() - begun
    _verify(repository, "integration", env)
    return took


def _toryo(repository: Path, env: dict[str, str], *checks: Check) -> float:
    short = _accepted(repository, env, checks)
    begun = time.perf_counter()
    run([str(TORYO), "resume", short, "--quiet"], repository, env)
    took = time.perf_counter() - begun
    _verify(repository, _BRANCH, env)
    return took


def _verify(repository: Path, branch: str, env: dict[str, str]) -> None:
    """A fast failure must not pass for a fast success."""
    merges = count_merges(repository, branch, env)
    files = len(run(["git", "ls-tree", "-r", "--name-only", branch], repository, env).splitlines())
    if (merges, files) != (BRANCHES, FILES + BRANCHES):
        raise RuntimeError(f"{branch} in {repository} has {merges} merges and {files} files")


def _accepted(repository: Path, env: dict[str, str], checks: tuple[Check, ...]) -> str:
    """A session in which everything is done and nothing is merged, told by the events it would have had."""
    names = "\n".join(["main", "main^{tree}"]).split()
    base, base_tree = run(["git", "rev-parse", *names], repository, env).split()
    asked = [f"agent/part-{n}{what}" for n in range(1, BRANCHES + 1) for what in ("", "^{tree}")]
    ids = run(["git", "rev-parse", *asked], repository, env).split()
    now, identity = time.time(), f"session-{uuid.uuid4()}"
    planned = tuple(
        PlannedTask(f"T{n}", f"Part {n}", "shell", f"agent/part-{n}", command="true", checks=checks)
        for n in range(1, BRANCHES + 1)
    )
    opened = (identity, "The whole", "plan.yaml", "main", base, base_tree, _BRANCH, Terms(host="headless"))
    events: list[e.Event] = [e.SessionOpened(now, *opened), e.PlanProposed(now, planned), e.PlanApproved(now, "bench")]
    for number in range(1, BRANCHES + 1):
        commit, tree = ids[2 * number - 2 : 2 * number]
        events += _done(now, number, (base, base_tree), (commit, tree), checks)
    events.append(e.SessionPaused(now, "merging is left"))
    open_project(repository, writing=True).begin(*events)
    return identity.removeprefix("session-")[:8]


def _done(
    now: float, number: int, base: tuple[str, str], work: tuple[str, str], checks: tuple[Check, ...]
) -> list[e.Event]:
    run_id = f"run-{uuid.uuid4()}"
    changes = tuple(FileChange(f"new/part{number}.txt", Change.CREATED, True) for _ in range(1))
    return [
        e.RunPlanned(now, number, run_id, "shell", ""),
        e.WorkspacePrepared(now, number, run_id, *base, base[0]),
        e.RunStarted(now, number, run_id, 1),
        e.RunExited(now, number, run_id, 0, EndedBy.ITSELF),
        e.WorkObserved(now, number, run_id, Observation(*work, changes, run_changed=True)),
        *(e.CheckFinished(now, number, run_id, CheckResult(c.name, CheckStatus.PASSED, 0, 0.1)) for c in checks),
        e.VerdictReached(now, number, run_id, Verdict(Outcome.COMPLETE, Disposition.ACCEPT)),
    ]


BENCH = Bench(3, measure)

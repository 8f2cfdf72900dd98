"""A recorded session is verified by another process; whatever is changed about it afterwards is named."""

import json
import os
import re
import signal
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import Repo, fingerprint, marked_processes, shell, until
from tests.support.tampering import (
    codes,
    copied,
    edit,
    find,
    heads,
    journal,
    log_of,
    number_of,
    put,
    record,
    reseal,
    stored,
    verify,
    with_fact,
)

from toryo.domain.evidence import CheckStatus, sealed
from toryo.domain.verdict import Disposition, Outcome

pytestmark = pytest.mark.covers("P1", "P7", "P18", "P21", "B1")
NOTHING = re.compile(r"$^")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return record(tmp_path_factory.mktemp("recorded"))


@pytest.fixture
def repo(recorded: Repo, tmp_path: Path) -> Repo:
    return copied(recorded, tmp_path)


# ── as it was recorded ───────────────────────────────────────────────────────


def test_a_recorded_session_is_verified_and_nothing_is_written(repo: Repo) -> None:
    before = fingerprint(repo.path, NOTHING)
    done = repo.toryo("verify")
    assert done.code == 0, done
    assert done.err == ""
    assert fingerprint(repo.path, NOTHING) == before
    lines = done.out.splitlines()
    assert re.fullmatch(r"C verified: 1[3-7] records, \d+ logs, 3 commits, 2 verdicts follow", lines[2])
    assert lines[3] == "D verified: 10 records, 4 logs, 1 commit, 3 verdicts follow"
    assert lines[-2] == "session verified: 2 records, 2 logs, 2 commits"
    assert re.fullmatch(r"session \w{8}: verified, 7 tasks, \d+ records, \d+ logs, \d+ commits", lines[-1])


def test_a_task_is_verified_alone(repo: Repo) -> None:
    code, proof = verify(repo, "C")
    assert (code, proof["holds"], [task["key"] for task in proof["tasks"]]) == (0, True, ["C"])
    log_of(repo, "CheckFinished", "B").write_text("something else")
    assert verify(repo, "c")[0] == 0
    assert verify(repo, "B")[0] == 1


def test_work_that_needs_none_of_the_plan_s_checks_is_not_accused(repo: Repo, tmp_path: Path) -> None:
    fresh = Repo.make(tmp_path / "fresh", repo.environ)
    fresh.run(
        shell("I", "echo it is so", type="investigation"),
        shell("R", "echo all is well", type="review"),
        shell("D", "echo '# How' > README.md", type="documentation"),
        shell("C", "echo done > done"),
        checks={"test": "test -e done"},
    )
    assert {task["state"] for task in fresh.tasks().values()} == {"integrated"}
    code, proof = verify(fresh)
    assert (code, codes(proof)) == (0, set()), proof


def test_replaced_commits_do_not_deceive_it(repo: Repo) -> None:
    tip, base = repo.git("rev-parse", "agent/the-plan"), repo.git("rev-parse", "main")
    repo.git("replace", tip, base)
    assert verify(repo) == verify(repo, "--json")
    assert verify(repo)[0] == 0


def test_every_merge_carries_the_head_of_its_evidence(repo: Repo) -> None:
    _, merged = find(repo, "TaskIntegrated", "C")
    message = repo.git("show", "-s", "--format=%B", merged.commit)
    trailers = [line for line in message.splitlines() if line.startswith("Toryo-Evidence: ")]
    assert trailers == [f"Toryo-Evidence: {find(repo, 'VerdictReached', 'C', 1)[1].evidence[0].sha256}"]
    resolution = next(event for _, event in stored(repo) if getattr(event, "resolution", None)).resolution  # type: ignore[attr-defined]
    merge = repo.info(resolution.key)["task"]["merge_commit"]
    message = repo.git("show", "-s", "--format=%B", merge)
    assert message.count("Toryo-Evidence: ") == 2, "that of the resolution, and of the work it brings in"


# ── what somebody changed ────────────────────────────────────────────────────


def _fact(repo: Repo) -> None:
    edit(
        repo, "CheckFinished", "B", lambda event: replace(event, evidence=(with_fact(event.evidence[0], "code", "1"),))
    )


def _resealed(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, evidence=(sealed(with_fact(event.evidence[0], "code", "1")),))

    edit(repo, "CheckFinished", "B", forge)


def _dropped(repo: Repo) -> None:
    edit(repo, "WorkObserved", "B", lambda event: replace(event, evidence=()))


def _last_dropped(repo: Repo) -> None:
    edit(repo, "VerdictReached", "D", lambda event: replace(event, evidence=()), nth=2)


def _swapped(repo: Repo) -> None:
    (first, one), (second, other) = find(repo, "CheckFinished", "B", 0), find(repo, "CheckFinished", "B", 1)
    put(repo, first, replace(one, evidence=other.evidence))
    put(repo, second, replace(other, evidence=one.evidence))


def _inserted(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        extra = sealed(replace(event.evidence[0], at=1.0, previous=event.evidence[0].sha256))
        return replace(event, evidence=(*event.evidence, extra))

    edit(repo, "CheckFinished", "B", forge)


def _log_edited(repo: Repo) -> None:
    log = log_of(repo, "CheckFinished", "B")
    log.write_text(log.read_text().replace("looking", "lurking"))


def _log_truncated(repo: Repo) -> None:
    log = log_of(repo, "RunExited", "B")
    os.truncate(log, log.stat().st_size - 1)


def _amended(repo: Repo) -> None:
    tip = repo.git("rev-parse", "agent/the-plan")
    tree, *parents = repo.git("show", "-s", "--format=%T %P", tip).split()
    new = repo.git("commit-tree", tree, *(part for parent in parents for part in ("-p", parent)), "-m", "another")
    repo.git("update-ref", "refs/heads/agent/the-plan", new)


def _tree(repo: Repo) -> None:
    edit(repo, "WorkObserved", "B", lambda event: replace(event, observation=replace(event.observation, tree="0" * 40)))


def _files(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, observation=replace(event.observation, changes=event.observation.changes[:-1]))

    edit(repo, "WorkObserved", "E", forge)


def _verdict(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, verdict=replace(event.verdict, outcome=Outcome.INCOMPLETE))

    edit(repo, "VerdictReached", "D", forge, nth=2)


def _accepted(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        facts = with_fact(event.evidence[0], "disposition", "block")
        return replace(event, verdict=replace(event.verdict, disposition=Disposition.BLOCK), evidence=(facts,))

    edit(repo, "VerdictReached", "B", forge)
    reseal(repo, "B")


def _result(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, result=replace(event.result, status=CheckStatus.PASSED, code=0))

    edit(repo, "CheckFinished", "C", forge, _failed_check(repo))


def _failed_check(repo: Repo) -> int:
    """Which of the checks of C was the one that failed."""
    number = number_of(repo, "C")
    results = [event.result for _, event in stored(repo) if _is(event, "CheckFinished", number)]  # type: ignore[attr-defined]
    return next(place for place, result in enumerate(results) if result.status is CheckStatus.FAILED)


def _plan(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        first, *others = event.tasks
        return replace(event, tasks=(replace(first, scope=("elsewhere/**",)), *others))

    edit(repo, "PlanProposed", "", forge)


def _rewritten(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        result = replace(event.result, seconds=0.125)
        return replace(event, result=result, evidence=(with_fact(event.evidence[0], "seconds", "0.125"),))

    edit(repo, "CheckFinished", "B", forge)
    reseal(repo, "B")


def _event_dropped(repo: Repo) -> None:
    seq, _ = find(repo, "CheckFinished", "B")
    with journal(repo) as db:
        db.execute("DELETE FROM events WHERE seq = ?", (seq,))


def _unreadable(repo: Repo) -> None:
    seq, _ = find(repo, "CheckFinished", "B")
    with journal(repo) as db:
        db.execute("UPDATE events SET body = '{' WHERE seq = ?", (seq,))


def _untold(repo: Repo) -> None:
    """A merge that says it is the session's, made by somebody else."""
    session = find(repo, "SessionOpened")[1].session
    tip = repo.git("rev-parse", "agent/the-plan")
    message = f"Merge X\n\nToryo-Session: {session}\nToryo-Task: task-x"
    new = repo.git("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-p", "main", "-m", message)
    repo.git("update-ref", "refs/heads/agent/the-plan", new)


def _object(repo: Repo) -> None:
    blob = repo.git("rev-parse", "agent/the-plan:done file")
    path = repo.path / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o600)
    path.write_bytes(zlib.compress(b"blob 4\0bad\n"))


def _proof(repo: Repo) -> None:
    seq, event = find(repo, "SessionProven")
    first, *others = event.results
    put(repo, seq, replace(event, results=(replace(first, seconds=9.0), *others)))


def _log_elsewhere(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, evidence=(sealed(replace(event.evidence[0], log="../../README.md")),))

    edit(repo, "RunExited", "B", forge)
    reseal(repo, "B")


@pytest.mark.parametrize(
    ("tamper", "expected"),
    [
        (_fact, {"E310": r"B: record \d+ \(check, ev-\w{12}, event \d+ \(CheckFinished\)\)"}),
        (_resealed, {"E311": r"B: record \d+ .* was sealed anew", "E313": "'code'"}),
        (_dropped, {"E312": r"B: event \d+ \(WorkObserved\): it carries 0 of the 1 records", "E311": "one is missing"}),
        (_last_dropped, {"E312": r"D: event \d+ \(VerdictReached\): it carries 0 of the 1 records"}),
        (_swapped, {"E311": "B: record .* records were swapped", "E313": "'check'"}),
        (_inserted, {"E312": "it carries 2 of the 1 records", "E311": "what stands between them was put in"}),
        (_log_edited, {"E316": r"B: record \d+ \(check, .* its log is another one: runs/run-.*/check-0/output.log"}),
        (_log_truncated, {"E316": r"B: record \d+ \(agent, .* its log is another one: runs/run-.*/output.log"}),
        (_amended, {"E321": "branch agent/the-plan: it does not contain the last commit"}),
        (_tree, {"E317": "has other files", "E313": r"event \d+ \(WorkObserved\) tells something else about 'tree'"}),
        (_files, {"E318": "is about other files", "E313": "'changes'"}),
        (_verdict, {"E315": r"D: event \d+ \(VerdictReached\): the verdict does not follow", "E313": "'outcome'"}),
        (_accepted, {"E315": "the verdict does not follow", "E314": "TaskIntegrated.* cannot follow"}),
        (
            _result,
            {"E313": r"C: record .* event \d+ \(CheckFinished\) tells something else about 'status'", "E315": ""},
        ),
        (_plan, {"E313": r"A: record \d+ \(verdict, .*'scope'"}),
        (_rewritten, {"E320": r"B: event \d+ \(TaskIntegrated\)|B-merge: event"}),
        (_event_dropped, {"E314": r"event \d+: it is missing", "E311": "B: record"}),
        (_unreadable, {"E314": r"event \d+ \(CheckFinished\): it cannot be read"}),
        (_untold, {"E321": "no event tells of it"}),
        (_object, {"E317": "git finds them damaged: blob"}),
        (_proof, {"E313": r"SessionProven\) tells something else about 'seconds'"}),
    ],
)
def test_whatever_was_changed_is_named(repo: Repo, tamper: Callable[[Repo], None], expected: dict[str, str]) -> None:
    tamper(repo)
    code, proof = verify(repo)
    assert code == 1, proof
    said = {}
    for flaw in proof["discrepancies"]:
        line = f"{flaw['task']}: {flaw['where']}: {flaw['what']}"
        said.setdefault(flaw["code"], []).append(line)
    assert expected.keys() <= said.keys(), proof["discrepancies"]
    for flaw, pattern in expected.items():
        assert any(re.search(pattern, line) for line in said[flaw]), said[flaw]


def test_a_rewritten_chain_is_betrayed_by_the_commit_alone(repo: Repo) -> None:
    _rewritten(repo)
    code, proof = verify(repo)
    assert (code, codes(proof)) == (1, {"E320", "E311"}), "the proof of the session knew another head"
    seq, proven = find(repo, "SessionProven")
    first, *others = proven.evidence
    records, previous = [], ""
    for each in (with_fact(first, "chains", json.dumps(heads(repo, before=seq))), *others):
        records.append(sealed(replace(each, previous=previous)))
        previous = records[-1].sha256
    put(repo, seq, replace(proven, evidence=tuple(records)))
    code, proof = verify(repo)
    assert (code, codes(proof)) == (1, {"E320"})


def test_other_tasks_are_not_suspected(repo: Repo) -> None:
    _fact(repo)
    _, proof = verify(repo)
    assert {task["key"] for task in proof["tasks"] if not task["holds"]} == {"B"}


def test_expected_and_found_are_told(repo: Repo) -> None:
    log = log_of(repo, "CheckFinished", "B")
    log.write_text("x")
    _, proof = verify(repo)
    (flaw,) = proof["discrepancies"]
    assert flaw["expected"] == find(repo, "CheckFinished", "B")[1].evidence[0].log_sha256
    assert flaw["found"] == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
    out = repo.toryo("verify").out
    assert f"       expected {flaw['expected']}\n       found    {flaw['found']}\n" in out
    assert "1 thing does not match" in out


# ── what is gone ─────────────────────────────────────────────────────────────


def test_a_log_that_is_gone_is_missing_and_not_forged(repo: Repo) -> None:
    log_of(repo, "RunExited", "A").unlink()
    code, proof = verify(repo)
    assert (code, codes(proof)) == (2, {"E330"})


def test_a_log_outside_the_store_is_not_looked_at(repo: Repo) -> None:
    _log_elsewhere(repo)
    _, proof = verify(repo, "B")
    assert "E330" in codes(proof)


def test_commits_that_are_gone_are_missing(repo: Repo) -> None:
    commit = find(repo, "WorkObserved", "D")[1].observation.commit
    assert commit == repo.git("rev-parse", "main")
    _, first = find(repo, "WorkObserved", "C")
    for ref in repo.git("for-each-ref", "--format=%(refname)", "refs/heads/agent", "refs/toryo").split():
        repo.git("update-ref", "-d", ref)
    repo.git("worktree", "prune")
    for path in (repo.path / ".git/worktrees").glob("*"):
        (path / "HEAD").write_text(f"{commit}\n")
        (path / "logs").exists() and [log.unlink() for log in (path / "logs").glob("*")]
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert first.observation.commit not in repo.git("rev-list", "--all")
    code, proof = verify(repo)
    assert (code, codes(proof)) == (2, {"E331", "E332"})


def test_a_branch_that_was_taken_over_need_not_stay(repo: Repo) -> None:
    repo.git("update-ref", "refs/heads/landed", "agent/the-plan")
    repo.git("update-ref", "-d", "refs/heads/agent/the-plan")
    assert verify(repo)[0] == 0


def test_a_session_of_an_earlier_version_cannot_be_verified_and_is_not_accused(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        return replace(event, sealing=0)

    edit(repo, "SessionOpened", "", forge)
    edit(repo, "SessionProven", "", lambda event: replace(event, evidence=()))
    for key in "ABCDEI":
        for kind in ("VerdictReached",):
            for nth in range(sum(1 for _, event in stored(repo) if _is(event, kind, number_of(repo, key)))):
                edit(repo, kind, key, lambda event: replace(event, evidence=()), nth)
        reseal(repo, key)
    done = repo.toryo("verify")
    assert "recorded by an earlier version" in done.out
    assert "E333" in done.out
    code, proof = verify(repo, "D")
    assert (code, codes(proof)) == (2, {"E333"})


def _is(event: object, kind: str, task: int) -> bool:
    return type(event).__name__ == kind and getattr(event, "task", None) == task


def test_judged_by_other_rules_is_said_and_is_no_accusation(repo: Repo) -> None:
    edit(
        repo,
        "VerdictReached",
        "I",
        lambda event: replace(event, evidence=(with_fact(event.evidence[0], "rules", "7"),)),
    )
    reseal(repo, "I")
    _, proof = verify(repo)
    what = [flaw["what"] for flaw in proof["discrepancies"] if flaw["code"] == "E334"]
    assert what == ["judged by other rules (7), not recomputed by these (1)"]


def test_what_is_not_there_is_not_verified(repo: Repo, tmp_path: Path) -> None:
    assert repo.toryo("verify", "nothing").code == 64
    other = Repo.make(tmp_path / "other", repo.environ)
    done = other.toryo("verify")
    assert (done.code, "E201" in done.err) == (64, True)


# ── running the checks again ─────────────────────────────────────────────────


def _worktrees(repo: Repo) -> list[str]:
    return [line for line in repo.git("worktree", "list", "--porcelain").splitlines() if "toryo-verify" in line]


def test_checks_run_again_say_the_same(repo: Repo) -> None:
    before = fingerprint(repo.path, re.compile(r"\.git/worktrees"))
    done = repo.toryo("verify", "--rerun")
    assert done.code == 0, done
    assert "C: check second at " in done.err
    assert not _worktrees(repo)
    assert fingerprint(repo.path, re.compile(r"\.git/worktrees")) == before


def test_a_check_that_depends_on_its_surroundings_is_found_out(repo: Repo) -> None:
    repo.environ["BROKEN"] = "1"
    code, proof = verify(repo, "B", "--rerun")
    assert (code, codes(proof)) == (1, {"E322"})
    assert "check 'test' passed then, failed now: \n  looking" in proof["discrepancies"][0]["what"]
    assert not _worktrees(repo)


def test_a_forged_result_is_found_out_by_running_it_again(repo: Repo) -> None:
    def forge(event: Any) -> Any:
        result = replace(event.result, status=CheckStatus.PASSED, code=0, tail="")
        facts = with_fact(with_fact(event.evidence[0], "status", "passed"), "code", "0")
        return replace(event, result=result, evidence=(with_fact(facts, "tail_sha256", ""),))

    edit(repo, "CheckFinished", "C", forge, _failed_check(repo))
    reseal(repo, "C")
    _, proof = verify(repo, "C", "--rerun")
    found = [flaw for flaw in proof["discrepancies"] if flaw["code"] == "E322"]
    assert [(flaw["expected"], flaw["found"]) for flaw in found] == [("passed", "failed")]
    assert "check 'second' passed then, failed now" in found[0]["what"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_check_and_removes_its_worktree(repo: Repo, tmp_path: Path, number: int) -> None:
    hang = tmp_path / "hang"
    repo.environ |= {"HANG": str(hang), "TMPDIR": str(tmp_path)}
    verifying = repo.start("verify", "B", "--rerun")
    until(hang.exists)
    assert _worktrees(repo)
    os.kill(verifying.pid, number)
    _, err = verifying.communicate(timeout=60)
    assert verifying.returncode == 130, err
    assert not _worktrees(repo)
    assert not list(tmp_path.glob("toryo-verify-*"))
    assert not marked_processes(tmp_path)


def test_a_task_without_evidence_is_not_called_verified(repo: Repo) -> None:
    repo.run(shell("A", "exit 1"), shell("B", "echo b > b", depends_on=["A"]))
    shown = repo.toryo("verify", "B")
    assert "B has no evidence yet" in shown.out
    assert shown.out.endswith("there is nothing to verify yet\n")


def test_commits_that_somebody_added_are_not_called_proven(repo: Repo) -> None:
    tip = repo.git("rev-parse", "agent/the-plan")
    new = repo.git("commit-tree", f"{tip}^{{tree}}", "-p", tip, "-m", "by hand")
    repo.git("update-ref", "refs/heads/agent/the-plan", new)
    done = repo.toryo("verify")
    assert done.code == 2, done
    assert f"it has moved on to {new[:12]}: what came after {tip[:12]} is not part of the proof" in done.out + done.err

"""One file that proves a session anywhere, and the many files that only pretend to."""

import hashlib
import json
import re
import stat
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import Repo, fingerprint, shell
from tests.support.tampering import codes, copied, find, record, verify

pytestmark = pytest.mark.covers("P7", "P21", "B1")
EVERYTHING = re.compile(r"$^")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = record(tmp_path_factory.mktemp("recorded"))
    done = repo.toryo("proof", "export", "-o", "../proof.zip")
    assert done.code == 0, done
    assert done.out.strip() == str(repo.path.parent / "proof.zip")
    return repo


@pytest.fixture
def bundle(recorded: Repo, tmp_path: Path) -> Path:
    path = tmp_path / "proof.zip"
    path.write_bytes((recorded.path.parent / "proof.zip").read_bytes())
    return path


@pytest.fixture
def clone(recorded: Repo, tmp_path: Path) -> Repo:
    """What a colleague has: the branch it began from, and nothing the session made."""
    target = tmp_path / "clone"
    recorded.git("clone", "-q", "--no-local", "--single-branch", "--branch", "main", ".", str(target))
    return Repo(target, recorded.environ)


def parts_of(bundle: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(bundle: Path, parts: dict[str, bytes]) -> None:
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)


def with_manifest(parts: dict[str, bytes]) -> dict[str, bytes]:
    """A manifest that lists what is there, as somebody would write it who forges a bundle with care."""
    manifest = json.loads(parts["manifest.json"])
    files = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items() if name != "manifest.json"}
    return {**parts, "manifest.json": json.dumps({**manifest, "files": files}).encode()}


# ── writing it ───────────────────────────────────────────────────────────────


def test_it_holds_all_that_was_recorded_and_lists_it(bundle: Path, recorded: Repo) -> None:
    parts = parts_of(bundle)
    manifest = json.loads(parts["manifest.json"])
    assert (manifest["toryo_proof"], manifest["session"]) == (1, find(recorded, "SessionOpened")[1].session)
    assert manifest["repository"]["base_commit"] == recorded.git("rev-parse", "main")
    listed = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items() if name != "manifest.json"}
    assert manifest["files"] == listed
    assert {"README.txt", "events.jsonl", "report.md", "history.bundle"} <= parts.keys()
    assert (manifest["masked_events"], manifest["masked_logs"], manifest["left_out"]) == ([], [], {})
    assert "toryo verify proof.zip" in parts["README.txt"].decode()
    assert len(parts["events.jsonl"].splitlines()) == len(recorded.events())


def test_the_same_proof_is_the_same_file_and_none_is_written_over(recorded: Repo, tmp_path: Path) -> None:
    repo = copied(recorded, tmp_path)
    short = find(repo, "SessionOpened")[1].session.removeprefix("session-")[:8]
    before = _without_sqlites_own(fingerprint(repo.path, EVERYTHING))
    target = repo.path / f"toryo-proof-{short}.zip"
    assert repo.toryo("proof", "export").out.strip() == str(target)
    first = target.read_bytes()
    refused = repo.toryo("proof", "export")
    assert (refused.code, "E305" in refused.err, target.read_bytes()) == (73, True, first)
    assert repo.toryo("proof", "export", "--force").code == 0
    assert target.read_bytes() == first
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    target.unlink()
    assert _without_sqlites_own(fingerprint(repo.path, EVERYTHING)) == before, "nothing but that file is written"
    nowhere = repo.toryo("proof", "export", "-o", "no/such/folder.zip")
    assert (nowhere.code, "hint: make the folder first" in nowhere.err) == (69, True), nowhere


def _without_sqlites_own(files: dict[str, str]) -> dict[str, str]:
    """Whoever reads a journal may leave an empty log and an index beside it."""
    return {name: digest for name, digest in files.items() if not name.endswith(("journal.db-shm", "journal.db-wal"))}


def test_no_secret_leaves_the_house(repo: Repo) -> None:
    secret = "ghp_" + "a1B2" * 9
    assert repo.run(shell("A", f"echo token {secret} | tee a.log; echo a > a; rm a.log")).code == 0
    assert repo.toryo("proof", "export", "-o", "../proof.zip").code == 0
    parts = parts_of(repo.path.parent / "proof.zip")
    assert not [name for name, part in parts.items() if secret.encode() in part and name != "history.bundle"]
    assert b"[MASKED:" in b"".join(part for name, part in parts.items() if name.endswith("output.log"))
    code, proof = verify(repo, "../proof.zip")
    assert code in (0, 2), proof
    assert codes(proof) <= {"E335"}, "what was hidden cannot be compared, and nobody is accused"


def test_the_proof_of_one_task(recorded: Repo, clone: Repo, tmp_path: Path) -> None:
    target = tmp_path / "one.zip"
    assert recorded.toryo("proof", "export", "B", "-o", str(target)).code == 0
    code, proof = verify(clone, str(target))
    assert (code, [task["key"] for task in proof["tasks"]]) == (0, ["B"]), proof
    assert len(parts_of(target)) < len(parts_of(recorded.path.parent / "proof.zip"))


# ── verifying it elsewhere ───────────────────────────────────────────────────


def test_a_colleague_verifies_it_in_a_clone_that_stays_as_it_is(bundle: Path, clone: Repo) -> None:
    before = fingerprint(clone.path, EVERYTHING)
    done = clone.toryo("verify", str(bundle))
    assert done.code == 0, done
    assert re.search(r"^session \w{8}: verified, 7 tasks", done.out, re.MULTILINE)
    assert fingerprint(clone.path, EVERYTHING) == before


def test_without_a_clone_all_but_the_commits_is_verified(bundle: Path, recorded: Repo, tmp_path: Path) -> None:
    done = recorded.toryo("verify", "proof.zip", cwd=tmp_path)
    assert done.code == 2, done
    assert "commits could not be compared: this is not a clone" in done.out
    assert "C verified: " in done.out


def test_another_repository_does_not_have_its_commits(bundle: Path, recorded: Repo, tmp_path: Path) -> None:
    other = Repo.make(tmp_path / "other", recorded.environ)
    other.write("other", "x")
    other.commit("other")
    code, proof = verify(other, str(bundle))
    assert (code, codes(proof)) == (2, {"E331", "E332"})


def test_its_checks_are_run_again_only_if_it_is_trusted(bundle: Path, clone: Repo) -> None:
    refused = clone.toryo("verify", str(bundle), "--rerun")
    assert (refused.code, "E304" in refused.err) == (73, True)
    before = fingerprint(clone.path, EVERYTHING)
    done = clone.toryo("verify", str(bundle), "--rerun", "--trust")
    assert done.code == 0, done
    assert "C: check second at " in done.err
    assert fingerprint(clone.path, EVERYTHING) == before


# ── changed on the way ───────────────────────────────────────────────────────


def _log(parts: dict[str, bytes]) -> dict[str, bytes]:
    name = next(name for name, part in parts.items() if name.startswith("logs/") and part)
    return {**parts, name: b"something else\n"}


def _event(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {**parts, "events.jsonl": parts["events.jsonl"].replace(b'"status":"failed"', b'"status":"passed"')}


def _without_history(parts: dict[str, bytes]) -> dict[str, bytes]:
    return {name: part for name, part in parts.items() if name != "history.bundle"}


@pytest.mark.parametrize(
    ("change", "hastily", "carefully"),
    [(_log, {"E323", "E316"}, {"E316"}), (_event, {"E323", "E313", "E315"}, {"E313", "E315"})],
)
def test_what_was_changed_on_the_way_is_named(
    bundle: Path, clone: Repo, change: Callable[[Any], Any], hastily: set[str], carefully: set[str]
) -> None:
    parts = change(parts_of(bundle))
    zipped(bundle, parts)
    code, proof = verify(clone, str(bundle))
    assert (code, codes(proof)) == (1, hastily), proof["discrepancies"]
    zipped(bundle, with_manifest(parts))
    code, proof = verify(clone, str(bundle))
    assert (code, codes(proof)) == (1, carefully), proof["discrepancies"]


def test_commits_that_were_left_out_are_missing_where_the_clone_lacks_them(
    bundle: Path, clone: Repo, recorded: Repo
) -> None:
    zipped(bundle, with_manifest(_without_history(parts_of(bundle))))
    code, proof = verify(clone, str(bundle))
    assert code == 2
    assert "E331" in codes(proof)
    clone.git("fetch", "-q", "origin", "refs/heads/agent/the-plan:refs/remotes/origin/agent/the-plan")
    assert verify(clone, str(bundle))[0] == 0, "a clone that has the branch needs no more"


def test_other_commits_in_its_place_are_found_out(bundle: Path, clone: Repo) -> None:
    """A history whose branch stands elsewhere than the events say."""
    clone.write("forged", "x")
    forged = clone.commit("forged")
    clone.git("update-ref", "refs/heads/agent/the-plan", forged)
    made = bundle.parent / "forged.bundle"
    clone.git("bundle", "create", "-q", str(made), "agent/the-plan", "^origin/main")
    zipped(bundle, with_manifest({**parts_of(bundle), "history.bundle": made.read_bytes()}))
    code, proof = verify(clone, str(bundle))
    assert code == 1
    assert "E321" in codes(proof)


# ── files that were never a proof ────────────────────────────────────────────


def _extra(name: str) -> Callable[[Path], None]:
    def add(bundle: Path) -> None:
        with zipfile.ZipFile(bundle, "a") as archive:
            archive.writestr(zipfile.ZipInfo(name), b"x")

    return add


def _link(bundle: Path) -> None:
    info = zipfile.ZipInfo("logs/link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(bundle, "a") as archive:
        archive.writestr(info, "/etc/passwd")


def _twice(bundle: Path) -> None:
    parts = parts_of(bundle)
    _raw(bundle, [*parts.items(), ("events.jsonl", b"")])


def _raw(bundle: Path, entries: list[tuple[str, bytes]]) -> None:
    import warnings

    with warnings.catch_warnings(), zipfile.ZipFile(bundle, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content)


def _bomb(bundle: Path) -> None:
    with zipfile.ZipFile(bundle, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("logs/bomb", "w") as part:
        for _ in range(130):
            part.write(bytes(1 << 20))


def _truncated(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes()[:-200])


def _garbled(bundle: Path) -> None:
    content = bytearray(bundle.read_bytes())
    place = content.index(b"events.jsonl") + 200
    content[place : place + 20] = bytes(20)
    bundle.write_bytes(content)


def _manifest(content: bytes) -> Callable[[Path], None]:
    return lambda bundle: zipped(bundle, {**parts_of(bundle), "manifest.json": content})


def _events(content: bytes) -> Callable[[Path], None]:
    return lambda bundle: zipped(bundle, {**parts_of(bundle), "events.jsonl": content})


@pytest.mark.parametrize(
    ("spoil", "code", "exit_code", "says"),
    [
        (_extra("../../outside"), "E302", 73, "does not belong there"),
        (_extra("/tmp/outside"), "E302", 73, "does not belong there"),
        (_extra("logs/../../outside"), "E302", 73, "does not belong there"),
        (_extra("logs\\outside"), "E302", 73, "does not belong there"),
        (_extra("logs/folder/"), "E302", 73, "does not belong there"),
        (_extra("hooks/post-checkout"), "E302", 73, "does not belong there"),
        (_link, "E302", 73, "is not a plain file"),
        (_twice, "E302", 73, "events.jsonl twice"),
        (_bomb, "E302", 73, "logs/bomb unpacks to more than"),
        (_truncated, "E301", 64, "damaged"),
        (_garbled, "E301", 64, "damaged"),
        (lambda bundle: bundle.write_bytes(b"PK nonsense"), "E301", 64, "damaged"),
        (lambda bundle: bundle.write_bytes(b""), "E301", 64, "damaged"),
        (lambda bundle: bundle.unlink(), "E301", 64, "cannot be read"),
        (_manifest(b"{"), "E301", 64, "manifest.json is not JSON"),
        (_manifest(b"[]"), "E301", 64, "not that of a proof"),
        (_manifest(b"[" * 100_000), "E301", 64, "not JSON"),
        (_manifest(b'{"toryo_proof": 99, "toryo": "9.9"}'), "E303", 70, "has format 99"),
        (_manifest(b'{"toryo_proof": 1}'), "E301", 64, "lists no files"),
        (_events(b"{\n"), "E301", 64, "line 1 is not JSON"),
        (_events(b'{"seq": 1}\n'), "E301", 64, "line 1 is not an event"),
        (_events(b'{"seq": 1, "kind": "X", "version": 1, "body": []}\n'), "E301", 64, "line 1 is not an event"),
    ],
)
def test_what_is_no_proof_is_refused_in_words(
    bundle: Path, clone: Repo, tmp_path: Path, spoil: Callable[[Path], object], code: str, exit_code: int, says: str
) -> None:
    spoil(bundle)
    clone.environ["TMPDIR"] = str(tmp_path)
    before = fingerprint(tmp_path, EVERYTHING)
    done = clone.toryo("verify", str(bundle))
    assert done.code == exit_code, done
    assert code in done.err
    assert says in done.err
    assert "E900" not in done.err
    assert fingerprint(tmp_path, EVERYTHING) == before, "nothing was written, inside or outside"


@pytest.mark.parametrize(
    "body",
    [
        {"at": 1, "session": "s"},
        {"at": "now"},
        {
            "at": 1e308,
            "session": "session-x",
            "title": "\x1b[2J",
            "source": "",
            "base_branch": "--output=/tmp/outside",
            "base_commit": "--output=/tmp/outside",
            "base_tree": "HEAD",
            "branch": "../../x\ny",
            "terms": {},
            "sealing": 1,
        },
    ],
)
def test_events_that_mean_harm_come_to_nothing(bundle: Path, clone: Repo, body: dict[str, Any]) -> None:
    lines = [
        {"seq": 1, "kind": "SessionOpened", "version": 1, "body": body},
        {"seq": 10**18, "kind": "RunPlanned", "version": 1, "body": {"at": 1, "task": 7, "run": "r"}},
        {"seq": 10**18 + 1, "kind": "PlanProposed", "version": 99, "body": {}},
    ]
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    zipped(bundle, with_manifest({**parts_of(bundle), "events.jsonl": content}))
    before = fingerprint(clone.path, EVERYTHING)
    done = clone.toryo("verify", str(bundle))
    assert done.code == 1, done
    assert "\x1b" not in done.out
    assert fingerprint(clone.path, EVERYTHING) == before


def test_git_on_its_own_finds_the_commits_in_it(bundle: Path, clone: Repo, recorded: Repo) -> None:
    made = bundle.parent / "history.bundle"
    made.write_bytes(parts_of(bundle)["history.bundle"])
    subprocess.run(["git", "bundle", "verify", "-q", str(made)], cwd=clone.path, check=True, capture_output=True)
    clone.git("fetch", "-q", str(made), "refs/heads/agent/the-plan:refs/heads/taken")
    assert clone.git("rev-parse", "taken") == recorded.git("rev-parse", "agent/the-plan")

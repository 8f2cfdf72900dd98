"""Branches below the face: seen, followed, made, deleted and merged without loss; agents by hand; summaries."""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from tests.support.apps import surroundings
from tests.support.planning_server import Answer, Endpoint, Refuse, model_endpoint
from tests.support.repositories import Repo, background_conductors, shell, until

from toryo.app import branches
from toryo.domain.branch import Branch
from toryo.domain.errors import Exit, ToryoError

HOME = "agent/the-plan"
_QUICK = 3.0
"""Seconds: many times what it takes, on a machine that does other things too."""


@pytest.fixture
def repo(repo: Repo) -> Iterator[Repo]:
    with surroundings(repo):
        yield repo


def seen(repo: Repo) -> dict[str, Branch]:
    return {one.name: one for one in branches.look_closely(repo.path)}


def on_branch(repo: Repo, name: str, file: str, text: str = "x\n") -> str:
    """A commit on a new branch, made where nobody's checkout is touched."""
    repo.git("branch", name)
    place = repo.path.parent / "elsewhere"
    repo.git("worktree", "add", "-q", str(place), name)
    (place / file).write_text(text)
    repo.git("-C", str(place), "add", "-A")
    repo.git("-C", str(place), "commit", "-q", "-m", f"add {file}")
    repo.git("worktree", "remove", str(place))
    return repo.git("rev-parse", name)


def refused(act: Callable[[], object], code: str, *words: str) -> ToryoError:
    with pytest.raises(ToryoError) as raised:
        act()
    error = raised.value
    assert error.code == code, (error.code, error.message)
    said = "\n".join((error.message, error.hint, error.kept, *error.details))
    for word in words:
        assert word in said, said
    return error


# ── looking ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("G37")
def test_every_branch_is_seen_with_its_place_its_distance_and_its_work(repo: Repo) -> None:
    tasks = (shell("A", "echo a > a"), shell("B", "echo b > b; false"))
    assert repo.run(*tasks).code != 0
    on_branch(repo, "feature/深い/枝", "new")
    repo.write("more", "more\n")
    repo.commit("main goes on")
    repo.git("branch", "--track", "tracking", "main")
    repo.write("more", "changed\n")
    (repo.path / ".worktrees" / "task-b" / "loose").write_text("x")
    found = seen(repo)
    assert set(found) == {"main", "tracking", "feature/深い/枝", HOME, "agent/task-b"}
    main, feature, task = found["main"], found["feature/深い/枝"], found["agent/task-b"]
    assert (main.is_current, main.worktree, main.changes, main.compared_to) == (True, str(repo.path), 1, "")
    assert (feature.compared_to, feature.ahead, feature.behind) == ("main", 1, 1)
    assert (feature.subject, feature.worktree, feature.changes, feature.work) == ("add new", "", None, None)
    assert (found["tracking"].upstream, found["tracking"].ahead, found["tracking"].behind) == ("main", 0, 0)
    assert task.is_agents
    assert task.worktree == str(repo.path / ".worktrees" / "task-b")
    assert task.changes == 1
    assert task.work is not None
    assert (task.work.task, task.work.task_title, task.work.state) == ("B", "Task B", "blocked: max retries")
    assert (task.work.title, task.work.base, task.work.is_running) == ("The plan", "main", False)
    home = found[HOME].work
    assert home is not None
    assert (home.task, home.session, home.is_finished) == ("", task.work.session, False)


@pytest.mark.covers("G37")
def test_details_and_the_patch_are_those_since_the_base_was_left(repo: Repo) -> None:
    on_branch(repo, "feature", "a b.txt", "one\ntwo\n")
    repo.write("README.md", "main goes on\n")
    repo.commit("not the branch's")
    place = branches.make_worktree(repo.path, "feature")
    (place / "a b.txt").write_text("one\n")
    (place / "日本.txt").write_text("x")
    told = branches.details(repo.path, "feature")
    assert (told.base, told.added, told.removed, told.merged) == ("main", 2, 0, "")
    assert [(one.author, one.subject) for one in told.commits] == [("Test", "add a b.txt")]
    assert [(one.path, one.added, one.removed) for one in told.files] == [("a b.txt", 2, 0)]
    assert set(told.changes) == {" M a b.txt", "?? 日本.txt"}
    assert told.branch.changes == 2
    patch = branches.patch(repo.path, "feature")
    assert "+two" in patch
    assert "main goes on" not in patch
    assert "the rest is left out" in branches.patch(repo.path, "feature", longest=60)
    main = branches.details(repo.path, "main")
    assert [one.subject for one in main.commits] == ["not the branch's", "base"]
    assert main.files == ()
    refused(lambda: branches.details(repo.path, "featur"), "E180", "feature")


@pytest.mark.covers("G37")
def test_what_a_session_knows_of_a_task_is_told(repo: Repo) -> None:
    repo.run(shell("A", "echo a > a; false", acceptance=["a is there"]))
    told = dict(branches.details(repo.path, "agent/task-a").task)
    assert int(told["attempts"]) >= 1
    assert told["criteria"] == "a is there"


@pytest.mark.covers("G37")
def test_many_branches_are_seen_at_once(repo: Repo) -> None:
    orders = "".join(f"create refs/heads/many/{number:03} HEAD\n" for number in range(500))
    subprocess.run(["git", "update-ref", "--stdin"], cwd=repo.path, input=orders, text=True, check=True)
    began = time.monotonic()
    found = branches.look(repo.path)
    assert time.monotonic() - began < _QUICK
    assert len(found) == 501
    repo.git("pack-refs", "--all")
    assert {(one.ahead, one.behind) for one in branches.look_closely(repo.path) if one.name != "main"} == {(0, 0)}


# ── following ────────────────────────────────────────────────────────────────


@pytest.mark.covers("G37")
async def test_whatever_changes_is_told(repo: Repo) -> None:
    told: list[dict[str, Branch]] = []

    async def listen() -> None:
        async with aclosing(branches.follow(repo.path)) as news:
            async for every in news:
                told.append({one.name: one for one in every})  # noqa: PERF401 - the others wait for each of them

    async def comes(wanted: Callable[[dict[str, Branch]], object]) -> None:
        async with asyncio.timeout(12):  # less than until one looks again anyway
            while not (told and wanted(told[-1])):
                await asyncio.sleep(0.01)

    listening = asyncio.create_task(listen())
    await comes(lambda last: last["main"].changes == 0)
    repo.git("branch", "deep/er/name")
    await comes(lambda last: "deep/er/name" in last and last["deep/er/name"].ahead == 0)
    repo.git("branch", "deep/er/second")
    await comes(lambda last: "deep/er/second" in last)
    repo.git("pack-refs", "--all")
    repo.write("new", "x\n")
    repo.commit("main goes on")
    await comes(lambda last: last["main"].subject == "main goes on" and last["deep/er/name"].behind == 1)
    place = await asyncio.to_thread(branches.make_worktree, repo.path, "deep/er/name")
    await comes(lambda last: last["deep/er/name"].worktree == str(place) and last["deep/er/name"].changes == 0)
    (place / "staged").write_text("x")
    repo.git("-C", str(place), "add", "-A")
    await comes(lambda last: last["deep/er/name"].changes == 1)
    repo.git("switch", "-q", "deep/er/second")
    await comes(lambda last: last["deep/er/second"].is_current)
    repo.git("update-ref", "-d", "refs/heads/main")
    await comes(lambda last: "main" not in last)
    process = repo.start(
        "run", "--plan", str(repo.plan(shell("A", "touch a; until [ -e ../../go ]; do sleep 0.05; done"))), "--yes"
    )
    await comes(lambda last: "agent/task-a" in last and last["agent/task-a"].is_running)
    (repo.path / "go").touch()
    await comes(lambda last: HOME in last and last[HOME].work and last[HOME].work.is_finished)
    await asyncio.to_thread(process.communicate)
    listening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listening


# ── making ───────────────────────────────────────────────────────────────────


@pytest.mark.covers("G37")
def test_a_branch_is_made_where_it_is_wanted_or_refused_with_a_better_name(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.write("more", "x\n")
    repo.commit("more")
    made = branches.create(repo.path, "fix/ログイン")
    assert made.commit == repo.git("rev-parse", "main")
    assert branches.create(repo.path, "early", first[:10]).commit == first
    assert repo.git("symbolic-ref", "--short", "HEAD") == "main", "nothing was checked out"
    assert branches.create(repo.path, "from-early", "early").upstream == ""
    error = refused(lambda: branches.create(repo.path, "early"), "E182", "early-2 is free")
    assert error.exit_code is Exit.REFUSED
    refused(lambda: branches.create(repo.path, "early/deeper"), "E182", "early")
    refused(lambda: branches.create(repo.path, "two words"), "E181", "two-words")
    for name in ("", "-d", "a..b", "HEAD", "x.lock", "@{-1}"):
        refused(lambda name=name: branches.create(repo.path, name), "E181")
    refused(lambda: branches.create(repo.path, "other", "erly"), "E180", "early")


@pytest.mark.covers("G37")
def test_a_worktree_is_made_once_and_hidden_from_git(repo: Repo) -> None:
    repo.git("branch", "feature/x")
    place = branches.make_worktree(repo.path, "feature/x")
    assert place == repo.path / ".worktrees" / "feature-x"
    assert branches.make_worktree(repo.path, "feature/x") == place
    assert branches.make_worktree(repo.path, "main") == repo.path
    assert repo.git("status", "--porcelain") == ""
    repo.git("branch", "feature-x")
    assert branches.make_worktree(repo.path, "feature-x").name == "feature-x-2"
    (place / ".git").unlink()
    (place / "README.md").unlink()
    place.rmdir()
    assert branches.make_worktree(repo.path, "feature/x") == place, "a folder deleted by hand is made again"
    # Two at once get the same one.
    repo.git("branch", "both")
    got: list[Path] = []
    both = [threading.Thread(target=lambda: got.append(branches.make_worktree(repo.path, "both"))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert got[0] == got[1]


# ── deleting ─────────────────────────────────────────────────────────────────


@pytest.mark.covers("G31", "G37")
def test_work_that_is_nowhere_else_is_not_deleted(repo: Repo) -> None:
    commit = on_branch(repo, "feature", "precious")
    error = refused(lambda: branches.delete(repo.path, "feature"), "E186", "add precious", "git branch -D feature")
    assert error.exit_code is Exit.REFUSED
    assert repo.git("rev-parse", "feature") == commit
    assert "nowhere else" in branches.why_not_deletable(repo.path, "feature")
    repo.git("merge", "-q", "feature")
    assert branches.why_not_deletable(repo.path, "feature") == ""
    repo.git("branch", "--set-upstream-to=main", "feature")
    said = branches.delete(repo.path, "feature")
    assert f"git branch feature {commit[:12]}" in said
    assert "feature" not in seen(repo)
    assert repo.git("config", "--get-regexp", "branch.feature", check=False) == ""


@pytest.mark.covers("G31", "G37")
@pytest.mark.parametrize("how", ["squash", "rebase", "push"])
def test_work_that_somebody_brought_home_another_way_may_go(repo: Repo, tmp_path: Path, how: str) -> None:
    on_branch(repo, "feature", "one")
    repo.write("zero", "0\n")
    repo.commit("something else first")
    if how == "squash":
        repo.git("merge", "-q", "--squash", "feature")
        repo.commit("all of it")
    elif how == "rebase":
        repo.git("cherry-pick", "feature")
    else:
        repo.git("init", "-q", "--bare", str(tmp_path / "remote"))
        repo.git("remote", "add", "origin", str(tmp_path / "remote"))
        repo.git("push", "-q", "origin", "feature")
    assert "deleted feature" in branches.delete(repo.path, "feature")


@pytest.mark.covers("G31", "G37")
def test_what_is_in_use_or_not_committed_is_not_deleted(repo: Repo, tmp_path: Path) -> None:
    refused(lambda: branches.delete(repo.path, "main"), "E185", "switch to another")
    branches.create(repo.path, "mine")
    place = branches.make_worktree(repo.path, "mine")
    refused(lambda: branches.delete(repo.path, "mine", with_worktree=False), "E185", str(place))
    (place / "unsaved").write_text("x")
    refused(lambda: branches.delete(repo.path, "mine"), "E185", "?? unsaved")
    assert (place / "unsaved").read_text() == "x"
    (place / "unsaved").unlink()
    assert ".worktrees/mine" in branches.delete(repo.path, "mine")
    assert not place.exists()
    branches.create(repo.path, "theirs")
    repo.git("worktree", "add", "-q", str(tmp_path / "own"), "theirs")
    refused(lambda: branches.delete(repo.path, "theirs"), "E185", "git worktree remove")
    assert (tmp_path / "own" / "README.md").exists()


@pytest.mark.covers("G31", "G37")
def test_running_work_is_left_alone_and_a_deleted_branch_is_noticed(repo: Repo) -> None:
    hold = "until [ -e ../../go ]; do sleep 0.05; done"
    plan = repo.plan(shell("A", "echo a > a"), shell("B", f"{hold}; echo b > b", depends_on=["A"]))
    process = repo.start("run", "--plan", str(plan), "--yes")
    until(lambda: seen(repo).get("agent/task-b", Branch("", "")).is_running)
    refused(lambda: branches.delete(repo.path, "agent/task-b"), "E184", "B", "toryo stop")
    refused(lambda: branches.delete(repo.path, HOME), "E184", "session")
    refused(lambda: branches.merge(repo.path, "agent/task-b"), "E184", "B")
    repo.git("switch", "-q", "-c", "other")
    refused(lambda: branches.delete(repo.path, "main"), "E184", "The plan")
    repo.git("switch", "-q", "main")
    (repo.path / "go").touch()
    process.communicate()
    assert process.returncode == 0
    refused(lambda: branches.delete(repo.path, HOME), "E186", "merge it into main")
    assert repo.toryo("land", "--merge").code == 0
    for name in [name for name in seen(repo) if name.startswith("agent/")]:
        branches.delete(repo.path, name)
    assert not [name for name in seen(repo) if name.startswith("agent/")]
    assert repo.toryo("verify").code == 0


@pytest.mark.covers("G37")
def test_a_task_whose_branch_was_deleted_here_goes_on(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a"), shell("B", "test -e ../../go && echo b > b")).code != 0
    place = repo.path / ".worktrees" / "task-b"
    assert place.exists()
    said = branches.delete(repo.path, "agent/task-b")
    assert "agent/task-b" in said
    assert not place.exists()
    (repo.path / "go").touch()
    done = repo.toryo("retry", "B")
    if done.code:
        done = repo.toryo("retry", "B")
    assert done.code == 0, done
    assert ("gone", "agent/task-b") in [
        (event["what"], event["branch"]) for event in repo.events() if event["kind"] == "FoundChanged"
    ]
    assert {"a", "b"} <= repo.files_on(HOME)


# ── merging ──────────────────────────────────────────────────────────────────


@pytest.mark.covers("G37")
def test_a_branch_is_merged_and_says_how_to_undo_that(repo: Repo) -> None:
    before = repo.git("rev-parse", "main")
    on_branch(repo, "feature", "one")
    assert f"git reset --keep {before[:12]}" in branches.merge(repo.path, "feature")
    assert (repo.path / "one").exists()
    assert "already" in branches.merge(repo.path, "feature")
    on_branch(repo, "second", "two")
    repo.write("three", "3\n")
    before = repo.commit("main goes on")
    repo.write("untracked", "mine\n")
    said = branches.merge(repo.path, "second")
    assert "merge commit" in said
    assert repo.git("log", "-1", "--format=%s") == "Merge branch 'second' into main"
    repo.git("reset", "-q", "--keep", before)
    repo.write("README.md", "changed\n")
    refused(lambda: branches.merge(repo.path, "second"), "E187", "README.md", "stash")
    refused(lambda: branches.merge(repo.path, "main"), "E187")
    repo.git("checkout", "-q", "--detach", "--force")
    refused(lambda: branches.merge(repo.path, "second"), "E107")


@pytest.mark.covers("G37")
def test_a_conflict_is_aborted_and_named(repo: Repo) -> None:
    on_branch(repo, "feature", "日本 file", "theirs\n")
    repo.write("日本 file", "ours\n")
    tip = repo.commit("ours")
    error = refused(lambda: branches.merge(repo.path, "feature"), "E188", "日本 file", "aborted")
    assert error.exit_code is Exit.REFUSED
    assert repo.git("rev-parse", "HEAD") == tip
    assert repo.git("status", "--porcelain") == ""
    assert not (repo.path / ".git" / "MERGE_HEAD").exists()
    repo.git("merge", "feature", check=False)
    refused(lambda: branches.merge(repo.path, "feature"), "E106", "merge")


@pytest.mark.covers("G37")
def test_a_sessions_result_is_landed_instead(repo: Repo) -> None:
    assert repo.run(shell("A", "echo a > a"), checks="test -e a").code == 0
    assert seen(repo)[HOME].work is not None
    said = branches.merge(repo.path, HOME)
    assert "landed on main" in said
    assert "toryo undo" in said
    until(lambda: (repo.path / "a").exists())
    until(lambda: not background_conductors(repo.path))
    landed = seen(repo).get(HOME)
    assert landed is None or (landed.work is not None and landed.work.is_landed)
    assert "a" in repo.files_on("main")


# ── summaries ────────────────────────────────────────────────────────────────


@pytest.fixture
def endpoint(repo: Repo) -> Iterator[Endpoint]:
    with model_endpoint() as endpoint:
        os.environ.update(endpoint.environ("openai"))
        yield endpoint


@pytest.mark.covers("G37", "G34", "G35")
def test_a_summary_is_asked_for_once_per_commit_and_kept_in_private(repo: Repo, endpoint: Endpoint) -> None:
    secret = "sk-ant-" + "api03-" + "A1b2C3d4" * 8
    on_branch(repo, "feature", "settings.py", f"KEY = '{secret}'\n")
    assert branches.can_summarise(repo.path)
    assert branches.cached_summary(repo.path, "feature") is None
    endpoint.add(f"Adds **settings.py**\x1b[31m, with {secret}.")
    heard: list[str] = []
    said = branches.summary(repo.path, "feature", hear=heard.append)
    assert said is not None
    assert said.text.startswith("Adds **settings.py**[31m, with ")
    assert secret not in said.text
    assert "".join(heard)
    assert said.model == "scripted"
    assert said.commit == repo.git("rev-parse", "feature")
    asked = json.dumps(endpoint.bodies[0])
    assert "add settings.py" in asked
    assert "settings.py +1 -0" in asked
    assert secret not in asked
    assert branches.summary(repo.path, "feature") == said == branches.cached_summary(repo.path, "feature")
    assert len(endpoint.bodies) == 1
    folder = repo.store / "summaries"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert secret not in (repo.store / "calls" / "branches.jsonl").read_text()
    call = json.loads((repo.store / "calls" / "branches.jsonl").read_text())
    assert (call["question"], call["model"]) == ("branch", "scripted")
    endpoint.add("Another way to say it.")
    again = branches.summary(repo.path, "feature", fresh=True)
    assert again is not None
    assert again.text == "Another way to say it."
    repo.git("branch", "-f", "feature", "main")
    assert branches.cached_summary(repo.path, "feature") is None, "it is about something else by now"


@pytest.mark.covers("G37", "G27")
def test_two_askers_ask_once_and_an_outage_keeps_nothing(repo: Repo, endpoint: Endpoint) -> None:
    on_branch(repo, "feature", "one")
    endpoint.add(Refuse(503, "overloaded"))
    error = refused(lambda: branches.summary(repo.path, "feature"), "E516")
    assert error.exit_code is Exit.MISSING
    assert branches.cached_summary(repo.path, "feature") is None
    before = len(endpoint.bodies)
    endpoint.add(Answer("Adds one.", delay=0.5))
    got: list[object] = []
    asking = [threading.Thread(target=lambda: got.append(branches.summary(repo.path, "feature"))) for _ in range(3)]
    for one in asking:
        one.start()
    for one in asking:
        one.join()
    assert len(endpoint.bodies) == before + 1
    assert got == [got[0]] * 3
    assert got[0] is not None


@pytest.mark.covers("G2", "G37")
def test_without_a_model_there_is_no_summary(repo: Repo) -> None:
    assert not branches.can_summarise(repo.path)
    assert branches.summary(repo.path, "main") is None


# ── agents by hand ───────────────────────────────────────────────────────────


PROGRAM = """#!{python}
import os, sys
print("ready>", os.getcwd(), sys.argv[1:], flush=True)
print("secret" if "HIDDEN_TOKEN" in os.environ else "nothing hidden", os.environ.get("SHOWN"), flush=True)
print("marked" if "TORYO_RECORD" in os.environ or "TORYO_RUN" in os.environ else "its own", flush=True)
for line in sys.stdin:
    print("heard:", line.strip(), flush=True)
    if line.strip() == "bye":
        break
"""


class Hand:
    """An agent that is a program of its own, and a private server of tmux."""

    def __init__(self, repo: Repo, folder: Path) -> None:
        self.repo = repo
        program = folder / "talker"
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        repo.write(
            ".toryo/config.toml",
            f"[agents.talker]\ncommand = ['{program}']\nmode = 'interactive'\nready = 'ready>'\n"
            f"env = {{ SHOWN = 'shown' }}\n"
            f"[agents.asker]\ncommand = ['{program}', '--', '{{prompt}}']\n"
            "[agents.absent]\ncommand = ['no-such-program']\n",
        )
        repo.commit("configuration")
        os.environ.update(TMUX_TMPDIR=str(folder), HIDDEN_TOKEN="hidden")

    def tmux(self, *args: str) -> str:
        done = subprocess.run(["tmux", "-L", "toryo", *args], capture_output=True, text=True, check=False)
        return done.stdout

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-J", "-t", self.tmux("list-panes", "-a", "-F", "#{pane_id}").split()[0])

    def reads(self, text: str) -> None:
        until(lambda: text in self.screen(), 20)


@pytest.fixture
def hand(repo: Repo, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    import shutil
    import tempfile

    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed here")
    folder = Path(tempfile.mkdtemp(prefix="t"))  # sockets have a limit
    hand = Hand(repo, folder)
    try:
        yield hand
    finally:
        hand.tmux("kill-server")
        until(lambda: not hand.tmux("list-sessions"), 20)
        shutil.rmtree(folder)


@pytest.mark.covers("G3", "G37", "P48")
def test_an_agent_is_started_by_hand_in_a_window_of_its_own(repo: Repo, hand: Hand) -> None:
    branches.create(repo.path, "feature")
    here = {one.name: one.why_not for one in branches.agents_here(repo.path)}
    assert here["talker"] == ""
    assert here["absent"] == "not installed"
    assert "shell" not in here
    started = branches.start_agent(repo.path, "feature", "talker", "say hello\nto them")
    assert started.worktree == repo.path / ".worktrees" / "feature"
    assert started.note == ""
    hand.reads("heard: to them")
    shown = hand.screen()
    assert f"{started.worktree} []" in shown.replace("\n", "")
    assert "nothing hidden shown" in shown
    assert "its own" in shown
    assert seen(repo)["feature"].by_hand == "talker"
    assert branches.window_argv(repo.path, "feature") == list(started.argv)
    assert "attach-session" in started.argv
    refused(lambda: branches.start_agent(repo.path, "feature", "talker"), "E184", "close its window")
    refused(lambda: branches.delete(repo.path, "feature"), "E184", "close its window")
    assert repo.toryo("status").code in (0, 64), "no session knows of it"
    assert not (repo.store / "runs").exists() or not list((repo.store / "runs").iterdir())
    hand.tmux("send-keys", "-t", hand.tmux("list-panes", "-a", "-F", "#{pane_id}").strip(), "bye", "Enter")
    until(lambda: not seen(repo)["feature"].by_hand, 20)
    refused(lambda: branches.window_argv(repo.path, "feature"), "E505", "talker")
    assert "deleted feature" in branches.delete(repo.path, "feature")


@pytest.mark.covers("G3", "G37")
def test_what_cannot_be_started_is_refused_before_anything_is_made(repo: Repo, hand: Hand) -> None:
    branches.create(repo.path, "feature")
    refused(lambda: branches.start_agent(repo.path, "feature", "absent"), "E502", "no-such-program")
    refused(lambda: branches.start_agent(repo.path, "feature", "tolker"), "E501", "talker")
    refused(lambda: branches.start_agent(repo.path, "feature", "shell"), "E501")
    claude = Path(os.environ["TMUX_TMPDIR"]) / "claude"
    claude.symlink_to("/bin/true")
    os.environ["PATH"] = f"{claude.parent}:{os.environ['PATH']}"
    refused(lambda: branches.start_agent(repo.path, "feature", "claude"), "E518", "log in")
    refused(lambda: branches.start_agent(repo.path, "featur", "talker"), "E180", "feature")
    assert not (repo.path / ".worktrees").exists()
    refused(lambda: branches.start_agent(repo.path, "feature", "asker"), "E519", "say what")
    branches.start_agent(repo.path, "feature", "asker", "do it")
    hand.reads("['--', 'do it']")
    (claude.parent / "tmux").write_text("#!/bin/sh\necho it is broken >&2; exit 1\n")
    (claude.parent / "tmux").chmod(0o755)
    refused(lambda: branches.start_agent(repo.path, "main", "talker"), "E503", "tmux is required", "it is broken")
    (claude.parent / "tmux").unlink()


@pytest.mark.covers("G17", "G37")
def test_the_window_of_running_work_and_a_shell_are_found(repo: Repo, hand: Hand) -> None:
    os.environ["TORYO_RUN_HOST"] = "tmux"
    repo.environ.update(TORYO_RUN_HOST="tmux", TMUX_TMPDIR=os.environ["TMUX_TMPDIR"])
    plan = repo.plan(shell("A", "touch a; until [ -e ../../go ]; do sleep 0.05; done"))
    process = repo.start("run", "--plan", str(plan), "--yes")
    until(lambda: (work := seen(repo).get("agent/task-a", Branch("", "")).work) and work.state.startswith("working"))
    until(lambda: "attach-session" in branches.window_argv(repo.path, "agent/task-a"))
    refused(lambda: branches.start_agent(repo.path, "agent/task-a", "talker"), "E184", "A")
    (repo.path / "go").touch()
    process.communicate()
    branches.create(repo.path, "feature")
    found = branches.shell_argv(repo.path, "feature")
    assert (found.cwd, found.is_elsewhere) == (repo.path / ".worktrees" / "feature", False)
    os.environ["TMUX"] = "/somewhere/else,1,0"
    found = branches.shell_argv(repo.path, "feature")
    assert found.is_elsewhere
    assert found.argv[:4] == ("tmux", "-S", "/somewhere/else", "new-window")

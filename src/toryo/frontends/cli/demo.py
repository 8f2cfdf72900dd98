"""`toryo demo`: the main job on built-in defaults, in a throw-away repository."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import click

from toryo.app.leasing import lease_of
from toryo.app.planning import Instruction, open_planning, prepare_planning
from toryo.app.project import open_project
from toryo.domain.session import Session
from toryo.frontends.cli.deciding import Manner, conduct_to_rest
from toryo.frontends.cli.outcome import show_outcome
from toryo.frontends.cli.talking import is_interactive, quiet_option, say, show, verbose_option

_FILES = files("toryo.frontends.cli") / "demo_files"
_WISH = "Open a corner shop.\n\nGreet customers, see them off, and write invoices with discounts and taxes."
_CONFIGURATION = """\
[run]
agent = "scripted"

[model]
provider = "scripted"
scenario = "model.yaml"

[checks.test]
command = {check}
timeout = "2m"

[agents.scripted]
scenario = "scenario.yaml"
"""


@click.command(epilog="Example: toryo demo, or toryo demo --app and say: open a corner shop")
@click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path),
    help="Where to make the repository (default: temporary).",
)
@click.option("--app", "is_app", is_flag=True, help="Only make the repository, and open the terminal app in it.")
@quiet_option
@verbose_option
def command(folder: Path | None, is_app: bool, quiet: bool, verbose: bool) -> None:
    """See Toryo go from words to merged code in under a minute: no model, no key, no server.

    Model and agents are scripted, and everything they say is marked so; git, worktrees, processes, checks and
    merges are real. One agent says "done" without doing anything, one breaks the tests, two collide.
    """
    if is_app and not is_interactive():
        raise click.UsageError("--app needs a terminal; without it, the demo tells the same line by line")
    where = _make_repository(folder)
    _isolate(where)
    say(f"demo repository: {where}")
    say("model and agents here are [scripted]: they follow a prepared scenario; the rest is real\n")
    if is_app:
        raise SystemExit(_open_app(where))
    say(f'$ toryo run --yes "{" ".join(_WISH.split())}"')
    project = open_project(where, writing=True)
    settings = prepare_planning(project, {})
    with lease_of(project) as lease:
        session = open_planning(project, settings, Instruction(_WISH))
        session, interrupted = conduct_to_rest(project, session, lease, Manner(quiet, verbose, yes=True))
    code = show_outcome(session, as_json=False, quiet=quiet, interrupted=interrupted)
    if code == 0:
        code = _prove_again(where, session)
    _say_what_next(where)
    raise SystemExit(code)


def _open_app(where: Path) -> int:
    """In agent mode: whatever is said there, the scripted model plans the corner shop. The exit code."""
    from toryo.frontends.cli.opening_app import open_app

    os.chdir(where)
    code = open_app("agent")
    say(f"the demo repository is kept: {where}")
    return code


def _make_repository(folder: Path | None) -> Path:
    where = folder or Path(tempfile.mkdtemp(prefix="toryo-demo-"))
    where.mkdir(parents=True, exist_ok=True)
    if any(where.iterdir()):
        raise click.UsageError(f"{where} is not empty")
    for path, text in _load("base.yaml").items():
        target = where / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    own = where / ".toryo"
    own.mkdir()
    for name in ("scenario.yaml", "model.yaml"):
        (own / name).write_bytes((_FILES / name).read_bytes())
    check = f"{shlex.quote(sys.executable or 'python3')} -m unittest discover -q"
    (own / "config.toml").write_text(_CONFIGURATION.format(check=json.dumps(check)), encoding="utf-8")
    identity = ("-c", "user.name=Toryo demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgSign=false")
    (where / ".gitignore").write_text("__pycache__/\n")
    for args in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        (*identity, "commit", "-q", "-m", "A corner shop"),
    ):
        subprocess.run(["git", *args], cwd=where, check=True, stdin=subprocess.DEVNULL)
    return where.resolve()


def _load(name: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe").load((_FILES / name).read_text(encoding="utf-8"))


def _isolate(where: Path) -> None:
    """The demo shows the defaults, whatever the person has configured."""
    for name in [name for name in os.environ if name.startswith("TORYO_")]:
        del os.environ[name]
    os.environ["XDG_CONFIG_HOME"] = str(where / ".toryo" / "no-user-configuration")


def _prove_again(where: Path, session: Session) -> int:
    """Anybody can repeat the proof: a fresh clone of the integrated branch, and the check on it."""
    check = session.checks[0]
    with tempfile.TemporaryDirectory(prefix="toryo-proof-") as folder:
        clone = ["git", "clone", "-q", "--branch", session.branch, str(where), f"{folder}/clone"]
        subprocess.run(clone, check=True, stdin=subprocess.DEVNULL)
        done = subprocess.run(
            check.command, shell=True, cwd=f"{folder}/clone", capture_output=True, text=True, check=False
        )
    show(f"\nthe same check on a fresh clone of {session.branch}:")
    for line in (done.stdout + done.stderr).strip().splitlines():
        show(f"  {line}")
    return 0 if done.returncode == 0 else 1


def _say_what_next(where: Path) -> None:
    toryo = "toryo" if shutil.which("toryo") else str(Path(sys.argv[0]).resolve())
    say(f"\nlook around: cd {where}")
    say(f"  {toryo} info T002             the false 'done' that was caught")
    say(f"  {toryo} info T004             the run that broke the tests, and the one that repaired them")
    say(f"  {toryo} logs --events T008    the conflict and how it was settled (T007 or T008, whichever came second)")
    say(f"  {toryo} report                what shows that each criterion holds, and what was not proven (see T003)")
    say(f"  {toryo} verify                whether evidence, logs and commits are those that were recorded")
    say("  git log --graph --oneline agent/open-a-corner-shop")
    say(f"  {toryo} plan --show           what was planned; it is also in specs/")
    say(f'then say what you want in your own repository: {toryo} run --agent claude "…"')

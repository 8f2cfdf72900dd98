"""Throw-away repositories, and commands run in them that see nothing of the person's own configuration."""

import os
import subprocess
import sys
from pathlib import Path

PYTHON = Path(sys.executable)
TORYO = PYTHON.with_name("toryo")
_FILES = 20


def environment(folder: Path) -> dict[str, str]:
    """Ours, without what would make git or Toryo behave in the person's own way."""
    personal = ("GIT_", "TORYO_", "XDG_", "PYTHON")
    env = {name: value for name, value in os.environ.items() if not name.startswith(personal)}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    for role in ("AUTHOR", "COMMITTER"):
        env[f"GIT_{role}_NAME"], env[f"GIT_{role}_EMAIL"] = "Bench", "bench@localhost"
    compiled = str(folder / "compiled")  # a place for it everywhere, whoever may write beside the sources
    return {
        **env,
        "HOME": str(home),
        "PYTHONPYCACHEPREFIX": compiled,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def make_repository(path: Path, env: dict[str, str]) -> Path:
    """A small one: one commit with twenty files."""
    path.mkdir(parents=True)
    run(["git", "init", "-q", "-b", "main"], path, env)
    for number in range(_FILES):
        (path / f"file{number}.txt").write_text(f"line of file {number}\n" * 20)
    run(["git", "add", "-A"], path, env)
    run(["git", "commit", "-q", "-m", "base"], path, env)
    return path


def run(command: list[str], where: Path, env: dict[str, str], code: int = 0) -> str:
    """What it printed; raises, saying why, if it ended with another code."""
    done = subprocess.run(
        command, cwd=where, env=env, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    if done.returncode != code:
        said = (done.stderr or done.stdout).strip()[-2000:]
        raise RuntimeError(f"{' '.join(command[:4])} … failed with code {done.returncode}:\n{said}")
    return done.stdout


def count_merges(repository: Path, branch: str, env: dict[str, str]) -> int:
    return int(run(["git", "rev-list", "--merges", "--count", branch], repository, env))

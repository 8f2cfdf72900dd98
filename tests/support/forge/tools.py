"""Where the tests find `gh`: on the path, or where script/forge-tools has put it."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

OLDEST = (2, 23)


def home() -> Path:
    """Outside the repository, so that it is got once for all checkouts."""
    cache_home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache_home) / "toryo" / "forge-tools"


@cache
def find_gh() -> Path | None:
    """A program that is new enough; None: there is none here."""
    on_path = shutil.which("gh")
    for found in (Path(on_path) if on_path else None, home() / "usr" / "bin" / "gh"):
        if found and _version(found) >= OLDEST:
            return found
    return None


def _version(program: Path) -> tuple[int, ...]:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    found = re.search(r"gh version (\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else ()


if __name__ == "__main__":
    print(find_gh() or "")

"""What the numbers were measured on, and how busy that was."""

import os
import platform
import sqlite3
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Machine:
    system: str
    cores: int
    python: str
    git: str
    sqlite: str
    file_system: str
    load: float

    def lines(self) -> list[str]:
        lines = [
            f"{self.system}, {self.cores} cores, load {self.load:.1f}",
            f"Python {self.python}, git {self.git}, SQLite {self.sqlite}, files on {self.file_system}",
        ]
        if self.load > self.cores / 2:
            lines.append("note: the machine is busy with other work; look at the ratios, not at the times")
        return lines

    def data(self) -> dict[str, object]:
        return asdict(self)


def look_at_machine(folder: Path) -> Machine:
    return Machine(
        system=f"{platform.system()} {platform.machine()}",
        cores=cores(),
        python=platform.python_version(),
        git=_said_by("git", "--version").removeprefix("git version "),
        sqlite=sqlite3.sqlite_version,
        file_system=_said_by("df", "--output=fstype", str(folder)).rpartition("\n")[2] or "an unknown file system",
        load=os.getloadavg()[0],
    )


def cores() -> int:
    """Those this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pressure() -> float:
    """Processes that wanted a core in the last minute, ours included."""
    return os.getloadavg()[0]


def _said_by(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return done.stdout.strip() if done.returncode == 0 else ""

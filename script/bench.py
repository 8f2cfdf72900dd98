"""Runs the benches and prints what they measured; whether a target holds is said, not judged."""

import argparse
import json
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benches import (
    agents,
    foreseeing,
    helping,
    integrating,
    intents,
    journaling,
    masking,
    noticing,
    reacting,
    scaling,
    screen,
    status,
    surveying,
    talking,
    tasks,
    turns,
)
from benches.machine import Machine, look_at_machine, pressure
from benches.measuring import Bench, Report

BENCHES: dict[str, Bench] = {
    "tasks": tasks.BENCH,
    "integrating": integrating.BENCH,
    "noticing": noticing.BENCH,
    "journal": journaling.BENCH,
    "scaling": scaling.BENCH,
    "help": helping.BENCH,
    "status": status.BENCH,
    "intents": intents.BENCH,
    "agents": agents.BENCH,
    "turns": turns.BENCH,
    "reacting": reacting.BENCH,
    "survey": surveying.BENCH,
    "masking": masking.BENCH,
    "foreseeing": foreseeing.BENCH,
    "talking": talking.BENCH,
    "screen": screen.BENCH,
}


def main() -> int:
    wanted = _arguments()
    names = list(dict.fromkeys(wanted.names)) or list(BENCHES)
    with tempfile.TemporaryDirectory(prefix="toryo-bench-", ignore_cleanup_errors=True) as folder:
        machine = look_at_machine(Path(folder))
        if not wanted.json:
            print("\n".join(machine.lines()))
        reports, failed = [], []
        for name in names:
            print(f"measuring {name} …", file=sys.stderr)
            try:
                report = _measure(name, wanted.rounds, Path(folder) / name)
            except Exception:  # noqa: BLE001 - one bench that fails must not hide what the others found
                traceback.print_exc()
                failed.append(name)
                continue
            reports.append(report)
            if not wanted.json:
                print("\n" + "\n".join(report.lines()), flush=True)
    if wanted.json:
        print(json.dumps(_as_data(machine, reports, failed), indent=2))
    elif reports:
        _print_targets(reports)
    for name in failed:
        print(f"error: the bench {name} failed, see above", file=sys.stderr)
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    asked.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(BENCHES)} (default: all)")
    asked.add_argument("--rounds", type=int, metavar="N", help="how often each bench repeats its measurement")
    asked.add_argument("--json", action="store_true", help="print the results as JSON")
    wanted = asked.parse_args()
    for name in wanted.names:
        if name not in BENCHES:
            asked.error(f"there is no bench '{name}'; there are: {', '.join(BENCHES)}")
    if wanted.rounds is not None and wanted.rounds < 1:
        asked.error("--rounds must be at least 1")
    return wanted


def _measure(name: str, rounds: int | None, folder: Path) -> Report:
    """In a process of its own, so that no bench warms up or disturbs the next."""
    folder.mkdir()
    bench = BENCHES[name]
    before = pressure()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        report: Report = pool.submit(bench.measure, rounds or bench.rounds, folder).result()
    return report.under(name, before, pressure())


def _print_targets(reports: list[Report]) -> None:
    print("\nTargets")
    for report in reports:
        for target in report.targets:
            print(f"  {report.name:9} {target.line()}")


def _as_data(machine: Machine, reports: list[Report], failed: list[str]) -> dict[str, object]:
    benches = {report.name: report.data() for report in reports}
    return {"shape": 1, "machine": machine.data(), "benches": benches, "failed": failed}


if __name__ == "__main__":
    sys.exit(main())

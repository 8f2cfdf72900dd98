"""Masking what programs print and what events say, against one search by a regular expression over the same text."""

import re
import time
from collections.abc import Callable
from pathlib import Path

from benches import measuring
from benches.measuring import Bench, Figure, Target, in_turns
from toryo.adapters.maskedfiles import mask_file
from toryo.domain import events as e
from toryo.domain.report import Report
from toryo.domain.run import EndedBy
from toryo.rules.discretion import discreet
from toryo.rules.masking import mask

SIZE, EVENTS, SHORTS = 4_000_000, 2_000, 20_000
LIMIT_EVENT = 50.0
_WORDS = "All done: the exporter prints JSON, its tests pass, and src/export/json.py has what they need.\n" * 4
_SECRET = "gh" + "p_" + "aB3dE6gH9jK2" * 3


def measure(rounds: int, folder: Path) -> measuring.Report:
    plain, suspicious = _log(SIZE), _suspicious(SIZE // 8)
    secret = plain[: SIZE // 2] + _SECRET + "\n" + plain[SIZE // 2 :]
    floor = re.compile(r"[0-9]{3}-[a-z]{4}-never")
    report = Report(conversation="0a1b2c3d-4e5f-6789-abcd-ef0123456789", last_words=_WORDS)
    event = e.RunExited(time.time(), 1, "run-1", 0, EndedBy.ITSELF, 0, (), time.time(), report)
    short = "Ran 12 tests in tests/rules/test_masking.py: all of them passed, in half a second"
    log = folder / "output.log"

    def file() -> None:
        log.write_text(secret)
        mask_file(log)

    floors, logs, words, files, bombs, events, shorts = in_turns(
        rounds,
        (
            lambda _: _speed(len(plain), lambda: floor.search(plain)),
            lambda _: _speed(len(plain), lambda: mask(plain)),
            lambda _: _speed(len(suspicious), lambda: mask(suspicious)),
            lambda _: _speed(len(secret), file),
            lambda _: _speed(200_000, lambda: mask("TOKEN=$(" * 25_000)),
            lambda _: _each(EVENTS, lambda: discreet(event)),
            lambda _: _each(SHORTS, lambda: mask(short)),
        ),
    )
    said = Figure("an event (RunExited, with last words)", events, "µs")
    figures = (
        Figure("floor: one re.search over the log", floors, "MB/s"),
        Figure("a log without secrets", logs, "MB/s"),
        Figure("a log full of keys, tokens and passwords", words, "MB/s"),
        Figure("a file with one secret, replaced", files, "MB/s"),
        Figure("a line made to be slow", bombs, "MB/s"),
        said,
        Figure(f"a text of {len(short)} characters", shorts, "µs"),
    )
    about = f"{SIZE / 1e6:.0f} MB of log, {EVENTS} events, {SHORTS} short texts, in turns; processor time"
    return measuring.Report(about, figures, (Target("masking an ordinary event", said.median, LIMIT_EVENT, "µs"),))


def _log(size: int) -> str:
    line = (
        "2026-03-01T10:00:{:02} INFO src/app/module{}.py:{} finished step {:x} in {} ms, see https://example.org/{}\n"
    )
    one = "".join(line.format(n % 60, n % 7, n % 300, n * 7919, n % 1000, n) for n in range(10_000))
    return (one * (size // len(one) + 1))[:size]


def _suspicious(size: int) -> str:
    one = 'for key, token in secrets.items(): password = getpass(f"{key}: ")  # "token": str\n'
    return one * (size // len(one))


def _speed(size: int, act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return size / 1e6 / (time.process_time() - began)


def _each(count: int, act: Callable[[], object]) -> float:
    began = time.process_time()
    for _ in range(count):
        act()
    return (time.process_time() - began) / count * 1e6


BENCH = Bench(5, measure)

"""What programs wrote is replaced whole by its masked form, or stays as it is."""

import os
import stat
import subprocess
import tracemalloc
from pathlib import Path

import pytest
from tests.support.secrets import HEX, LINE, MIXED, key_block

from toryo.adapters.maskedfiles import is_masked, mask_file, mask_left_behind, mask_record
from toryo.rules.masking import mask

pytestmark = pytest.mark.covers("P47")
SECRET = "ghp_" + MIXED[:36]


def test_a_file_is_replaced_by_its_masked_form(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text(f"one\n{SECRET}\n{key_block()}\ntwo")
    os.utime(log, (1000, 2000))
    assert mask_file(log)
    assert log.read_text() == "one\n[MASKED:GITHUB_TOKEN]\n[MASKED:PRIVATE_KEY]\ntwo"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert log.stat().st_mtime == 2000, "it tells when the program last said something"
    assert not mask_file(log)
    assert [path.name for path in tmp_path.iterdir()] == ["output.log"]


def test_where_nothing_is_secret_the_file_is_not_touched(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    content = bytes(range(256)) * 100 + "鍵: 値\r\n".encode()
    log.write_bytes(content)
    before = log.stat()
    assert not mask_file(log)
    assert log.stat() == before
    assert log.read_bytes() == content


def test_bytes_that_are_no_text_stay_as_they_are(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_bytes(b"\xff\xfe\x00 " + SECRET.encode() + b" \x80\n\xe3\x81")
    assert mask_file(log)
    assert log.read_bytes() == b"\xff\xfe\x00 [MASKED:GITHUB_TOKEN] \x80\n\xe3\x81"


def test_what_was_left_half_way_is_removed(tmp_path: Path) -> None:
    (tmp_path / "output.log").write_text(SECRET)
    (tmp_path / "output.log.masking").write_text("half")
    (tmp_path / "signals.jsonl.masking").write_text("half")
    mask_record(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["masked", "output.log"]
    assert is_masked(tmp_path)


def test_what_is_no_file_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(SECRET)
    (tmp_path / "output.log").symlink_to(other)
    os.mkfifo(tmp_path / "signals.jsonl")
    mask_record(tmp_path)
    assert other.read_text() == SECRET
    mask_record(tmp_path / "nowhere")


def test_lines_of_json_stay_json(tmp_path: Path) -> None:
    signals = tmp_path / "signals.jsonl"
    signals.write_text('{"a": 1.0, "token": "x"}\n{"b": 2}\n')
    mask_record(tmp_path)
    assert signals.read_text() == '{"a": 1.0, "token": "[MASKED:JSON_CREDENTIAL]"}\n{"b": 2}\n'


@pytest.mark.parametrize("line", [f"{HEX}\n", HEX, LINE + "\n"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, line: str) -> None:
    log = tmp_path / "output.log"
    begin = key_block(end=False) + "\n" if line == LINE + "\n" else "x "
    with log.open("w") as file:
        file.write(begin + line * (6_000_000 // len(line)) + f" {SECRET} end\n")
    tracemalloc.start()
    try:
        assert mask_file(log)
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()
    assert SECRET not in log.read_text()
    assert mask("x " + SECRET) in log.read_text() or "end" in log.read_text()


def test_what_ended_unseen_is_masked_with_its_checks_and_what_lives_is_not(tmp_path: Path) -> None:
    run, living = tmp_path / "run-1", tmp_path / "run-2"
    for place in (run, run / "check-0", living):
        place.mkdir()
        (place / "output.log").write_text(SECRET)
    (run / "exit").write_text('{"code": 0}')
    environ = {**os.environ, "TORYO_RECORD": str(living)}
    with subprocess.Popen(["sleep", "60"], env=environ) as process:
        (living / "pid").write_text(str(process.pid))
        mask_left_behind([run, living, tmp_path / "nowhere"])
        assert (living / "output.log").read_text() == SECRET
        process.kill()
    assert (run / "output.log").read_text() == (run / "check-0" / "output.log").read_text() == "[MASKED:GITHUB_TOKEN]"
    mask_left_behind([living])
    assert (living / "output.log").read_text() == "[MASKED:GITHUB_TOKEN]"

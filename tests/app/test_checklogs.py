"""How the output of a check ends, for whoever watches it."""

from pathlib import Path

from tests.support.secrets import LINE, key_block

from toryo.app.checklogs import _end_of


def test_the_end_of_a_long_key_is_known_by_its_beginning(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("\n".join(["begun", key_block(body="\n".join([LINE] * 200)), "1 failed", ""]))
    assert _end_of(log) == ("begun", "[MASKED:PRIVATE_KEY]", "1 failed")


def test_only_the_last_lines_of_a_long_log_are_told(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("".join(f"line {number}\n" for number in range(50_000)))
    assert _end_of(log) == tuple(f"line {number}" for number in range(49_970, 50_000))

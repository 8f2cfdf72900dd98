"""The lines of a script, whatever is in them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toryo.domain.errors import ToryoError
from toryo.frontends.repl.lines import MOST_BYTES, Line, lines_of

SAID = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).map(str.strip)
LINES = st.lists(SAID.filter(lambda line: line and not line.endswith("\\") and not line.startswith("\ufeff")))


def _read(script: bytes) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in lines_of(io.BytesIO(script))]


@pytest.mark.covers("P28")
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_every_line_comes_back_as_it_was_said(lines: list[str], end: str, has_mark: bool, has_end: bool) -> None:
    script = end.join(lines) + (end if has_end else "")
    said = [line for line in lines if line.strip()]
    found = _read(("\ufeff" if has_mark else "").encode() + script.encode())
    assert [text for _, text in found] == said
    assert [number for number, _ in found] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("script", "lines"),
    [
        (b"a\\\nb\nc", [(1, "a\nb"), (3, "c")]),
        (b"a\\\r\nb\r\n", [(1, "a\nb")]),
        (b"a\\\\\nb", [(1, "a\\\\"), (2, "b")]),
        (b"a\\\\\\\nb", [(1, "a\\\\\nb")]),
        (b"\n\n a \n\\\n\nb\\", [(3, " a "), (6, "b")]),
        (b"a\\", [(1, "a")]),
        (b"\xef\xbb\xbf", []),
    ],
)
def test_lines_that_go_on(script: bytes, lines: list[tuple[int, str]]) -> None:
    assert _read(script) == lines


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"caf\xe9", "line 1 is not UTF-8 (at byte 4)"),
        ("/status \ud800".encode(errors="surrogatepass"), "not UTF-8"),
        (b"a\0b", "control character in it (U+0000)"),
        (b"\x1b[31m", "U+001B"),
        ("a\x9bb".encode(), "U+009B"),
        (b"x" * (MOST_BYTES + 1), "longer than 400,000 bytes"),
        (b"x" * 10 * MOST_BYTES, "longer than 400,000 bytes"),
        ((b"x" * 1000 + b"\\\n") * 1000, "longer than 400,000 bytes"),
    ],
)
def test_what_nobody_can_have_meant_is_refused_and_the_next_line_is_read(said: bytes, why: str) -> None:
    first, second = lines_of(io.BytesIO(said + b"\n\n/next\n"))
    with pytest.raises(ToryoError) as refused:
        _ = first.text
    assert why in refused.value.message
    assert second.text == "/next"
    assert len(first.said) <= MOST_BYTES + 2


def test_as_long_as_a_line_may_be() -> None:
    (line,) = lines_of(io.BytesIO(b"x" * MOST_BYTES + b"\r\n"))
    assert line == Line(1, b"x" * MOST_BYTES)
    assert line.text


@given(st.binary())
def test_any_bytes_are_lines_or_refused(script: bytes) -> None:
    for line in lines_of(io.BytesIO(script)):
        try:
            assert line.text.strip() or line.said.strip()
        except ToryoError as error:
            assert error.code == "E154"

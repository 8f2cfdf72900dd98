"""Server-sent events: the payloads of a stream of bytes."""

from collections.abc import AsyncIterator


async def payloads(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """What each event carries, as its `data:` lines say.

    Lines end only where the protocol says so, not at every character that Unicode takes for a line's end. An event
    that the stream ends in is passed on as it is: whether it is whole shows when it is read.
    """
    data: list[str] = []
    async for line in _lines(chunks):
        if not line and data:
            yield "\n".join(data)
            data = []
        elif line.startswith(b"data:"):
            data.append(line[5:].decode("utf-8", errors="replace").removeprefix(" "))
    if data:
        yield "\n".join(data)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    pieces: list[bytes] = []
    async for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join((*pieces, line)).removesuffix(b"\r")
            pieces = []
        if rest:
            pieces.append(rest)
    if pieces:
        yield b"".join(pieces)

"""Answers that go on: server-sent events, which a browser or a client takes up again where they broke off.

A stream ends by itself after some minutes, so that a key that was revoked does not go on listening, and at once when
the server is told to stop; whoever listens simply asks again.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing

from fastapi.responses import StreamingResponse

LONGEST = 300.0
_LOOK = 0.5
_ALIVE = 10.0
MEDIA = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
_DONE = object()


def sent(data: bytes, *, name: str = "", id_: str = "") -> bytes:
    """One event as it goes over the wire."""
    head = (f"id: {id_}\n" if id_ else "") + (f"event: {name}\n" if name else "")
    lines = b"".join(b"data: " + line + b"\n" for line in data.splitlines() or [b""])
    return head.encode() + lines + b"\n"


def streamed(pieces: AsyncGenerator[bytes], closing: Callable[[], bool], seconds: float) -> StreamingResponse:
    """The stream as a response. Silence is broken now and then, so that nobody in between takes the line for dead."""
    return StreamingResponse(_kept_alive(pieces, closing, min(seconds, LONGEST)), headers=HEADERS, media_type=MEDIA)


async def _kept_alive(
    pieces: AsyncGenerator[bytes], closing: Callable[[], bool], seconds: float
) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    begun = said = loop.time()
    yield b"retry: 1000\n\n"
    async with aclosing(pieces):
        coming = asyncio.ensure_future(anext(pieces, _DONE))
        try:
            while loop.time() - begun < seconds and not closing():
                await asyncio.wait({coming}, timeout=_LOOK)
                if coming.done():
                    piece = coming.result()
                    if not isinstance(piece, bytes):
                        return
                    yield piece
                    said = loop.time()
                    coming = asyncio.ensure_future(anext(pieces, _DONE))
                elif loop.time() - said > _ALIVE:
                    yield b": still here\n\n"
                    said = loop.time()
        finally:
            coming.cancel()
            await asyncio.wait({coming})

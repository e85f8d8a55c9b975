"""Length-prefixed messages over a socket between a parent and its child.

Standard output belongs to the scraper's author, who may print; so the two talk over a socket pair of their own.
"""

import asyncio
import socket
from typing import Generic, TypeVar

import msgspec

from scrapeyard.worker.messages import Down, Up

_HEAD = 4
_LARGEST = 256 * 1024 * 1024

Out = TypeVar("Out")
In = TypeVar("In")


class Channel(Generic[Out, In]):
    """One end of the conversation."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, decoder: msgspec.msgpack.Decoder[In]
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = decoder.decode

    def send(self, message: Out) -> None:
        """Hand a message over; it leaves with the loop's next turn. A side that is gone hears nothing."""
        if self._writer.is_closing():
            return
        body = self._encode(message)
        self._writer.write(len(body).to_bytes(_HEAD, "big") + body)

    async def receive(self) -> In | None:
        """The next message, or None when the other side is gone."""
        try:
            size = int.from_bytes(await self._reader.readexactly(_HEAD), "big")
            if size > _LARGEST:
                return None
            return self._decode(await self._reader.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def close(self) -> None:
        """Send what is left and hang up."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except ConnectionError:
            return


async def parent_end(sock: socket.socket) -> Channel[Down, Up]:
    """The supervisor's end."""
    reader, writer = await asyncio.open_connection(sock=sock, limit=1 << 20)
    return Channel(reader, writer, msgspec.msgpack.Decoder(Up))


async def child_end(sock: socket.socket) -> Channel[Up, Down]:
    """The scraping child's end."""
    reader, writer = await asyncio.open_connection(sock=sock, limit=1 << 20)
    return Channel(reader, writer, msgspec.msgpack.Decoder(Down))

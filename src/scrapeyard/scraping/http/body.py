"""A body read within its limits: small ones at once, large ones piece by piece, endless ones not to their end."""

from collections.abc import AsyncIterator, Iterator

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.scraping.http.client import Limits, Reply
from scrapeyard.scraping.http.decoding import Decoder, decoder_for
from scrapeyard.scraping.http.troubles import shown

_AT_ONCE = 1 << 20
"""A body that promises to be no longer than this is read in one go."""


class Reading:
    """One body on its way in. `wire` and `size` grow as it is read."""

    __slots__ = ("_decoder", "_largest", "_limits", "_reply", "size", "url", "wire")

    def __init__(self, reply: Reply, encoding: str, url: str, limits: Limits, largest: int | None = None) -> None:
        """`largest` stands in for both size limits: a download may be longer than a page."""
        self.url = url
        self.wire = 0
        self.size = 0
        self._reply = reply
        self._limits = limits
        self._largest = largest
        self._decoder = decoder_for(encoding, shown(url)) if encoding else None
        if reply.length is not None and reply.length > self._most_wire:
            raise self._too_large("promises to be")

    async def whole(self) -> bytes:
        """The decoded body."""
        length = self._reply.length
        if length is None or length > _AT_ONCE:
            return b"".join([piece async for piece in self.pieces()])
        if length == 0:
            return b""
        body = await self._reply.whole()
        self.wire = len(body)
        if self._decoder is None:
            self.size = self.wire
            return body
        # a list and not a growing buffer: a bomb is refused before anything is held twice
        body = b"".join(list(self._decoded(self._decoder, body)))
        self._check_end()
        return body

    async def pieces(self) -> AsyncIterator[bytes]:
        """The decoded body in pieces."""
        async for chunk in self._reply.chunks():
            self.wire += len(chunk)
            if self.wire > self._most_wire:
                raise self._too_large("is")
            if self._decoder is None:
                self.size = self.wire
                yield chunk
                continue
            for piece in self._decoded(self._decoder, chunk):
                yield piece
        self._check_end()

    @property
    def _most_wire(self) -> int:
        return self._largest or self._limits.wire

    def _decoded(self, decoder: Decoder, chunk: bytes) -> Iterator[bytes]:
        limits = self._limits
        most = self._largest or limits.decoded
        for piece in decoder.pieces(chunk):
            self.size += len(piece)
            if self.size > most:
                raise self._too_large("unpacks to")
            if self.size > limits.ratio_from and self.size > limits.ratio * self.wire:
                raise VisitError(
                    f"The body of {shown(self.url)} unpacks to more than {limits.ratio} times its size; it is refused.",
                    kind=Kind.TOO_LARGE,
                )
            yield piece

    def _check_end(self) -> None:
        if self._decoder is not None and self.wire and not self._decoder.complete:
            raise VisitError(f"The body of {shown(self.url)} ends too early.", kind=Kind.BAD_BODY)

    def _too_large(self, how: str) -> VisitError:
        most = self._largest or (self._limits.decoded if how == "unpacks to" else self._limits.wire)
        return VisitError(
            f"The body of {shown(self.url)} {how} larger than {most / (1 << 20):,.0f} MiB; it is not read.",
            kind=Kind.TOO_LARGE,
        )

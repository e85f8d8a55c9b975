"""Bytes of a text list become lines, a block at a time, in the encoding that the bytes prove rather than claim.

Lists come out of spreadsheets. Most are UTF-8; many are Windows-1252 and say so nowhere. What is not UTF-8 is read as
Windows-1252 as long as nothing before it proved otherwise, and that is reported; bytes that fit neither become lone
surrogates, which no item may have, and so spoil their row alone.
"""

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from scrapeyard.model.errors import BadInput

_BLOCK = 1 << 18
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Lines:
    """The lines of a text, each with its line end. `last` is the line that was given last."""

    def __init__(self, stream: BinaryIO, longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self._encoding = "utf-8"
        self._proven = False
        self.guessed = False
        self.last = ""

    @property
    def remarks(self) -> list[str]:
        """What a person should know of how the bytes were read."""
        return ["not UTF-8; read as Windows-1252, so check names with accents"] if self.guessed else []

    def __iter__(self) -> Iterator[str]:
        tail, number, returns = "", 0, None
        for text in self._texts():
            if returns is None:
                returns = "\r" in text and "\n" not in text  # line ends of an old Macintosh
            block = tail + (text.replace("\r", "\n") if returns else text)
            parts = block.split("\n")
            tail = parts.pop()
            number += len(parts)
            if len(block) > self._longest:
                self._refuse_long(parts, tail, number)
            for part in parts:
                self.last = part
                yield part + "\n"
        if tail:
            self.last = tail
            yield tail

    def _refuse_long(self, parts: list[str], tail: str, number: int) -> None:
        if max(map(len, (*parts, tail))) > self._longest:
            raise BadInput(
                f"A line near line {number + 1:,} is longer than {self._longest:,} characters; "
                "give a list with one row a line."
            )

    def _texts(self) -> Iterator[str]:
        block = self._stream.read(_BLOCK)
        for mark, encoding in _MARKS:
            if block.startswith(mark):
                block, self._encoding, self._proven = block[len(mark) :], encoding, True
                break
        decoder = self._decoder()
        while True:
            final = not block
            pending = decoder.getstate()[0]
            try:
                text = decoder.decode(block, final)
            except UnicodeDecodeError as error:
                self._judge(pending + block, error)
                decoder = self._decoder()
                text = decoder.decode(pending + block, final)
            if not self._proven and not text.isascii():
                self._proven = True
                decoder.errors = "surrogateescape"
            if text:
                yield text
            if final:
                return
            block = self._stream.read(_BLOCK)

    def _decoder(self) -> codecs.IncrementalDecoder:
        wide = self._encoding.startswith("utf-16")
        lenient = "surrogatepass" if wide else "surrogateescape"
        return codecs.getincrementaldecoder(self._encoding)(lenient if self._proven else "strict")

    def _judge(self, block: bytes, error: UnicodeDecodeError) -> None:
        """Decide what the text is, now that it is not what it was taken for."""
        if self._encoding.startswith("utf-16"):
            raise BadInput(f"The list is UTF-16, and damaged ({error.reason}): save it as UTF-8.") from error
        if not self._proven and not any(byte >= 0x80 for byte in block[: error.start]):
            self._encoding, self.guessed = "cp1252", True
        self._proven = True

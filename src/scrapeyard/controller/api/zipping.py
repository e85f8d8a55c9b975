"""Files as one ZIP archive, made while it is sent, so that an export of any size needs no second copy on disk."""

import asyncio
import io
import shutil
import zipfile
from collections.abc import AsyncIterator, Generator, Sequence
from pathlib import Path

_PIECE = 1 << 20


class _Pipe(io.RawIOBase):
    """What is written here is taken out again at once."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override] - narrower than the library's
        self._held.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        """Everything since the last time."""
        held, self._held = self._held, []
        return b"".join(held)


async def zipped(paths: Sequence[Path], folder: Path) -> AsyncIterator[bytes]:
    """The archive in pieces; the folder is removed in the end, however that comes."""
    pieces = _pieces(paths)
    try:
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            if piece:
                yield piece
    finally:
        pieces.close()
        shutil.rmtree(folder, ignore_errors=True)


def _pieces(paths: Sequence[Path]) -> Generator[bytes]:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in paths:
            with archive.open(path.name, "w", force_zip64=True) as entry, path.open("rb") as file:
                while piece := file.read(_PIECE):
                    entry.write(piece)
                    yield pipe.taken()
    yield pipe.taken()

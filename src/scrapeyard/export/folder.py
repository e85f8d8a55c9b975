"""The folder that an export writes to.

Files get hidden temporary names and appear under their own, together, when all of them are complete; an export that
fails or is stopped leaves the folder as it was. Files that an earlier export of the same table left behind (it may
have had more parts) are removed then, so that reading `Bill-*.csv` never mixes two exports.
"""

import re
import secrets
from pathlib import Path

from scrapeyard.model.errors import BadInput


class Folder:
    """Files on their way into one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._token = secrets.token_hex(4)
        self._files: dict[Path, Path] = {}
        self._stems: set[tuple[str, str]] = set()
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"The folder {path} cannot be made ({error.strerror}): choose another.") from error

    def new(self, stem: str, suffix: str, number: int | None) -> Path:
        """A temporary place for a file of a table; `number` counts the parts of one that is split."""
        name = f"{stem}{suffix}" if number is None else f"{stem}-{number:05d}{suffix}"
        temporary = self.path / f".{name}.{self._token}"
        self._files[temporary] = self.path / name
        self._stems.add((stem, suffix))
        return temporary

    def final(self, temporary: Path) -> Path:
        """Where a file will be in the end."""
        return self._files[temporary]

    def publish(self) -> None:
        """Give all files their names."""
        finals = set(self._files.values())
        for temporary, final in self._files.items():
            temporary.replace(final)
        self._files.clear()
        for stem, suffix in self._stems:
            ours = re.compile(rf"{re.escape(stem)}(-\d{{5,}})?{re.escape(suffix)}")
            for path in self.path.iterdir():
                if path not in finals and ours.fullmatch(path.name) and path.is_file():
                    path.unlink()

    def discard(self) -> None:
        """Remove what was not published."""
        for temporary in self._files:
            temporary.unlink(missing_ok=True)
        self._files.clear()

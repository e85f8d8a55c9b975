"""From a reference to the secret that it means: `secret://NAME` stands in settings, the word itself never does.

It is looked for in the environment (`SCRAPEYARD_SECRET_NAME`) and then in the folder of secrets, a file for each, as
containers are given them. A scraping process looks for itself, so that no secret travels in a message.
"""

import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Final

from scrapeyard.model.errors import Refused
from scrapeyard.model.secret import SHORTEST, Redaction, Secret

SCHEME: Final = "secret://"
VARIABLE: Final = "SCRAPEYARD_SECRET_"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_LARGEST = 1 << 20


def is_reference(text: str) -> bool:
    """Whether a text is a well-formed reference."""
    return text.startswith(SCHEME) and _NAME.fullmatch(text.removeprefix(SCHEME)) is not None


class Secrets:
    """The secrets of this process, and the redaction that knows all of them."""

    def __init__(self, folder: Path | None, environ: MutableMapping[str, str]) -> None:
        self._folder = folder
        self._given = {name: Secret(word) for name, word in environ.items() if name.startswith(VARIABLE)}
        self.redaction = Redaction(self._given.values())

    def resolve(self, reference: str) -> Secret:
        """The secret that is meant. `Refused` says where it was looked for."""
        if not is_reference(reference):
            raise Refused("A secret is named as secret://NAME: letters, digits, - and _, at most 64 of them.")
        name = reference.removeprefix(SCHEME)
        variable = VARIABLE + name.upper().replace("-", "_")
        secret = self._given.get(variable) or self._filed(name)
        if secret is None:
            places = f"set {variable}" + (f" or write the file {self._folder / name}" if self._folder else "")
            raise Refused(f"The secret {reference} is not known here; {places}.")
        if len(secret.reveal()) < SHORTEST:
            raise Refused(f"The secret {reference} is shorter than {SHORTEST} characters; choose a longer one.")
        return self.learn(secret)

    def learn(self, secret: Secret) -> Secret:
        """Let it be blotted out from now on."""
        self.redaction.learn(secret)
        return secret

    def word(self, text: str) -> str:
        """The word that is meant, be it a reference or the word itself."""
        return self.resolve(text).reveal() if text.startswith(SCHEME) else text

    def _filed(self, name: str) -> Secret | None:
        if self._folder is None:
            return None
        try:
            with (self._folder / name).open("rb") as file:
                raw = file.read(_LARGEST + 1)
        except FileNotFoundError:
            return None
        if len(raw) > _LARGEST:
            raise Refused(f"The file {self._folder / name} is too large for a secret.")
        return Secret(raw.decode().rstrip("\r\n"))


def hide(environ: MutableMapping[str, str]) -> None:
    """Take the secrets out of the environment, so that what is started from here does not inherit them."""
    for name in [name for name in environ if name.startswith(VARIABLE)]:
        del environ[name]

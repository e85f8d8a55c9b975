"""The hidden fields of a WebForms page: sealed state that travels through the visitor and must come back unchanged.

A county refuses a state that it did not seal itself, that belongs to another page, or whose two halves do not match;
a scraper that forgets to carry the hidden fields of the *last* answer along finds out here.
"""

import base64
import binascii
import hmac
import json
from collections.abc import Mapping
from hashlib import blake2b, shake_256

MARK = b"\xff\x01\x0f"  # reads `/wEP` in base64, as every view state does
FILLER = 840
MOST_CHARACTERS = 8_192


class StateRefused(Exception):
    """The view state is not one that this page has given out."""


class Seal:
    """Seals the state of one portal's pages with a key of its own."""

    def __init__(self, seed: int, portal: str) -> None:
        self._key = blake2b(f"{seed}/{portal}".encode(), digest_size=32).digest()
        self._generator = blake2b(self._key, digest_size=4).hexdigest().upper()

    def fields(self, page: str, **state: str | int) -> dict[str, str]:
        """The hidden fields that carry this state."""
        body = json.dumps({"page": page, **state}, separators=(",", ":")).encode()
        packed = MARK + len(body).to_bytes(2, "big") + body
        sealed = packed + shake_256(self._key + packed).digest(FILLER) + self._mark(packed)
        view = base64.b64encode(sealed).decode()
        return {
            "__EVENTTARGET": "",
            "__EVENTARGUMENT": "",
            "__VIEWSTATE": view,
            "__VIEWSTATEGENERATOR": self._generator,
            "__EVENTVALIDATION": self._validation(view),
        }

    def opened(self, page: str, form: Mapping[str, object]) -> dict[str, str | int]:
        """The state a form carries back to this page."""
        view = str(form.get("__VIEWSTATE", ""))
        if len(view) > MOST_CHARACTERS:
            raise StateRefused("The state information is too long.")
        try:
            sealed = base64.b64decode(view, validate=True)
        except (binascii.Error, ValueError) as error:
            raise StateRefused("The state information is invalid for this page.") from error
        packed, rest = sealed[: -FILLER - 16], sealed[-16:]
        if not packed.startswith(MARK) or not hmac.compare_digest(rest, self._mark(packed)):
            raise StateRefused("The state information is invalid for this page and might be corrupted.")
        if str(form.get("__EVENTVALIDATION", "")) != self._validation(view):
            raise StateRefused("Invalid postback or callback argument.")
        state: dict[str, str | int] = json.loads(packed[5:])
        if state.pop("page") != page:
            raise StateRefused("The state information belongs to another page.")
        return state

    def _mark(self, packed: bytes) -> bytes:
        return blake2b(packed, key=self._key, digest_size=16).digest()

    def _validation(self, view: str) -> str:
        digest = shake_256(self._key + view.encode()).digest(96)
        return base64.b64encode(b"\x16\x00" + digest).decode()

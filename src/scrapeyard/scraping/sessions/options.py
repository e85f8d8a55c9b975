"""What a scraping process is told of sessions."""

from typing import Literal

import msgspec


class SessionOptions(msgspec.Struct, frozen=True):
    """Which sessions are left for other processes: `none`, those of `guests` (no secret was used to open them), or
    `all`."""

    share: Literal["none", "guests", "all"] = "guests"

    def shares(self, *, secret: bool) -> bool:
        """Whether a session may be shared for whose opening a secret was or was not used."""
        return self.share == "all" or (self.share == "guests" and not secret)

"""Whom alerts reach, and by which way. What is secret in an address stands here by reference only."""

from typing import Annotated, Literal

from pydantic import Field

from scrapeyard.settings.proxies import Reference, Url
from scrapeyard.settings.section import Section


class AppriseChannelSettings(Section):
    """A service that the library apprise knows (extra `alerts`): mail, Slack, Teams, Telegram, SNS and many more."""

    kind: Literal["apprise"]
    """`apprise`."""
    url: Reference
    """Its address as apprise writes it (`mailtos://user:password@example.com`), as `secret://NAME`."""


class WebhookChannelSettings(Section):
    """An address of your own, which gets signed JSON."""

    kind: Literal["webhook"]
    """`webhook`."""
    url: Url
    """Where it is sent to."""
    secret: Reference
    """What it is signed with, as `secret://NAME`."""


ChannelSettings = Annotated[AppriseChannelSettings | WebhookChannelSettings, Field(discriminator="kind")]

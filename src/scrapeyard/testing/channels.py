"""What every channel promises: a notice arrives as it is, and what does not arrive is said, without a secret."""

from typing import Protocol

import pytest

from scrapeyard.model.alert import Alarm
from scrapeyard.model.errors import NotSent
from scrapeyard.model.job import JobId
from scrapeyard.ports.notify import Channel, Notice

SECRET = "kept-to-ourselves"  # noqa: S105 - a secret of the tests

_WORDS = "Bills <b>of</b> Łódź: 42 % of 50 items failed."
NOTICE = Notice(
    "n1", "failing", 1_750_000_000.0, "Scrapeyard: 2 alarms", f"{_WORDS}\nhttp://yard/jobs/abc\nA worker is lost.",
    (Alarm("abc", 1_750_000_000.0, _WORDS, JobId("abc")), Alarm("w1", 1_750_000_001.0, "A worker is lost.")),
    ("http://yard/jobs/abc", ""),
)  # fmt: skip


class Reached(Protocol):
    """A channel, and what came out at its other end. With `fails` the other end takes nothing any more."""

    channel: Channel

    def arrived(self) -> list[str]:
        """The texts that arrived, decoded."""
        ...

    def fails(self) -> None:
        """From now on nothing is taken."""
        ...


class ChannelSuite:
    """Behaviour of the `Channel` port. A subclass has a fixture `reached`."""

    async def test_a_notice_arrives_once_with_its_words_and_its_link(self, reached: Reached) -> None:
        await reached.channel.send(NOTICE)
        (text,) = reached.arrived()
        assert _WORDS in text
        assert "A worker is lost." in text
        assert "http://yard/jobs/abc" in text

    async def test_two_notices_are_two(self, reached: Reached) -> None:
        await reached.channel.send(NOTICE)
        await reached.channel.send(NOTICE)
        assert len(reached.arrived()) == 2

    async def test_what_is_not_taken_is_said_without_the_secret(self, reached: Reached) -> None:
        reached.fails()
        with pytest.raises(NotSent) as trouble:
            await reached.channel.send(NOTICE)
        assert SECRET not in str(trouble.value)
        assert str(trouble.value).endswith(".")
        assert reached.arrived() == []

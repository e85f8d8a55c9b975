"""The apprise channel against a real mail server."""

import pytest

from notify.sinks import MailSink
from scrapeyard.backends.apprise.channel import AppriseChannel
from scrapeyard.model.errors import NotSent
from scrapeyard.testing.channels import SECRET, ChannelSuite


class Mail:
    def __init__(self, sink: MailSink, port: int) -> None:
        self._sink = sink
        self.channel = AppriseChannel(
            f"mailto://127.0.0.1:{port}/?from=yard@example.com&to=ops@example.com&name={SECRET}"
        )
        self.arrived = sink.texts

    def fails(self) -> None:
        self._sink.refuses = True


class TestAppriseChannel(ChannelSuite):
    @pytest.fixture
    def reached(self):
        sink = MailSink()
        yield Mail(sink, sink.start())
        sink.stop()

    async def test_an_address_that_is_none_is_said_without_repeating_it(self):
        with pytest.raises(NotSent) as trouble:
            AppriseChannel(f"nonsense://{SECRET}@host")
        assert SECRET not in str(trouble.value)

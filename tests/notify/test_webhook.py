"""The webhook channel against a real web server: signed, guarded, never led elsewhere."""

import asyncio
import json

import pytest

from notify.sinks import HookSink
from scrapeyard.backends.webhook.channel import signature
from scrapeyard.model.errors import NotSent
from scrapeyard.settings import Settings, WebhookChannelSettings
from scrapeyard.testing.channels import NOTICE, SECRET, ChannelSuite
from scrapeyard.testing.clock import VirtualClock
from scrapeyard.wiring.channels import SettingsChannels


class Hook:
    def __init__(self, sink: HookSink, channels: SettingsChannels) -> None:
        self.sink = sink
        self.channels = channels
        self.channel = self

    async def send(self, notice) -> None:
        await self.channels.send("hook", notice)

    async def close(self) -> None:
        await self.channels.close()

    def arrived(self) -> list[str]:
        return [json.dumps(json.loads(body), ensure_ascii=False) for _, body in self.sink.got]

    def fails(self) -> None:
        self.sink.status = 500


def settings(url, **more):
    return Settings(channels={"hook": WebhookChannelSettings(kind="webhook", url=url, secret="secret://hook")}, **more)


class TestWebhookChannel(ChannelSuite):
    @pytest.fixture
    async def reached(self, monkeypatch):
        monkeypatch.setenv("SCRAPEYARD_SECRET_HOOK", SECRET)
        sink = HookSink()
        port = await sink.start()
        allowed = settings(f"http://127.0.0.1:{port}/hook", http={"allow": [f"127.0.0.1:{port}"]})
        hook = Hook(sink, SettingsChannels(allowed, VirtualClock()))
        yield hook
        await hook.close()
        await sink.stop()

    async def test_the_signature_covers_the_time_and_the_body(self, reached):
        await reached.send(NOTICE)
        headers, body = reached.sink.got[0]
        stamp = headers["Scrapeyard-Timestamp"]
        assert headers["Scrapeyard-Signature"] == signature(SECRET, stamp, body)
        assert headers["Scrapeyard-Signature"] != signature(SECRET, str(int(stamp) + 1), body)
        assert headers["Scrapeyard-Id"] == json.loads(body)["id"] == "n1"
        assert [alarm["link"] for alarm in json.loads(body)["alarms"]] == ["http://yard/jobs/abc", None]

    @pytest.mark.parametrize(("status", "final"), [(302, False), (404, True), (410, True), (429, False), (503, False)])
    async def test_whether_trying_again_may_help_is_told_by_the_answer(self, reached, status, final):
        reached.sink.status = status
        with pytest.raises(NotSent, match=str(status)) as trouble:
            await reached.send(NOTICE)
        assert trouble.value.final is final
        assert reached.sink.got == []

    @pytest.mark.parametrize("place", ["127.0.0.1:{port}", "localhost:{port}", "[::ffff:127.0.0.1]:{port}"])
    async def test_our_own_machine_is_reached_only_where_the_settings_say_so(self, reached, place):
        port = reached.channels._settings.channels["hook"].url.split(":")[2].split("/")[0]
        strict = SettingsChannels(settings(f"http://{place.format(port=port)}/x", http={"allow": []}), VirtualClock())
        with pytest.raises(NotSent, match="this machine"):
            await strict.send("hook", NOTICE)
        assert reached.sink.got == []
        await strict.close()

    async def test_the_credentials_of_a_cloud_are_never_reached(self, monkeypatch):
        monkeypatch.setenv("SCRAPEYARD_SECRET_HOOK", SECRET)
        channels = SettingsChannels(
            settings("http://169.254.169.254/latest", http={"allow": ["169.254.0.0/16"]}), VirtualClock()
        )
        with pytest.raises(NotSent):
            async with asyncio.timeout(30):
                await channels.send("hook", NOTICE)
        await channels.close()

    async def test_a_channel_whose_secret_is_missing_says_where_it_was_looked_for(self):
        channels = SettingsChannels(settings("https://hooks.example/x"), VirtualClock())
        with pytest.raises(NotSent, match="SCRAPEYARD_SECRET_HOOK"):
            await channels.send("hook", NOTICE)
        with pytest.raises(NotSent, match="no channel 'pager'"):
            await channels.send("pager", NOTICE)
        await channels.close()

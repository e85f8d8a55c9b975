"""Real receivers on free ports: of mail, and of webhooks."""

import email
import email.policy
from email.message import EmailMessage
from typing import Any

from aiohttp import web
from aiosmtpd.controller import Controller

from scrapeyard.testing.servers.process import free_port


class MailSink:
    """An SMTP server that keeps what it gets."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refuses = False
        self._server = Controller(self, hostname="127.0.0.1", port=free_port())

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 - its name there
        if self.refuses:
            return "554 No"
        self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        return "250 OK"

    def start(self) -> int:
        """Its port."""
        self._server.start()
        return self._server.port

    def stop(self) -> None:
        self._server.stop()

    def texts(self) -> list[str]:
        found = []
        for mail in self.mails:
            body = mail.get_body(("plain",))
            assert body is not None
            found.append(f"{mail['Subject']}\n{body.get_content()}")
        return found


class HookSink:
    """A web server that keeps what it gets, and answers with `status`."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status = 200
        self._runner: web.AppRunner | None = None

    async def start(self) -> int:
        """Its port."""
        app = web.Application()
        app.router.add_post("/{path:.*}", self._take)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return self._runner.addresses[0][1]

    async def stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _take(self, request: web.Request) -> web.Response:
        body = await request.read()
        if self.status == 200:
            self.got.append((dict(request.headers), body))
        headers = {"Location": "/elsewhere"} if self.status == 302 else {}
        return web.Response(status=self.status, headers=headers)

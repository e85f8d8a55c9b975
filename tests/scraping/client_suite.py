"""What `Http` relies on in a client, run against real servers on loopback. Each adapter subclasses this.

The clients are deliberately dull: they follow nothing, keep nothing and unpack nothing. Every foreign error must come
out as the kind it stands for.
"""

import asyncio
import base64
import gzip
import socket
import struct
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from scrapeyard.model.errors import VisitError
from scrapeyard.model.failures import Kind
from scrapeyard.ports.proxies import Proxy
from scrapeyard.scraping.egress import Egress
from scrapeyard.scraping.http.client import Client, Limits, Reply, Request, Timeouts
from scrapeyard.scraping.http.names import Lookup
from scraping.servers import Asked, Certificates, Writer, always, answer, chunked, http2, proxy, serving, socks5

HERE = Egress(allow=("127.0.0.0/8",))
QUICK = Timeouts(connect=0.5, idle=0.5, total=2.0)
"""For what is to run into them."""
PATIENT = Timeouts(connect=30.0, idle=30.0, total=60.0)
"""For what is to go well, on a machine however busy."""


class ClientSuite:
    """Subclass, set `make`, and say what the adapter cannot do."""

    speaks_http2 = True
    speaks_socks = True

    def make(
        self,
        *,
        timeouts: Timeouts = PATIENT,
        limits: Limits | None = None,
        egress: Egress = HERE,
        trust: Path | None = None,
        lookup: Lookup | None = None,
    ) -> Client:
        raise NotImplementedError

    @asynccontextmanager
    async def client(self, **options: object) -> AsyncGenerator[Client]:
        client = self.make(**options)  # pyright: ignore[reportArgumentType] - handed through as they are
        try:
            yield client
        finally:
            await client.close()

    async def fails(
        self, url: str, kind: Kind, *, whole: bool = False, timeouts: Timeouts = PATIENT, **options: object
    ) -> VisitError:
        async with self.client(timeouts=timeouts, **options) as client:
            with pytest.raises(VisitError) as raised:
                await fetched(client, url, whole=whole, timeouts=timeouts)
        assert raised.value.failure is kind, raised.value
        assert url.split("/")[2].partition(":")[0] in str(raised.value)
        return raised.value

    async def test_an_answer_comes_back_as_it_was_sent(self) -> None:
        raw = b"HTTP/1.1 203 Maybe\r\nContent-Length: 5\r\nX-One: a\r\nX-One: b\r\nX-Latin: caf\xe9\r\n\r\nhello"
        async with serving(always(raw)) as server, self.client() as client:
            reply = await client.send(asking(server.url("/a?b=c")))
            assert (reply.status, reply.length) == (203, 5)
            assert [line for line in reply.headers if line[0].startswith("x-")] == [
                ("x-one", "a"),
                ("x-one", "b"),
                ("x-latin", "caf\xe9"),
            ]
            assert await reply.whole() == b"hello"

    async def test_a_request_goes_out_as_it_was_given_and_with_nothing_added(self) -> None:
        async with serving(always(answer())) as server, self.client() as client:
            headers = {"content-type": "text/plain", "x-one": "caf\xe9", "cookie": "a=b"}
            reply = await client.send(Request("POST", server.url("/p?q=%20"), headers, b"body"))
            await reply.whole()
        asked = server.asked[0]
        assert (asked.method, asked.target, asked.body) == ("POST", "/p?q=%20", b"body")
        assert {name for name, _ in asked.lines} == {"host", "content-length", "content-type", "x-one", "cookie"}

    async def test_nothing_is_followed_and_no_cookie_is_kept(self) -> None:
        moved = answer(b"", "302 Found", location="/there", set_cookie="a=b; Path=/")
        async with serving(always(moved)) as server, self.client() as client:
            for _ in range(2):
                reply = await client.send(asking(server.url()))
                assert reply.status == 302
                await reply.whole()
        assert [asked.target for asked in server.asked] == ["/", "/"]
        assert all("cookie" not in asked.headers for asked in server.asked)

    async def test_bodies_stay_encoded(self) -> None:
        packed = gzip.compress(b"hello" * 100)
        async with serving(always(answer(packed, content_encoding="gzip"))) as server, self.client() as client:
            reply = await client.send(asking(server.url()))
            assert await reply.whole() == packed
            reply = await client.send(asking(server.url()))
            assert b"".join([piece async for piece in reply.chunks()]) == packed

    async def test_a_body_without_a_length_comes_in_pieces(self) -> None:
        async with serving(always(chunked(b"one", b"two"))) as server, self.client() as client:
            reply = await client.send(asking(server.url()))
            assert reply.length is None
            assert b"".join([piece async for piece in reply.chunks()]) == b"onetwo"

    async def test_a_connection_is_used_again(self) -> None:
        async with serving(always(answer())) as server, self.client() as client:
            for _ in range(5):
                await (await client.send(asking(server.url()))).whole()
            assert server.connections == 1

    async def test_many_requests_at_once_are_not_held_up(self) -> None:
        everybody = asyncio.Barrier(50)

        async def slow(asked: Asked, writer: Writer) -> None:
            await everybody.wait()  # nobody is answered before all have asked
            writer.write(answer())

        async with serving(slow) as server, self.client() as client:

            async def one() -> bytes:
                return await (await client.send(asking(server.url()))).whole()

            assert await asyncio.gather(*[one() for _ in range(50)]) == [b"hello"] * 50

    async def test_a_closed_port_is_a_broken_connection(self) -> None:
        await self.fails(f"http://127.0.0.1:{closed_port()}/", Kind.CONN_RESET)

    async def test_a_reset_is_a_broken_connection(self) -> None:
        async def reset(asked: Asked, writer: Writer) -> None:
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.close()

        async with serving(reset) as server:
            await self.fails(server.url(), Kind.CONN_RESET)

    async def test_a_full_backlog_is_a_connect_timeout(self) -> None:
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(0)
            crowd = [socket.socket() for _ in range(4)]
            for one in crowd:
                one.setblocking(False)
                one.connect_ex(listener.getsockname())
            await asyncio.sleep(0.05)
            await self.fails(f"http://127.0.0.1:{listener.getsockname()[1]}/", Kind.TIMEOUT_CONNECT, timeouts=QUICK)
            for one in crowd:
                one.close()

    async def test_a_silent_server_is_a_read_timeout(self) -> None:
        async def silent(asked: Asked, writer: Writer) -> None:
            await asyncio.sleep(5)

        async with serving(silent) as server:
            await self.fails(server.url(), Kind.TIMEOUT_READ, timeouts=QUICK)

    async def test_a_body_that_stands_still_is_a_read_timeout(self) -> None:
        async def half(asked: Asked, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf")
            await writer.drain()
            await asyncio.sleep(5)

        async with serving(half) as server:
            await self.fails(server.url(), Kind.TIMEOUT_READ, whole=True, timeouts=QUICK)

    async def test_a_body_that_only_drips_ends_at_the_total_timeout(self) -> None:
        async def drip(asked: Asked, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            while not writer.is_closing():
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.1)

        async with serving(drip) as server, asyncio.timeout(5):
            await self.fails(server.url(), Kind.TIMEOUT_READ, whole=True, timeouts=QUICK)

    @pytest.mark.parametrize("whole", [True, False])
    async def test_a_body_cut_short_is_a_broken_connection(self, whole: bool) -> None:
        cut = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf"
        async with serving(always(cut, then_close=True)) as server, self.client() as client:
            reply = await client.send(asking(server.url()))
            with pytest.raises(VisitError) as raised:
                await (reply.whole() if whole else drained(reply))
            assert raised.value.failure is Kind.CONN_RESET

    async def test_a_chunked_body_cut_short_is_a_broken_connection(self) -> None:
        cut = chunked(b"one")[:-5]
        async with serving(always(cut, then_close=True)) as server:
            await self.fails(server.url(), Kind.CONN_RESET, whole=True)

    @pytest.mark.parametrize(
        "raw", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n"]
    )
    async def test_what_is_no_http_is_a_bad_body(self, raw: bytes) -> None:
        async with serving(always(raw, then_close=True)) as server:
            await self.fails(server.url(), Kind.BAD_BODY)

    async def test_chunks_that_make_no_sense_are_a_failure_of_the_body(self) -> None:
        raw = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n"
        async with serving(always(raw, then_close=True)) as server, self.client() as client:
            with pytest.raises(VisitError) as raised:
                async for _ in (await client.send(asking(server.url()))).chunks():
                    pass
            assert raised.value.failure in (Kind.BAD_BODY, Kind.CONN_RESET)

    @pytest.mark.parametrize(
        "lines", [b"a: " + b"x" * 200_000 + b"\r\n", b"".join(b"h%d: x\r\n" % at for at in range(2_000))]
    )
    async def test_a_flood_of_headers_is_too_large(self, lines: bytes) -> None:
        raw = b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n"
        async with serving(always(raw, then_close=True)) as server:
            await self.fails(server.url(), Kind.TOO_LARGE)

    async def test_a_name_that_nobody_has_is_dns(self) -> None:
        await self.fails("http://nobody.invalid/", Kind.DNS)

    async def test_an_unknown_certificate_is_a_tls_error(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        async with serving(always(answer()), certificates.context()) as server:
            await self.fails(server.url(), Kind.TLS_ERROR)

    async def test_a_certificate_of_another_name_is_a_tls_error(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        async with serving(always(answer()), certificates.context()) as server:
            url = server.url(host="other.example")
            await self.fails(url, Kind.TLS_ERROR, trust=certificates.trust, lookup=saying("127.0.0.1"))

    async def test_plain_http_where_tls_was_expected_is_a_tls_error(self) -> None:
        async def greet(reader: asyncio.StreamReader, writer: Writer) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await reader.read(1)
            writer.close()

        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            await self.fails(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/", Kind.TLS_ERROR)

    async def test_an_own_authority_is_trusted(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        async with serving(always(answer()), certificates.context()) as server:
            options = {"trust": certificates.trust, "lookup": saying("127.0.0.1")}
            async with self.client(**options) as client:
                for host in ("127.0.0.1", "site.example"):
                    reply = await client.send(asking(server.url(host=host)))
                    assert await reply.whole() == b"hello"

    async def test_http2_is_spoken_where_the_client_can(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        body = b"x" * 300_000
        async with http2(certificates, body) as server, self.client(trust=certificates.trust) as client:
            reply = await client.send(asking(server.url()))
            assert await reply.whole() == body
            assert dict(reply.headers)["spoken"] == ("2" if self.speaks_http2 else "1.1")

    async def test_a_proxy_is_chosen_per_request(self) -> None:
        async with serving(always(answer())) as server, proxy() as first, proxy() as second, self.client() as client:
            for through in (first, None, second, first):
                reply = await client.send(asking(server.url(), through.url("") if through else None))
                assert await reply.whole() == b"hello"
            assert (len(first.asked), len(second.asked)) == (1, 1)  # a tunnel carries the later requests unseen
            assert (server.connections, len(server.asked)) == (3, 4)

    async def test_a_proxy_gets_its_credentials_and_the_site_does_not(self) -> None:
        async with serving(always(answer())) as server, proxy("us er", "pa:ss@1") as way, self.client() as client:
            address = f"http://us%20er:pa%3Ass%401@127.0.0.1:{way.port}"
            assert (await client.send(asking(server.url(), address))).status == 200
            assert all(not name.startswith("proxy") for name, _ in server.asked[0].lines)
            wrong = f"http://us%20er:wrong@127.0.0.1:{way.port}"
            assert (await client.send(asking(server.url(), wrong))).status == 407

    async def test_tls_goes_through_a_proxy_untouched(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        async with (
            serving(always(answer()), certificates.context()) as server,
            proxy("a", "b") as way,
            self.client(trust=certificates.trust) as client,
        ):
            reply = await client.send(asking(server.url(), f"http://a:b@127.0.0.1:{way.port}"))
            assert await reply.whole() == b"hello"
            assert [asked.method for asked in way.asked] == ["CONNECT"]
            with pytest.raises(VisitError) as raised:
                await client.send(asking(server.url(), f"http://a:c@127.0.0.1:{way.port}"))
            assert raised.value.failure is Kind.PROXY_AUTH
            assert "user name or password" in str(raised.value)
            assert server.connections == 1

    @pytest.mark.parametrize(
        ("status", "headers", "kind"),
        [
            ("407 Proxy Authentication Required", {}, Kind.PROXY_AUTH),
            ("407 Auth", {"x_brd_err_code": "client_10010", "x_brd_err_msg": "zone off"}, Kind.PROXY_AUTH),
            ("400 Bad", {"proxy_status": 'b; error=proxy_error; details="client_10060: ip"'}, Kind.PROXY_AUTH),
            ("403 Forbidden", {"x_luminati_error": "policy_20050 no entry"}, Kind.DENIED),
            ("402 Payment Required", {}, Kind.PROXY_EXHAUSTED),
            ("429 Too Many Requests", {"x_brd_error": "zone limit"}, Kind.PROXY_EXHAUSTED),
            ("502 Bad Gateway", {"x_brd_err_code": "no_peers"}, Kind.PROXY_EXHAUSTED),
            ("502 Bad Gateway", {"x_brd_err_code": "peer_30010"}, Kind.PROXY_ERROR),
            ("502 Bad Gateway", {"x_brd_err_code": "target_40001"}, Kind.CONN_RESET),
            ("502 Bad Gateway", {"proxy_status": "gate; error=dns_error"}, Kind.DNS),
            ("502 Bad Gateway", {}, Kind.PROXY_ERROR),
        ],
    )  # fmt: skip
    async def test_a_refused_tunnel_is_told_in_the_proxys_own_words(
        self, status: str, headers: dict[str, str], kind: Kind
    ) -> None:
        refusing = always(answer(b"no", status, **headers), then_close=True)
        async with serving(refusing) as way, self.client() as client:
            with pytest.raises(VisitError) as raised:
                await client.send(asking("https://only.proxy.knows/", f"http://us%20er:word@127.0.0.1:{way.port}"))
            assert raised.value.failure is kind, raised.value
            assert "word@" not in str(raised.value)
            sent = {asked.headers["proxy-authorization"] for asked in way.asked}
            assert sent == {"Basic " + base64.b64encode(b"us er:word").decode()}
            assert {asked.target for asked in way.asked} == {"only.proxy.knows:443"}

    async def test_an_authority_of_a_proxy_is_believed_behind_that_proxy_only(self, tmp_path: Path) -> None:
        own = Certificates(tmp_path)
        async with serving(always(answer()), own.context()) as server, proxy() as way, self.client() as client:
            trusted = Request("GET", server.url(), {}, proxy=Proxy("p", way.url(""), str(own.trust)))
            assert await (await client.send(trusted)).whole() == b"hello"
            for request in (asking(server.url(), way.url("")), asking(server.url())):
                with pytest.raises(VisitError) as raised:
                    await client.send(request)
                assert raised.value.failure is Kind.TLS_ERROR

    async def test_a_proxy_may_itself_speak_tls(self, tmp_path: Path) -> None:
        certificates = Certificates(tmp_path)
        async with (
            serving(always(answer())) as server,
            proxy("a", "b", certificates.context()) as way,
            self.client(trust=certificates.trust) as client,
        ):
            reply = await client.send(asking(server.url(), f"https://a:b@127.0.0.1:{way.port}"))
            assert await reply.whole() == b"hello"

    async def test_a_proxy_resolves_names_itself(self) -> None:
        async def never(host: str) -> Sequence[str]:
            raise AssertionError(host)

        async with serving(always(answer())) as server, proxy() as way, self.client(lookup=never) as client:
            reply = await client.send(asking(server.url(host="only.proxy.knows"), way.url("")))
            assert await reply.whole() == b"hello"

    async def test_a_proxy_that_is_gone_is_a_proxy_error(self) -> None:
        async with serving(always(answer())) as server, self.client() as client:
            with pytest.raises(VisitError) as raised:
                await client.send(asking(server.url(), f"http://u:secret@127.0.0.1:{closed_port()}"))
            assert raised.value.failure is Kind.PROXY_ERROR
            assert "secret" not in str(raised.value)
            assert server.asked == []

    async def test_a_proxy_address_that_is_none_is_a_proxy_error(self) -> None:
        async with self.client() as client:
            with pytest.raises(VisitError) as raised:
                await client.send(asking("http://127.0.0.1:1/", "nonsense://x:y:z"))
            assert raised.value.failure is Kind.PROXY_ERROR

    async def test_socks5_works_with_credentials_or_is_refused_in_words(self) -> None:
        async with serving(always(answer())) as server, socks5("a", "b") as way, self.client() as client:
            good, bad = (f"socks5h://a:{word}@127.0.0.1:{way.port}" for word in "bc")
            if self.speaks_socks:
                reply = await client.send(asking(server.url(host="only.proxy.knows"), good))
                assert await reply.whole() == b"hello"
                assert way.asked[0].body == b"only.proxy.knows"
            with pytest.raises(VisitError) as raised:
                await client.send(asking(server.url(), bad if self.speaks_socks else good))
            assert raised.value.failure is (Kind.PROXY_AUTH if self.speaks_socks else Kind.NO_PROXY)
            assert len(server.asked) == int(self.speaks_socks)

    async def test_a_name_is_judged_by_what_it_resolves_to(self) -> None:
        async with serving(always(answer())) as server:
            url = server.url(host="harmless.example")
            for number in (
                "169.254.169.254",
                "fd00:ec2::254",
                "::ffff:169.254.169.254",
                "0.0.0.0",
                "64:ff9b::a9fe:a9fe",
            ):
                error = await refused(self, url, number, HERE)
                assert "harmless.example" in str(error)
            for number in ("127.0.0.1", "10.0.0.1", "::1", "192.168.1.1", "fc00::1", "100.64.0.1"):
                await refused(self, url, number, Egress())
            assert server.connections == 0

    async def test_only_the_addresses_that_passed_are_connected_to(self) -> None:
        async with serving(always(answer())) as server:
            mixed = saying("169.254.169.254", "127.0.0.1")
            async with self.client(lookup=mixed) as client:
                reply = await client.send(asking(server.url(host="mixed.example")))
                assert await reply.whole() == b"hello"

    async def test_a_name_that_turns_between_two_lookups_is_judged_each_time(self) -> None:
        turns = [["127.0.0.1"], ["169.254.169.254"]]

        async def turning(host: str) -> Sequence[str]:
            return turns.pop(0)

        closing = always(answer(connection="close"), then_close=True)
        async with serving(closing) as server, self.client(lookup=turning) as client:
            for _ in range(3):  # within a minute the judged answer holds, whatever the name says meanwhile
                reply = await client.send(asking(server.url(host="turning.example")))
                assert await reply.whole() == b"hello"
            assert len(turns) == 1

    async def test_the_host_header_is_the_name(self) -> None:
        async with serving(always(answer())) as server, self.client(lookup=saying("127.0.0.1")) as client:
            await (await client.send(asking(server.url(host="named.example")))).whole()
            assert server.asked[0].headers["host"] == f"named.example:{server.port}"

    async def test_closing_an_answer_leaves_the_client_usable(self) -> None:
        async with serving(always(answer(b"x" * 2_000_000))) as server, self.client() as client:
            for _ in range(3):
                reply = await client.send(asking(server.url()))
                await reply.close()
            assert len(await (await client.send(asking(server.url()))).whole()) == 2_000_000


async def refused(suite: ClientSuite, url: str, number: str, egress: Egress) -> VisitError:
    async with suite.client(lookup=saying(number), egress=egress) as client:
        with pytest.raises(VisitError) as raised:
            await client.send(asking(url))
    assert raised.value.failure is Kind.DENIED, number
    return raised.value


async def fetched(client: Client, url: str, *, whole: bool, timeouts: Timeouts) -> None:
    reply = await client.send(asking(url, timeouts=timeouts))
    if whole:
        await drained(reply)


async def drained(reply: Reply) -> bytes:
    return b"".join([piece async for piece in reply.chunks()])


def asking(url: str, through: str | None = None, *, timeouts: Timeouts = PATIENT) -> Request:
    return Request("GET", url, {}, None, Proxy("p", through) if through else None, timeouts.total, timeouts.idle)


def saying(*numbers: str) -> Lookup:
    async def lookup(host: str) -> Sequence[str]:
        return numbers

    return lookup


def closed_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]

"""Real servers are started on free ports, may crash and come back, and leave nothing behind."""

import socket
import sys

import pytest

from scrapeyard.model.errors import Refused
from scrapeyard.testing.servers.dynamodb import DynamoServer
from scrapeyard.testing.servers.postgres import PostgresServer
from scrapeyard.testing.servers.process import ServerProcess, free_port
from scrapeyard.testing.servers.redis import RedisServer
from scrapeyard.testing.servers.seaweed import SeaweedServer


@pytest.mark.parametrize("kind", [PostgresServer, RedisServer])
def test_a_server_answers_comes_back_after_a_crash_and_leaves_nothing_behind(kind: type[ServerProcess]) -> None:
    with kind() as server:
        assert server.ready()
        server.stop()
        assert not server.ready()
        server.start()
        assert server.ready()
    assert not server.ready()
    assert not server.folder.exists()


def test_no_two_fresh_addresses_are_the_same() -> None:
    for server in (PostgresServer(), RedisServer(), SeaweedServer(), DynamoServer()):
        assert len({server.fresh() for _ in range(5)}) == 5
        server.close()


class Failing(ServerProcess):
    name = "failing"

    def command(self) -> list[str]:
        return [sys.executable, "-c", "print('no room left'); raise SystemExit(3)"]


def test_a_server_that_does_not_start_says_why() -> None:
    with pytest.raises(Refused, match=r"failing does not start on port .*\nno room left"), Failing():
        pass


def test_a_port_that_somebody_took_meanwhile_is_exchanged_for_another() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        server = RedisServer()
        server.port = taken.getsockname()[1]
        with server:
            assert server.port != taken.getsockname()[1]

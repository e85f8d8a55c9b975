"""House rules for the whole suite: a skipped test is a failed run, and so is one that leaves tasks behind.

And the servers that tests share: each is started when the first test asks for it.
"""

import os
from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

os.environ["SCRAPEYARD_HTTP__ALLOW"] = '["127.0.0.0/8", "::1"]'  # the sites of all tests are on this machine

pytest.register_assert_rewrite("scrapeyard.testing")  # so that a shipped suite that fails shows the values


from scrapeyard.testing.servers.dynamodb import DynamoServer  # noqa: E402 - after the line above
from scrapeyard.testing.servers.ministack import SqsServer  # noqa: E402
from scrapeyard.testing.servers.postgres import PostgresServer  # noqa: E402
from scrapeyard.testing.servers.redis import RedisServer  # noqa: E402
from scrapeyard.testing.servers.seaweed import SeaweedServer  # noqa: E402


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One PostgreSQL for the whole run; each test takes a fresh schema of it."""
    with PostgresServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """One Redis for the whole run; each test takes a fresh prefix of it."""
    with RedisServer() as server:
        yield server


@pytest.fixture(scope="session")
def seaweed() -> Iterator[SeaweedServer]:
    """One S3 server for the whole run; each test takes a fresh prefix of it."""
    with SeaweedServer() as server:
        yield server


@pytest.fixture(scope="session")
def dynamodb_server() -> Iterator[DynamoServer]:
    """One DynamoDB for the whole run; each test takes a fresh table of it."""
    with DynamoServer() as server:
        yield server


@pytest.fixture
def dynamodb(dynamodb_server: DynamoServer, monkeypatch: pytest.MonkeyPatch) -> DynamoServer:
    """The same, with leave to use it in the environment."""
    for name, value in dynamodb_server.env.items():
        monkeypatch.setenv(name, value)
    return dynamodb_server


@pytest.fixture(scope="session")
def sqs_server() -> Iterator[SqsServer]:
    """One SQS for the whole run; each test takes a fresh prefix of it."""
    with SqsServer() as server:
        yield server


@pytest.fixture
def sqs(sqs_server: SqsServer, monkeypatch: pytest.MonkeyPatch) -> SqsServer:
    """The same, with leave to use it in the environment."""
    for name, value in sqs_server.env.items():
        monkeypatch.setenv(name, value)
    return sqs_server


@pytest.fixture
def s3(seaweed: SeaweedServer, monkeypatch: pytest.MonkeyPatch) -> SeaweedServer:
    """The same, with leave to use it in the environment."""
    for name, value in seaweed.env.items():
        monkeypatch.setenv(name, value)
    return seaweed


_LONG = ("chaos", "demo", "cli")
"""Parts whose files take minutes: begun first, so that no process is still at one when the other has nothing left."""
_SECONDS: defaultdict[str, float] = defaultdict(float)

# How long an example takes, or its making, is the machine's affair. The ordinary run tries the same examples every
# time, so that it judges a change and not the day's luck; the soak looks for new ones.
settings.register_profile(
    "house",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=not os.environ.get("SCRAPEYARD_SOAK"),
)
settings.load_profile("house")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if " at 0x" in item.nodeid:  # processes that share the tests must all call them the same
            raise pytest.UsageError(f"{item.nodeid} is called otherwise in every process: give its parameters ids.")
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: _part(item.nodeid) not in _LONG)


def _part(nodeid: str) -> str:
    return nodeid.partition("/")[2].partition("/")[0]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _SECONDS[_part(report.nodeid)] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Where the time went, so that a part that grows slow is seen before the whole is."""
    if len(_SECONDS) > 1:
        told = ", ".join(
            f"{part} {seconds / 60:.1f}"
            for seconds, part in sorted(((s, p) for p, s in _SECONDS.items()), reverse=True)
        )
        terminalreporter.write_line(f"minutes by part: {told}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if reporter and skipped and exitstatus == 0:
        reporter.write_line(f"{len(skipped)} skipped: a test that needs a missing part must install it", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

"""Requests to AWS are signed as AWS wants them, and "slow down" is obeyed and reaches nobody."""

import aiohttp
import aiohttp.web
import pytest

from scrapeyard.backends.aws import client
from scrapeyard.backends.aws.client import Service
from scrapeyard.backends.aws.credentials import Credentials, Identity
from scrapeyard.backends.aws.signing import signed
from scrapeyard.backends.aws.trouble import Refusal
from scrapeyard.model.errors import StorageError

SLOW_DOWN = Refusal(400, "ProvisionedThroughputExceededException", "The level of configured throughput is exceeded", {})


def test_a_request_is_signed_as_in_the_example_of_aws():
    """`post-vanilla` of the test suite for signature version 4."""
    key = Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    headers = signed(key, ("us-east-1", "service"), "https://example.amazonaws.com/", b"", {}, 1440938160.0)
    assert headers["x-amz-date"] == "20150830T123600Z"
    assert headers["authorization"].endswith(
        "SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    )


@pytest.fixture
async def service(monkeypatch):
    opened = Service("http://127.0.0.1:9", "DynamoDB_20120810", ("us-east-1", "dynamodb"), patience=0.2)
    monkeypatch.setattr(client, "_FIRST_PAUSE", 0.001)
    yield opened
    await opened.close()


def answering(service, monkeypatch, *answers):
    left = list(answers)

    async def once(action, body):
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(service, "_once", once)
    return left


@pytest.mark.parametrize(
    "trouble", [SLOW_DOWN, Refusal(503, "HTTP 503", "", {}), aiohttp.ClientOSError(), TimeoutError()]
)
async def test_passing_trouble_is_met_by_waiting(service, monkeypatch, trouble):
    answering(service, monkeypatch, trouble, trouble, trouble, {"fine": True})
    assert await service.call("GetItem", {}) == {"fine": True}


async def test_trouble_that_stays_is_our_storages_and_may_pass_later(service, monkeypatch):
    answering(service, monkeypatch, SLOW_DOWN)
    with pytest.raises(StorageError, match="asks us to slow down") as trouble:
        await service.call("GetItem", {})
    assert not trouble.value.final


async def test_a_condition_that_does_not_hold_is_the_callers_to_judge(service, monkeypatch):
    answering(service, monkeypatch, Refusal(400, "ConditionalCheckFailedException", "", {}))
    with pytest.raises(Refusal):
        await service.call("PutItem", {})


def test_an_answer_that_is_not_of_aws_is_understood_all_the_same():
    assert Refusal.read(502, b"<html>Bad Gateway</html>").code == "HTTP 502"
    told = Refusal.read(400, b'{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"x"}')
    assert told.code == "ThrottlingException"


async def test_without_credentials_it_is_said_where_they_come_from():
    async with aiohttp.ClientSession() as session:
        with pytest.raises(StorageError, match="set AWS_ACCESS_KEY_ID") as trouble:
            await Identity({"AWS_EC2_METADATA_DISABLED": "true"}).credentials(session)
    assert trouble.value.final


async def test_the_role_of_a_task_is_asked_for_and_kept(aiohttp_role):
    address, asked = aiohttp_role
    identity = Identity({"AWS_CONTAINER_CREDENTIALS_FULL_URI": address, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t0ken"})
    async with aiohttp.ClientSession() as session:
        first = await identity.credentials(session)
        assert await identity.credentials(session) is first
    assert (first.key, first.secret, first.token) == ("AKID", "secret", "session")
    assert asked == ["t0ken"]


@pytest.fixture
async def aiohttp_role():
    """What a container is told of its role."""
    asked = []

    async def tell(request):
        asked.append(request.headers.get("Authorization"))
        role = {"AccessKeyId": "AKID", "SecretAccessKey": "secret", "Token": "session"}
        return aiohttp.web.json_response(role | {"Expiration": "2999-01-01T00:00:00Z"})

    app = aiohttp.web.Application()
    app.router.add_get("/role", tell)
    runner = aiohttp.web.AppRunner(app)
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/role", asked
    await runner.cleanup()

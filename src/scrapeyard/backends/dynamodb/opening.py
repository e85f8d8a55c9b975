"""From an address to a table: `dynamodb://eu-west-1/scrapeyard?endpoint=http://host:port`.

Everything of one deployment lies in one table, which is made when it is not there. Credentials never stand in an
address; they come from the environment or from the role of the container or machine.
"""

import asyncio
import re
from urllib.parse import parse_qsl, urlsplit

from scrapeyard.backends.aws.client import Json, Service
from scrapeyard.backends.aws.trouble import Refusal, in_our_words
from scrapeyard.backends.dynamodb.table import EXPIRES, TROUBLE, Table
from scrapeyard.model.errors import Refused, StorageError

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")
_TABLE = re.compile(r"[A-Za-z0-9_.-]{3,255}")
_PATIENCE = 120
DEFINITION: Json = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": kind}
        for name, kind in (("p", "S"), ("s", "B"), ("tp", "S"), ("n", "N"))
    ],
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": TROUBLE,
            "KeySchema": [{"AttributeName": "tp", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["tk"]},
        }
    ],
}


def table_at(address: str) -> Table:
    """The table of this address; nothing is sent yet."""
    parts = urlsplit(address)
    options = dict(parse_qsl(parts.query))
    name = parts.path.strip("/")
    if not _REGION.fullmatch(parts.netloc) or not _TABLE.fullmatch(name) or options.keys() - {"endpoint"}:
        raise Refused(
            f"dynamodb://{parts.netloc.rpartition('@')[2]}{parts.path} is no address of a table: write "
            "dynamodb://region/table, such as dynamodb://eu-west-1/scrapeyard; credentials are taken from the "
            "environment (AWS_ACCESS_KEY_ID …) or from the role."
        )
    endpoint = options.get("endpoint", f"https://dynamodb.{parts.netloc}.amazonaws.com")
    return Table(Service(endpoint, "DynamoDB_20120810", (parts.netloc, "dynamodb")), name)


async def open_table(address: str) -> Table:
    """The table of this address, made if it is not there, and ready."""
    table = table_at(address)
    try:
        await _ready(table)
    except BaseException:
        await table.close()
        raise
    return table


async def _ready(table: Table) -> None:
    made = False
    for _ in range(_PATIENCE):
        state = await _state(table)
        if state == "ACTIVE":
            if made:
                await _let_expire(table)
            return
        if state is None:
            made = await _make(table)
            continue
        await asyncio.sleep(1)
    raise StorageError(f"The table {table.name} does not become ready: look at it in the console.")


async def _state(table: Table) -> str | None:
    try:
        answer = await table.service.call("DescribeTable", {"TableName": table.name})
    except Refusal as refusal:
        if refusal.code == "ResourceNotFoundException":
            return None
        raise in_our_words(refusal, table.service.endpoint) from refusal
    return str(answer["Table"]["TableStatus"])


async def _make(table: Table) -> bool:
    """Whether it was us who made it."""
    try:
        await table.service.call("CreateTable", {"TableName": table.name, **DEFINITION})
    except Refusal as refusal:
        if refusal.code != "ResourceInUseException":  # somebody else makes it at this moment
            raise in_our_words(refusal, table.service.endpoint) from refusal
        return False
    return True


async def _let_expire(table: Table) -> None:
    await table.call("UpdateTimeToLive", {"TimeToLiveSpecification": {"AttributeName": EXPIRES, "Enabled": True}})

"""Several rows changed together or not at all, at twice the price; so only where it is rare."""

import secrets
from collections.abc import Sequence

from scrapeyard.backends.aws.client import Json
from scrapeyard.backends.aws.trouble import Refusal, in_our_words, reasons
from scrapeyard.backends.dynamodb.table import Key, Table, conditioned, wire_key
from scrapeyard.backends.dynamodb.values import Row, to_wires


def putting(table: Table, row: Row, condition: str = "", **values: object) -> Json:
    """To put a row, as one of several actions."""
    return {"Put": conditioned({"TableName": table.name, "Item": to_wires(row)}, condition, values)}


def updating(table: Table, key: Key, change: str, condition: str, **values: object) -> Json:
    """To change a row, as one of several actions."""
    said = {"TableName": table.name, "Key": wire_key(key), "UpdateExpression": change}
    return {"Update": conditioned(said, condition, values)}


def deleting(table: Table, key: Key, condition: str = "", **values: object) -> Json:
    """To remove a row, as one of several actions."""
    return {"Delete": conditioned({"TableName": table.name, "Key": wire_key(key)}, condition, values)}


async def together(table: Table, actions: Sequence[Json]) -> bool:
    """Do all of these; False when a condition did not hold, and nothing was done."""
    token = secrets.token_hex(16)  # so that a request whose answer was lost may be sent again
    try:
        await table.service.call("TransactWriteItems", {"TransactItems": actions, "ClientRequestToken": token})
    except Refusal as refusal:
        if any(one.get("Code") == "ConditionalCheckFailed" for one in reasons(refusal)):
            return False
        raise in_our_words(refusal, table.service.endpoint) from refusal
    return True

"""One table, in the few ways in which the books use it. Every reading is of what was written last."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from scrapeyard.backends.aws.client import Json, Service
from scrapeyard.backends.aws.trouble import Refusal, in_our_words
from scrapeyard.backends.dynamodb.values import Row, of_wires, to_wire, to_wires

Key = tuple[str, bytes]

TROUBLE = "trouble"
"""The one index, in which there is nothing but trouble."""

EXPIRES = "x"
"""The attribute with the time, in seconds since 1970, after which DynamoDB may remove a row by itself."""

_MOST_READ = 100
_BULK = 40
_PAUSE = 0.05
_LONGEST_PAUSE = 2.0


class Table:
    """`name` is the table's. A condition that does not hold is an answer, not an error.

    Who writes many rows at once holds `bulk` for each. It leaves room on the wire, so that a worker's sign of life does
    not wait behind hundreds of results, of which some may be throttled.
    """

    def __init__(self, service: Service, name: str) -> None:
        self.service = service
        self.name = name
        self.bulk = asyncio.Semaphore(_BULK)

    async def get(self, key: Key) -> Row | None:
        """One row."""
        answer = await self.call("GetItem", {"Key": wire_key(key), "ConsistentRead": True})
        return of_wires(answer["Item"]) if "Item" in answer else None

    async def get_many(self, keys: Sequence[Key], *, consistent: bool = True) -> dict[Key, Row]:
        """Those of these rows that are there."""
        wanted = list(dict.fromkeys(keys))
        parts = [wanted[start : start + _MOST_READ] for start in range(0, len(wanted), _MOST_READ)]
        found: dict[Key, Row] = {}
        for rows in await asyncio.gather(*(self._some(part, consistent) for part in parts)):
            found.update(((row["p"], row["s"]), row) for row in rows)
        return found

    async def _some(self, keys: Iterable[Key], consistent: bool) -> list[Row]:
        asked: list[Json] = [wire_key(key) for key in keys]
        rows: list[Row] = []
        pause = _PAUSE
        while asked:
            request = {"RequestItems": {self.name: {"Keys": asked, "ConsistentRead": consistent}}}
            answer = await self._asked("BatchGetItem", request)
            rows += [of_wires(row) for row in answer.get("Responses", {}).get(self.name, ())]
            asked = answer.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
            if asked:  # a part that was throttled
                await asyncio.sleep(pause)
                pause = min(_LONGEST_PAUSE, pause * 2)
        return rows

    async def put(self, row: Row, condition: str = "", **values: object) -> bool:
        """Write a row, if the condition holds for the one that is there."""
        said, _ = await self.put_or_see(row, condition, **values)
        return said

    async def put_or_see(self, row: Row, condition: str = "", **values: object) -> tuple[bool, Row | None]:
        """The same; where it does not hold, gives the row that is there."""
        return await self._conditional("PutItem", {"Item": to_wires(row)}, condition, values)

    async def swap(self, row: Row, seen: str | None) -> bool:
        """Write a row that carries a version, if it still has the version that was seen (None: it is not there).

        The version is a word drawn by lot; so whoever asks again because an answer was lost knows its own writing.
        """
        row["v"] = secrets.token_hex(5)
        if seen is None:
            done, there = await self.put_or_see(row, "attribute_not_exists(p)")
        else:
            done, there = await self.put_or_see(row, "v = :seen", seen=seen)
        return done or (there is not None and there.get("v") == row["v"])

    async def update(self, key: Key, change: str, condition: str, **values: object) -> tuple[bool, Row | None]:
        """Change a row, if the condition holds; where it does not, gives the row that is there."""
        said = {"Key": wire_key(key), "UpdateExpression": change}
        return await self._conditional("UpdateItem", said, condition, values)

    async def delete(self, key: Key, condition: str = "", **values: object) -> bool:
        """Remove a row, if the condition holds."""
        done, _ = await self._conditional("DeleteItem", {"Key": wire_key(key)}, condition, values)
        return done

    async def query(
        self, part: str, span: tuple[bytes, bytes] | None = None, *, backwards: bool = False, limit: int | None = None
    ) -> AsyncIterator[Row]:
        """The rows of one partition in order of their sort key, both ends of the span included."""
        said: Json = {"KeyConditionExpression": "p = :p", "ConsistentRead": True, "ScanIndexForward": not backwards}
        values: dict[str, object] = {"p": part}
        if span is not None:
            said["KeyConditionExpression"] = "p = :p AND s BETWEEN :low AND :high"
            values |= {"low": span[0], "high": span[1]}
        async for row in self._rows(said, values, limit):
            yield row

    async def trouble(self, part: str, after: int, limit: int | None) -> AsyncIterator[Row]:
        """What the index of trouble has in one partition, by `seq`."""
        said: Json = {"IndexName": TROUBLE, "KeyConditionExpression": "tp = :p AND n > :after"}
        async for row in self._rows(said, {"p": part, "after": after}, limit):
            yield row

    async def _rows(self, said: Json, values: Mapping[str, object], limit: int | None) -> AsyncIterator[Row]:
        said["ExpressionAttributeValues"] = _values(values)
        left = limit
        while left is None or left > 0:
            if left is not None:
                said["Limit"] = left
            answer = await self.call("Query", said)
            rows = answer.get("Items", [])
            for row in rows:
                yield of_wires(row)
            if "LastEvaluatedKey" not in answer:
                return
            said["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
            left = None if left is None else left - len(rows)

    async def call(self, action: str, said: Json) -> Json:
        """Anything else, of this table."""
        return await self._asked(action, {"TableName": self.name, **said})

    async def close(self) -> None:
        """Let go of the connections."""
        await self.service.close()

    async def _conditional(
        self, action: str, said: Json, condition: str, values: Mapping[str, object]
    ) -> tuple[bool, Row | None]:
        asked = conditioned({"TableName": self.name, **said}, condition, values)
        if condition:
            asked["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        try:
            await self.service.call(action, asked)
        except Refusal as refusal:
            if refusal.code == "ConditionalCheckFailedException":
                there = refusal.answer.get("Item")
                return False, of_wires(there) if there else None
            raise in_our_words(refusal, self.service.endpoint) from refusal
        return True, None

    async def _asked(self, action: str, said: Json) -> Json:
        try:
            return await self.service.call(action, said)
        except Refusal as refusal:
            raise in_our_words(refusal, self.service.endpoint) from refusal


def conditioned(said: Json, condition: str, values: Mapping[str, object]) -> Json:
    """A request with its condition and values."""
    asked: Json = dict(said)
    if condition:
        asked["ConditionExpression"] = condition
    if values:
        asked["ExpressionAttributeValues"] = _values(values)
    return asked


def wire_key(key: Key) -> Json:
    return {"p": to_wire(key[0]), "s": to_wire(key[1])}


def _values(values: Mapping[str, object]) -> dict[str, Any]:
    return {f":{name}": to_wire(value) for name, value in values.items()}

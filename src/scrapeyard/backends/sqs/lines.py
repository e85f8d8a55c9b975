"""The queues themselves: one for each lane, and one for what nobody can read. Made when they are first met.

Calls take ten messages each and may succeed in part; the rest is sent again, and what still fails is let go, because
the ledger offers again what does not arrive.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from scrapeyard.backends.aws.client import Json, Service
from scrapeyard.backends.aws.trouble import Refusal, in_our_words

log = structlog.get_logger(__name__)

AT_ONCE = 10
"""Messages in one call."""
_MOST_BYTES = 240_000
"""Bytes in one call that every region and every server takes."""
_TRIES = 3
_PAUSE = 0.1
_GONE = frozenset({"QueueDoesNotExist", "NonExistentQueue"})

HIDDEN = 60
"""Seconds for which a message is hidden from others once it was received; it is kept hidden while its items run."""
RETAINED = 900
"""Seconds for which a message lies; offers live for a small part of that."""
UNREADABLE = "unreadable"
RETAINED_UNREAD = 14 * 86_400
"""Seconds for which a person may look at what nobody could read."""


class Lines:
    """The queues of one deployment."""

    def __init__(self, service: Service, prefix: str) -> None:
        self.service = service
        self._prefix = prefix
        self._urls: dict[str, str] = {}

    async def url(self, line: str) -> str:
        """Where the queue of a lane is."""
        if line not in self._urls:
            name = {"QueueName": f"{self._prefix}-{line}"}
            try:
                answer = await self.service.call("GetQueueUrl", name)
            except Refusal as refusal:
                if refusal.code not in _GONE:
                    raise in_our_words(refusal, self.service.endpoint) from refusal
                kept = RETAINED_UNREAD if line == UNREADABLE else RETAINED
                attributes = {"VisibilityTimeout": str(HIDDEN), "MessageRetentionPeriod": str(kept)}
                answer = await self.call("CreateQueue", {**name, "Attributes": attributes})
            self._urls[line] = answer["QueueUrl"]
        return self._urls[line]

    async def send(self, line: str, texts: Sequence[str]) -> None:
        """Lay messages into a queue."""
        url = await self.url(line)
        part: list[Json] = []
        size = 0
        for number, text in enumerate(texts):
            if part and (len(part) == AT_ONCE or size + len(text) > _MOST_BYTES):
                await self._batch("SendMessageBatch", url, part)
                part, size = [], 0
            part.append({"Id": str(number), "MessageBody": text})
            size += len(text)
        if part:
            await self._batch("SendMessageBatch", url, part)

    async def receive(self, line: str, messages: int, wait: int) -> list[Json]:
        """Up to ten messages, waiting for the first for so many seconds."""
        said = {
            "QueueUrl": await self.url(line), "MaxNumberOfMessages": messages, "WaitTimeSeconds": wait,
            "VisibilityTimeout": HIDDEN,
        }  # fmt: skip
        try:
            answer = await self.service.call("ReceiveMessage", said)
        except Refusal as refusal:
            if refusal.code.endswith("OverLimit"):
                log.warning("too many messages are in flight", queue=self._prefix, line=line)
                return []
            raise in_our_words(refusal, self.service.endpoint) from refusal
        found: list[Json] = answer.get("Messages", [])
        return found

    async def delete(self, line: str, receipts: Sequence[str]) -> None:
        """These messages are done with."""
        entries = [{"Id": str(n), "ReceiptHandle": receipt} for n, receipt in enumerate(receipts)]
        await self._batches("DeleteMessageBatch", line, entries)

    async def hide(self, line: str, receipts: Sequence[str], seconds: int) -> None:
        """Hide these messages from others for so long from now on; 0 shows them at once."""
        entries = [
            {"Id": str(n), "ReceiptHandle": receipt, "VisibilityTimeout": seconds} for n, receipt in enumerate(receipts)
        ]
        await self._batches("ChangeMessageVisibilityBatch", line, entries)

    async def counts(self, line: str) -> tuple[int, int]:
        """About how many messages wait, and how many are in somebody's hands."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        said = {"QueueUrl": await self.url(line), "AttributeNames": names}
        found = (await self.call("GetQueueAttributes", said)).get("Attributes", {})
        return int(found.get(names[0], 0)), int(found.get(names[1], 0))

    async def call(self, action: str, said: Json) -> Json:
        """Anything, with refusals in our words."""
        try:
            return await self.service.call(action, said)
        except Refusal as refusal:
            raise in_our_words(refusal, self.service.endpoint) from refusal

    async def _batches(self, action: str, line: str, entries: Sequence[Json]) -> None:
        url = await self.url(line)
        parts = [entries[start : start + AT_ONCE] for start in range(0, len(entries), AT_ONCE)]
        await asyncio.gather(*(self._batch(action, url, part) for part in parts))

    async def _batch(self, action: str, url: str, entries: Sequence[Json]) -> None:
        left = list(entries)
        for turn in range(_TRIES):
            answer = await self.call(action, {"QueueUrl": url, "Entries": left})
            failed: dict[str, Any] = {one["Id"]: one for one in answer.get("Failed", ())}
            left = [entry for entry in left if entry["Id"] in failed and not failed[entry["Id"]].get("SenderFault")]
            if not left:
                return
            await asyncio.sleep(_PAUSE * 2**turn)
        log.warning("some messages were refused", action=action, messages=len(left))

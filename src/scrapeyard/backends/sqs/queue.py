"""The hand-over of offers, in SQS. A message is a parcel of ten; it is gone when all ten are done with.

The message is hidden from others while its offers are in somebody's hands, and shown again when that somebody dies;
which of them are really taken is the ledger's to say. More is fetched than asked for only as far as it can be started
within a few seconds, because what lies here is withheld from others.
"""

import time
from collections import deque
from collections.abc import Iterable, Sequence

import structlog

from scrapeyard.backends.aws.client import Json
from scrapeyard.backends.sqs.lines import AT_ONCE, HIDDEN, UNREADABLE, Lines
from scrapeyard.backends.sqs.packing import PER_MESSAGE, Unreadable, offers_of, parcels, text_of
from scrapeyard.model.item import Offer
from scrapeyard.ports.queue import Delivery, Wants

log = structlog.get_logger(__name__)

LANES = ("http", "browser")

IN_FLIGHT = 120_000
"""Messages that SQS lets be in hands at once; beyond that it gives no more, without a word to those who wait."""
ALARM = 0.8
"""Share of that at which somebody should hear of it."""
_WATCH = 60.0
"""Seconds between two looks at how many are in flight, taken by whoever sends."""
_PATIENT = 5
_AHEAD = 3.0
"""Seconds of work, at the pace of late, that are fetched ahead."""


class _Message:
    """A message in our hands."""

    def __init__(self, line: str, receipt: str, offers: Sequence[Offer]) -> None:
        self.line = line
        self.receipt = receipt
        self.offers = offers
        self.left = set(range(len(offers)))
        self.hidden_until = time.monotonic() + HIDDEN


class SqsQueue:
    """Fulfils `scrapeyard.ports.queue.Queue` for every machine that meets the same queues. `wait` is how many seconds
    an empty queue is listened at; a few more, the longer it has been empty, because listening in vain is paid too."""

    def __init__(self, lines: Lines, *, wait: int = 1) -> None:
        self._lines = lines
        self._wait = wait
        self._messages: dict[str, _Message] = {}
        self._here: dict[str, deque[Delivery]] = {}
        self._given: deque[tuple[float, int]] = deque(maxlen=50)
        self._numbers = 0
        self._alarmed = False
        self._look_at = time.monotonic() + _WATCH
        self._vain = 0

    async def put(self, offers: Sequence[Offer]) -> None:
        """Send them, ten to a message."""
        lanes: dict[str, list[str]] = {}
        for parcel in parcels(offers):
            lanes.setdefault(parcel[0].lane, []).append(text_of(parcel))
        for lane, texts in lanes.items():
            await self._lines.send(lane, texts)
        if lanes and time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + _WATCH
            await self.depth()

    async def take(self, worker: str, wants: Wants, limit: int, *, now: float) -> list[Delivery]:  # noqa: ARG002 - the port's words
        """What lies here, then what the queue has. Expired ones are dropped on the way."""
        here = self._here.setdefault(wants.lane, deque())
        taken = await self._good(here, limit, now)
        # what lies here is no reason to leave the rest wanting; but nobody asks for less than a message
        while limit - len(taken) >= (PER_MESSAGE if taken else 1):
            asked = self._asked(limit - len(taken))
            listening = self._wait * (1 if taken else min(_PATIENT, 1 + self._vain))
            messages = await self._lines.receive(wants.lane, asked, listening)
            self._vain = 0 if messages or taken else self._vain + 1
            for message in messages:
                here.extend(await self._opened(wants.lane, message))
            taken += await self._good(here, limit - len(taken), now)
            if len(messages) < asked:
                break
        self._given.append((time.monotonic(), len(taken)))
        return taken

    def _asked(self, limit: int) -> int:
        """Messages to fetch: as many as are wanted, or as will be within moments at the pace of late."""
        pace = 0.0
        if self._given:
            pace = sum(count for _, count in self._given) / max(1.0, time.monotonic() - self._given[0][0])
        return max(1, min(AT_ONCE, -(-int(max(limit, pace * _AHEAD)) // PER_MESSAGE)))

    async def _good(self, here: deque[Delivery], limit: int, now: float) -> list[Delivery]:
        """From those that are here, as many as are wanted and have not expired."""
        good: list[Delivery] = []
        expired: list[Delivery] = []
        while here and len(good) < limit:
            delivery = here.popleft()
            (good if delivery.offer.until > now else expired).append(delivery)
        if expired:
            await self.done(expired)
        return good

    async def _opened(self, line: str, message: Json) -> list[Delivery]:
        """What is in a message. One that cannot be read goes where a person may look at it."""
        try:
            offers = offers_of(message["Body"])
        except Unreadable as error:
            log.warning("a message cannot be read", line=line, error=str(error), id=message.get("MessageId"))
            await self._lines.send(UNREADABLE, [message["Body"]])
            await self._lines.delete(line, [message["ReceiptHandle"]])
            return []
        self._numbers += 1
        name = str(self._numbers)
        self._messages[name] = _Message(line, message["ReceiptHandle"], offers)
        return [Delivery(offer, f"{name}/{place}") for place, offer in enumerate(offers)]

    async def keep(self, deliveries: Sequence[Delivery], *, seconds: float) -> None:
        """Hide the messages of these for longer, unless they are hidden for half of it already: each call is paid."""
        until = time.monotonic() + seconds / 2
        short = [message for message in self._of(deliveries) if message.hidden_until < until]
        for line, messages in _by_line(short).items():
            await self._lines.hide(line, [message.receipt for message in messages], max(HIDDEN, int(seconds) + 1))
            for message in messages:
                message.hidden_until = time.monotonic() + max(HIDDEN, seconds)

    async def done(self, deliveries: Sequence[Delivery]) -> None:
        """Tick these off; a message of which nothing is left is deleted."""
        over: list[_Message] = []
        for delivery in deliveries:
            name, _, place = delivery.handle.partition("/")
            message = self._messages.get(name)
            if message is not None:
                message.left.discard(int(place))
                if not message.left:
                    over.append(self._messages.pop(name))
        for line, messages in _by_line(over).items():
            await self._lines.delete(line, [message.receipt for message in messages])

    async def back(self, deliveries: Sequence[Delivery]) -> None:
        """Show whole messages again; what is given back of others is sent anew."""
        whole: list[_Message] = []
        rest: list[Delivery] = []
        by_message: dict[str, list[Delivery]] = {}
        for delivery in deliveries:
            by_message.setdefault(delivery.handle.partition("/")[0], []).append(delivery)
        for name, part in by_message.items():
            message = self._messages.get(name)
            if message is None:
                continue
            if len(part) == len(message.offers):
                whole.append(self._messages.pop(name))
            else:
                rest += part
        for line, messages in _by_line(whole).items():
            await self._lines.hide(line, [message.receipt for message in messages], 0)
        if rest:
            await self.put([delivery.offer for delivery in rest])
            await self.done(rest)

    async def depth(self) -> int:
        """How many lie in full messages; SQS itself knows only about."""
        counts = [await self._lines.counts(lane) for lane in LANES]
        self._watch(sum(hidden for _, hidden in counts))
        return sum(waiting for waiting, _ in counts) * PER_MESSAGE

    def _watch(self, hidden: int) -> None:
        """SQS goes silent at its limit, so somebody has to look."""
        alarm = hidden > IN_FLIGHT * ALARM
        if alarm and not self._alarmed:
            log.error("SQS is about to give nothing more", in_flight=hidden, limit=IN_FLIGHT)
        self._alarmed = alarm

    async def close(self) -> None:
        """Give back what nobody took, then let go of the connections."""
        for here in self._here.values():
            await self.back(tuple(here))
            here.clear()
        await self._lines.service.close()

    def _of(self, deliveries: Iterable[Delivery]) -> list[_Message]:
        names = dict.fromkeys(delivery.handle.partition("/")[0] for delivery in deliveries)
        return [self._messages[name] for name in names if name in self._messages]


def _by_line(messages: Iterable[_Message]) -> dict[str, list[_Message]]:
    lines: dict[str, list[_Message]] = {}
    for message in messages:
        lines.setdefault(message.line, []).append(message)
    return lines

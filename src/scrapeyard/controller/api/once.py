"""The same request twice is one: an answer that was lost is given again, and nothing is done a second time.

A caller names its wish with an `Idempotency-Key`. The answer is remembered under it for a day, beside a hash of what
was asked; the same name for another wish is refused, because it is a mistake that would lose one of the two.
"""

import hashlib
from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from scrapeyard.controller.api.door import Call
from scrapeyard.controller.api.office import Office
from scrapeyard.controller.api.problems import Answered, problem
from scrapeyard.model import wire

Asked = TypeVar("Asked")
Given = TypeVar("Given")

HEADER = "idempotency-key"
_LONGEST = 200
_DAY = 86_400.0


class Done(msgspec.Struct, frozen=True):
    """What was asked, as a hash, and what was answered."""

    asked: str
    answer: bytes
    at: float


def wish_of(call: Call) -> str:
    """What this caller's wish is called at this address; empty if it has no name."""
    key = call.request.headers.get(HEADER, "")
    if not key:
        return ""
    if len(key) > _LONGEST or not key.isprintable():
        raise Answered(problem("bad_input", f"An idempotency key has 1 to {_LONGEST} visible characters.", HEADER))
    whole = " ".join((call.key.id, call.request.url.path, key))
    return hashlib.sha256(whole.encode()).hexdigest()


async def once(
    office: Office, call: Call, takes: type[Asked], gives: type[Given], work: Callable[[Asked, str], Awaitable[Given]]
) -> Given:
    """Do the work, or give the answer that it had before.

    The work is told the name of the wish. What it creates it calls by that name, so that a controller that died after
    the deed and before the answer was written down has not done it twice when the wish comes again.
    """
    asked, wish = await call.body(takes), wish_of(call)
    if not wish:
        return await work(asked, "")
    name = f"once/{wish}"
    digest = hashlib.sha256(wire.written(asked)).hexdigest()
    known = await office.memos.recall(name)
    if known is not None:
        done = msgspec.msgpack.decode(known.body, type=Done)
        if office.clock.now() - done.at < _DAY:
            if done.asked != digest:
                raise Answered(problem("key_reused", "Take a new idempotency key for another request.", HEADER))
            return wire.read(done.answer, gives)
    answer = await work(asked, wish)
    body = msgspec.msgpack.encode(Done(digest, wire.written(answer), office.clock.now()))
    await office.memos.keep(name, body, seen=known)
    return answer

"""What a child has ended takes no room, however long it waits to be made durable."""

import asyncio
import socket
import sys
from collections import deque
from pathlib import Path

import msgspec

from scrapeyard.model.fleet import OutcomeNote
from scrapeyard.model.item import Lease, Offer
from scrapeyard.model.job import JobId
from scrapeyard.model.scraper import ScraperRef
from scrapeyard.model.states import VisitState
from scrapeyard.worker.census import Census
from scrapeyard.worker.channel import parent_end
from scrapeyard.worker.hand import Hand
from scrapeyard.worker.messages import Done, Ended, Pulse
from scrapeyard.worker.options import WorkerOptions

OPTIONS = WorkerOptions(child_command=(), child_env={}, log=Path("log"), concurrency=4)


def leases(count: int) -> list[Lease]:
    offers = [
        Offer(JobId("j"), seq, f"P-{seq}", b"{}", ScraperRef("a.b", "1", "9f"), 0, 1, 1e12) for seq in range(count)
    ]
    return [Lease(offer, "w1", offer.seq + 1) for offer in offers]


def pulse(*seqs: int) -> Pulse:
    return Pulse(0, {}, tuple(OutcomeNote("j", seq, "s", "direct", 1, "succeeded", None, 5) for seq in seqs), ())


def done(*seqs: int) -> Done:
    return Done(tuple(Ended("j", seq, seq + 1, VisitState.SUCCEEDED, 0.0, 5) for seq in seqs))


async def test_what_waits_for_its_commit_takes_no_room() -> None:
    ours, theirs = socket.socketpair()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    hand = Hand(4, process, await parent_end(ours))
    census = Census(OPTIONS, [hand], deque())
    hand.give(leases(4))
    assert (census.free(), census.room()) == (0, 1)
    hand.pulse(pulse(0, 1, 2), now=1.0)
    assert (census.free(), census.room()) == (3, 4)
    assert [lease.offer.seq for lease in census.under_way()] == [3]
    assert len(census.held()) == 4
    hand.done(done(0, 1))
    assert (census.free(), census.room(), len(census.held())) == (3, 4, 2)
    hand.done(done(3))
    hand.pulse(pulse(3), now=2.0)
    assert (census.free(), census.room()) == (4, 5)
    await process.wait()
    await hand.channel.close()
    theirs.close()


def test_room_is_made_for_what_ends_between_two_takings_that_lie_seconds_apart() -> None:
    options = msgspec.structs.replace(OPTIONS, ahead=3.0)
    census = Census(options, [], deque())
    finished = 0
    for _ in range(10):  # 60 items come in every two seconds and end at once
        finished += 60
        census.measure(0.1, finished)
        for _ in range(19):
            census.measure(0.1, finished)
    assert census.room() > 45


async def test_how_late_children_were_is_told_once_and_at_its_worst() -> None:
    ours, theirs = socket.socketpair()
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    hand = Hand(4, process, await parent_end(ours))
    census = Census(OPTIONS, [hand], deque())
    for lag in (0.2, 1.4, 0.1):
        hand.pulse(Pulse(0, lag=lag), now=1.0)
    assert (census.lag(), census.lag()) == (1.4, 0.0)
    await process.wait()
    await hand.channel.close()
    theirs.close()

"""What every book of events promises: what happened is read in order, once, and from any point on."""

import pytest

from scrapeyard.model.errors import BadInput
from scrapeyard.model.event import Event, event_id
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import NOW, LedgerSuite, OpenLedger


def an_event(number: int, job: str = "") -> Event:
    """Something that happened `number` seconds after the start."""
    at = NOW + number
    return Event(event_id(at, 0.25), at, "tripped", f"It happened, the {number}th time.", job, "tax.example", b"[1]")


class EventsSuite(LedgerSuite):
    """Behaviour of the `EventBook` port."""

    async def test_at_first_nothing_has_happened(self, ledger: Ledger) -> None:
        assert await ledger.events.page() == []
        assert await ledger.events.latest() == []

    async def test_events_come_back_whole_and_in_order_to_all(self, ledger: Ledger, reopen: OpenLedger) -> None:
        events = [an_event(number, "j1") for number in range(5)]
        await ledger.events.add(events[3:])
        await ledger.events.add(events[:3])
        other = await reopen()
        assert await other.events.page() == events
        assert await other.events.latest() == events[::-1]

    async def test_an_event_that_is_there_already_is_left_as_it_is(self, ledger: Ledger) -> None:
        events = [an_event(number) for number in range(3)]
        await ledger.events.add(events[:2])
        await ledger.events.add(events)
        assert await ledger.events.page() == events

    async def test_they_are_read_on_from_where_somebody_stopped(self, ledger: Ledger) -> None:
        events = [an_event(number) for number in range(7)]
        await ledger.events.add(events)
        assert await ledger.events.page(limit=3) == events[:3]
        assert await ledger.events.page(after=events[2].id, limit=3) == events[3:6]
        assert await ledger.events.page(after=events[6].id) == []
        assert await ledger.events.latest(limit=2) == [events[6], events[5]]
        assert await ledger.events.latest(before=events[5].id, limit=2) == [events[4], events[3]]

    async def test_one_jobs_events_are_told_from_the_others(self, ledger: Ledger) -> None:
        events = [an_event(number, f"j{number % 3}") for number in range(9)]
        await ledger.events.add([*events, an_event(20)])
        assert await ledger.events.page(job="j1") == [events[1], events[4], events[7]]
        assert await ledger.events.page(job="j1", after=events[1].id, limit=1) == [events[4]]
        assert await ledger.events.latest(job="j1", limit=2) == [events[7], events[4]]
        assert await ledger.events.latest(job="j1", before=events[7].id, limit=1) == [events[4]]
        assert await ledger.events.page(job="nobody") == []

    async def test_evidence_that_no_store_could_hold_is_refused(self, ledger: Ledger) -> None:
        with pytest.raises(BadInput):
            await ledger.events.add([Event("1", NOW, "tripped", "It happened.", evidence=b"x" * 200_001)])

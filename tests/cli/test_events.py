"""What happened to a job is told by people's words and by programs' fields, with what it rests on."""

import asyncio

import msgspec

from cli.conftest import Place
from scrapeyard.model.breaker import Cause
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.evidence import Evidence, Exhibit
from scrapeyard.settings import Settings
from scrapeyard.wiring import open_yard

TRIP = Evidence(
    Cause.FAILURES, "direct", 20, 20, {"blocked": 20}, 912_000, "84–100 % of the remaining 912,000 will fail",
    exhibits=(Exhibit("001-0001-001", "blocked", "A wall.", ("last",)),),
)  # fmt: skip


async def write_down(place: Place, job: str) -> None:
    async with open_yard(Settings(data=place.folder / "data")) as yard:
        found = Event(
            event_id(1e9, 0.5), 1e9, "breaker_tripped", "The site is closed.", job, "x", msgspec.json.encode(TRIP)
        )
        await yard.ledger.events.add([found])


def test_a_trip_is_told_with_its_sample_items_and_how_to_look_at_them(lived_in: Place) -> None:
    assert "Nothing has happened" in lived_in.ask("events", "parcels").stderr
    job = lived_in.told("jobs")["id"]
    asyncio.run(write_down(lived_in, job))
    shown = lived_in.ask("events", "parcels").stdout
    assert "breaker_tripped  The site is closed." in shown
    assert "001-0001-001: blocked. A wall.; pages: last" in shown
    assert f"scrapeyard item 001-0001-001 --job {job}" in shown
    (event,) = lived_in.lines("events", "--all")
    assert (event["name"], event["evidence"]["kinds"]) == ("breaker_tripped", {"blocked": 20})
    assert event["evidence"]["forecast"] == "84–100 % of the remaining 912,000 will fail"

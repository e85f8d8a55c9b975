"""From an item's narrow row to the offer that a worker gets: the same whatever table the row came from."""

from typing import NamedTuple

from scrapeyard.backends.ids import place_of
from scrapeyard.model.item import Offer
from scrapeyard.model.job import Job


class Start(NamedTuple):
    """An item that is about to be offered. One that never was stands as the defaults say."""

    id: int
    epoch: int = 0
    attempts: int = 0
    crashes: int = 0
    losses: int = 0
    kind: str | None = None
    rung: int = 0
    strikes: int = 0


def offer_of(job: Job, start: Start, key: str, inputs: bytes, until: float) -> Offer:
    """The offer, as the ledger makes it; the tier is chosen later."""
    return Offer(
        job=job.id,
        seq=place_of(start.id),
        key=key,
        inputs=inputs,
        scraper=job.scraper,
        epoch=start.epoch,
        attempt=start.attempts + 1,
        until=until,
        lane=job.lane,
        crashes=start.crashes,
        losses=start.losses,
        last_kind=start.kind,
        deadline=job.policy.deadline,
        repeatable=job.repeatable,
        rung=start.rung,
        strikes=start.strikes,
    )

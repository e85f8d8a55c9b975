"""The card of a job's scraper, kept beside the job's results.

A scraper may be changed or gone by the time somebody exports; the record schemas that give a table its columns and
types must then still be there, as they were when the job was opened.
"""

import msgspec

from scrapeyard.model.errors import NotFound, StorageError
from scrapeyard.model.scraper import ScraperCard
from scrapeyard.ports.blobs import Blobs
from scrapeyard.results.keys import card_key
from scrapeyard.results.whole import whole


async def keep_card(blobs: Blobs, job: str, card: ScraperCard) -> None:
    """Store the card; an earlier one of the job is replaced."""
    await blobs.put(card_key(job), msgspec.json.encode(card), replace=True)


async def card_of(blobs: Blobs, job: str) -> ScraperCard | None:
    """The job's card, if one was kept."""
    key = card_key(job)
    try:
        data = await whole(blobs, key)
    except NotFound:
        return None
    try:
        return msgspec.json.decode(data, type=ScraperCard)
    except msgspec.DecodeError as error:
        raise StorageError(
            f"{key} is damaged ({error}): restore the blob, or open the job anew.", final=True
        ) from error

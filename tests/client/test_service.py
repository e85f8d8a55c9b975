"""The client says what the service says: the same questions near and from afar, over a job with all sorts of ends."""

from pathlib import Path

import msgspec
import pytest

from api.conftest import SCRAPER, served
from scrapeyard.client.service import RestService
from scrapeyard.model.ask import CloneOrder, ExportOrder, JobOrder
from scrapeyard.model.errors import BadInput, Conflict, NotFound, StorageError
from scrapeyard.model.event import Event, event_id
from scrapeyard.model.item import NewItem, Selection
from scrapeyard.model.policy import Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.results.cards import card_of
from scrapeyard.testing.scenes import failed, succeeded

pytest_plugins = ["api.conftest"]


@pytest.fixture
async def pair(site):
    """The service in the server's own process, and the client's."""
    far = RestService(site.call.base, await site.key())
    yield site.yard.service, far
    await far.close()


async def a_job(site, far, count=12):
    card = site.yard.scrapers.find("test.parcel")
    opened = await far.jobs.open(JobOrder("bills", card, Policy(priority=7), "parcels.csv"))
    added = await far.jobs.load(opened.job.id, [NewItem(f"P{n}", b'{"parcel_id":"P%d"}' % n) for n in range(count)])
    assert (added.accepted, added.duplicates) == (count, 0)
    return await far.jobs.seal(opened.job.id)


async def test_the_same_answers_from_near_and_from_afar(site, pair):
    near, far = pair
    job = await a_job(site, far)
    ledger, now = site.yard.ledger, site.yard.clock.now()
    offers = await ledger.offers.offer(job.id, 8, now=now, until=now + 60)
    leases = await ledger.leases.begin("w", offers, now=now)
    tripped = Event(event_id(now, 0.5), now, "breaker_tripped", "It failed.", job.id, "x.example", b'{"failed":20}')
    await ledger.events.add([tripped, Event(event_id(now + 1, 0.5), now + 1, "breaker_probing", "Probed.")])
    await ledger.leases.settle([failed(lease) for lease in leases[:3]] + [succeeded(leases[4])], now=now)
    for ask in (
        lambda service: service.jobs.get("bills"),
        lambda service: service.jobs.find([JobState.RUNNING]),
        lambda service: service.jobs.workers(),
        lambda service: service.items.find(job.id, Selection(), limit=100),
        lambda service: service.items.find(job.id, Selection(states=frozenset({VisitState.FAILED})), after=2),
        lambda service: service.items.find(job.id, Selection(kinds=frozenset({"blocked"}), text="was")),
        lambda service: service.items.story(job.id, leases[0].offer.key),
        lambda service: service.items.redrive(job.id, Selection(), dry_run=True),
        lambda service: service.events.find("bills"),
        lambda service: service.events.find(limit=1),
        lambda service: service.events.find(job.id, after="0", limit=1),
        lambda service: service.sites.find(),
        lambda service: service.sites.get("county"),
        lambda service: service.sites.proxies(),
    ):
        assert await ask(near) == await ask(far)
    whys = [await service.jobs.why("bills") for service in pair]
    assert msgspec.structs.replace(whys[0], at=0.0) == msgspec.structs.replace(whys[1], at=0.0)
    statuses = [await service.jobs.status("bills") for service in pair]
    assert msgspec.structs.replace(statuses[0], at=0.0) == msgspec.structs.replace(statuses[1], at=0.0)


async def test_steering_from_afar(site, pair):
    near, far = pair
    job = await a_job(site, far)
    assert (await far.jobs.pause("bills", "the county called")).reason == "the county called"
    assert (await near.jobs.get(job.id)).state is JobState.PAUSED
    assert (await far.jobs.resume(job.id)).state is JobState.RUNNING
    assert (await far.jobs.revise(job.id, Policy(rate=0.5))).policy == Policy(rate=0.5)
    assert (await far.jobs.cancel(job.id, "enough")).state is JobState.CANCELLED
    told = [(event.name, event.words) for event in await far.events.find("bills")]
    assert told == [
        ("job_paused", "The job was paused by hand: the county called."),
        ("job_resumed", "The job was resumed by hand."),
        ("job_cancelled", "The job was cancelled by hand: enough."),
    ]
    with pytest.raises(BadInput, match="ask for 1 or more"):
        await far.events.find(limit=0)


async def test_sites_and_clones_from_afar(site, pair):
    near, far = pair
    job = await a_job(site, far)
    held = await far.sites.hold("county", "maintenance", "nobody in particular")
    assert (await near.sites.get("county")).hold == held.hold
    assert (await far.sites.release("county")).hold is None
    cloned = await far.items.clone(job.id, CloneOrder("again", Selection(keys=frozenset({"P3", "P5"}))))
    assert [item.key for item in await near.items.find(cloned.job.id, Selection())] == ["P3", "P5"]


async def test_an_error_there_is_the_same_error_here(site, pair):
    _, far = pair
    await a_job(site, far)
    with pytest.raises(NotFound, match="did you mean 'bills'"):
        await far.jobs.get("bill")
    with pytest.raises(Conflict):
        await far.jobs.resume((await far.jobs.cancel("bills", "")).id)
    with pytest.raises(BadInput):
        await far.items.find("bills", Selection(), limit=0)
    with pytest.raises(NotFound):
        await far.results.manifest("bills")


async def test_another_version_of_the_scraper_there_is_refused(site, pair):
    _, far = pair
    card = site.yard.scrapers.find("test.parcel")
    other = msgspec.structs.replace(card, ref=msgspec.structs.replace(card.ref, digest="0" * 32))
    with pytest.raises(Conflict, match="another version"):
        await far.jobs.open(JobOrder("bills", other, Policy()))


async def test_tables_are_handed_over_to_a_folder_here(site, pair, tmp_path):
    _, far = pair
    job = await a_job(site, far)
    exported = await far.results.export(job.id, ExportOrder("csv", str(tmp_path / "out")))
    assert {(path.rpartition("/")[2], rows) for path, rows in exported.files} == {("items.csv", 12)}
    assert len((tmp_path / "out" / "items.csv").read_text().splitlines()) == 13


async def test_a_controller_that_is_not_there_is_said_so(settings):
    async with served(settings) as site:
        base = site.call.base
    far = RestService(base)
    far._line._patience = 0.2
    with pytest.raises(StorageError, match="does not answer"):
        await far.jobs.find()
    await far.close()


async def half_failed(site, far):
    """A job of twelve: three failed, one succeeded, the others wait."""
    job = await a_job(site, far)
    ledger, now = site.yard.ledger, site.yard.clock.now()
    offers = await ledger.offers.offer(job.id, 4, now=now, until=now + 60)
    leases = await ledger.leases.begin("w", offers, now=now)
    await ledger.leases.settle([*map(failed, leases[:3]), succeeded(leases[3])], now=now)
    return job


def changed(settings):
    """The author mends the scraper."""
    Path(settings.scrapers[0]).write_text(SCRAPER.replace("year: int = 2024", "year: int = 2025"))


@pytest.mark.parametrize("which", [0, 1], ids=["near", "afar"])
async def test_failed_items_run_again_with_the_version_that_is_there_and_so_does_what_waits(
    site,
    pair,
    settings,
    which,
):
    service = pair[which]
    job = await half_failed(site, pair[1])
    assert (await service.items.redrive(job.id, Selection(), dry_run=True, version="latest")).version == ""
    changed(settings)
    card = site.yard.scrapers.find("test.parcel")
    told = await service.items.redrive(job.id, Selection(), dry_run=True, version="latest")
    assert (told.items, told.version, told.along) == (3, card.ref.digest, 8)
    assert told.toll is not None
    assert told.toll.tries.low == 3
    assert (await service.jobs.get(job.id)).scraper == job.scraper, "a dry run changes nothing"
    await service.items.redrive(job.id, Selection(kinds=frozenset({"blocked"})), version=card.ref.digest[:8])
    again = await service.jobs.get(job.id)
    assert (again.scraper, again.epoch) == (card.ref, 1)
    kept = await card_of(site.yard.blobs, job.id)
    assert kept is not None
    assert kept.ref == card.ref
    offers = await site.yard.ledger.offers.offer(job.id, 50, now=site.yard.clock.now(), until=9e9)
    assert len(offers) == 11
    assert {offer.scraper for offer in offers} == {card.ref}
    (left,) = await service.items.find(job.id, Selection(states=frozenset({VisitState.SUCCEEDED})))
    assert left.epoch == 0


async def test_a_version_that_is_not_there_is_refused_and_says_which_is(site, pair):
    job = await half_failed(site, pair[1])
    for service in pair:
        with pytest.raises(NotFound, match="is here as version"):
            await service.items.redrive(job.id, Selection(), version="0123456789")
    assert (await pair[0].jobs.get(job.id)).epoch == 0

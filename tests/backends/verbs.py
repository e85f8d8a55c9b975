"""Uses every verb of a ledger once, so that the statements of a backend can be overheard and judged."""

from scrapeyard.model.item import Selection
from scrapeyard.model.policy import Order, Policy
from scrapeyard.model.states import JobState, VisitState
from scrapeyard.ports.ledger import Ledger
from scrapeyard.testing.scenes import NOW, a_job, again, beat, failed, new_items, staged, succeeded


async def use_every_verb(ledger: Ledger) -> None:
    """A job of sixty items, in all its states."""
    scene = await staged(ledger, 60)
    jobs, items = ledger.jobs, ledger.items
    await items.add((await jobs.create(a_job(2))).id, new_items(3) + new_items(2))
    leases = await scene.take(30)
    await scene.settle(*[succeeded(lease) for lease in leases[:10]], failed(leases[10]), again(leases[11], NOW))
    await ledger.leases.begin("w1", await scene.offer(5), now=NOW)
    await scene.offer(5)
    assert await ledger.offers.withdraw(scene.id, now=NOW) == 5
    await scene.offer(5, ttl=0)
    assert await ledger.offers.sweep(now=NOW) == 5
    await ledger.offers.next_due(scene.id)
    await ledger.offers.fresh(scene.id)
    listed = await staged(ledger, 60, number=3, policy=Policy(order=Order.LIST))
    await listed.sample(40, 12)
    await listed.offer(20)
    await ledger.offers.fresh(listed.id)
    await ledger.leases.beat(beat("w1"))
    assert await ledger.leases.fence("w1", 1)
    await ledger.leases.workers()
    await ledger.leases.leave("w2")
    await jobs.named("parcels")
    await jobs.find()
    await jobs.find([JobState.RUNNING, JobState.PAUSED], before=NOW + 10)
    await jobs.tally(scene.id)
    await jobs.recount(scene.id)
    await items.get(scene.id, "P-000001")
    await items.page(scene.id)
    await items.trouble(scene.id)
    await items.trouble(scene.id, "blocked")
    await items.running(scene.id)
    await items.attempts(scene.id, leases[0].offer.seq)
    for selection in (Selection(), Selection(keys=frozenset({"P-000001"})), Selection(frozenset(VisitState))):
        await items.redrive(scene.id, selection, now=NOW)
    seen = await ledger.leaders.claim("dispatcher", "a", seen=None)
    await ledger.leaders.claim("dispatcher", "a", seen=seen)
    await ledger.leaders.resign("dispatcher", "a")

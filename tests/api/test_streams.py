"""Events as they happen: followed over broken lines, each once, none left out."""

import asyncio
from contextlib import aclosing

from api.conftest import served
from api.work import a_job
from scrapeyard.client.service import RestService
from scrapeyard.model.event import Event, event_id


def told(site, number, *, late=0.0, job=""):
    now = site.yard.clock.now() - late
    return Event(event_id(now, number / 1000), now, "noted", f"number {number}", job)


async def first(stream, count):
    found = []
    async with aclosing(stream):
        async for event in stream:
            found.append(event)
            if len(found) == count:
                return found
    return found


async def test_a_stream_goes_on_after_the_last_event_that_was_seen(site):
    old, newer = told(site, 1, late=60), told(site, 2, late=30)
    await site.yard.ledger.events.add([old, newer])
    async with site.call.http.get(site.call.base + "/v1/events/stream", headers={"Last-Event-ID": old.id}) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        said = b""
        while b"number 2" not in said:
            said += await asyncio.wait_for(answer.content.readany(), 60)
    assert b"number 1" not in said
    assert f"id: {newer.id}".encode() in said
    assert b"event: noted" in said


async def test_near_and_afar_follow_the_same_each_once_and_what_was_written_late_too(site):
    await site.yard.ledger.events.add([told(site, 0, late=60)])
    far = RestService(site.call.base)
    streams = [asyncio.create_task(first(one.events.follow(), 3)) for one in (site.yard.service, far)]
    await asyncio.sleep(1.5)
    await site.yard.ledger.events.add([told(site, 1)])
    await asyncio.sleep(1.5)
    await site.yard.ledger.events.add([told(site, 3)])
    await asyncio.sleep(1.5)
    await site.yard.ledger.events.add([told(site, 2, late=1)])  # its time lies before one that was told already
    for found in await asyncio.wait_for(asyncio.gather(*streams), 60):
        assert sorted(event.words for event in found) == ["number 1", "number 2", "number 3"]
    await far.close()


async def test_one_job_s_events_only_and_a_bad_id_is_a_problem(site):
    job = await a_job(site, "a")
    await site.yard.ledger.events.add([told(site, 1), told(site, 2, job=job.id)])
    (event,) = await asyncio.wait_for(first(site.yard.service.events.follow("bills", after="0"), 1), 60)
    assert event.words == "number 2"
    said = await site.call("GET", "/v1/events/stream?after=" + "x" * 200)
    assert (said.status, said.json["code"]) == (422, "bad_input")
    assert (await site.call("GET", "/v1/jobs/nobody/events/stream")).status == 404


async def test_a_follower_survives_the_controller_it_listened_to(settings):
    async with served(settings) as one:
        port = int(one.call.base.rpartition(":")[2])
        far = RestService(one.call.base)
        following = asyncio.create_task(first(far.events.follow(after="0"), 2))
        await one.yard.ledger.events.add([told(one, 1)])
        await asyncio.sleep(1.5)
    again = settings.model_copy(update={"api": settings.api.model_copy(update={"port": port})})
    async with served(again) as two:
        await two.yard.ledger.events.add([told(two, 2)])
        found = await asyncio.wait_for(following, 60)
        assert [event.words for event in found] == ["number 1", "number 2"]
    await far.close()

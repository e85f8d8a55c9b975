"""The machine's clock waits as long as it is told."""

import asyncio

from scrapeyard.backends.system.clock import SystemClock


async def test_a_sleep_lasts_as_long_as_it_was_asked_for():
    clock = SystemClock()
    before = clock.monotonic()
    await clock.sleep(0.02)
    assert clock.monotonic() - before >= 0.02


async def test_a_sleep_of_no_time_lets_others_run():
    clock = SystemClock()
    ran: list[str] = []

    async def other():
        ran.append("other")

    task = asyncio.create_task(other())
    await clock.sleep(-1)
    assert ran == ["other"]
    await task


async def test_now_is_the_time_of_day_and_monotonic_never_goes_back():
    clock = SystemClock()
    assert clock.now() > 1_700_000_000
    readings = [clock.monotonic() for _ in range(100)]
    assert readings == sorted(readings)

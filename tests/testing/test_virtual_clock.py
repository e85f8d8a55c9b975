"""The virtual clock moves only when it is told to, and wakes whoever sleeps in the order of their times."""

import asyncio

import pytest

from scrapeyard.testing.clock import VirtualClock


async def test_time_stands_still_until_it_is_moved():
    clock = VirtualClock(start=1000.0)
    await asyncio.sleep(0.01)
    assert (clock.now(), clock.monotonic()) == (1000.0, 0.0)
    await clock.advance(3600)
    assert (clock.now(), clock.monotonic()) == (4600.0, 3600.0)


async def test_sleepers_wake_in_the_order_of_their_times_each_at_its_own():
    clock = VirtualClock(start=0.0)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float):
        await clock.sleep(seconds)
        woken.append((name, clock.now()))

    tasks = [asyncio.create_task(sleeper(name, seconds)) for name, seconds in [("c", 30), ("a", 10), ("b", 20)]]
    await clock.advance(20)
    assert woken == [("a", 10.0), ("b", 20.0)]
    await clock.advance(9.5)
    assert len(woken) == 2
    await clock.advance(0.5)
    assert woken[-1] == ("c", 30.0)
    await asyncio.gather(*tasks)


async def test_a_loop_that_sleeps_again_and_again_runs_as_often_as_it_fits():
    clock = VirtualClock()
    rounds: list[float] = []

    async def chore():
        while True:
            await clock.sleep(1.0)
            rounds.append(clock.monotonic())

    task = asyncio.create_task(chore())
    await clock.advance(5.5)
    assert rounds == [1.0, 2.0, 3.0, 4.0, 5.0]
    task.cancel()


async def test_whoever_is_woken_has_done_its_work_before_the_next_one_wakes():
    clock = VirtualClock()
    told: list[str] = []
    bell = asyncio.Event()

    async def first():
        await clock.sleep(1)
        bell.set()

    async def listener():
        await bell.wait()
        await asyncio.sleep(0)
        told.append("heard")

    async def second():
        await clock.sleep(1.001)
        told.append("second")

    tasks = [asyncio.create_task(one()) for one in (first, listener, second)]
    await clock.advance(2)
    assert told == ["heard", "second"]
    await asyncio.gather(*tasks)


async def test_a_sleep_of_no_time_gives_others_their_turn():
    clock = VirtualClock()
    ran: list[str] = []

    async def other():
        ran.append("other")

    task = asyncio.create_task(other())
    await clock.sleep(0)
    assert ran == ["other"]
    await task


async def test_a_cancelled_sleeper_is_not_woken_and_holds_up_nobody():
    clock = VirtualClock()
    task = asyncio.create_task(clock.sleep(5))
    await clock.advance(1)
    assert clock.sleeping == 1
    task.cancel()
    await clock.advance(10)
    assert task.cancelled()
    assert clock.sleeping == 0


async def test_a_jump_of_the_wall_clock_lets_no_time_pass():
    clock = VirtualClock(start=1000.0)
    task = asyncio.create_task(clock.sleep(60))
    await clock.advance(0)
    clock.jump(-3600)
    assert (clock.now(), clock.monotonic()) == (-2600.0, 0.0)
    assert not task.done()
    await clock.advance(60)
    assert task.done()


async def test_time_can_be_moved_until_something_is_so():
    clock = VirtualClock()
    done: list[float] = []

    async def work():
        await clock.sleep(7)
        done.append(clock.monotonic())

    task = asyncio.create_task(work())
    await clock.advance_until(lambda: bool(done))
    assert done == [7.0]
    assert clock.monotonic() < 7.2
    with pytest.raises(TimeoutError, match="60 virtual seconds"):
        await clock.advance_until(lambda: False, limit=60)
    await task

"""Proxies that fail are left alone for a while, and come back; a common fault empties no pool."""

import random

from scrapeyard.decisions.ejection import BAD, FAULTS, FIRST, LONGEST, NEW, SILENCE, Standing, judged, knocked
from scrapeyard.model.failures import Kind

DEAD = Kind.PROXY_ERROR


def after(*kinds: Kind | None, start: Standing = NEW, now: float = 0.0, spare: bool = True) -> Standing:
    for kind in kinds:
        start = judged(start, kind, now, spare=spare)
    return start


def test_faults_of_the_proxy_in_a_row_put_it_out() -> None:
    assert not after(*[DEAD] * (FAULTS - 1), None, DEAD).out
    out = after(*[DEAD] * FAULTS)
    assert (out.out, out.until, out.cause) == (True, FIRST, DEAD)


def test_what_may_be_the_sites_answer_takes_a_longer_row() -> None:
    assert not after(*[Kind.BLOCKED] * (BAD - 1), None, Kind.BLOCKED).out
    assert after(*[Kind.BLOCKED] * BAD).out
    assert not after(*[Kind.SITE_5XX] * 50).out
    assert not after(*[Kind.PARSE_EMPTY] * 50).out


def test_on_suspicion_nobody_goes_whom_the_pool_cannot_spare_but_on_proof_everybody() -> None:
    assert not after(*[DEAD] * 50, spare=False).out
    assert not after(*[Kind.BLOCKED] * 50, spare=False).out
    assert after(*[Kind.PROXY_AUTH] * FAULTS, spare=False).proven
    assert knocked(NEW, 0.0, opened=False).proven


def test_what_is_not_its_fault_changes_nothing_and_an_answer_of_the_site_shows_that_it_works() -> None:
    shaken = after(DEAD)
    for kind in (Kind.STORAGE_ERROR, Kind.SCRAPER_BUG, Kind.DENIED):
        assert after(kind, start=shaken) == shaken
    for kind in (None, Kind.SITE_5XX, Kind.INVALID_INPUT):
        assert after(kind, start=shaken).faults == 0


def test_it_comes_back_when_its_door_opens_and_each_time_out_is_longer() -> None:
    standing, now, times = NEW, 0.0, list[float]()
    for _ in range(12):
        standing = knocked(standing, now, opened=False)
        times.append(standing.until - now)
        assert knocked(standing, now + 1, opened=True).out, "not before its time"
        now = standing.until
        assert not knocked(standing, now, opened=True).out
    assert times[:4] == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
    assert max(times) == LONGEST
    proved = after(None, start=knocked(standing, now, opened=True), now=now)
    assert knocked(proved, now, opened=False).until == now + FIRST


def test_what_fails_while_it_is_out_makes_it_no_longer() -> None:
    out = after(*[DEAD] * FAULTS)
    assert after(*[DEAD] * 20, start=out, now=5.0).until == out.until


def test_four_fifths_of_a_pool_die_and_are_out_of_use_within_ten_seconds() -> None:
    """Twenty visits a second over fifty proxies, of which forty die at once and come back five minutes later. Whoever
    is silent is knocked at when it is lent, as `Peers` does."""
    rng = random.Random(4)
    pool = {f"p{number}": NEW for number in range(50)}
    dead = {f"p{number}" for number in range(40)}
    used: list[tuple[float, bool]] = []
    for step in range(20 * 1200):
        now = step / 20
        gone = dead if 60 <= now < 360 else set[str]()
        for name, standing in pool.items():
            if standing.due(now):
                pool[name] = knocked(standing, now, opened=name not in gone)
        name = rng.choice([name for name, standing in pool.items() if not standing.out])
        used.append((now, name in gone))
        if pool[name].silent(now):
            pool[name] = knocked(pool[name], now, opened=name not in gone)
        spare = 2 * (sum(one.out for one in pool.values()) + 1) <= len(pool)
        pool[name] = judged(pool[name], DEAD if name in gone else None, now, spare=spare)
    assert sum(fails for when, fails in used if 60 <= when < 70) <= FAULTS * len(dead)
    assert not any(fails for when, fails in used if when >= 70)
    assert not any(standing.out for standing in pool.values()), "all of them came back"


def test_one_that_was_heard_of_is_not_silent() -> None:
    assert NEW.silent(0.0)
    assert not after(None, now=5.0).silent(5.0 + SILENCE / 2)
    assert after(None, now=5.0).silent(5.0 + SILENCE)

"""An item's story and the table of ways, as a person sees them."""

import io

import msgspec
from rich.console import Console, RenderableType

from cli.statuses import START, status
from scrapeyard.cli import stories
from scrapeyard.cli.live import History, view
from scrapeyard.cli.ways import Ways
from scrapeyard.model.ask import ItemStory, JobStatus
from scrapeyard.model.attempt import Attempt, Step
from scrapeyard.model.breaker import Phase
from scrapeyard.model.gate import WayView
from scrapeyard.model.item import Item
from scrapeyard.model.job import TierTally
from scrapeyard.model.states import VisitState

JOB = msgspec.structs.replace(status().job, tiers=("direct", "residential"))


def shown(*parts: RenderableType, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    for part in parts:
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined]  # the StringIO above


def tried(number: int, after: float, **facts: object) -> Attempt:
    base = Attempt(
        number, 0, "w1", "direct", START + after, 850, "failed", "blocked", 403, "A challenge page.", "cloudflare",
        requests=2, wire_bytes=22_000, steps=(Step("search", START, 120), Step("detail", START, 700, True)),
    )  # fmt: skip
    return msgspec.structs.replace(base, **facts)


def story(*attempts: Attempt, state: VisitState = VisitState.FAILED, **facts: object) -> str:
    kind = attempts[-1].kind if state is VisitState.FAILED else None
    item = Item(JOB.id, 0, "001-0001", b'{"parcel_id":"001-0001"}', state, attempts=len(attempts), kind=kind)
    item = msgspec.structs.replace(item, **facts)
    return shown(*stories.told(JOB, ItemStory(item, attempts), START + 60))


def test_every_try_tells_its_way_kind_fault_rule_steps_and_price() -> None:
    dear = tried(2, 30, tier="residential", proxy="bd-17", session="5e55", cost_micros=420, probe=True)
    told = story(tried(1, 0), dear)
    for said in (
        "001-0001  failed: blocked, the site's fault",
        "A block or challenge page of a bot defence.",
        "failed: blocked, the site's fault (rule cloudflare), status 403",
        "A challenge page.",
        "850 ms, 2 requests, 22.0 kB, worker w1",
        "steps: search 120 ms, detail 700 ms ✗",
        ", 29 s after the last, by residential through bd-17, in session 5e55, as a probe",
        "$0.00042",
    ):
        assert said in told, told


def test_tries_that_came_to_nothing_for_the_same_reason_stand_together() -> None:
    idle = [
        tried(2, 10 + n, kind="no_proxy", status=None, rule="", detail="No proxy serves it.", requests=0, steps=())
        for n in range(7)
    ]
    told = story(tried(1, 0), *idle)
    assert told.count("no_proxy, our own fault") + told.count("no_proxy, the proxy's fault") == 2, "item and one try"
    assert "Try 2, 7 times at " in told


def test_a_redrive_shows_between_the_tries() -> None:
    assert "Put back to run again" in story(tried(1, 0), tried(1, 40, epoch=1))
    assert "Put back to run again" not in story(tried(1, 0), tried(2, 40))


def test_an_item_on_its_way_says_when_and_how_it_goes_on() -> None:
    told = story(tried(1, 0), state=VisitState.WAITING, not_before=START + 90, rung=1)
    assert "Its next try by residential may start in 30 s" in told
    assert "at any moment" in story(tried(1, 0), state=VisitState.WAITING, not_before=START + 5)


def test_what_a_terminal_would_obey_is_made_harmless() -> None:
    told = story(tried(1, 0, detail="\x1b[2Jgone", rule="\x1b]0;x", proxy="a\nb"))
    assert "\x1b" not in told
    assert "·[2Jgone" in told


def walled() -> JobStatus:
    base = status(100, waiting=500, failed={"blocked": 3}, succeeded=1_000)
    tiers = {"direct": TierTally(400, 0, 90_000), "residential": TierTally(1_500, 1_000, 20_000_000, 250_000)}
    ways = (
        WayView("direct", Phase.OPEN, START, START + 300, "23 of the first 23 items failed"),
        WayView("residential", Phase.CLOSED),
    )
    tally = msgspec.structs.replace(base.tally, tiers=tiers, cost_micros=250_000)
    return msgspec.structs.replace(base, job=JOB, tally=tally, ways=ways, later=40, due=START + 130)


def test_the_status_tells_ways_with_tries_price_and_state_and_whose_fault_failures_are() -> None:
    history = History()
    history.add(walled())
    told = shown(view(history))
    for said in (
        "failed: blocked  the site's fault",
        "40 of them for another try, the first in 30 s",
        "1,000 (67 %)",
        "$0.25",
        "given a rest until",
        "direct: 23 of the first 23 items failed.",
        "works",
    ):
        assert said in told, told


def test_a_narrow_screen_has_fewer_columns_and_cuts_nothing() -> None:
    told = shown(Ways(walled()), width=60)
    assert "traffic" not in told
    assert "residential" in told
    assert "1,000 (67 %)" in told


def test_one_way_that_works_and_costs_nothing_needs_no_table() -> None:
    assert not Ways(status(100, succeeded=5)).worth_telling
    resting = msgspec.structs.replace(status(100), ways=(WayView("direct", Phase.OPEN),))
    assert Ways(resting).worth_telling

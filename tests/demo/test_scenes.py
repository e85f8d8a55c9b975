"""Each scene, small: what it shows is asserted in the figures that it prints."""

import asyncio

import pytest

from demo import guide
from demo.stage import Quiet, small
from scrapeyard.demo.run import run_demo
from scrapeyard.demo.scenes import SCENES
from scrapeyard.settings import Settings


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Play a scene with so many parcels; gives its end."""
    monkeypatch.setenv("COUNTY_URL", "http://127.0.0.1:9")  # the demo sets it; the next test must not see it
    monkeypatch.setenv("SCRAPEYARD_SECRET_COUNTY_PROXIES", "")

    async def play(name, parcels, stage=None):
        end = await run_demo(Settings(data=tmp_path), small(SCENES[name], parcels), stage or Quiet())
        assert end.complete
        assert (end.audit.wrong, end.audit.twice) == (0, 0)
        print(f"{name}, {parcels:,} parcels: {end.ending.figures}")
        return end

    return play


async def test_a_learned_ladder_costs_little_more_than_the_least_and_far_less_than_the_dearest(play):
    end = await play("escalation", 300)
    figures = end.ending.figures
    assert end.status.tally.answered == 309
    assert figures["share_of_dearest"] <= 0.6, figures
    assert figures["times_the_least"] <= 1.1, figures


async def test_proxies_that_die_are_left_alone_and_used_again_when_they_live(play):
    end = await play("proxies", 1_500)
    figures = end.ending.figures
    assert figures["answered"] >= 0.99, figures
    assert figures["out_of_use_s"] <= 10, figures
    assert figures["used_again"] == 10, figures
    assert figures["trips"] == 0, figures
    assert end.status.tally.failed == {}


async def test_a_site_that_asks_to_be_asked_less_is_asked_less_and_every_item_is_answered(play):
    end = await play("throttling", 300)
    figures = end.ending.figures
    assert end.status.tally.failed == {}
    assert figures["answered"] == 1
    assert figures["refused"] > 0, "else the scene shows nothing"
    assert figures["refused_share"] <= 0.3, figures


async def test_a_job_stops_for_maintenance_and_goes_on_by_itself_as_the_guide_shows(play, tmp_path):
    stage = Quiet()
    end = await play("maintenance", 300, stage)
    figures = end.ending.figures
    assert end.status.tally.failed == {}
    assert figures["answered"] == 1
    assert figures["met"] <= 2 * 48 + 100, figures
    assert figures["resumed_s"] <= 20, figures
    assert stage.closed is not None
    for command, shown in guide.blocks("demo-maintenance"):
        real = (
            guide.explained(stage.closed)
            if command.startswith("why")
            else await asyncio.to_thread(guide.asked, command, tmp_path)
        )
        guide.compare(shown, real, command)


def _held(figures):
    """What S3 of the breaker promises, at any size."""
    assert figures["started"] <= 2 * figures["in_flight"] + 100, figures
    assert figures["probes"] >= 5, figures
    assert figures["burned"] == 0, figures
    assert figures["answered"] == 1, figures


async def test_a_redesign_stops_the_job_within_a_few_items_and_costs_none_of_them(play):
    end = await play("redesign", 1_000)
    _held(end.ending.figures)


@pytest.mark.soak
async def test_a_redesign_at_item_5_000_of_100_000(play):
    end = await play("redesign", 100_000)
    print(dict(end.ending.figures), f"{end.wall:.0f} s")
    _held(end.ending.figures)

"""`why` in words and as JSON, near a job that has ended, that is paused, and that nobody works on."""

import time

from cli.conftest import Place


def test_a_job_that_has_ended_says_how_and_what_to_do_about_its_failures(lived_in: Place) -> None:
    shown = lived_in.ask("why", "parcels")
    assert shown.exit_code == 0, shown.output
    assert "It is done: all 18 items had their end" in shown.stdout
    assert "1 item failed as invalid_input, the item's fault" in shown.stdout
    assert f"scrapeyard items parcels --kind invalid_input --data {lived_in.folder / 'data'}" in shown.stdout
    told = lived_in.told("why", "parcels")
    assert (told["going"], told["bounds"], told["seconds_left"]) == ("ended", [], None)
    assert [each["what"] for each in told["hindrances"]] == ["invalid_input", "unreadable"]


def test_a_paused_job_says_why_and_how_it_goes_on(place: Place) -> None:
    place.ask("submit", place.scraper, place.list, "--name", "parcels")
    place.ask("pause", "parcels", "--reason", "the county called")
    shown = place.ask("why")
    assert "It stands still. the county called" in shown.stdout
    assert shown.stdout.count("the county called") == 1, "what the answer has said is not said again"
    assert "scrapeyard resume parcels" in shown.stdout


def test_a_job_on_which_nobody_works_says_what_to_start(place: Place) -> None:
    place.ask("submit", place.scraper, place.list, "--name", "parcels")
    told = place.told("why", "parcels")
    patience = time.monotonic() + 60  # a dispatcher that has just begun gets a moment to speak before it is missed
    while told["going"] != "still" and time.monotonic() < patience:
        time.sleep(0.1)
        told = place.told("why", "parcels")
    assert told["hindrances"][0]["what"] == "no_dispatcher"
    assert told["hindrances"][0]["remedies"][0]["command"] == "scrapeyard up"

"""`run` and `submit`: a list becomes a job, the same command goes on with it, and the exit code tells how it ended."""

import json

import pytest

from cli.conftest import Place
from scrapeyard.demo.county import listed


def test_a_run_ends_with_outcomes_the_place_of_the_results_and_what_to_do_next(place: Place) -> None:
    ran = place.ask("run", place.scraper, place.list)
    assert ran.exit_code == 3, "one item failed"
    assert "New job 'test.county-parcels'" in ran.stderr
    assert "18 items loaded, 1 duplicate left out." in ran.stderr
    for said in ("18 items", "16  succeeded", "1  absent", "1  failed: invalid_input", "1 item could not be read"):
        assert said in ran.stdout
    assert "scrapeyard export test.county-parcels --format csv" in ran.stdout
    assert "scrapeyard items test.county-parcels --state failed" in ran.stdout


def test_a_run_without_trouble_ends_with_0_and_says_so_to_programs(place: Place) -> None:
    rows = place.write("good.csv", *listed(5), header="parcel_id")
    ran = place.ask("run", place.scraper, rows, "--json")
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    assert told["state"] == "completed"
    assert told["outcomes"]["succeeded"] == told["records"] == told["total"] == 5
    assert told["continued"] is False
    assert told["forecast"] is None


def test_a_sample_ends_with_a_forecast_for_the_whole_list(place: Place) -> None:
    rows = place.write("long.csv", *listed(300), header="parcel_id")
    ran = place.ask("run", place.scraper, rows, "--limit", "6")
    assert ran.exit_code == 0, ran.output
    assert "'test.county-long-first-6'" in ran.stderr, "a sample is a job of its own"
    assert "Forecast for all 300 rows, from this sample of 6" in ran.stdout
    told = json.loads(place.ask("run", place.scraper, rows, "--limit", "7", "--json").stdout)["forecast"]
    assert (told["items"], told["sample"]) == (300, 7)
    for span in (told["hours"], told["wire_bytes"], told["outcomes"]["succeeded"]["items"]):
        assert 0 < span["low"] <= span["mid"] <= span["high"]
    assert told["outcomes"]["succeeded"]["items"]["mid"] == 300
    assert told["dollars"]["mid"] == 0


def test_a_list_comes_from_standard_input_too_but_then_without_a_forecast(place: Place) -> None:
    text = "parcel_id\n" + "\n".join(listed(4)) + "\n"
    ran = place.ask("run", place.scraper, "-", "--limit", "2", text=text)
    assert ran.exit_code == 0, ran.output
    assert "No forecast: standard input cannot be read twice" in ran.stderr
    assert "2 items" in ran.stdout


def test_submit_only_loads_and_up_works_on_it(place: Place) -> None:
    rows = place.write("good.csv", *listed(5), header="parcel_id")
    submitted = place.ask("submit", place.scraper, rows, "--name", "later", "--priority", "7")
    assert submitted.exit_code == 0, submitted.output
    assert len(submitted.stdout.strip()) == 12, "the id alone, for scripts"
    status = place.told("status", "later")
    assert (status["state"], status["waiting"], status["policy"]["priority"]) == ("running", 5, 7)

    done = place.ask("up", "--until-done", "--scrapers", place.scraper)
    assert done.exit_code == 0, done.output
    assert "Nothing is left to do" in done.stderr
    assert place.told("status", "later")["state"] == "completed"


def test_the_same_command_goes_on_with_the_unfinished_job_and_new_begins_another(place: Place) -> None:
    rows = place.write("good.csv", *listed(5), header="parcel_id")
    first = place.told("submit", place.scraper, rows)
    again = place.told("submit", place.scraper, rows)
    fresh = place.told("submit", place.scraper, rows, "--new")
    assert (first["continued"], again["continued"], fresh["continued"]) == (False, True, False)
    assert first["id"] == again["id"] != fresh["id"]
    assert "Going on with the unfinished job" in place.ask("submit", place.scraper, rows).stderr


def test_a_paused_job_goes_on_when_it_is_run_again(place: Place) -> None:
    rows = place.write("good.csv", *listed(5), header="parcel_id")
    place.ask("submit", place.scraper, rows, "--name", "later")
    place.ask("pause", "later", "--reason", "the county called")
    ran = place.ask("run", place.scraper, rows, "--name", "later")
    assert ran.exit_code == 0, ran.output
    assert "It was paused (the county called); it goes on now." in ran.stderr


def test_columns_are_mapped_and_bad_rows_set_aside(place: Place) -> None:
    numbers = list(listed(3))
    rows = place.write("odd.csv", *numbers, "", '"\x01"', header="Parcel No")
    rejects = place.folder / "bad.csv"
    ran = place.ask(
        "run", place.scraper, rows, "--map", "parcel_id=Parcel No", "--on-bad-row", "skip", "--rejects", str(rejects)
    )
    assert ran.exit_code == 0, ran.output
    assert "3 items loaded, 1 bad row left out." in ran.stderr
    assert "control character" in rejects.read_text()


def test_a_bad_row_refuses_the_list_with_its_line_and_a_mended_list_begins_from_nothing(place: Place) -> None:
    numbers = list(listed(3))
    rows = place.write("odd.csv", *numbers, '"\x01"', header="parcel_id")
    refused = place.ask("run", place.scraper, rows)
    assert refused.exit_code == 1
    assert "5" in refused.stderr, "the line"
    assert "Traceback" not in refused.output
    place.write("odd.csv", *numbers[:2], header="parcel_id")
    ran = place.ask("run", place.scraper, rows, "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["total"] == 2


def test_shards_of_a_list_are_jobs_of_their_own_and_make_up_the_whole(place: Place) -> None:
    rows = place.write("good.csv", *listed(40), header="parcel_id")
    parts = [place.told("submit", place.scraper, rows, "--shard", f"{n}/3") for n in range(3)]
    assert sum(part["total"] for part in parts) == 40
    assert len({part["name"] for part in parts}) == 3
    assert parts[1]["name"] == "test.county-good-shard-1-of-3"


@pytest.mark.parametrize("words", [["--shard", "4/4"], ["--map", "parcel_id=Nope"]])
def test_what_options_or_header_already_tell_leaves_no_job_behind(place: Place, words: list[str]) -> None:
    refused = place.ask("submit", place.scraper, place.write("good.csv", *listed(3), header="parcel_id"), *words)
    assert refused.exit_code == 1
    assert "New job" not in refused.stderr
    assert place.lines("jobs") == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["{scraper}", "nowhere.csv"], 1, "no file 'nowhere.csv'"),
        (["{scraper}", "{folder}"], 2, "is a folder"),
        (["no.such.scraper", "{list}"], 1, "no scraper 'no.such.scraper'"),
        (["missing.py", "{list}"], 1, "missing.py"),
        (["{scraper}", "{list}", "--map", "parcel_id=Nope"], 1, "no column 'Nope'"),
        (["{scraper}", "{list}", "--shard", "4/4"], 1, "is no shard"),
        (["{scraper}", "{list}", "--window", "at night"], 2, "is no window"),
        (["{scraper}", "{list}", "--window", "20:00-06:00 Mars/Olympus"], 1, "Mars/Olympus"),
        (["{scraper}", "{list}", "--rate", "0"], 1, "above 0"),
        (["{scraper}", "{list}", "--deadline", "soon"], 2, "no length of time"),
        (["{scraper}", "{list}", "--name", "  "], 1, "cannot be a job's name"),
        (["{scraper}", "{list}", "--priority", "11"], 2, "priority"),
        (["{scraper}"], 2, "LIST"),
        (["{scraper}", "{list}", "--config", "nowhere.toml"], 2, "nowhere.toml"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(place: Place, words: list[str], code: int, said: str) -> None:
    named = {"scraper": place.scraper, "list": place.list, "folder": str(place.folder)}
    refused = place.ask("submit", *(word.format(**named) for word in words))
    assert refused.exit_code == code, refused.output
    assert said in refused.stderr
    assert "Traceback" not in refused.output


def test_a_broken_scraper_is_refused_with_the_line(place: Place) -> None:
    broken = place.folder / "broken.py"
    broken.write_text("from scrapeyard import scraper\n\nthis is no Python\n")
    refused = place.ask("run", str(broken), place.list)
    assert refused.exit_code == 1
    assert "line 3" in refused.stderr
    assert "Traceback" not in refused.output


def test_a_slip_in_the_settings_is_named(place: Place) -> None:
    config = place.folder / "slip.toml"
    config.write_text("[worker]\nprocesess = 4\n")
    refused = place.ask("submit", place.scraper, place.list, "--config", str(config))
    assert refused.exit_code == 2
    assert "'worker.procesess'" in refused.stderr
    config.write_text("[worker\n")
    assert "not well-formed TOML" in place.ask("submit", place.scraper, place.list, "--config", str(config)).stderr

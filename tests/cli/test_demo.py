"""The demo's command shows what the demo did; what it does is tested with the demo."""

import json

from cli.conftest import Place


def test_a_demo_ends_with_outcomes_the_audit_and_the_next_commands(place: Place) -> None:
    ran = place.ask("demo", "--items", "30", "--faults", "calm", "--no-kill")
    assert ran.exit_code == 0, ran.output
    assert "30  succeeded" in ran.stdout
    assert "30 parcels, 0 wrong, 0 twice" in ran.stdout
    commands = [line.strip() for line in ran.stdout.partition("Next:")[2].splitlines() if line.strip()]
    assert len(commands) == 3
    for command in commands:
        words = command.split()
        assert words[0] == "scrapeyard"
        assert "--data" in words, "it means the demo's own folder"


def test_a_demo_tells_programs_what_it_found(place: Place) -> None:
    ran = place.ask("demo", "--items", "40", "--faults", "calm", "--json")
    told = json.loads(ran.stdout)
    assert told["audit"] == {"parcels": 40, "twice": 0, "wrong": 0}
    assert told["outcomes"]["succeeded"] == 40
    assert told["outcomes"]["absent"] == 1
    assert set(told["figures"]) in ({"killed_pid", "rerun"}, set())


def test_scenes_are_listed_each_in_a_sentence(place: Place) -> None:
    told = place.lines("demo", "--list-scenes")
    assert "ordinary" in [scene["name"] for scene in told]
    assert all(len(scene["title"]) > 20 for scene in told)
    assert not (place.folder / "data").exists()


def test_a_scene_that_there_is_not_is_refused_with_those_that_there_are(place: Place) -> None:
    ran = place.ask("demo", "--scene", "nightfall")
    assert ran.exit_code == 2
    assert "There is no scene 'nightfall'; there are ordinary" in ran.stderr

"""What is shipped for Prometheus and Grafana: rules that fire, and a dashboard of figures that there are."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from scrapeyard.model.metric import METRICS, Shape

FOLDER = Path(__file__).parents[2] / "deploy" / "observability"
DASHBOARD = json.loads((FOLDER / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def series() -> dict[str, set[str]]:
    """Every series that there is, with its labels."""
    found: dict[str, set[str]] = {}
    for one in METRICS:
        for ending in ("_bucket", "_sum", "_count") if one.shape is Shape.HISTOGRAM else ("",):
            found[one.name + ending] = {*one.labels, *({"le"} if ending == "_bucket" else ())}
    return found


@pytest.mark.parametrize("words", ["check rules alerts.yml", "test rules alerts-test.yml"])
def test_prometheus_takes_the_rules_and_they_fire_when_they_should(words):
    done = subprocess.run(["promtool", *words.split()], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_says_what_to_do():
    text = (FOLDER / "alerts.yml").read_text()
    assert text.count("- alert:") == text.count("action:") == text.count("summary:") >= 10


@pytest.mark.parametrize(
    "text",
    [(FOLDER / "alerts.yml").read_text(), *(target["expr"] for panel in PANELS for target in panel["targets"])],
    ids=lambda text: text.splitlines()[0][:60],
)
def test_rules_and_dashboard_name_only_figures_and_labels_that_there_are(text):
    known = series()
    names = re.findall(r"\bscrapeyard_\w+", text)
    assert names
    assert set(names) <= set(known)
    labels = {label for name in names for label in known[name]}
    for group in re.findall(r"by \(([^)]*)\)", text):
        assert {label.strip() for label in group.split(",")} <= labels


def test_the_dashboard_shows_every_figure():
    shown = {name for panel in PANELS for t in panel["targets"] for name in re.findall(r"\bscrapeyard_\w+", t["expr"])}
    assert {re.sub(r"_bucket$", "", name) for name in shown} == {one.name for one in METRICS}


def test_the_dashboard_is_one_that_grafana_can_import():
    assert DASHBOARD["schemaVersion"] >= 36
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
    assert all(panel["datasource"]["uid"] == "${source}" for panel in PANELS)

"""The compose file: understood by a parser of its specification, and in step with the images and the settings."""

import re

import yaml
from compose_spec import PyCompose

from deploy.container import ROOT, image
from deploy.manifests import DEPLOY, lines, settings_of
from scrapeyard.wiring.storage import resolved

FOLDER = DEPLOY / "compose"
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
ROLES = ("controller", "dispatcher", "worker")


def test_the_file_is_what_the_specification_allows():
    understood = PyCompose.from_yaml(yaml.safe_dump(COMPOSE))
    assert set(understood.service_names()) == {"postgres", "objects", *ROLES}


def test_every_role_runs_as_nobody_and_waits_for_its_storage():
    for name in ROLES:
        service = SERVICES[name]
        made = image(service["image"].removeprefix("scrapeyard-"))
        assert service["user"] == made.user
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert {one["condition"] for one in service["depends_on"].values()} == {"service_healthy"}
        assert set(service["depends_on"]) == {other for other in SERVICES if "healthcheck" in SERVICES[other]}
    assert [port for name in SERVICES for port in SERVICES[name].get("ports", [])] == ["127.0.0.1:8080:8080"]
    for name in ("controller", "worker"):
        built = SERVICES[name]["build"]
        assert (FOLDER / built["context"]).resolve() == ROOT
        assert (ROOT / built["dockerfile"]).is_file()


def test_its_words_are_settings_and_what_is_secret_is_asked_for():
    text = (FOLDER / "compose.yaml").read_text()
    asked = set(re.findall(r"\$\{(\w+):\?", text))
    assert asked == set(lines(FOLDER / "example.env"))
    assert not re.findall(r"\$\{?\w+\}?(?!:\?|\w)", re.sub(r"\$\{\w+:\?[^}]*\}", "", text))
    for name in ROLES:
        env = {
            word: re.sub(r"\$\{\w+:\?[^}]*\}", "word", value) for word, value in SERVICES[name]["environment"].items()
        }
        settings = settings_of(env)
        assert resolved(settings).live.startswith("postgresql://yard:word@postgres/")
        if name == "worker":
            stop = int(SERVICES[name]["stop_grace_period"].removesuffix("s"))
            assert stop >= settings.worker.grace + settings.worker.stall_limit + 10

"""Manifests and compose files as their tools would see them: resolved, and with every setting held against the tree."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scrapeyard.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy"


def documents(path: Path) -> list[dict[str, Any]]:
    """All documents of a file."""
    return [one for one in yaml.safe_load_all(path.read_text()) if one is not None]


def base() -> list[dict[str, Any]]:
    """Everything that the base names, and nothing lies beside it unnamed."""
    folder = DEPLOY / "kubernetes" / "base"
    (named,) = documents(folder / "kustomization.yaml")
    assert {*named["resources"], "kustomization.yaml"} == {path.name for path in folder.iterdir()}
    return [one for name in named["resources"] for one in documents(folder / name)]


def of_kind(found: Iterable[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    return {one["metadata"]["name"]: one["spec"] for one in found if one["kind"] == kind}


def settings_of(env: Mapping[str, object]) -> Settings:
    """What a process would read from this environment; a word that is no setting is an error."""
    sections = {name.removeprefix("SCRAPEYARD_").partition("__")[0].lower() for name in env if "SCRAPEYARD" in name}
    assert sections <= set(Settings.model_fields)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, str(value))
        return Settings()


def lines(path: Path) -> dict[str, str]:
    """A file of `NAME=value` lines."""
    pairs = (line.partition("=") for line in path.read_text().splitlines() if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}

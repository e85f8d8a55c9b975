"""What the guides show works: settings are settings, scrapers are scrapers."""

import re
import tomllib
from pathlib import Path

import pytest

from scrapeyard.settings import Settings

GUIDES = sorted((Path(__file__).parents[2] / "docs" / "guides").glob("*.md"))
BLOCKS = [
    pytest.param(language, body, id=f"{path.stem}-{number}")
    for path in GUIDES
    for number, (language, body) in enumerate(re.findall(r"```(toml|python)\n(.*?)```", path.read_text(), re.DOTALL))
]


@pytest.mark.parametrize(("language", "body"), BLOCKS)
def test_what_a_guide_shows_is_taken(language, body, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if language == "python":
        exec(compile(body, "guide", "exec"), {"__name__": "guide"})
        return
    shown = tomllib.loads(body)
    settings = Settings(**shown)
    for name in shown:
        assert getattr(settings, name) != Settings.model_fields[name].get_default(call_default_factory=True)

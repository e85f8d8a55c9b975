"""What the guides show works: settings are settings, scrapers are scrapers."""

import re
import time
import tomllib
from pathlib import Path

import pytest

from scrapeyard.backends.webhook.channel import signature
from scrapeyard.model.alert import CONCERN_MEANING, Concern
from scrapeyard.settings import Settings

GUIDES = sorted((Path(__file__).parents[2] / "docs" / "guides").glob("*.md"))
BLOCKS = [
    pytest.param(language, body, id=f"{path.stem}-{number}")
    for path in GUIDES
    for number, (language, body) in enumerate(re.findall(r"```(toml|python)\n(.*?)```", path.read_text(), re.DOTALL))
]


def test_the_guide_of_alerts_explains_every_concern():
    told = (GUIDES[0].parent / "alerts.md").read_text()
    assert [f"| `{name}` | {meaning} |" in told for name, meaning in CONCERN_MEANING.items()] == [True] * len(Concern)


def test_the_check_of_a_webhook_in_the_guide_is_right():
    blocks = re.findall(r"```python\n(.*?)```", (GUIDES[0].parent / "alerts.md").read_text(), re.DOTALL)
    guide = {}
    exec(compile(blocks[0], "guide", "exec"), guide)
    stamp, body = str(int(time.time())), b'{"id":"1"}'
    headers = {"Scrapeyard-Timestamp": stamp, "Scrapeyard-Signature": signature("word", stamp, body)}
    assert guide["is_genuine"]("word", headers, body)
    assert not guide["is_genuine"]("word", headers, body + b" ")
    assert not guide["is_genuine"]("other", headers, body)
    assert not guide["is_genuine"]("word", {**headers, "Scrapeyard-Timestamp": str(int(stamp) - 301)}, body)


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

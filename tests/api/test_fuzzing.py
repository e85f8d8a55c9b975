"""The API says what it does, and does what it says: thousands of requests made from its own description.

The fuzzer knows nothing but `/openapi.json`. It sends what the schemas allow and what they forbid, follows the links
from one operation to the next, and looks at every answer: none may be a fault of ours, and none may differ from what
was described.
"""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from api.conftest import served
from scrapeyard.model.access import Scope
from scrapeyard.settings import ApiSettings, StorageSettings

HERE = Path(__file__).parent
SOAK = os.environ.get("SCRAPEYARD_SOAK") == "1"


async def fuzzed(settings, folder, *options):
    """What the fuzzer found; empty if all is well."""
    settings = settings.model_copy(update={"api": ApiSettings(port=0, wrong_keys=1_000_000)})
    async with served(settings) as site:
        key = await site.key(Scope.ADMIN)
        folder.mkdir()
        running = await asyncio.create_subprocess_exec(
            str(Path(sys.executable).with_name("st")), "--config-file", str(HERE / "schemathesis.toml"), "--no-color",
            "run", f"{site.call.base}/openapi.json", "-H", f"Authorization: Bearer {key}", "--seed", "1",
            "--wait-for-schema", "60", "--no-shrink", "--warnings", "off", *options,
            cwd=folder, env={**os.environ, "PYTHONPATH": str(HERE), "SCHEMATHESIS_HOOKS": "fuzzing_hooks"},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        said = (await running.communicate())[0].decode()
        assert "Test cases:" in said, said
        return "" if running.returncode == 0 else said


async def test_what_it_answers_is_what_it_describes_to_right_and_wrong_requests(settings, tmp_path):
    """On SQLite: the borders of every schema, each parameter left out and spoilt, every wrong method."""
    assert not await fuzzed(settings, tmp_path / "st", "--phases", "examples,coverage", "--max-examples", "1")


async def test_operations_that_follow_from_each_other_on_postgres(settings, tmp_path, postgres):
    """A job is made, listed to, steered and looked at in any order, with random values."""
    settings = settings.model_copy(update={"storage": StorageSettings(ledger=postgres.fresh())})
    assert not await fuzzed(settings, tmp_path / "st", "--phases", "fuzzing,stateful", "--max-examples", "2")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_all_phases_at_length(settings, tmp_path, kind, request):
    if kind == "postgres":
        address = request.getfixturevalue("postgres").fresh()
        settings = settings.model_copy(update={"storage": StorageSettings(ledger=address)})
    assert not await fuzzed(settings, tmp_path / "st", "--max-examples", "60")

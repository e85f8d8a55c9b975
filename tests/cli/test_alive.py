"""The health check: alive is what gives signs of life, whatever its storage does."""

import asyncio
import os
import time

from typer.testing import CliRunner

from scrapeyard.cli.main import app
from scrapeyard.cli.pulse import STALE, pulse

RUNNER = CliRunner()


async def test_a_role_is_alive_as_long_as_it_gives_signs_of_life(tmp_path):
    async def asked(*words: str) -> tuple[int, str]:
        done = await asyncio.to_thread(RUNNER.invoke, app, ["alive", *words, "--data", str(tmp_path)])
        return done.exit_code, done.stderr

    code, said = await asked("worker")
    assert code == 1
    assert "No worker is at work in this folder" in said
    async with pulse(tmp_path, "worker"):
        while not (found := list((tmp_path / "alive").iterdir())):  # noqa: ASYNC110 - it tells a folder only
            await asyncio.sleep(0)
        assert (await asked("worker"))[0] == (await asked())[0] == 0
        assert (await asked("dispatcher"))[0] == 1
        gone = found[0].with_name("worker-0")
        found[0].rename(gone)  # as if its loop had stopped turning
        long_ago = time.time() - STALE - 600
        os.utime(gone, (long_ago, long_ago))
        code, said = await asked("worker")
        assert code == 1
        assert "The worker gave its last sign of life 10" in said
    assert (await asked())[0] == 1


async def test_what_a_killed_process_left_is_put_away(tmp_path):
    left = tmp_path / "alive" / "worker-1"
    left.parent.mkdir()
    left.touch()
    os.utime(left, (0, 0))
    async with pulse(tmp_path, "worker"):
        assert not left.exists()

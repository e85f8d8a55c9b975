"""The README's first example is typed as it stands, against a county on a free port."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text()
ADDRESS = "127.0.0.1:8100"
PARCELS = 30


@pytest.fixture
def county(tmp_path):
    """A county's address; its list lies in the folder."""
    words = ["--until-eof", "--parcels", str(PARCELS), "--write-list", str(tmp_path / "parcels.csv")]
    process = subprocess.Popen(
        [sys.executable, "-m", "scrapeyard.demo.county", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    yield process.stdout.readline().decode().strip().removeprefix("http://")
    process.stdin.close()
    process.wait(timeout=60)


def commands() -> list[str]:
    return re.findall(r"^scrapeyard .*?(?=\s+#|$)", README, re.MULTILINE)


def test_the_example_runs_as_it_is_typed(county, tmp_path):
    [scraper] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (tmp_path / "assessment.py").write_text(scraper.replace(ADDRESS, county))
    [allowed] = re.findall(r"SCRAPEYARD_HTTP__ALLOW='(.+?)'", README)
    env = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPEYARD_", "COUNTY_"))}
    env |= {"SCRAPEYARD_HTTP__ALLOW": allowed.replace(ADDRESS, county), "BROWSER": "true"}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"

    def typed(command: str) -> str:
        ran = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, f"$ {command}\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    assert [line.split()[1] for line in commands()] == ["run", "run", "items", "item", "retry", "export"]
    for command in commands():
        job = json.loads(typed("scrapeyard jobs --json").splitlines()[0])["name"] if "JOB" in command else ""
        typed(command.replace("JOB", job))
    status = json.loads(typed("scrapeyard status --json"))
    assert status["done"] == PARCELS
    assert status["records"] == status["outcomes"]["succeeded"] > 0
    assert list((tmp_path / "out").rglob("*.parquet"))

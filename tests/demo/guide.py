"""The guide to failures shows real output: what stands in its blocks must come out of the same commands today.

Figures, times and names of items differ from run to run, so lines are compared without them.
"""

import re
from pathlib import Path

from rich.console import Console
from typer.testing import CliRunner

from scrapeyard.cli.main import app
from scrapeyard.cli.why import told
from scrapeyard.decisions.why import why

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "failures.md"
BLOCK = re.compile(r"```console\n\$ scrapeyard ([^\n]+)\n(.*?)```", re.DOTALL)


def blocks(job: str) -> list[tuple[str, str]]:
    """Commands about this job, and what the guide shows of their output."""
    found = [(command, shown) for command, shown in BLOCK.findall(GUIDE.read_text()) if job in command]
    assert found, f"the guide shows nothing of {job}"
    return found


def shape(line: str) -> str:
    """A line without what differs from run to run."""
    line = re.sub(r"[━╸╺]+", "━", line.replace("✗", ""))
    line = re.sub(r"\b(?:ms|min|s|h|kB|MB|GB|B)\b", "unit", re.sub(r"\d[\d,.:%-]*", "#", line))
    line = re.sub(r"\(# to #\)", "", re.sub(r"under \$#|\$#", "$", line))
    return " ".join(line.split())


def compare(shown: str, real: str, command: str) -> None:
    """Every line of the guide must be there; `…` stands for whatever is left out."""
    known = {shape(line) for line in real.splitlines()}
    for line in shown.splitlines():
        if line.strip() not in {"", "…"}:
            assert shape(line) in known, f"{command}: the guide shows\n{line}\nbut it says\n{real}"


def asked(command: str, data: Path) -> str:
    """What a command says today, on a terminal of 100 columns."""
    result = CliRunner().invoke(app, [*command.split(), "--data", str(data)], env={"COLUMNS": "100"})
    return result.output.replace(f" --data {data}", "")


def explained(status) -> str:
    """What `why` says of this status."""
    console = Console(width=100)
    with console.capture() as captured:
        console.print(told(why(status)))
    return captured.get()

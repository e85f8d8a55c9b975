"""What a container would do with an image, without an engine for containers: the words, the environment and the user of
its Dockerfile, given to real processes of this machine."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from dockerfile_parse import DockerfileParser

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "deploy" / "images"
ROLES = ("controller", "worker")
_READ_ALL = 2
"""The number of the capability to read what belongs to others, which the files of an image need no leave for."""


class Image(NamedTuple):
    """The last stage of a Dockerfile."""

    user: str
    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    health: tuple[str, ...]
    env: dict[str, str]
    volumes: tuple[str, ...]
    steps: tuple[tuple[str, str], ...]


def image(role: str) -> Image:
    """The image of a role."""
    steps = parsed((IMAGES / f"{role}.Dockerfile").read_text())
    last = max(place for place, (word, _) in enumerate(steps) if word == "FROM")
    final = steps[last:]

    def said(word: str) -> str:
        return next(value for name, value in reversed(final) if name == word)

    pairs = re.findall(r"(\w+)=('[^']*'|\S+)", " ".join(value for word, value in final if word == "ENV"))
    return Image(
        said("USER"),
        tuple(json.loads(said("ENTRYPOINT"))),
        tuple(json.loads(said("CMD"))),
        tuple(json.loads(said("HEALTHCHECK").partition("CMD ")[2])),
        {name: value.strip("'") for name, value in pairs},
        tuple(json.loads(said("VOLUME"))),
        tuple(final),
    )


def parsed(text: str) -> list[tuple[str, str]]:
    """Each instruction of a Dockerfile with what it says."""
    parser = DockerfileParser(cache_content=False, fileobj=_file(text))
    steps = cast("list[dict[str, Any]]", parser.structure)
    return [(step["instruction"], step["value"]) for step in steps if step["instruction"] != "COMMENT"]


def _file(text: str) -> Any:
    from io import BytesIO

    return BytesIO(text.encode())


class Container:
    """Processes of one image: another user, a home that cannot be written, and its volumes as folders of this test."""

    def __init__(self, role: str, folder: Path, env: Mapping[str, str]) -> None:
        self.image = image(role)
        self.home, self.data, self.tmp = folder / "home", folder / "data", folder / "tmp"
        uid = int(self.image.user.partition(":")[0])
        for place in (self.home, self.data, self.tmp):
            place.mkdir(parents=True)
        self.home.chmod(0o555)
        if os.geteuid() == 0:
            for place in (self.data, self.tmp):
                os.chown(place, uid, uid)
        programs = str(Path(sys.executable).parent)
        self.env = {
            **self.image.env, "PATH": f"{programs}:/usr/bin:/bin", "HOME": str(self.home), "TMPDIR": str(self.tmp),
            "SCRAPEYARD_DATA": str(self.data), **env,
        }  # fmt: skip
        self._switch = switched(uid)

    def start(self, words: Sequence[str] = (), log: Path | None = None) -> "subprocess.Popen[bytes]":
        """The entry point with these words, or the image's own."""
        out = (log or self.tmp / "log").open("ab")
        with out:
            return subprocess.Popen(
                [*self._switch, *self._entry(), *(words or self.image.command)], cwd=self.data, env=self.env,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip

    def healthy(self) -> bool:
        """What the health check of the image says."""
        return self.run(self.image.health).returncode == 0

    def run(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """A command inside."""
        return subprocess.run(
            [*self._switch, *words], cwd=self.data, env=self.env, capture_output=True, text=True, check=False
        )

    def _entry(self) -> list[str]:
        """An init is of the image's own system and does nothing here but pass signals on."""
        return [word for word in self.image.entrypoint if word not in ("tini", "--")]


def switched(uid: int) -> list[str]:
    """Words that make a command run as that user, if this one may: without any rights but to read what is there."""
    if os.geteuid() != 0:
        return []
    setpriv = shutil.which("setpriv")
    assert setpriv, "setpriv of util-linux is needed to run as somebody else"
    words = [setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--no-new-privs", "--pdeathsig", "KILL"]
    bounds = re.search(r"CapBnd:\s*(\w+)", Path("/proc/self/status").read_text())
    if bounds and int(bounds[1], 16) >> _READ_ALL & 1:
        words += ["--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"]
    return words

"""A worker stops taking before its container's limit, and is not fooled by memory that the kernel would give back."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapeyard.worker.cgroup import Memory, memory, most
from scrapeyard.worker.guard import Guard

MIB = 1 << 20
V2 = ("memory.max", "memory.current", "inactive_file")
V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


class Groups:
    """Control groups as the kernel shows them, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "cgroup"
        self.membership = folder / "membership"

    def group(self, path: str, limit: int | str, used: int, cache: int = 0, names: tuple[str, str, str] = V2) -> None:
        folder = self.root / path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / names[0]).write_text(f"{limit}\n")
        (folder / names[1]).write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 1\n{names[2]} {cache}\nslab 2\n")

    def seen(self, *lines: str) -> Memory:
        self.membership.write_text("\n".join(lines))
        return memory(self.root, self.membership)


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def test_a_container_s_limit_counts_not_the_machine_s_memory(groups: Groups) -> None:
    groups.group("", 512 * MIB, 500 * MIB)
    assert groups.seen("0::/") == (500 * MIB, 512 * MIB)


def test_the_cache_of_written_segments_is_not_in_use(groups: Groups) -> None:
    groups.group("", 512 * MIB, 511 * MIB, cache=11 * MIB)
    assert groups.seen("0::/") == (500 * MIB, 512 * MIB)


def test_the_limit_may_stand_at_any_level(groups: Groups) -> None:
    groups.group("yard.slice", 400 * MIB, 399 * MIB)
    groups.group("yard.slice/worker.service", "max", 300 * MIB)
    assert groups.seen("0::/yard.slice/worker.service") == (399 * MIB, 400 * MIB)


def test_the_most_that_could_be_had_is_the_smallest_limit(groups: Groups) -> None:
    groups.group("a", 400 * MIB, 399 * MIB)
    groups.group("a/b", 900 * MIB, 300 * MIB)
    groups.membership.write_text("0::/a/b")
    assert most(groups.root, groups.membership) == 400 * MIB


def test_the_older_groups_are_known_too(groups: Groups) -> None:
    groups.group("memory", 512 * MIB, 510 * MIB, cache=MIB, names=V1)
    assert groups.seen("5:cpu:/", "4:memory:/docker/not-seen-from-inside", "0::/") == (509 * MIB, 512 * MIB)


@pytest.mark.parametrize("limit", ["max", 9_223_372_036_854_771_712, 0, "odd"])
def test_without_a_limit_the_machine_s_memory_counts(groups: Groups, limit: int | str) -> None:
    groups.group("", limit, 300 * MIB)
    assert groups.seen("0::/").limit == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_where_there_are_no_groups_the_machine_s_memory_counts(tmp_path: Path) -> None:
    assert memory(tmp_path / "none", tmp_path / "none").limit > 0


def test_nothing_more_is_taken_from_85_percent_on() -> None:
    assert Guard(0.85, 0.9, lambda: Memory(850, 1000)).refusal() is None
    assert Guard(0.85, 0.9, lambda: Memory(860 * MIB, 1000 * MIB)).refusal() == "memory is at 86 % of 1000 MiB"


@pytest.fixture
def few_files() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_nothing_more_is_taken_when_open_files_run_out(few_files: None, tmp_path: Path) -> None:
    guard = Guard(0.85, 0.5, lambda: Memory(1, 1000))
    assert guard.refusal() is None
    opened = [(tmp_path / "x").open("w") for _ in range(100)]
    try:
        refusal = guard.refusal()
    finally:
        for file in opened:
            file.close()
    assert refusal is not None
    assert refusal.endswith("of 200 files are open")

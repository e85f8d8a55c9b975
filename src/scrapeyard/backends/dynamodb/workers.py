"""Workers in DynamoDB: one row each, with the jobs of which it has a tab, so that its leases can be found."""

import time
from collections.abc import Sequence

import msgspec

from scrapeyard.backends.dynamodb.keys import worker_key, worker_parts
from scrapeyard.backends.dynamodb.table import EXPIRES, Table
from scrapeyard.backends.dynamodb.values import Row
from scrapeyard.backends.rows import encode
from scrapeyard.model.fleet import WorkerBeat

_REMEMBERED = 30 * 86_400
"""Seconds for which the dead are remembered; DynamoDB buries them after that, by its own clock."""

_decode = msgspec.msgpack.Decoder(WorkerBeat).decode


class Known(msgspec.Struct, frozen=True):
    """A worker as its row says. `done` is a dead one of which nothing is left to be settled."""

    beat: WorkerBeat
    jobs: frozenset[str]
    done: bool


class Workers:
    """All workers of a deployment."""

    def __init__(self, table: Table) -> None:
        self._table = table

    async def get(self, worker: str) -> Known | None:
        """One of them."""
        row = await self._table.get(worker_key(worker))
        return known(row) if row is not None else None

    async def all(self) -> list[Known]:
        """Everybody of whom something may be left, in order of name."""
        found = [known(row) for part in worker_parts() async for row in self._table.query(part)]
        return sorted((one for one in found if not one.done), key=lambda one: one.beat.worker)

    async def beat(self, beat: WorkerBeat) -> bool:
        """Write a sign of life, unless the worker was fenced off."""
        words = "SET b = :b, ver = :ver"
        plain = msgspec.structs.replace(beat, fenced=False)
        done, _ = await self._table.update(
            worker_key(beat.worker), words, "attribute_not_exists(fenced)", b=encode(plain), ver=beat.version
        )
        return done

    async def opens(self, worker: str, jobs: Sequence[str]) -> None:
        """It is about to have tabs of these jobs."""
        await self._table.update(worker_key(worker), "ADD j :j", "attribute_exists(p)", j=frozenset(jobs))

    async def fence(self, worker: str, version: int) -> bool:
        """Declare it dead, if it has not beaten since."""
        condition = "attribute_exists(p) AND (attribute_exists(fenced) OR ver = :ver)"
        done, _ = await self._table.update(worker_key(worker), "SET fenced = :yes", condition, yes=True, ver=version)
        return done

    async def done(self, worker: str) -> None:
        """Nothing is left of a dead one. It is remembered for a month, so that nothing late of it is let in."""
        words = f"SET done = :yes, {EXPIRES} = :until REMOVE j"
        until = int(time.time() + _REMEMBERED)
        await self._table.update(worker_key(worker), words, "attribute_exists(fenced)", yes=True, until=until)

    async def undone(self, worker: str, jobs: Sequence[str]) -> None:
        """Something came of a dead one after all, in the very moment in which it was declared dead."""
        await self._table.update(
            worker_key(worker), f"ADD j :j REMOVE done, {EXPIRES}", "attribute_exists(fenced)", j=frozenset(jobs)
        )

    async def leave(self, worker: str) -> None:
        """It is gone in peace."""
        await self._table.delete(worker_key(worker), "attribute_not_exists(fenced)")


def known(row: Row) -> Known:
    """From a row to the value."""
    beat = msgspec.structs.replace(_decode(row["b"]), fenced=bool(row.get("fenced")))
    return Known(beat, row.get("j", frozenset()), bool(row.get("done")))

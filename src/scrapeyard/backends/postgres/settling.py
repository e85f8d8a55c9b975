"""Recording how leases end, in PostgreSQL: outcome, references, attempt and counters in one transaction, each once."""

from collections.abc import Sequence

from scrapeyard.backends.ids import joined
from scrapeyard.backends.postgres.books import count
from scrapeyard.backends.postgres.connection import Connection
from scrapeyard.backends.settling import Extent, Known, Row, Settling
from scrapeyard.model.item import Settlement
from scrapeyard.model.job import JobId

_JOBS = "SELECT id, number, loaded FROM job JOIN feed ON feed.job = job.number WHERE id = ANY($1::text[])"
_END = """
DELETE FROM hold USING unnest($1::bigint[], $2::bigint[], $3::integer[]) AS said (id, fence, epoch)
WHERE hold.id = said.id AND hold.fence = said.fence AND hold.epoch = said.epoch AND hold.worker IS NOT NULL
RETURNING hold.id, hold.fence, hold.epoch, nextval('attempt_id'), hold.fresh
"""
_KNOWN = "SELECT id, fence, last, records, reading FROM standing WHERE id = ANY($1::bigint[])"
_TRY = """
INSERT INTO attempt (job, id, item, earlier, epoch, ms, requests, wire_bytes, cost_micros, told, result)
SELECT item >> 32, * FROM unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bytea[], $10::bytea[]
) AS tried (id, item, earlier, epoch, ms, requests, wire_bytes, cost_micros, told, result)
"""
_STAND = """
INSERT INTO standing (id, job, state, changed, kind, not_before, epoch, attempts, crashes, losses, reading, records,
                      fence, last, rung, strikes)
SELECT * FROM unnest(
    $1::bigint[], $2::integer[], $3::text[], $4::double precision[], $5::text[], $6::double precision[], $7::integer[],
    $8::integer[], $9::integer[], $10::integer[], $11::text[], $12::bigint[], $13::bigint[], $14::bigint[],
    $15::integer[], $16::integer[]
)
ON CONFLICT (id) DO UPDATE SET state = excluded.state, changed = excluded.changed, kind = excluded.kind,
    not_before = excluded.not_before, attempts = excluded.attempts, crashes = excluded.crashes,
    losses = excluded.losses, reading = excluded.reading, records = excluded.records, fence = excluded.fence,
    last = excluded.last, rung = excluded.rung, strikes = excluded.strikes
"""


async def settle_all(connection: Connection, settlements: Sequence[Settlement], now: float) -> list[bool]:
    """Record those settlements that hold their item's lease; says which."""
    found = await connection.fetch(_JOBS, list({settlement.job for settlement in settlements}))
    jobs = {JobId(row[0]): Extent(row[1], row[2]) for row in found}
    there = [one for one in settlements if one.job in jobs and 0 <= one.seq < jobs[one.job].loaded]
    said = sorted({(joined(jobs[one.job].number, one.seq), one.fence, one.epoch) for one in there})
    if not said:
        return [False] * len(settlements)
    ended = {row[0]: row for row in await connection.fetch(_END, *_columns(said))}
    ids = [identity for identity, _, _ in said]
    old = [identity for identity in ids if identity not in ended or not ended[identity][4]]
    stood = {row[0]: row for row in await connection.fetch(_KNOWN, old)} if old else {}
    known = {
        identity: Known(
            ended[identity][1:3] if identity in ended else None,
            *(stood[identity][1:] if identity in stood else (None, None, None, None)),
        )
        for identity in ids
    }
    tries = iter([row[3] for row in ended.values()])
    settling = Settling(jobs, known, now, lambda _job: next(tries))
    answers = settling.settle(settlements)
    if settling.stands:
        await connection.execute(_TRY, *_columns(settling.tries))
        await connection.execute(_STAND, *_columns(settling.stands))
    await count(connection, settling.countings())
    return answers


def _columns(rows: Sequence[Row]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]

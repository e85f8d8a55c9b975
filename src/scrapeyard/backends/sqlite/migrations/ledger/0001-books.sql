-- The five books of a ledger.
--
-- An item's id is its job's number times 2^32 plus its seq, so that one job's items lie side by side and a whole
-- job is one range of ids. What never changes (key, inputs) is apart from what does: items start in random order,
-- and a random write should meet a page that holds many narrow rows. An item that was never offered has no row but
-- the one it was loaded with; an item that is out has a row in `hold`, a small table that stays in memory.

CREATE TABLE job (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    created REAL NOT NULL,
    loaded INTEGER NOT NULL DEFAULT 0, -- items accepted so far, which is the next item's seq
    cursor INTEGER NOT NULL DEFAULT 0, -- how many starts of the job's permutation were given out
    body BLOB NOT NULL                 -- the whole job as JSON
) STRICT;
CREATE INDEX job_named ON job (name, created);
CREATE INDEX job_newest ON job (created);
CREATE INDEX job_standing ON job (state, created);

CREATE TABLE counter (
    job INTEGER NOT NULL,
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    PRIMARY KEY (job, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    key TEXT NOT NULL,
    inputs BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX item_key ON item (job, key);

-- How an item stands that has been offered at least once. `held` means: look into `hold`.
CREATE TABLE standing (
    id INTEGER PRIMARY KEY,
    job INTEGER NOT NULL,
    state TEXT NOT NULL,
    changed REAL NOT NULL,
    kind TEXT,
    not_before REAL NOT NULL DEFAULT 0,
    epoch INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    crashes INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    reading TEXT NOT NULL DEFAULT 'none',
    records INTEGER NOT NULL DEFAULT 0, -- how many rows were read
    fence INTEGER NOT NULL DEFAULT 0,   -- the lease whose result was recorded last
    last INTEGER NOT NULL DEFAULT 0     -- its newest row in `attempt`
) STRICT;
CREATE INDEX standing_due ON standing (job, not_before) WHERE state = 'waiting';
CREATE INDEX standing_trouble ON standing (id) WHERE state IN ('failed', 'uncertain');
CREATE INDEX standing_kind ON standing (job, kind, id) WHERE state IN ('failed', 'uncertain');

-- How each lease ended, in the order in which it was settled: the id is the job's number times 2^32 plus a count.
-- Rows are only ever appended. An item finds its newest, and each row the one before it, so no index is needed.
CREATE TABLE attempt (
    id INTEGER PRIMARY KEY,
    item INTEGER NOT NULL,
    earlier INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    ms INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    wire_bytes INTEGER NOT NULL DEFAULT 0,
    cost_micros INTEGER NOT NULL DEFAULT 0,
    told BLOB,                         -- the attempt as MessagePack; none where a lease ended without a try
    result BLOB                        -- captures, records and reason as MessagePack; none where there are none
) STRICT;

CREATE TABLE hold (
    id INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    until REAL NOT NULL,
    changed REAL NOT NULL,
    worker TEXT,                       -- none while no worker has taken the offer
    fence INTEGER NOT NULL DEFAULT 0,
    offer BLOB                         -- the offer as it was taken, without the inputs
) STRICT;
CREATE INDEX hold_offered ON hold (until) WHERE worker IS NULL;
CREATE INDEX hold_worker ON hold (worker) WHERE worker IS NOT NULL;

CREATE TABLE worker (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    started REAL NOT NULL,
    host TEXT NOT NULL DEFAULT '',
    pid INTEGER NOT NULL DEFAULT 0,
    fenced INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE leader (
    role TEXT PRIMARY KEY,
    holder TEXT NOT NULL,              -- empty when the role was given up
    version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE number (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO number (name, value) VALUES ('fence', 0);

-- The seven books of a ledger.
--
-- An item's id is its job's number times 2^32 plus its seq, so that one job's items lie side by side and a whole
-- job is one range of ids. What never changes (key, inputs) is apart from what does. An item that was never offered
-- has no row but the one it was loaded with; an item that is out has a row in `hold`, a small table that stays in
-- memory; how an item stands is written when it comes back. Rows that change often are narrow, lie in pages with room
-- for their next version, and are cleaned up after early.

CREATE TABLE job (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    name text COLLATE "C" NOT NULL,
    state text NOT NULL,
    created double precision NOT NULL,
    body bytea NOT NULL                          -- the whole job as JSON
);
CREATE INDEX job_named ON job (name, created, number);
CREATE INDEX job_newest ON job (created, number);
CREATE INDEX job_standing ON job (state, created, number);

-- What changes with every offer and every chunk, apart from the wide row of the job.
CREATE TABLE feed (
    job integer PRIMARY KEY,
    loaded bigint NOT NULL DEFAULT 0,            -- items accepted so far, which is the next item's seq
    cursor bigint NOT NULL DEFAULT 0             -- how many starts of the job's permutation were given out
) WITH (fillfactor = 30);

-- A counter is the sum of its shards, so that two workers that settle at once seldom wait for each other.
CREATE TABLE counter (
    job integer NOT NULL,
    shard smallint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (job, shard, name)
) WITH (fillfactor = 30, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0);

CREATE TABLE item (
    id bigint PRIMARY KEY,
    job integer NOT NULL,
    name bytea NOT NULL,                         -- the key, as far as an index can hold it
    inputs bytea NOT NULL,
    key bytea                                    -- the whole key, where `name` is not
);
CREATE UNIQUE INDEX item_name ON item (job, name);

-- How an item stands that has been offered at least once. `held` means: look into `hold`.
CREATE TABLE standing (
    id bigint PRIMARY KEY,
    job integer NOT NULL,
    state text NOT NULL,
    changed double precision NOT NULL,
    kind text,
    not_before double precision NOT NULL DEFAULT 0,
    epoch integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    crashes integer NOT NULL DEFAULT 0,
    losses integer NOT NULL DEFAULT 0,
    reading text NOT NULL DEFAULT 'none',
    records bigint NOT NULL DEFAULT 0,           -- how many rows were read
    fence bigint NOT NULL DEFAULT 0,             -- the lease whose result was recorded last
    last bigint NOT NULL DEFAULT 0,              -- its newest row in `attempt`
    rung integer NOT NULL DEFAULT 0,
    strikes integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX standing_due ON standing (job, not_before, id) WHERE state = 'waiting';
CREATE INDEX standing_trouble ON standing (id) WHERE state IN ('failed', 'uncertain');
CREATE INDEX standing_kind ON standing (job, kind, id) WHERE state IN ('failed', 'uncertain');

-- How each lease ended, in the order in which it was settled. Rows are only ever appended. An item finds its newest,
-- and each row the one before it, so no further index is needed.
CREATE SEQUENCE attempt_id CACHE 1;
CREATE TABLE attempt (
    job integer NOT NULL,
    id bigint NOT NULL,
    item bigint NOT NULL,
    earlier bigint NOT NULL,
    epoch integer NOT NULL,
    ms bigint NOT NULL DEFAULT 0,
    requests bigint NOT NULL DEFAULT 0,
    wire_bytes bigint NOT NULL DEFAULT 0,
    cost_micros bigint NOT NULL DEFAULT 0,
    told bytea,                                  -- the attempt as MessagePack; none where a lease ended without a try
    result bytea,                                -- captures, records and reason as MessagePack; none where none are
    PRIMARY KEY (job, id)
);

CREATE SEQUENCE fence;
CREATE TABLE hold (
    id bigint PRIMARY KEY,
    epoch integer NOT NULL,
    attempt integer NOT NULL,
    until double precision NOT NULL,
    changed double precision NOT NULL,
    worker text COLLATE "C",                     -- none while no worker has taken the offer
    fence bigint NOT NULL DEFAULT 0,
    offer bytea                                  -- the offer as it was taken, without the inputs
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
        autovacuum_vacuum_cost_delay = 0);
CREATE INDEX hold_offered ON hold (until) WHERE worker IS NULL;
CREATE INDEX hold_worker ON hold (worker) WHERE worker IS NOT NULL;

CREATE TABLE worker (
    name text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    started double precision NOT NULL,
    host text NOT NULL DEFAULT '',
    pid integer NOT NULL DEFAULT 0,
    fenced boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

CREATE TABLE leader (
    role text COLLATE "C" PRIMARY KEY,
    holder text NOT NULL,                        -- empty when the role was given up
    version bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE memo (
    name text COLLATE "C" PRIMARY KEY,
    version bigint NOT NULL,
    body bytea NOT NULL                          -- empty when it was forgotten; the version stays, so no old sight fits
);

CREATE TABLE event (
    id text COLLATE "C" PRIMARY KEY,
    job text COLLATE "C" NOT NULL,               -- empty for what concerns no job in particular
    body bytea NOT NULL                          -- the event as MessagePack
);
CREATE INDEX event_of_job ON event (job, id);

-- What is live and may be lost: the queue of offers, and what workers and dispatcher tell each other.
-- These tables are not logged, so they cost little, and a crash of the server empties them.

CREATE UNLOGGED TABLE waiting (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lane text COLLATE "C" NOT NULL,
    digest text COLLATE "C" NOT NULL,
    until double precision NOT NULL,
    body bytea NOT NULL                          -- the offer as MessagePack
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX waiting_lane ON waiting (lane, id);
CREATE INDEX waiting_until ON waiting (until);

CREATE UNLOGGED TABLE report (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    body bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

CREATE UNLOGGED TABLE roster (
    worker text COLLATE "C" PRIMARY KEY,
    turn bigint NOT NULL,                        -- the number of its last report among all reports
    body bytea NOT NULL
) WITH (fillfactor = 30);

CREATE UNLOGGED TABLE mail (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker text COLLATE "C" NOT NULL,
    body bytea NOT NULL                          -- orders that wait for this worker, added up
);
CREATE INDEX mail_worker ON mail (worker);

CREATE UNLOGGED TABLE board (
    id integer PRIMARY KEY CHECK (id = 1),
    body bytea NOT NULL
);

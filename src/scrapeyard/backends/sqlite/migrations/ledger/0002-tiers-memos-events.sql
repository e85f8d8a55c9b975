-- How far up its job's ladder of tiers an item has climbed; what was learned, and what happened.

ALTER TABLE standing ADD COLUMN rung INTEGER NOT NULL DEFAULT 0;
ALTER TABLE standing ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;

CREATE TABLE memo (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    body BLOB NOT NULL                 -- empty when it was forgotten; the version stays, so that no old sight fits
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    id TEXT PRIMARY KEY,
    job TEXT NOT NULL,                 -- empty for what concerns no job in particular
    body BLOB NOT NULL                 -- the event as MessagePack
) STRICT, WITHOUT ROWID;
CREATE INDEX event_of_job ON event (job, id);

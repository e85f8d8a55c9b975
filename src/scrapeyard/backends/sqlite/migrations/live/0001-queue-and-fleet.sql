-- What is live and may be lost: the queue of offers, and what workers and dispatcher tell each other.

CREATE TABLE waiting (
    id INTEGER PRIMARY KEY,
    lane TEXT NOT NULL,
    digest TEXT NOT NULL,
    until REAL NOT NULL,
    body BLOB NOT NULL                 -- the offer as MessagePack
) STRICT;
CREATE INDEX waiting_lane ON waiting (lane, id);
CREATE INDEX waiting_until ON waiting (until);

CREATE TABLE report (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    body BLOB NOT NULL
) STRICT;

CREATE TABLE roster (
    worker TEXT PRIMARY KEY,
    turn INTEGER NOT NULL,             -- the number of its last report among all reports
    body BLOB NOT NULL
) STRICT;
CREATE INDEX roster_turn ON roster (turn);

CREATE TABLE mail (
    id INTEGER PRIMARY KEY,
    worker TEXT NOT NULL UNIQUE,
    body BLOB NOT NULL                 -- the orders that wait for this worker, added up
) STRICT;

CREATE TABLE board (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    body BLOB NOT NULL
) STRICT;

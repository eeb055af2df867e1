-- +goose Up

-- A cluster's own tables; SQLite has none of them, and a backup leaves them out.

-- Which node leads. There is one shard, 0.
CREATE TABLE shards (
    shard          BIGINT PRIMARY KEY,
    epoch          BIGINT NOT NULL,               -- rises whenever another node begins to lead
    leader         TEXT COLLATE "C" NOT NULL,     -- the name of the node that leads
    address        TEXT COLLATE "C" NOT NULL,     -- its --cluster-addr
    life           TEXT COLLATE "C" NOT NULL,     -- a mark that no other log has
    begin_position BIGINT NOT NULL,               -- the position after which the log began
    yield_epoch    BIGINT NOT NULL DEFAULT 0,     -- the epoch whose leader is asked to hand over
    accepted_until BIGINT NOT NULL DEFAULT 0      -- epoch ms: until when devices were accepted, as far as is known
);

-- The nodes, as each of them says of itself.
CREATE TABLE nodes (
    name     TEXT COLLATE "C" PRIMARY KEY,
    address  TEXT COLLATE "C" NOT NULL,
    version  TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,                     -- the newest log entry that it has
    trouble  TEXT COLLATE "C" NOT NULL,           -- why it cannot lead; empty: it can
    seen_at  TIMESTAMPTZ NOT NULL
);

-- The tables that hold the log, each from a position on; a table is listed before it is used.
CREATE TABLE log_tables (
    shard          BIGINT NOT NULL,
    first_position BIGINT NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    made_at        TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (shard, first_position)
);

-- How many transactions the leader's writer has committed. If there are fewer than it remembers, the database
-- went back to a copy that was behind.
CREATE TABLE writer_transactions (
    shard     BIGINT PRIMARY KEY,
    committed BIGINT NOT NULL
);
INSERT INTO writer_transactions (shard, committed) VALUES (0, 0);

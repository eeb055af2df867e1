-- +goose Up

-- The archive of a cluster's sealed days; SQLite has none of these tables, and a backup leaves them out.

-- A sealed day of a device, as the nodes hold it: segments and aggregates. A partition holds ten days; the
-- node that leads makes and drops them (reading_parts_2063 begins with day 20630 after 1970-01-01).
CREATE TABLE reading_parts (
    day        INTEGER NOT NULL,        -- UTC, since 1970-01-01
    tenant_id  BIGINT  NOT NULL,
    device_id  BIGINT  NOT NULL,
    position   BIGINT  NOT NULL,        -- an entry of the log that it holds, with everything before
    digest     BIGINT  NOT NULL,        -- of everything but the position: tells damage, and what has not changed
    aggregates BYTEA,                   -- null: the day has no numbers
    segments   BYTEA   NOT NULL,
    PRIMARY KEY (day, tenant_id, device_id)
) PARTITION BY RANGE (day);
-- Segments are compressed already.
ALTER TABLE reading_parts ALTER COLUMN segments SET STORAGE EXTERNAL;

-- The latest values of the devices, as of the archived position or later.
CREATE TABLE reading_latest (
    tenant_id     BIGINT NOT NULL,
    device_id     BIGINT NOT NULL,
    position      BIGINT NOT NULL,
    digest        BIGINT NOT NULL,
    latest_values BYTEA  NOT NULL,
    PRIMARY KEY (tenant_id, device_id)
);

-- What the archive holds; one row for each shard, none before a node has begun to copy.
CREATE TABLE archives (
    shard    BIGINT PRIMARY KEY,
    life     TEXT COLLATE "C" NOT NULL, -- of the log; empty: nothing is archived
    mark     TEXT COLLATE "C" NOT NULL, -- another one whenever the archive is begun anew
    complete BOOLEAN NOT NULL,          -- position and chain are known
    position BIGINT NOT NULL,           -- up to here everything is archived; the entries after it are in the log
    chain    BIGINT NOT NULL
);

-- How often each term has written to the archive: a node whose last write is not there knows that the
-- database went back to a copy that was behind.
CREATE TABLE archive_terms (
    epoch  BIGINT PRIMARY KEY,
    writes BIGINT NOT NULL
);

-- What nodes found damaged in reading_parts, and with day -2147483648 in reading_latest; the node that leads
-- writes it anew.
CREATE TABLE damaged_parts (
    day       INTEGER NOT NULL,
    tenant_id BIGINT  NOT NULL,
    device_id BIGINT  NOT NULL,
    PRIMARY KEY (day, tenant_id, device_id)
);

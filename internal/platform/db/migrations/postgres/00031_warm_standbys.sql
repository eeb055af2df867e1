-- +goose Up

-- What the nodes of a cluster share so that any of them can lead at once; SQLite has none of it, and a backup
-- leaves it out.

-- The account, keys and certificates of an ACME server, as certmagic names them. Their contents are encrypted.
CREATE TABLE acme_files (
    name        TEXT COLLATE "C" PRIMARY KEY,
    sealed      BYTEA NOT NULL,
    modified_at BIGINT NOT NULL -- epoch ms
);

-- For how long each device that was online had been silent when the leader ended in an orderly way; the next leader
-- goes on from there, and removes it.
CREATE TABLE presence_handover (
    shard   BIGINT PRIMARY KEY,
    devices BYTEA NOT NULL -- see internal/domain/device/handover.go
);

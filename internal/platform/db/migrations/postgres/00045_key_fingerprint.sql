-- +goose Up

-- The fingerprint of the platform's key under which the secrets in this database are hashed and
-- encrypted: hexadecimal, of which the key cannot be computed. One row.
CREATE TABLE key_fingerprints (
    id          BIGINT PRIMARY KEY CHECK (id = 1),
    fingerprint TEXT COLLATE "C" NOT NULL
);

-- +goose Up

-- API credentials: created by a user, for access to the tenant's data. The secret is stored as SHA-256 only.
CREATE TABLE credentials (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id),
    user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    app_key       TEXT NOT NULL UNIQUE,
    secret_hash   BLOB NOT NULL,
    enabled       BOOLEAN NOT NULL DEFAULT TRUE,
    create_time   INTEGER NOT NULL,
    last_use_time INTEGER NOT NULL DEFAULT 0 -- written with a delay of at most a minute; 0: never used
);
CREATE INDEX credentials_newest ON credentials (tenant_id, user_id, id DESC);

-- Users' pictures, one per user, under an address that cannot be guessed.
CREATE TABLE avatars (
    user_id     INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    address     TEXT NOT NULL UNIQUE,
    picture     BLOB NOT NULL, -- JPEG of 256 by 256 pixels
    create_time INTEGER NOT NULL
);

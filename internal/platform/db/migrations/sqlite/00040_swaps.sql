-- +goose Up

-- From when on readings are of the device's present box, epoch milliseconds; 0: it always had this one.
ALTER TABLE devices ADD COLUMN swap_time INTEGER NOT NULL DEFAULT 0;

-- The boxes that devices had before: each row is the change from one box to the next. user_name is the name
-- of who swapped it; empty: nobody signed in.
CREATE TABLE device_swaps (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    device_id     INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    time          INTEGER NOT NULL,
    former_serial TEXT NOT NULL,
    serial        TEXT NOT NULL,
    note          TEXT NOT NULL,
    user_name     TEXT NOT NULL
);
CREATE INDEX device_swaps_tenant ON device_swaps (tenant_id);
CREATE INDEX device_swaps_device ON device_swaps (device_id, time);

-- Secrets of former boxes, which the provider's file may still name. hash is the HMAC-SHA-256.
CREATE TABLE device_swapped_secrets (
    hash      BLOB PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE
);
CREATE INDEX device_swapped_secrets_tenant ON device_swapped_secrets (tenant_id);
CREATE INDEX device_swapped_secrets_device ON device_swapped_secrets (device_id);

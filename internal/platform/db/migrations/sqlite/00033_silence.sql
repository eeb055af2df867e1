-- +goose Up

-- What tells why a device may be silent, written with a delay of at most ten seconds: the gateway
-- that last reported it (0: it reports by itself), and the sign-ins refused since its last contact.
CREATE TABLE device_traces (
    device_id      INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    gateway_id     INTEGER NOT NULL,
    refused_count  INTEGER NOT NULL,
    refused_first  INTEGER NOT NULL,
    refused_last   INTEGER NOT NULL,
    secret_retired INTEGER NOT NULL -- when the refused secret stopped being valid; 0: it never was
);
-- Secrets that a device signed in with once, so that a device which still has one is recognised.
CREATE TABLE device_former_secrets (
    hash        BLOB PRIMARY KEY, -- HMAC-SHA-256
    device_id   INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    retire_time INTEGER NOT NULL
);
CREATE INDEX device_former_secrets_device ON device_former_secrets (device_id);
-- The value of the battery below which a device of the product may fail, in the property's unit;
-- NULL: as for its unit.
ALTER TABLE products ADD COLUMN battery_limit REAL;

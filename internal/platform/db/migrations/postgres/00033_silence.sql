-- +goose Up

-- What tells why a device may be silent, written with a delay of at most ten seconds: the gateway
-- that last reported it (0: it reports by itself), and the sign-ins refused since its last contact.
CREATE TABLE device_traces (
    device_id      BIGINT PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id      BIGINT NOT NULL REFERENCES tenants (id),
    gateway_id     BIGINT NOT NULL,
    refused_count  BIGINT NOT NULL,
    refused_first  BIGINT NOT NULL,
    refused_last   BIGINT NOT NULL,
    secret_retired BIGINT NOT NULL -- when the refused secret stopped being valid; 0: it never was
);
-- Secrets that a device signed in with once, so that a device which still has one is recognised.
CREATE TABLE device_former_secrets (
    hash        BYTEA PRIMARY KEY, -- HMAC-SHA-256
    device_id   BIGINT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    retire_time BIGINT NOT NULL
);
CREATE INDEX device_former_secrets_device ON device_former_secrets (device_id);
-- The value of the battery below which a device of the product may fail, in the property's unit;
-- NULL: as for its unit.
ALTER TABLE products ADD COLUMN battery_limit DOUBLE PRECISION;

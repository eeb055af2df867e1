-- +goose Up

-- Who made the device: provider (its file), console (an owner added it) or shelf (an owner claimed it).
ALTER TABLE devices ADD COLUMN origin TEXT NOT NULL DEFAULT 'provider';
-- What the tenant's owners may add by themselves, as JSON; empty: nothing.
ALTER TABLE tenants ADD COLUMN self_service TEXT NOT NULL DEFAULT '';

-- The provider's devices that wait for an owner to claim them. tenant_id is the only tenant that may;
-- NULL: any. code_hash, token_hash and secret_hash are HMACs under the platform's key; dev_eui and
-- token_hash are of a LoRaWAN label. claim_time is set once a device was claimed, device_id while it is there.
CREATE TABLE shelf (
    device_name TEXT PRIMARY KEY,
    serial      TEXT NOT NULL,
    product_id  INTEGER NOT NULL REFERENCES products (id),
    code_hash   BLOB NOT NULL UNIQUE,
    dev_eui     TEXT NOT NULL,
    token_hash  BLOB,
    secret_hash BLOB UNIQUE,
    tenant_id   INTEGER REFERENCES tenants (id) ON DELETE CASCADE,
    claim_time  INTEGER,
    device_id   INTEGER REFERENCES devices (id) ON DELETE SET NULL
);
CREATE INDEX shelf_dev_eui ON shelf (dev_eui) WHERE dev_eui <> '';
CREATE INDEX shelf_tenant ON shelf (tenant_id);
CREATE INDEX shelf_product ON shelf (product_id);
CREATE INDEX shelf_device ON shelf (device_id);

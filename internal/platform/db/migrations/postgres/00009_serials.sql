-- +goose Up

-- LoRaWAN network servers name a device by what is written on it.
CREATE INDEX devices_serial ON devices (tenant_id, serial);

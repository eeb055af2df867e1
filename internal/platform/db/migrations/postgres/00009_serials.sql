-- +goose Up

-- LoRaWAN network servers identify a device by the serial printed on it.
CREATE INDEX devices_serial ON devices (tenant_id, serial);

-- +goose Up

-- How much arrived from a device and was refused, per day; the last 31 days are kept. Written with a delay
-- of at most ten seconds, with device_status.
CREATE TABLE device_days (
    device_id   BIGINT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    day         BIGINT NOT NULL, -- since 1970-01-01, UTC
    tenant_id   BIGINT NOT NULL,
    messages    BIGINT NOT NULL,
    value_count BIGINT NOT NULL,
    refused     BIGINT NOT NULL,
    PRIMARY KEY (device_id, day)
);
CREATE INDEX device_days_day ON device_days (day);

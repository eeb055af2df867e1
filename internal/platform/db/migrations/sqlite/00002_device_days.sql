-- +goose Up

-- How much arrived from a device and was refused, per day; the last 31 days are kept. Written with a delay
-- of at most ten seconds, with device_status.
CREATE TABLE device_days (
    device_id   INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    day         INTEGER NOT NULL, -- since 1970-01-01, UTC
    tenant_id   INTEGER NOT NULL,
    messages    INTEGER NOT NULL,
    value_count INTEGER NOT NULL,
    refused     INTEGER NOT NULL,
    PRIMARY KEY (device_id, day)
) WITHOUT ROWID;
CREATE INDEX device_days_day ON device_days (day);

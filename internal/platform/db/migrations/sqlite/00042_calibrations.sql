-- +goose Up

-- Corrections of what a property of a device measured, each from from_time (epoch milliseconds) until the
-- next one of the property. kind is offset (shift is added), twoPoint (the line through two points) or
-- none. swap: a swap of the device made it. undo_time is set once it is undone; it corrects nothing then.
CREATE TABLE calibrations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    device_id   INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    property_id INTEGER NOT NULL,
    from_time   INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    shift       REAL NOT NULL DEFAULT 0,
    raw1        REAL NOT NULL DEFAULT 0,
    true1       REAL NOT NULL DEFAULT 0,
    raw2        REAL NOT NULL DEFAULT 0,
    true2       REAL NOT NULL DEFAULT 0,
    note        TEXT NOT NULL DEFAULT '',
    made_by     TEXT NOT NULL DEFAULT '',
    create_time INTEGER NOT NULL,
    swap        BOOLEAN NOT NULL DEFAULT FALSE,
    undone_by   TEXT NOT NULL DEFAULT '',
    undo_time   INTEGER
);
CREATE UNIQUE INDEX calibrations_time ON calibrations (device_id, property_id, from_time) WHERE undo_time IS NULL;
CREATE INDEX calibrations_device ON calibrations (device_id, from_time, id);
CREATE INDEX calibrations_tenant ON calibrations (tenant_id);

-- Devices whose derived values since from_time (epoch milliseconds) are to be computed again. round changes
-- whenever more is asked for.
CREATE TABLE rederivations (
    device_id INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    from_time INTEGER NOT NULL,
    round     INTEGER NOT NULL
);
CREATE INDEX rederivations_tenant ON rederivations (tenant_id);

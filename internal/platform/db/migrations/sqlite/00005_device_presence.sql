-- +goose Up

-- When devices went online and offline: the last 400 days, and at most about 2,000 changes of each device.
-- Written with a delay, with device_status.
CREATE TABLE device_presence (
    id        INTEGER PRIMARY KEY AUTOINCREMENT, -- keeps the order of changes at the same time
    tenant_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    time      INTEGER NOT NULL,
    online    BOOLEAN NOT NULL
);
CREATE INDEX device_presence_newest ON device_presence (device_id, time, id);
CREATE INDEX device_presence_time ON device_presence (time);

-- Cameras, which the server reads for the security policy of each page.
ALTER TABLE devices ADD COLUMN video BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE devices SET video = TRUE WHERE instr(serial, 'SXT') > 0;
CREATE INDEX devices_video ON devices (tenant_id, video);

-- Lists are made in memory, so no statement sorts by title any more. Deleting a scene finds its devices.
DROP INDEX devices_title;
DROP INDEX devices_scene;
CREATE INDEX devices_scene ON devices (scene_id);
-- Finds the rows of a page by id; without it SQLite reads all rows of the tenant.
CREATE INDEX devices_number ON devices (tenant_id, id);
ALTER TABLE devices DROP COLUMN folded_title;

-- +goose Up

-- When devices came and went: of each the last 400 days, and no more than some
-- 2,000 changes. Written behind with device_status.
CREATE TABLE device_presence (
    id        INTEGER PRIMARY KEY AUTOINCREMENT, -- changes of one moment stay in order
    tenant_id INTEGER NOT NULL,
    device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    time      INTEGER NOT NULL,
    online    BOOLEAN NOT NULL
);
CREATE INDEX device_presence_newest ON device_presence (device_id, time, id);
CREATE INDEX device_presence_time ON device_presence (time);

-- Cameras, which each page's policy asks for.
ALTER TABLE devices ADD COLUMN video BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE devices SET video = TRUE WHERE instr(serial, 'SXT') > 0;
CREATE INDEX devices_video ON devices (tenant_id, video);

-- Lists are made in memory: nothing is sorted by title here any more. A scene
-- that is deleted looks for its devices.
DROP INDEX devices_title;
DROP INDEX devices_scene;
CREATE INDEX devices_scene ON devices (scene_id);
-- The rows of a page, by number; without it all of the tenant's are looked at.
CREATE INDEX devices_number ON devices (tenant_id, id);
ALTER TABLE devices DROP COLUMN folded_title;

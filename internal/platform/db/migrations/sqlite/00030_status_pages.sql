-- +goose Up

-- The status of devices and what arrived from them by day, in pages: each holds up to 400 devices of one tenant.
-- internal/domain/device/page_encoding.go describes the content. A device stays in its page for as long as it
-- exists; its days are under the same page number. Pages are written with a delay of at most ten seconds, and only
-- those with a device that changed. What this migration writes is JSON, which the program reads, too, and replaces
-- when it next writes the page.
CREATE TABLE device_status_pages (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    page      INTEGER NOT NULL, -- counted from 0 for each tenant
    -- Rises with every write, over all tenants: who has read everything up to a number finds in the pages with a
    -- greater one all that changed since, also the removal of devices. A page disappears only with the last device
    -- of its tenant. In a cluster the number may go back when another node begins to lead, because PostgreSQL may
    -- have gone back to a stale copy: after a change of the epoch, read all pages again.
    written   INTEGER NOT NULL,
    content   BLOB NOT NULL,
    PRIMARY KEY (tenant_id, page)
);
CREATE INDEX device_status_pages_written ON device_status_pages (written);

CREATE TABLE device_day_pages (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    page      INTEGER NOT NULL, -- of device_status_pages
    day       INTEGER NOT NULL, -- since 1970-01-01, UTC; the last 31 days are kept
    written   INTEGER NOT NULL, -- as in device_status_pages
    content   BLOB NOT NULL,
    PRIMARY KEY (tenant_id, page, day)
);
CREATE INDEX device_day_pages_day ON device_day_pages (day);

INSERT INTO device_status_pages (tenant_id, page, written, content)
    WITH placed AS (
        SELECT id AS device_id, tenant_id, (ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY id) - 1) / 400 AS page
        FROM devices)
    SELECT p.tenant_id, p.page, 1, CAST(json_group_array(json_array(
        p.device_id, CASE WHEN s.online THEN 1 ELSE 0 END, COALESCE(s.last_contact, 0),
        COALESCE(s.online_time, 0), COALESCE(s.offline_time, 0), COALESCE(s.messages, 0), COALESCE(s.value_count, 0),
        COALESCE(s.refused, 0), COALESCE(s.refusal_time, 0), COALESCE(s.refusal_identifier, ''),
        COALESCE(s.refusal_reason, ''), COALESCE(s.clock_ahead, 0)) ORDER BY p.device_id) AS BLOB)
    FROM placed AS p LEFT JOIN device_status AS s ON s.device_id = p.device_id
    GROUP BY p.tenant_id, p.page;

INSERT INTO device_day_pages (tenant_id, page, day, written, content)
    WITH placed AS (
        SELECT id AS device_id, tenant_id, (ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY id) - 1) / 400 AS page
        FROM devices)
    SELECT p.tenant_id, p.page, d.day, 1, CAST(json_group_array(json_array(
        p.device_id, d.messages, d.value_count, d.refused) ORDER BY p.device_id) AS BLOB)
    FROM placed AS p JOIN device_days AS d ON d.device_id = p.device_id
    GROUP BY p.tenant_id, p.page, d.day;

DROP TABLE device_status;
DROP TABLE device_days;

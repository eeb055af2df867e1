-- +goose Up

-- Deliveries are sent round robin by tenant: this index finds the tenants with due deliveries, and the first of each.
CREATE INDEX deliveries_turn ON deliveries (mode, tenant_id, alarm_level, next_time, id) WHERE state = 'queued';

-- How many serious notices began (triggered) or ended (resolved) for a recipient within the minute that
-- starts at began, and whether the previous minute had too many.
CREATE TABLE recipient_minutes (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    mode      TEXT NOT NULL,
    recipient TEXT NOT NULL,
    event     TEXT NOT NULL,
    began     INTEGER NOT NULL, -- epoch ms
    notices   INTEGER NOT NULL,
    burst     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (tenant_id, mode, recipient, event)
);
CREATE INDEX recipient_minutes_began ON recipient_minutes (began);
-- A burst of messages is counted by recipient, for all channels together.
DROP INDEX deliveries_digest;
CREATE INDEX deliveries_digest ON deliveries (tenant_id, digest) WHERE state = 'queued' AND digest > 0;

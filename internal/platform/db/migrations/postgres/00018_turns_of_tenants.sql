-- +goose Up

-- Tenants are told in turn: who has something due, and the first of it.
CREATE INDEX deliveries_turn ON deliveries (mode, tenant_id, alarm_level, next_time, id) WHERE state = 'queued';

-- How many serious notices began (triggered) or ended (resolved) for a recipient within the minute that
-- began then, and whether the minute before brought too many.
CREATE TABLE recipient_minutes (
    tenant_id BIGINT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    mode      TEXT COLLATE "C" NOT NULL,
    recipient TEXT COLLATE "C" NOT NULL,
    event     TEXT COLLATE "C" NOT NULL,
    began     BIGINT NOT NULL, -- epoch ms
    notices   BIGINT NOT NULL,
    burst     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (tenant_id, mode, recipient, event)
);
CREATE INDEX recipient_minutes_began ON recipient_minutes (began);
-- Letters of a burst are a recipient's, whatever the channels.
DROP INDEX deliveries_digest;
CREATE INDEX deliveries_digest ON deliveries (tenant_id, digest) WHERE state = 'queued' AND digest > 0;

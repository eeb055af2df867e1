-- +goose Up

-- Webhooks: programs of a tenant that are notified of every notice.
CREATE TABLE webhooks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    url         TEXT NOT NULL,
    on_opened   BOOLEAN NOT NULL,
    on_resolved BOOLEAN NOT NULL,
    alarm_level INTEGER NOT NULL, -- the lowest level of which it is notified
    enabled     BOOLEAN NOT NULL,
    gone        BOOLEAN NOT NULL DEFAULT FALSE, -- the receiver answered Gone, which switched it off
    secret      BLOB NOT NULL, -- encrypted
    old_secret  BLOB, -- the previous secret, encrypted
    old_until   INTEGER NOT NULL DEFAULT 0, -- until when the previous secret is valid too, epoch ms
    create_time INTEGER NOT NULL,
    update_time INTEGER NOT NULL
);
CREATE UNIQUE INDEX webhooks_name ON webhooks (tenant_id, folded_name);
-- A delivery to a webhook has the webhook's id as its channel.
CREATE INDEX deliveries_webhook ON deliveries (channel_id, id) WHERE mode = 'webhook';

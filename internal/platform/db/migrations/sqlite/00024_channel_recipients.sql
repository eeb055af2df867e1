-- +goose Up

-- The recipients of a channel, by kind and in their order: a kind of channel is data, not a column.
CREATE TABLE channel_recipients (
    tenant_id  INTEGER NOT NULL REFERENCES tenants (id),
    channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    mode       TEXT NOT NULL, -- email, phoneMessage, …
    position   INTEGER NOT NULL, -- from 0
    address    TEXT NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, mode, position)
) WITHOUT ROWID;
CREATE INDEX channel_recipients_channel ON channel_recipients (channel_id);

-- What stands in a column of a kind that a channel does not use was told to nobody.
INSERT INTO channel_recipients (tenant_id, channel_id, mode, position, address)
SELECT c.tenant_id, c.id, 'email', e.key, e.value FROM channels AS c, json_each(c.emails) AS e WHERE c.by_email
UNION ALL
SELECT c.tenant_id, c.id, 'phoneMessage', e.key, e.value FROM channels AS c, json_each(c.phones) AS e WHERE c.by_phone;

ALTER TABLE channels DROP COLUMN by_email;
ALTER TABLE channels DROP COLUMN by_phone;
ALTER TABLE channels DROP COLUMN emails;
ALTER TABLE channels DROP COLUMN phones;

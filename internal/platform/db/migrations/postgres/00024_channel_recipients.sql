-- +goose Up

-- The recipients of a channel, by kind and in their order: a kind of channel is data, not a column.
CREATE TABLE channel_recipients (
    tenant_id  BIGINT NOT NULL REFERENCES tenants (id),
    channel_id BIGINT NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    mode       TEXT COLLATE "C" NOT NULL, -- email, phoneMessage, …
    position   BIGINT NOT NULL, -- from 0
    address    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, channel_id, mode, position)
);
CREATE INDEX channel_recipients_channel ON channel_recipients (channel_id);

-- What stands in a column of a kind that a channel does not use was told to nobody.
INSERT INTO channel_recipients (tenant_id, channel_id, mode, position, address)
SELECT c.tenant_id, c.id, 'email', e.n - 1, e.address
FROM channels AS c, jsonb_array_elements_text(c.emails::jsonb) WITH ORDINALITY AS e (address, n) WHERE c.by_email
UNION ALL
SELECT c.tenant_id, c.id, 'phoneMessage', e.n - 1, e.address
FROM channels AS c, jsonb_array_elements_text(c.phones::jsonb) WITH ORDINALITY AS e (address, n) WHERE c.by_phone;

ALTER TABLE channels DROP COLUMN by_email;
ALTER TABLE channels DROP COLUMN by_phone;
ALTER TABLE channels DROP COLUMN emails;
ALTER TABLE channels DROP COLUMN phones;

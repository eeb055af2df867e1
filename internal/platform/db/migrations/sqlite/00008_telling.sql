-- +goose Up

-- Notification channels: who is notified, and how.
CREATE TABLE channels (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    notice_name TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    by_email    BOOLEAN NOT NULL,
    by_phone    BOOLEAN NOT NULL,
    emails      TEXT NOT NULL, -- JSON: a list of addresses
    phones      TEXT NOT NULL, -- JSON: a list of numbers, E.164
    language    TEXT NOT NULL, -- empty: the tenant's
    create_time INTEGER NOT NULL,
    update_time INTEGER NOT NULL
);
CREATE INDEX channels_newest ON channels (tenant_id, create_time DESC, id DESC);

-- No rule could refer to a channel before channels existed.
DROP TABLE alarm_rule_channels;
CREATE TABLE alarm_rule_channels (
    rule_id    INTEGER NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    PRIMARY KEY (rule_id, channel_id)
);
CREATE INDEX alarm_rule_channels_channel ON alarm_rule_channels (channel_id);
ALTER TABLE alarm_rules ADD COLUMN remind_every INTEGER NOT NULL DEFAULT 0; -- minutes; 0: no reminders

-- The outbox: the deliveries for each recipient, and their results.
CREATE TABLE deliveries (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id),
    notice_id    INTEGER NOT NULL REFERENCES notices (id) ON DELETE CASCADE,
    rule_id      INTEGER NOT NULL,
    channel_id   INTEGER NOT NULL, -- may be deleted
    channel_name TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    destination  TEXT NOT NULL, -- may be refused as a whole: domain, or first digits
    mode         TEXT NOT NULL, -- email, phoneMessage
    event        TEXT NOT NULL, -- triggered, reminder, resolved
    seq          INTEGER NOT NULL DEFAULT 0, -- the number of a reminder
    alarm_level  INTEGER NOT NULL,
    language     TEXT NOT NULL, -- empty: the tenant's
    facts        TEXT NOT NULL, -- JSON: facts from which the text is written
    period       TEXT NOT NULL, -- JSON: when people are notified
    remind_every INTEGER NOT NULL, -- ms; 0: never
    after_id     INTEGER NOT NULL DEFAULT 0, -- the delivery of the trigger that must be sent before this one
    over         TEXT NOT NULL DEFAULT '', -- why it is not sent: ended, changed; empty: notice is open
    late         BOOLEAN NOT NULL DEFAULT FALSE, -- about a logger's backlog: waits for its end
    digest       INTEGER NOT NULL DEFAULT 0, -- end of the minute whose digest includes it, epoch ms; 0: sent by itself
    lease_until  INTEGER NOT NULL DEFAULT 0, -- until then it is in flight or its process has ended, epoch ms
    state        TEXT NOT NULL, -- queued, sent, failed, skipped
    reason       TEXT NOT NULL DEFAULT '',
    attempts     INTEGER NOT NULL DEFAULT 0,
    last_error   TEXT NOT NULL DEFAULT '',
    next_time    INTEGER NOT NULL, -- not before, epoch ms; the greatest number: waits for an event
    first_time   INTEGER NOT NULL DEFAULT 0, -- time of the first attempt, epoch ms; limits how long it is retried
    create_time  INTEGER NOT NULL,
    update_time  INTEGER NOT NULL
);
CREATE UNIQUE INDEX deliveries_once ON deliveries (notice_id, mode, recipient, event, seq);
CREATE INDEX deliveries_due ON deliveries (mode, alarm_level DESC, next_time, id) WHERE state = 'queued';
CREATE INDEX deliveries_rule ON deliveries (rule_id) WHERE state = 'queued';
CREATE INDEX deliveries_digest ON deliveries (channel_id, digest) WHERE state = 'queued' AND digest > 0;
CREATE INDEX deliveries_created ON deliveries (create_time);

CREATE TABLE delivery_steps (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id INTEGER NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
    time        INTEGER NOT NULL,
    step        TEXT NOT NULL, -- queued, accepted, failed, refused, skipped
    answer      TEXT NOT NULL
);
CREATE INDEX delivery_steps_delivery ON delivery_steps (delivery_id, id);

-- One row while nothing may be sent: from a restore until an operator releases it.
CREATE TABLE outbox_holds (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    since INTEGER NOT NULL -- epoch ms
);

-- How many notices began (triggered) or ended (resolved) for a channel within the minute that starts at began.
CREATE TABLE channel_minutes (
    channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
    event      TEXT NOT NULL,
    began      INTEGER NOT NULL, -- epoch ms
    notices    INTEGER NOT NULL,
    PRIMARY KEY (channel_id, event)
);

-- A notice has one message for each event; there were no messages before.
CREATE UNIQUE INDEX messages_once ON messages (notice_id, event);
CREATE INDEX messages_tenant ON messages (tenant_id, id);
CREATE INDEX message_reads_user ON message_reads (user_id, message_id);
CREATE INDEX messages_created ON messages (create_time);
-- Up to which message a user has marked all as read; those messages have no mark of their own.
CREATE TABLE message_marks (
    user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    read_up_to INTEGER NOT NULL -- id of a message
);

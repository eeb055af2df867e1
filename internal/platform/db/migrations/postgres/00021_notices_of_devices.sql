-- +goose Up

-- Each device of a rule has its own notices, so the unique key of a notice includes the device.
-- holds_since: since when its conditions have held by the stored readings; NULL: not searched yet, 0: unknown.
-- ack_…: who acknowledged it; ack_time 0: nobody.
ALTER TABLE notices DROP CONSTRAINT notices_rule_id_rule_revision_start_time_key;
ALTER TABLE notices ADD UNIQUE (rule_id, rule_revision, start_time, device_id);
ALTER TABLE notices ADD COLUMN holds_since BIGINT;
ALTER TABLE notices ADD COLUMN ack_user TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN ack_time BIGINT NOT NULL DEFAULT 0;
ALTER TABLE notices ADD COLUMN ack_note TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN ack_remind_at BIGINT NOT NULL DEFAULT 0;
UPDATE notices SET holds_since = 0 WHERE resolve_status <> 0;
CREATE INDEX notices_since_unknown ON notices (id) WHERE holds_since IS NULL; -- finds notices that are not searched yet

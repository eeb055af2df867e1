-- +goose Up

-- Alarm rules, each of one device. Conditions and the period are read and written as a whole, so they are
-- JSON. Every change creates a new revision.
CREATE TABLE alarm_rules (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    revision       INTEGER NOT NULL DEFAULT 1,
    alarm_name     TEXT NOT NULL,
    folded_name    TEXT NOT NULL,
    device_id      INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    trigger_type   INTEGER NOT NULL,
    conditions     TEXT NOT NULL,
    hit_counts     INTEGER NOT NULL,
    durations      INTEGER NOT NULL, -- ms
    alarm_level    INTEGER NOT NULL,
    period         TEXT NOT NULL,
    manual_release BOOLEAN NOT NULL,
    alarm_desc     TEXT NOT NULL,
    deploy_state   INTEGER NOT NULL DEFAULT 0,
    deploy_time    INTEGER NOT NULL DEFAULT 0,
    deploy_user    TEXT NOT NULL DEFAULT '',
    mute_until     INTEGER NOT NULL DEFAULT 0,
    create_time    INTEGER NOT NULL,
    update_time    INTEGER NOT NULL
);
CREATE INDEX alarm_rules_newest ON alarm_rules (tenant_id, create_time DESC, id DESC);
CREATE INDEX alarm_rules_device ON alarm_rules (device_id);
CREATE INDEX alarm_rules_running ON alarm_rules (deploy_state);
CREATE TABLE alarm_rule_channels (
    rule_id    INTEGER NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    channel_id INTEGER NOT NULL,
    PRIMARY KEY (rule_id, channel_id)
);
CREATE INDEX alarm_rule_channels_channel ON alarm_rule_channels (channel_id);

-- The state of a running rule that does not follow from readings.
CREATE TABLE alarm_states (
    rule_id  INTEGER PRIMARY KEY REFERENCES alarm_rules (id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    floor    INTEGER NOT NULL, -- samples up to here do not count, epoch ms
    waiting  BOOLEAN NOT NULL  -- resolved manually: the first sample for which the condition is false arms it again
);

-- A notice stores the rule as it was, and how the notice ended.
ALTER TABLE notices ADD COLUMN alarm_desc TEXT NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN rule TEXT NOT NULL DEFAULT '{}';
ALTER TABLE notices ADD COLUMN samples TEXT NOT NULL DEFAULT '[]';
ALTER TABLE notices ADD COLUMN resolve_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN resolve_user TEXT NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN remark TEXT NOT NULL DEFAULT '';
ALTER TABLE notices ADD COLUMN kept TEXT NOT NULL DEFAULT ''; -- JSON: points of its chart, after its end
CREATE INDEX notices_rule ON notices (tenant_id, rule_id, start_time);
CREATE INDEX notices_start ON notices (tenant_id, start_time);
CREATE INDEX notices_waiting ON notices (end_time) WHERE kept = '' AND resolve_status <> 0; -- finds notices without stored charts
CREATE INDEX notices_created ON notices (create_time);
CREATE INDEX notices_unresolved ON notices (rule_id) WHERE resolve_status = 0;

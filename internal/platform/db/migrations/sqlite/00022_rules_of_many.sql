-- +goose Up

-- The targets of a rule: devices, scenes, models; a row with none of them is the default group.
CREATE TABLE alarm_rule_targets (
    rule_id    INTEGER NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    place      INTEGER NOT NULL, -- in the order in which people listed them
    device_id  INTEGER REFERENCES devices (id) ON DELETE CASCADE,
    scene_id   INTEGER REFERENCES scenes (id),
    product_id INTEGER REFERENCES products (id),
    PRIMARY KEY (rule_id, place)
);
CREATE INDEX alarm_rule_targets_device ON alarm_rule_targets (device_id);
CREATE INDEX alarm_rule_targets_scene ON alarm_rule_targets (scene_id);
CREATE INDEX alarm_rule_targets_product ON alarm_rule_targets (product_id);
CREATE INDEX alarm_rule_targets_roaming ON alarm_rule_targets (rule_id) WHERE device_id IS NULL;

-- The devices that these targets contain now; a rule is evaluated on each of them separately.
CREATE TABLE alarm_rule_devices (
    rule_id   INTEGER NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id),
    state     INTEGER NOT NULL DEFAULT 0, -- 0 evaluated; excluded: 1 too many rules, 2 wrong model
    join_time INTEGER NOT NULL DEFAULT 0, -- earlier readings do not count, epoch ms; 0: it joined with the rule
    PRIMARY KEY (rule_id, device_id)
);
CREATE INDEX alarm_rule_devices_device ON alarm_rule_devices (device_id);
CREATE INDEX alarm_rule_devices_tenant ON alarm_rule_devices (tenant_id, state); -- counted when a rule is created
CREATE INDEX alarm_rule_devices_left_out ON alarm_rule_devices (tenant_id, rule_id) WHERE state <> 0;

INSERT INTO alarm_rule_targets (rule_id, place, device_id) SELECT id, 0, device_id FROM alarm_rules;
INSERT INTO alarm_rule_devices (rule_id, device_id, tenant_id) SELECT id, device_id, tenant_id FROM alarm_rules;

-- SQLite cannot change constraints of an existing table, so tables are rebuilt, with foreign keys disabled
-- (see upgrade in db.go).
CREATE TABLE alarm_states_anew (
    rule_id   INTEGER NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    device_id INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    revision  INTEGER NOT NULL,
    floor     INTEGER NOT NULL, -- samples up to here do not count, epoch ms
    waiting   BOOLEAN NOT NULL, -- resolved manually: the first sample for which the condition is false arms it again
    openings  TEXT NOT NULL DEFAULT '', -- when its newest notices of the device began, by the readings' own times: JSON
    PRIMARY KEY (rule_id, device_id)
);
INSERT INTO alarm_states_anew (rule_id, device_id, revision, floor, waiting, openings)
    SELECT s.rule_id, r.device_id, s.revision, s.floor, s.waiting, s.openings FROM alarm_states AS s JOIN alarm_rules AS r ON r.id = s.rule_id;
DROP TABLE alarm_states;
ALTER TABLE alarm_states_anew RENAME TO alarm_states;
CREATE INDEX alarm_states_device ON alarm_states (device_id);

CREATE TABLE alarm_rules_anew (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    revision       INTEGER NOT NULL DEFAULT 1,
    alarm_name     TEXT NOT NULL,
    folded_name    TEXT NOT NULL,
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
    update_time    INTEGER NOT NULL,
    remind_every   INTEGER NOT NULL DEFAULT 0 -- minutes; 0: no reminders
);
INSERT INTO alarm_rules_anew (id, tenant_id, revision, alarm_name, folded_name, trigger_type, conditions, hit_counts, durations, alarm_level, period,
        manual_release, alarm_desc, deploy_state, deploy_time, deploy_user, mute_until, create_time, update_time, remind_every)
    SELECT id, tenant_id, revision, alarm_name, folded_name, trigger_type, conditions, hit_counts, durations, alarm_level, period,
        manual_release, alarm_desc, deploy_state, deploy_time, deploy_user, mute_until, create_time, update_time, remind_every
    FROM alarm_rules;
DELETE FROM sqlite_sequence WHERE name = 'alarm_rules_anew';
INSERT INTO sqlite_sequence (name, seq) SELECT 'alarm_rules_anew', seq FROM sqlite_sequence WHERE name = 'alarm_rules';
DROP TABLE alarm_rules;
ALTER TABLE alarm_rules_anew RENAME TO alarm_rules;
CREATE INDEX alarm_rules_newest ON alarm_rules (tenant_id, create_time DESC, id DESC);
CREATE INDEX alarm_rules_running ON alarm_rules (deploy_state);

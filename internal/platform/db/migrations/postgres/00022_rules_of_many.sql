-- +goose Up

-- The targets of a rule: devices, scenes, models; a row with none of them is the default group.
CREATE TABLE alarm_rule_targets (
    rule_id    BIGINT NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    place      BIGINT NOT NULL, -- in the order in which people listed them
    device_id  BIGINT REFERENCES devices (id) ON DELETE CASCADE,
    scene_id   BIGINT REFERENCES scenes (id),
    product_id BIGINT REFERENCES products (id),
    PRIMARY KEY (rule_id, place)
);
CREATE INDEX alarm_rule_targets_device ON alarm_rule_targets (device_id);
CREATE INDEX alarm_rule_targets_scene ON alarm_rule_targets (scene_id);
CREATE INDEX alarm_rule_targets_product ON alarm_rule_targets (product_id);
CREATE INDEX alarm_rule_targets_roaming ON alarm_rule_targets (rule_id) WHERE device_id IS NULL;

-- The devices that these targets contain now; a rule is evaluated on each of them separately.
CREATE TABLE alarm_rule_devices (
    rule_id   BIGINT NOT NULL REFERENCES alarm_rules (id) ON DELETE CASCADE,
    device_id BIGINT NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id BIGINT NOT NULL REFERENCES tenants (id),
    state     BIGINT NOT NULL DEFAULT 0, -- 0 evaluated; excluded: 1 too many rules, 2 wrong model
    join_time BIGINT NOT NULL DEFAULT 0, -- earlier readings do not count, epoch ms; 0: it joined with the rule
    PRIMARY KEY (rule_id, device_id)
);
CREATE INDEX alarm_rule_devices_device ON alarm_rule_devices (device_id);
CREATE INDEX alarm_rule_devices_tenant ON alarm_rule_devices (tenant_id, state); -- counted when a rule is created
CREATE INDEX alarm_rule_devices_left_out ON alarm_rule_devices (tenant_id, rule_id) WHERE state <> 0;

INSERT INTO alarm_rule_targets (rule_id, place, device_id) SELECT id, 0, device_id FROM alarm_rules;
INSERT INTO alarm_rule_devices (rule_id, device_id, tenant_id) SELECT id, device_id, tenant_id FROM alarm_rules;

ALTER TABLE alarm_states ADD COLUMN device_id BIGINT REFERENCES devices (id) ON DELETE CASCADE;
UPDATE alarm_states AS s SET device_id = r.device_id FROM alarm_rules AS r WHERE r.id = s.rule_id;
ALTER TABLE alarm_states ALTER COLUMN device_id SET NOT NULL;
ALTER TABLE alarm_states DROP CONSTRAINT alarm_states_pkey;
ALTER TABLE alarm_states ADD PRIMARY KEY (rule_id, device_id);
CREATE INDEX alarm_states_device ON alarm_states (device_id);

ALTER TABLE alarm_rules DROP COLUMN device_id;

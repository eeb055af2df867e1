-- +goose Up

-- SQLite cannot change constraints of an existing table, so the table is rebuilt, with foreign keys disabled
-- (see upgrade in db.go).
-- Each device of a rule has its own notices, so the unique key of a notice includes the device.
-- holds_since: since when its conditions have held by the stored readings; NULL: not searched yet, 0: unknown.
-- ack_…: who acknowledged it; ack_time 0: nobody.
CREATE TABLE notices_anew (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    rule_id        INTEGER NOT NULL,
    rule_revision  INTEGER NOT NULL,
    device_id      INTEGER NOT NULL,
    device_name    TEXT NOT NULL,
    title          TEXT NOT NULL,
    folded_title   TEXT NOT NULL,
    alarm_level    INTEGER NOT NULL,
    resolve_status INTEGER NOT NULL DEFAULT 0,
    start_time     INTEGER NOT NULL,
    end_time       INTEGER NOT NULL DEFAULT 0,
    create_time    INTEGER NOT NULL,
    alarm_desc     TEXT NOT NULL DEFAULT '',
    rule           TEXT NOT NULL DEFAULT '{}',
    samples        TEXT NOT NULL DEFAULT '[]',
    resolve_reason TEXT NOT NULL DEFAULT '',
    resolve_user   TEXT NOT NULL DEFAULT '',
    remark         TEXT NOT NULL DEFAULT '',
    kept           TEXT NOT NULL DEFAULT '', -- JSON: points of its chart, after its end
    resolve_attribute TEXT NOT NULL DEFAULT '',
    unsteady       BOOLEAN NOT NULL DEFAULT FALSE,
    changes        INTEGER NOT NULL DEFAULT 0,
    holds_since    INTEGER,
    ack_user       TEXT NOT NULL DEFAULT '',
    ack_time       INTEGER NOT NULL DEFAULT 0,
    ack_note       TEXT NOT NULL DEFAULT '',
    ack_remind_at  INTEGER NOT NULL DEFAULT 0,
    UNIQUE (rule_id, rule_revision, start_time, device_id)
);
INSERT INTO notices_anew (id, tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title, alarm_level, resolve_status, start_time,
        end_time, create_time, alarm_desc, rule, samples, resolve_reason, resolve_user, remark, kept, resolve_attribute, unsteady, changes, holds_since)
    SELECT id, tenant_id, rule_id, rule_revision, device_id, device_name, title, folded_title, alarm_level, resolve_status, start_time,
        end_time, create_time, alarm_desc, rule, samples, resolve_reason, resolve_user, remark, kept, resolve_attribute, unsteady, changes,
        CASE WHEN resolve_status = 0 THEN NULL ELSE 0 END
    FROM notices;
-- Numbers are never reused.
DELETE FROM sqlite_sequence WHERE name = 'notices_anew';
INSERT INTO sqlite_sequence (name, seq) SELECT 'notices_anew', seq FROM sqlite_sequence WHERE name = 'notices';
DROP TABLE notices;
ALTER TABLE notices_anew RENAME TO notices;
CREATE INDEX notices_newest ON notices (tenant_id, create_time DESC, id DESC);
CREATE INDEX notices_open ON notices (tenant_id, resolve_status, device_id);
CREATE INDEX notices_rule ON notices (tenant_id, rule_id, start_time);
CREATE INDEX notices_start ON notices (tenant_id, start_time);
CREATE INDEX notices_waiting ON notices (end_time) WHERE kept = '' AND resolve_status <> 0; -- finds notices without stored charts
CREATE INDEX notices_created ON notices (create_time);
CREATE INDEX notices_unresolved ON notices (rule_id) WHERE resolve_status = 0;
CREATE INDEX notices_since_unknown ON notices (id) WHERE holds_since IS NULL; -- finds notices that are not searched yet

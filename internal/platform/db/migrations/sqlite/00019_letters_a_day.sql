-- +goose Up

-- How many messages a tenant may send per day, if it differs from the server's settings; 0: no limit.
ALTER TABLE tenants ADD COLUMN mails_a_day INTEGER;
ALTER TABLE tenants ADD COLUMN sms_a_day INTEGER;

-- How many messages were sent on a day of the tenant's zone.
CREATE TABLE letter_days (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    mode      TEXT NOT NULL,
    day       INTEGER NOT NULL, -- epoch ms of its first instant
    letters   INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, mode, day)
);
CREATE INDEX letter_days_day ON letter_days (day);

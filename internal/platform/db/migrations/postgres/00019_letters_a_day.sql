-- +goose Up

-- How many messages a tenant may send per day, if it differs from the server's settings; 0: no limit.
ALTER TABLE tenants ADD COLUMN mails_a_day BIGINT;
ALTER TABLE tenants ADD COLUMN sms_a_day BIGINT;

-- How many messages were sent on a day of the tenant's zone.
CREATE TABLE letter_days (
    tenant_id BIGINT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    mode      TEXT COLLATE "C" NOT NULL,
    day       BIGINT NOT NULL, -- epoch ms of its first instant
    letters   BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, mode, day)
);
CREATE INDEX letter_days_day ON letter_days (day);

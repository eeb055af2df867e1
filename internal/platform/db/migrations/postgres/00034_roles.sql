-- +goose Up

-- What a user may do: viewer, operator or owner. Until now everybody might do everything.
ALTER TABLE users ADD COLUMN role TEXT COLLATE "C" NOT NULL DEFAULT 'owner';
-- What a credential may do at most, and until when: never more than its user. scopes are separated
-- by spaces; expire_time is in epoch milliseconds, 0: never.
ALTER TABLE credentials ADD COLUMN role TEXT COLLATE "C" NOT NULL DEFAULT 'owner';
ALTER TABLE credentials ADD COLUMN scopes TEXT COLLATE "C" NOT NULL DEFAULT 'read telemetry webhooks';
ALTER TABLE credentials ADD COLUMN expire_time BIGINT NOT NULL DEFAULT 0;

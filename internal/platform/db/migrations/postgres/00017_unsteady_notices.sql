-- +goose Up

-- Whether a notice began after its rule had reached the hourly limit of notices, and how often its conditions
-- turned true or false since.
ALTER TABLE notices ADD COLUMN unsteady BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE notices ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
-- When the newest notices of a rule began, by the readings' own times: JSON.
ALTER TABLE alarm_states ADD COLUMN openings TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose Up

-- The notice is acknowledged: no reminders before this time, epoch ms; 0: it is not.
ALTER TABLE deliveries ADD COLUMN quiet_until BIGINT NOT NULL DEFAULT 0;
-- Whether a webhook is notified that a notice was acknowledged, and that this was withdrawn.
ALTER TABLE webhooks ADD COLUMN on_acknowledged BOOLEAN NOT NULL DEFAULT FALSE;

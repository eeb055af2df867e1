-- +goose Up

-- Somebody is on the notice: nobody is reminded of it before, epoch ms; 0: nobody is. Of what follows from a delivery.
ALTER TABLE deliveries ADD COLUMN quiet_until BIGINT NOT NULL DEFAULT 0;
-- Whether a webhook is told that somebody is on a notice, and that that was taken back.
ALTER TABLE webhooks ADD COLUMN on_acknowledged BOOLEAN NOT NULL DEFAULT FALSE;

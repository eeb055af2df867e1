-- +goose Up

-- How often each credential was used, per hour; 31 days are kept.
CREATE TABLE credential_hours (
    credential_id BIGINT NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
    hour          BIGINT NOT NULL, -- start of the hour, epoch ms
    requests      BIGINT NOT NULL, -- written with a delay of at most a minute
    PRIMARY KEY (credential_id, hour)
);
CREATE INDEX credential_hours_hour ON credential_hours (hour);

-- +goose Up

-- How often each credential opened something, by the hour; 31 days are kept.
CREATE TABLE credential_hours (
    credential_id INTEGER NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
    hour          INTEGER NOT NULL, -- when it began, epoch ms
    requests      INTEGER NOT NULL, -- written behind by at most a minute
    PRIMARY KEY (credential_id, hour)
);
CREATE INDEX credential_hours_hour ON credential_hours (hour);

-- +goose Up

-- How often each credential was used, per hour; 31 days are kept.
CREATE TABLE credential_hours (
    credential_id INTEGER NOT NULL REFERENCES credentials (id) ON DELETE CASCADE,
    hour          INTEGER NOT NULL, -- start of the hour, epoch ms
    requests      INTEGER NOT NULL, -- written with a delay of at most a minute
    PRIMARY KEY (credential_id, hour)
);
CREATE INDEX credential_hours_hour ON credential_hours (hour);

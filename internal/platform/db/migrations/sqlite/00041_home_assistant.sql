-- +goose Up

-- The broker of Home Assistant to which a tenant's devices are announced. password is encrypted; null:
-- there is none.
CREATE TABLE home_assistant (
    tenant_id        INTEGER PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    enabled          BOOLEAN NOT NULL,
    url              TEXT NOT NULL,
    user_name        TEXT NOT NULL,
    password         BLOB,
    discovery_prefix TEXT NOT NULL,
    base_topic       TEXT NOT NULL
);

-- The topics of which the broker retains a message of ours. A topic is written down before it is
-- published and forgotten after it was emptied, so none is left behind.
CREATE TABLE home_assistant_topics (
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    topic     TEXT NOT NULL,
    PRIMARY KEY (tenant_id, topic)
);

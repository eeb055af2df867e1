-- +goose Up

-- The broker of Home Assistant to which a tenant's devices are announced. password is encrypted; null:
-- there is none.
CREATE TABLE home_assistant (
    tenant_id        BIGINT PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    enabled          BOOLEAN NOT NULL,
    url              TEXT COLLATE "C" NOT NULL,
    user_name        TEXT COLLATE "C" NOT NULL,
    password         BYTEA,
    discovery_prefix TEXT COLLATE "C" NOT NULL,
    base_topic       TEXT COLLATE "C" NOT NULL
);

-- The topics of which the broker retains a message of ours. A topic is written down before it is
-- published and forgotten after it was emptied, so none is left behind.
CREATE TABLE home_assistant_topics (
    tenant_id BIGINT NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    topic     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, topic)
);

-- +goose Up

-- The platform's catalogue: the same for all tenants.
CREATE TABLE elements (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    yeu_sign     TEXT NOT NULL UNIQUE,
    unit         TEXT NOT NULL DEFAULT '',
    yeu_url      TEXT NOT NULL DEFAULT '',
    name_en_us   TEXT NOT NULL,
    name_zh_cn   TEXT NOT NULL,
    name_tr_tr   TEXT NOT NULL,
    name_ru_ru   TEXT NOT NULL
);
-- Numbers that readings on disk hold instead of identifiers. Never deleted.
CREATE TABLE property_numbers (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    identifier TEXT NOT NULL UNIQUE
);
CREATE TABLE products (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE,
    offline_after INTEGER NOT NULL -- milliseconds
);
CREATE TABLE product_properties (
    product_id    INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position      INTEGER NOT NULL,
    number        INTEGER NOT NULL REFERENCES property_numbers (number),
    function_name TEXT NOT NULL DEFAULT '',
    element_unit  TEXT NOT NULL DEFAULT '',
    element_data  TEXT NOT NULL DEFAULT '',
    data_type     TEXT NOT NULL CHECK (data_type IN ('number', 'boolean', 'text')),
    access_mode   TEXT NOT NULL DEFAULT 'r',
    min_value     REAL,
    max_value     REAL,
    decimals      INTEGER,
    PRIMARY KEY (product_id, number)
);

CREATE TABLE tenants (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    time_zone   TEXT NOT NULL,
    language    TEXT NOT NULL,
    title       TEXT NOT NULL DEFAULT '',
    content     TEXT NOT NULL DEFAULT '',
    logo        TEXT NOT NULL DEFAULT '',
    background  TEXT NOT NULL DEFAULT '',
    favicon     TEXT NOT NULL DEFAULT '',
    create_time INTEGER NOT NULL
);
CREATE TABLE tenant_hosts (
    host      TEXT PRIMARY KEY,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE
);
CREATE INDEX tenant_hosts_tenant ON tenant_hosts (tenant_id);

CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id     INTEGER NOT NULL REFERENCES tenants (id),
    user_name     TEXT NOT NULL,
    folded_name   TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    nickname      TEXT NOT NULL DEFAULT '',
    email         TEXT NOT NULL DEFAULT '',
    mobile        TEXT NOT NULL DEFAULT '',
    avatar        TEXT NOT NULL DEFAULT '',
    login_time    INTEGER NOT NULL DEFAULT 0, -- the newest sign-in
    login_before  INTEGER NOT NULL DEFAULT 0, -- the one before it, which the profile shows
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    create_time   INTEGER NOT NULL,
    UNIQUE (tenant_id, folded_name)
);
CREATE TABLE sessions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    remember    BOOLEAN NOT NULL,
    create_time INTEGER NOT NULL
);
CREATE INDEX sessions_user ON sessions (tenant_id, user_id);
-- Tokens are stored as SHA-256 only.
CREATE TABLE access_tokens (
    hash        BLOB PRIMARY KEY,
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    expire_time INTEGER NOT NULL
);
CREATE INDEX access_tokens_session ON access_tokens (session_id);
CREATE INDEX access_tokens_expiry ON access_tokens (expire_time);
CREATE TABLE refresh_tokens (
    hash        BLOB PRIMARY KEY,
    session_id  INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    expire_time INTEGER NOT NULL,
    use_time    INTEGER NOT NULL DEFAULT 0,
    successor   BLOB -- the pair that replaced it, sealed under a key that only the used token gives
);
CREATE INDEX refresh_tokens_session ON refresh_tokens (session_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expire_time);

CREATE TABLE scenes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    name        TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    status      INTEGER NOT NULL DEFAULT 1,
    create_time INTEGER NOT NULL,
    UNIQUE (tenant_id, folded_name)
);
-- AUTOINCREMENT: a device's id is never reused, because stored readings refer to it.
CREATE TABLE devices (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id),
    name         TEXT NOT NULL UNIQUE,
    serial       TEXT NOT NULL DEFAULT '',
    note_name    TEXT NOT NULL DEFAULT '',
    folded_title TEXT NOT NULL, -- lists sort by it: noteName, otherwise name
    folded_text  TEXT NOT NULL, -- searches read it: name, noteName, serial
    product_id   INTEGER NOT NULL REFERENCES products (id),
    scene_id     INTEGER REFERENCES scenes (id) ON DELETE SET NULL,
    longitude    REAL,
    latitude     REAL,
    gateway      BOOLEAN NOT NULL DEFAULT FALSE,
    disabled     BOOLEAN NOT NULL DEFAULT FALSE,
    element_data TEXT NOT NULL DEFAULT '{}', -- JSON: identifier to the device's own elementData
    create_time  INTEGER NOT NULL
);
CREATE INDEX devices_title ON devices (tenant_id, folded_title, id);
CREATE INDEX devices_scene ON devices (tenant_id, scene_id, folded_title, id);
CREATE INDEX devices_product ON devices (tenant_id, product_id);
CREATE TABLE device_secrets (
    hash        BLOB PRIMARY KEY, -- HMAC-SHA-256
    device_id   INTEGER NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    create_time INTEGER NOT NULL
);
CREATE INDEX device_secrets_device ON device_secrets (device_id);
-- Contact and intake, written with a delay of at most ten seconds.
CREATE TABLE device_status (
    device_id          INTEGER PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
    tenant_id          INTEGER NOT NULL,
    online             BOOLEAN NOT NULL DEFAULT FALSE,
    last_contact       INTEGER NOT NULL DEFAULT 0,
    online_time        INTEGER NOT NULL DEFAULT 0,
    offline_time       INTEGER NOT NULL DEFAULT 0,
    messages           INTEGER NOT NULL DEFAULT 0,
    value_count        INTEGER NOT NULL DEFAULT 0,
    refused            INTEGER NOT NULL DEFAULT 0,
    refusal_time       INTEGER NOT NULL DEFAULT 0,
    refusal_identifier TEXT NOT NULL DEFAULT '',
    refusal_reason     TEXT NOT NULL DEFAULT '',
    clock_ahead        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX device_status_online ON device_status (tenant_id, online, offline_time);

-- Alarm notices. A rule's notice is unique by the readings from which it was evaluated.
CREATE TABLE notices (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id      INTEGER NOT NULL REFERENCES tenants (id),
    rule_id        INTEGER NOT NULL,
    rule_revision  INTEGER NOT NULL,
    device_id      INTEGER NOT NULL,
    device_name    TEXT NOT NULL,
    title          TEXT NOT NULL,
    folded_title   TEXT NOT NULL,
    alarm_level    INTEGER NOT NULL,
    resolve_status INTEGER NOT NULL DEFAULT 0,
    start_time     INTEGER NOT NULL,
    end_time       INTEGER NOT NULL DEFAULT 0,
    create_time    INTEGER NOT NULL,
    UNIQUE (rule_id, rule_revision, start_time)
);
CREATE INDEX notices_newest ON notices (tenant_id, create_time DESC, id DESC);
CREATE INDEX notices_open ON notices (tenant_id, resolve_status, device_id);
-- The evaluated position of the journal of readings; one row.
CREATE TABLE judged_positions (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    position INTEGER NOT NULL
);

-- In-app messages: stored once per tenant, with a read mark per user.
CREATE TABLE messages (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    notice_id   INTEGER REFERENCES notices (id) ON DELETE SET NULL,
    event       TEXT NOT NULL, -- triggered or resolved
    facts       TEXT NOT NULL, -- JSON: facts from which the text is rendered in the reader's language
    create_time INTEGER NOT NULL
);
CREATE INDEX messages_newest ON messages (tenant_id, create_time DESC, id DESC);
CREATE TABLE message_reads (
    message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    read_time  INTEGER NOT NULL,
    PRIMARY KEY (message_id, user_id)
);

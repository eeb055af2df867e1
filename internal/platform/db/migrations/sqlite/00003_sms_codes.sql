-- +goose Up

-- Codes sent by SMS, kept for a day, because the limits count them.
CREATE TABLE sms_codes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    mobile      TEXT NOT NULL, -- E.164
    scene       INTEGER NOT NULL,
    address     TEXT NOT NULL, -- of the requesting client: an IPv4 address or an IPv6 network
    hash        BLOB NOT NULL, -- HMAC-SHA-256 under the platform's key
    send_time   INTEGER NOT NULL,
    expire_time INTEGER NOT NULL,
    guesses     INTEGER NOT NULL DEFAULT 0, -- wrong ones
    used        BOOLEAN NOT NULL DEFAULT FALSE,
    failed      BOOLEAN NOT NULL DEFAULT FALSE -- the gateway did not accept it
);
CREATE INDEX sms_codes_user ON sms_codes (tenant_id, user_id, send_time);
CREATE INDEX sms_codes_tenant ON sms_codes (tenant_id, send_time);
CREATE INDEX sms_codes_mobile ON sms_codes (mobile, send_time);
CREATE INDEX sms_codes_address ON sms_codes (address, send_time);
CREATE INDEX sms_codes_time ON sms_codes (send_time);

-- +goose Up

-- Whether everybody who signs in by password needs a second factor.
ALTER TABLE tenants ADD COLUMN second_factor_required BOOLEAN NOT NULL DEFAULT FALSE;
-- How a session began: only those of a password are asked for a second factor.
ALTER TABLE sessions ADD COLUMN method TEXT NOT NULL DEFAULT 'password';

-- The second factor of a user: the key of an authenticator app, encrypted. secret is null while it is
-- off; last_step is the newest time step whose code was used. pending_secret is a key that no code has
-- confirmed yet; it is void after pending_expires.
CREATE TABLE second_factors (
    user_id         INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    tenant_id       INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    secret          BLOB,
    last_step       INTEGER NOT NULL,
    pending_secret  BLOB,
    pending_expires INTEGER NOT NULL
);

-- Codes that stand in once each for one of the app. hash is keyed.
CREATE TABLE recovery_codes (
    user_id   INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    hash      BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- Sign-ins with a right password that wait for a code, or (enrol) for the user to set up the second
-- factor. hash is the SHA-256 of the ticket; password_digest ties it to the password.
CREATE TABLE sign_in_tickets (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id       INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash            BLOB NOT NULL UNIQUE,
    enrol           BOOLEAN NOT NULL,
    remember        BOOLEAN NOT NULL,
    password_digest BLOB NOT NULL,
    guesses         INTEGER NOT NULL,
    expire_time     INTEGER NOT NULL
);
CREATE INDEX sign_in_tickets_user ON sign_in_tickets (user_id, id);

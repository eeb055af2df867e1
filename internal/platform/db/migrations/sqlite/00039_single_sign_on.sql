-- +goose Up

-- Whether somebody has made sure that the address is the user's: the provider's file or the mail of
-- an invitation. A person who signs in with such an address at the tenant's issuer is this user.
ALTER TABLE users ADD COLUMN email_confirmed BOOLEAN NOT NULL DEFAULT FALSE;
-- When the session ends at the latest, epoch milliseconds; 0: no such end. It is set for sessions
-- that began at an issuer, whose access tokens are valid for a shorter time.
ALTER TABLE sessions ADD COLUMN end_time INTEGER NOT NULL DEFAULT 0;

-- The issuer of OpenID Connect at which a tenant's people sign in. client_secret is encrypted;
-- domains are separated by spaces; roles is a JSON object from values of role_claim to roles.
CREATE TABLE oidc_connections (
    tenant_id     INTEGER PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    issuer        TEXT NOT NULL,
    client_id     TEXT NOT NULL,
    client_secret BLOB NOT NULL,
    creates       BOOLEAN NOT NULL,
    domains       TEXT NOT NULL,
    role_claim    TEXT NOT NULL,
    roles         TEXT NOT NULL,
    default_role  TEXT NOT NULL
);

-- A sign-in that began and waits for the issuer. state_hash is the SHA-256 of the state, binding of
-- a secret of the browser; verifier (of PKCE) is encrypted. user_id and session_id are of a
-- signed-in user who links the account; else 0.
CREATE TABLE oidc_attempts (
    state_hash   BLOB PRIMARY KEY,
    tenant_id    INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    issuer       TEXT NOT NULL,
    client_id    TEXT NOT NULL,
    nonce        TEXT NOT NULL,
    verifier     BLOB NOT NULL,
    binding      BLOB NOT NULL,
    redirect_url TEXT NOT NULL,
    return_path  TEXT NOT NULL,
    user_id      INTEGER NOT NULL,
    session_id   INTEGER NOT NULL,
    expire_time  INTEGER NOT NULL
);
CREATE INDEX oidc_attempts_expire ON oidc_attempts (expire_time);

-- A sign-in that the issuer confirmed and that the browser exchanges for a session. role is what the
-- issuer's claims give, empty: Tilth's own counts; tokens (the issuer's) is encrypted; session_id as
-- in oidc_attempts.
CREATE TABLE oidc_tickets (
    token_hash  BLOB PRIMARY KEY,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    binding     BLOB NOT NULL,
    issuer      TEXT NOT NULL,
    client_id   TEXT NOT NULL,
    subject     TEXT NOT NULL,
    sid         TEXT NOT NULL,
    role        TEXT NOT NULL,
    tokens      BLOB NOT NULL,
    session_id  INTEGER NOT NULL,
    expire_time INTEGER NOT NULL
);
CREATE INDEX oidc_tickets_subject ON oidc_tickets (issuer, subject);

-- Which user a person at an issuer is. A user has at most one account at an issuer.
CREATE TABLE oidc_links (
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    issuer      TEXT NOT NULL,
    subject     TEXT NOT NULL,
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    create_time INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, issuer, subject)
);
CREATE UNIQUE INDEX oidc_links_user ON oidc_links (user_id, issuer);

-- What a session that began at an issuer needs for its renewal. tokens is encrypted; check_time is
-- when the issuer last confirmed it.
CREATE TABLE oidc_sessions (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    tenant_id  INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    issuer     TEXT NOT NULL,
    client_id  TEXT NOT NULL,
    subject    TEXT NOT NULL,
    sid        TEXT NOT NULL,
    tokens     BLOB NOT NULL,
    check_time INTEGER NOT NULL
);
CREATE INDEX oidc_sessions_subject ON oidc_sessions (issuer, subject);
CREATE INDEX oidc_sessions_sid ON oidc_sessions (issuer, sid);
CREATE INDEX oidc_sessions_user ON oidc_sessions (tenant_id, user_id);

-- The logout tokens that came, until they expire: each counts once. token_hash is the SHA-256 of
-- issuer and id.
CREATE TABLE oidc_logouts (
    token_hash  BLOB PRIMARY KEY,
    expire_time INTEGER NOT NULL
);

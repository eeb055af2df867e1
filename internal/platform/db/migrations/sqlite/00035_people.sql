-- +goose Up

-- users.disabled is the provider's mark; an owner's is disabled_by_owner, and either shuts a user out.
-- role_from says who gave the role: here (an owner), provider or signin; made_here, whether an
-- owner's invitation made the user. language is that of mails to the user; empty: the tenant's.
ALTER TABLE users ADD COLUMN disabled_by_owner BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN role_from TEXT NOT NULL DEFAULT 'provider';
ALTER TABLE users ADD COLUMN made_here BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
-- Who changes the people of the tenant: its owners, or the provider alone.
ALTER TABLE tenants ADD COLUMN people_by_provider BOOLEAN NOT NULL DEFAULT FALSE;

-- An invitation to become a user of a tenant, until it is accepted. token_hash is the SHA-256 of the
-- link's token; mailed says whether the link went to the address by mail.
CREATE TABLE invitations (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    email       TEXT NOT NULL,
    role        TEXT NOT NULL,
    nickname    TEXT NOT NULL,
    language    TEXT NOT NULL,
    invited_by  TEXT NOT NULL,
    mailed      BOOLEAN NOT NULL,
    token_hash  BLOB NOT NULL UNIQUE,
    create_time INTEGER NOT NULL,
    expire_time INTEGER NOT NULL
);
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);

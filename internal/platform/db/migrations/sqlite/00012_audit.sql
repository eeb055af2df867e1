-- +goose Up

-- The audit log: who did what to which thing, from where; kept for three years.
CREATE TABLE audit_entries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER REFERENCES tenants (id) ON DELETE CASCADE, -- NULL: the platform's, which no tenant sees
    time        INTEGER NOT NULL, -- epoch ms
    actor       TEXT NOT NULL, -- user, credential, provider, server
    actor_id    INTEGER NOT NULL, -- of a user or a credential, which may be deleted; otherwise 0
    actor_name  TEXT NOT NULL, -- as it was
    address     TEXT NOT NULL, -- empty: the server itself
    request     TEXT NOT NULL,
    kind        TEXT NOT NULL, -- of the thing: device, scene, rule, ...
    action      TEXT NOT NULL, -- create, update, delete, ...
    thing_id    INTEGER NOT NULL, -- may be deleted; 0: it has none
    thing_name  TEXT NOT NULL, -- as it was
    name_id     INTEGER NOT NULL, -- the name for searches; 0: the platform's, not searched
    changes     TEXT NOT NULL -- JSON: a list of field, before, after
);
CREATE INDEX audit_entries_newest ON audit_entries (tenant_id, time DESC, id DESC, name_id);
CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor, actor_id, time DESC, id DESC, kind, name_id);
CREATE INDEX audit_entries_kind ON audit_entries (tenant_id, kind, time DESC, id DESC, name_id);
CREATE INDEX audit_entries_name ON audit_entries (tenant_id, name_id, time DESC, id DESC);
CREATE INDEX audit_entries_time ON audit_entries (time);

-- The names of things in the log, each once: a search reads these and not a million entries.
CREATE TABLE audit_names (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    folded    TEXT NOT NULL,
    UNIQUE (tenant_id, folded)
);

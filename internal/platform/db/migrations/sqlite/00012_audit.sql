-- +goose Up

-- The audit log: who did what to which thing, from where; kept for three years.
CREATE TABLE audit_entries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER REFERENCES tenants (id) ON DELETE CASCADE, -- none: the platform's, which no tenant is shown
    time        INTEGER NOT NULL, -- epoch ms
    actor       TEXT NOT NULL, -- user, credential, provider, server
    actor_id    INTEGER NOT NULL, -- of a user or a credential, which may be gone; else 0
    actor_name  TEXT NOT NULL, -- as it was
    address     TEXT NOT NULL, -- empty: the server by itself
    request     TEXT NOT NULL,
    kind        TEXT NOT NULL, -- of the thing: device, scene, rule, ...
    action      TEXT NOT NULL, -- create, update, delete, ...
    thing_id    INTEGER NOT NULL, -- may be gone; 0: it has none
    thing_name  TEXT NOT NULL, -- as it was
    name_id     INTEGER NOT NULL, -- what it is searched by; 0: the platform's, which is not
    changes     TEXT NOT NULL -- JSON: a list of field, before, after
);
CREATE INDEX audit_entries_newest ON audit_entries (tenant_id, time DESC, id DESC, name_id);
CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor, actor_id, time DESC, id DESC, kind, name_id);
CREATE INDEX audit_entries_kind ON audit_entries (tenant_id, kind, time DESC, id DESC, name_id);
CREATE INDEX audit_entries_name ON audit_entries (tenant_id, name_id, time DESC, id DESC);
CREATE INDEX audit_entries_time ON audit_entries (time);

-- What things of the log are called, each once: they are searched, not a million entries.
CREATE TABLE audit_names (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    folded    TEXT NOT NULL,
    UNIQUE (tenant_id, folded)
);

-- +goose Up

-- What users saved of the analysis page, by name. The query is the page's own; nothing on the server reads it.
CREATE TABLE analysis_views (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id   INTEGER NOT NULL REFERENCES tenants (id),
    user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    query       TEXT NOT NULL
);
CREATE UNIQUE INDEX analysis_views_name ON analysis_views (tenant_id, user_id, folded_name);

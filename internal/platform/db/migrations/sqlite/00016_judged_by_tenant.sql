-- +goose Up

-- The evaluated positions of the journal of readings: for all tenants (tenant 0), and for a tenant that is
-- further ahead. Of the entry after position, the arrivals before place are evaluated too.
ALTER TABLE judged_positions RENAME TO judged_positions_of_all;
CREATE TABLE judged_positions (
    tenant_id INTEGER PRIMARY KEY,
    position  INTEGER NOT NULL,
    place     INTEGER NOT NULL DEFAULT 0
);
INSERT INTO judged_positions (tenant_id, position) SELECT 0, position FROM judged_positions_of_all;
DROP TABLE judged_positions_of_all;

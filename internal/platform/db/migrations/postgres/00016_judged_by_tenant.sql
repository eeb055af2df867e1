-- +goose Up

-- How far the journal of readings has been judged: for all (tenant 0), and for a
-- tenant that is further on. Of the entry behind position, what stands before
-- place is judged too.
ALTER TABLE judged_positions RENAME TO judged_positions_of_all;
CREATE TABLE judged_positions (
    tenant_id BIGINT PRIMARY KEY,
    position  BIGINT NOT NULL,
    place     BIGINT NOT NULL DEFAULT 0
);
INSERT INTO judged_positions (tenant_id, position) SELECT 0, position FROM judged_positions_of_all;
DROP TABLE judged_positions_of_all;

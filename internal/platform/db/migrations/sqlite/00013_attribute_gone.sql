-- +goose Up

-- If a notice ended because its device lost an attribute of the rule: the attribute's identifier.
ALTER TABLE notices ADD COLUMN resolve_attribute TEXT NOT NULL DEFAULT '';

-- +goose Up

-- Of a notice that ended because its device lost an attribute of the rule: which one, its identifier.
ALTER TABLE notices ADD COLUMN resolve_attribute TEXT NOT NULL DEFAULT '';

-- +goose Up

-- The number as which higher ones of a property count, up to max_value; NULL: as they arrived.
ALTER TABLE product_properties ADD COLUMN clamp DOUBLE PRECISION;

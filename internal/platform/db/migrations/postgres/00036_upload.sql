-- +goose Up

-- The field of a weather station from which a property takes its values; empty: as for its identifier.
ALTER TABLE product_properties ADD COLUMN upload TEXT COLLATE "C" NOT NULL DEFAULT '';

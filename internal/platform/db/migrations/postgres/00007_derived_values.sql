-- +goose Up

-- Properties that are computed from others.
ALTER TABLE product_properties ADD COLUMN formula TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE product_properties ADD COLUMN inputs TEXT COLLATE "C" NOT NULL DEFAULT '[]'; -- JSON: identifiers
ALTER TABLE product_properties ADD COLUMN parameters TEXT COLLATE "C" NOT NULL DEFAULT '{}'; -- JSON: name to number
-- Some of them need the elevation, in metres above the sea.
ALTER TABLE devices ADD COLUMN elevation DOUBLE PRECISION;

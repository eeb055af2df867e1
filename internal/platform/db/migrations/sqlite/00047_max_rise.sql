-- +goose Up

-- The mm that the rain counter of a weather station may grow in ten minutes; NULL: the default.
ALTER TABLE product_properties ADD COLUMN max_rise REAL;

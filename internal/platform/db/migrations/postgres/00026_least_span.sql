-- +goose Up

-- How much the value axis of a chart of the element spans at least, in the element's unit; NULL:
-- as for its quantity.
ALTER TABLE elements ADD COLUMN least_span DOUBLE PRECISION;

-- +goose Up

-- The identifier of the property that cards, lists and the map show first, as the provider chose it;
-- empty: what suits the product.
ALTER TABLE products ADD COLUMN main_sign TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose Up

-- The name of a product in each language; empty if the provider gave none.
ALTER TABLE products ADD COLUMN name_en_us TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_zh_cn TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_tr_tr TEXT NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_ru_ru TEXT NOT NULL DEFAULT '';

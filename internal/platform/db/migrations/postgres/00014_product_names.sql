-- +goose Up

-- What people call a product in each language; empty where the provider gave no such name.
ALTER TABLE products ADD COLUMN name_en_us TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_zh_cn TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_tr_tr TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE products ADD COLUMN name_ru_ru TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose Up

-- The names of an element that people read, one row a language.
CREATE TABLE element_names (
    element_id INTEGER NOT NULL REFERENCES elements (id) ON DELETE CASCADE,
    language   TEXT NOT NULL,
    name       TEXT NOT NULL,
    PRIMARY KEY (element_id, language)
);
-- The same of a product; none if the provider gave none.
CREATE TABLE product_names (
    product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    language   TEXT NOT NULL,
    name       TEXT NOT NULL,
    PRIMARY KEY (product_id, language)
);
INSERT INTO element_names (element_id, language, name) SELECT id, 'en-us', name_en_us FROM elements WHERE name_en_us <> '';
INSERT INTO element_names (element_id, language, name) SELECT id, 'zh-cn', name_zh_cn FROM elements WHERE name_zh_cn <> '';
INSERT INTO element_names (element_id, language, name) SELECT id, 'tr-tr', name_tr_tr FROM elements WHERE name_tr_tr <> '';
INSERT INTO element_names (element_id, language, name) SELECT id, 'ru-ru', name_ru_ru FROM elements WHERE name_ru_ru <> '';
INSERT INTO product_names (product_id, language, name) SELECT id, 'en-us', name_en_us FROM products WHERE name_en_us <> '';
INSERT INTO product_names (product_id, language, name) SELECT id, 'zh-cn', name_zh_cn FROM products WHERE name_zh_cn <> '';
INSERT INTO product_names (product_id, language, name) SELECT id, 'tr-tr', name_tr_tr FROM products WHERE name_tr_tr <> '';
INSERT INTO product_names (product_id, language, name) SELECT id, 'ru-ru', name_ru_ru FROM products WHERE name_ru_ru <> '';
ALTER TABLE elements DROP COLUMN name_en_us;
ALTER TABLE elements DROP COLUMN name_zh_cn;
ALTER TABLE elements DROP COLUMN name_tr_tr;
ALTER TABLE elements DROP COLUMN name_ru_ru;
ALTER TABLE products DROP COLUMN name_en_us;
ALTER TABLE products DROP COLUMN name_zh_cn;
ALTER TABLE products DROP COLUMN name_tr_tr;
ALTER TABLE products DROP COLUMN name_ru_ru;

-- +goose Up

-- holds_since_precision: '' exact, 'day' of holds_since only the day counts, 'before' it has held since before that.
ALTER TABLE notices ADD COLUMN holds_since_precision TEXT COLLATE "C" NOT NULL DEFAULT '';

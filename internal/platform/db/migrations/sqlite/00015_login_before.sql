-- +goose Up

-- The profile shows the newest sign-in; nobody reads the one before it.
ALTER TABLE users DROP COLUMN login_before;

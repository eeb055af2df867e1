-- +goose Up

-- The profile shows the newest sign-in; nothing reads the previous one.
ALTER TABLE users DROP COLUMN login_before;

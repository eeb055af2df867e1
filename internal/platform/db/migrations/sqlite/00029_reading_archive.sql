-- +goose Up

-- Only PostgreSQL has the archive of a cluster; this keeps the numbers of both equal.
SELECT 1;

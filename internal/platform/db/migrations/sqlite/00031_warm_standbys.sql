-- +goose Up

-- Only PostgreSQL has the tables of a cluster; this keeps the numbers of both equal.
SELECT 1;

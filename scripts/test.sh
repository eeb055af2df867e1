#!/usr/bin/env bash
# Proves that the product works, in an order that suits two processors: parts that wait for a
# network, a database or a page run beside parts that compute. At the end it prints
# how long each part took. docs/testing.md says what each part proves; scripts/prove.sh runs the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/memory.sh
. scripts/parts.sh

modules() {
  go mod download
  go -C workshop mod download
}
packages() { make --no-print-directory web/node_modules/.package-lock.json; }
console() { make --no-print-directory web/dist/index.html; }
binary() { make --no-print-directory bin/tilth; }
# scripts/prove.sh runs the long ones.
go_tests() { scripts/go-test.sh -timeout=15m "-skip=$(cat scripts/long-tests)" ./...; }

beside modules modules
beside packages packages
part tools scripts/tools.sh
join modules packages
part console console
part binary binary
export TILTH_TEST_BINARY=$PWD/bin/tilth
part types npm --prefix web run --silent types
# One after the other: beside one another they took a sixth longer (docs/benchmarks.md).
part 'Go tests' go_tests
part 'web tests' scripts/web-test.sh
# The browser tests go first, since they have time limits and these have none.
beside PostgreSQL nice -n 10 scripts/postgres-test.sh --servers
part 'browser tests' scripts/browser-test.sh --project=pages
join PostgreSQL
parts_took

#!/usr/bin/env bash
# Runs all tests, in an order that suits two processors: parts that wait for a
# network, a database or a page run beside parts that compute. At the end it prints
# how long each part took. docs/testing.md says what each part proves.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/parts.sh

# The tests' files are in memory if there is room: most tests do not check whether
# a disk keeps what it is given, and those that do, with kills and full disks, make
# folders of their own.
memory=/dev/shm
if [ "$(df --output=avail -k "$memory" 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null; then
  # All runs use one name, since Go's cached results depend on it.
  export TMPDIR=$memory/tilth-tests
  mkdir -p "$TMPDIR"
fi

# Tests that run under the race detector do not run a second time without it.
racing='platform/live|domain/alarm|domain/notify|edge/ingest'
raced() { go list ./... | grep -E "^tilth/internal/($racing)(/|$)"; }
others() { go list ./... | grep -vE "^tilth/internal/($racing)(/|$)"; }

modules() { go mod download; }
packages() { make --no-print-directory web/node_modules/.package-lock.json; }
console() { make --no-print-directory web/dist/index.html; }
binary() { make --no-print-directory bin/tilth; }
go_tests() { others | xargs go test -vet=off -timeout 15m; }
race_tests() { raced | xargs scripts/race.sh; }
web_tests() { npm --prefix web test; }
browser_tests() { npm --prefix web run e2e; }

beside modules modules
beside packages packages
part tools scripts/tools.sh
join modules
part linter scripts/lint.sh --build
join packages
part console console
part binary binary
part checks scripts/check.sh --types
export TILTH_TEST_BINARY=$PWD/bin/tilth
part 'Go tests' go_tests
part 'Go tests, race detector' race_tests
part 'torture, a sample' scripts/torture.sh --sample
part 'cluster torture, a sample' scripts/cluster-torture.sh --sample
part 'neighbours, a sample' scripts/neighbours.sh --sample
part 'web tests' web_tests
# The browser tests go first, since they have time limits and these have none.
beside PostgreSQL nice -n 10 scripts/postgres-test.sh
part 'browser tests' browser_tests
join PostgreSQL
parts_took

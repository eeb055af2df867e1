#!/usr/bin/env bash
# Everything that proves Tilth, in an order that suits two processors: what waits
# for a network, a database or a page goes beside what computes. At its end it
# prints what each part took. docs/testing.md says what each part proves.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/parts.sh

# Tests' files are in memory where there is room for them: most tests do not ask
# whether a disk keeps what it is given, and those whose kills and full disks do
# make folders of their own.
memory=/dev/shm
if [ "$(df --output=avail -k "$memory" 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null; then
  # One name for all runs: Go's kept results know it.
  export TMPDIR=$memory/tilth-tests
  mkdir -p "$TMPDIR"
fi

# What runs under the race detector is not run a second time without.
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
part 'neighbours, a sample' scripts/neighbours.sh --sample
part 'web tests' web_tests
# The browser goes first: its tests wait with bounds, these do not.
beside PostgreSQL nice -n 10 scripts/postgres-test.sh
part 'browser tests' browser_tests
join PostgreSQL
parts_took

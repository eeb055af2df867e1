#!/usr/bin/env bash
# Proves what `make test` leaves out: style and drift, the race detector over all packages, samples of the torture,
# PostgreSQL under all stores, layouts in every language, theme and width, upgrades, and how soon large pages open.
# At the end it prints how long each part took. docs/testing.md says what each part proves.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/memory.sh
. scripts/parts.sh

binary() { make --no-print-directory bin/tilth bin/workshop; }
long_tests() { scripts/go-test.sh -timeout=15m "-run=$(cat scripts/long-tests)" ./internal/command; }
# A process that a long test starts has no detector.
race_tests() { scripts/race.sh "-skip=$(cat scripts/long-tests)" ./...; }
workshop_tests() { scripts/go-test.sh -C=workshop -timeout=15m ./...; }
layouts() { TILTH_LAYOUTS=rest scripts/browser-test.sh --project=pages e2e/layout.spec.ts; }
alone() { scripts/browser-test.sh --project=alone --workers=1; }

part tools scripts/tools.sh
part 'console and binaries' binary
part checks scripts/check.sh --types
export TILTH_TEST_BINARY=$PWD/bin/tilth
part 'Go tests, race detector' race_tests
part 'long Go tests' long_tests
part workshop workshop_tests
part 'torture, a sample' scripts/torture.sh --sample
part 'cluster torture, a sample' scripts/cluster-torture.sh --sample
part 'neighbours, a sample' scripts/neighbours.sh --sample
beside 'PostgreSQL, all stores' nice -n 10 scripts/postgres-test.sh --stores
part layouts layouts
join 'PostgreSQL, all stores'
part 'opening times, a cluster' alone
parts_took

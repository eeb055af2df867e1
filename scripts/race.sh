#!/usr/bin/env bash
# Runs tests under Go's race detector, which needs cgo and a C compiler. All other
# builds of tilth are pure Go:
#   scripts/race.sh              all packages
#   scripts/race.sh PACKAGE…     these
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
[ $# -gt 0 ] || set -- ./...
# SQLite, translated from C, is not checked: it would take most of the time.
scripts/go-test.sh -race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' -tags=pebblegozstd,netgo,osusergo -timeout=30m "$@"

#!/usr/bin/env bash
# Runs tests under Go's race detector, which needs cgo and a C compiler; all other builds of tilth
# are pure Go:
#   scripts/race.sh              all packages
#   scripts/race.sh PACKAGE…     these packages
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
export CGO_ENABLED=1
[ $# -gt 0 ] || set -- ./...
# The detector does not watch SQLite, which is translated from C: that would take most of the time.
go test -race '-gcflags=modernc.org/...=-race=false -d=checkptr=0' -tags pebblegozstd,netgo,osusergo -vet=off -timeout 30m "$@"

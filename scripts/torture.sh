#!/usr/bin/env bash
# Tortures bin/tilth and prints a table: faults, and what was lost (workshop/torture).
# It takes minutes; the faults of disks need root. Arguments go to the program,
# for example: scripts/torture.sh -rounds 50 -only 'kill -9,disk full'
#   scripts/torture.sh --sample   what `make prove` runs: kills and torn logs, about ten seconds
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
make -s bin/workshop
ulimit -n "$(ulimit -Hn)"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ "${1:-}" = --sample ]; then
  shift
  ./bin/workshop torture -binary bin/tilth -rounds 3 -only 'kill -9,torn last log record' "$@"
  exit
fi

# A second tilth whose clock can be stepped without touching the machine's: the
# same program over a standard library in which time.Now adds the seconds that a
# file holds. Elapsed time is measured by the monotonic clock, which a step does
# not change, as in the kernel.
now=$(go env GOROOT)/src/time
sed 's/^\tsec, nsec, mono := runtimeNow()$/&\n\tsec += stepped()/' "$now/time.go" > "$dir/time.go"
[ "$(grep -c 'sec += stepped()' "$dir/time.go")" -ge 1 ] || { echo "torture: this Go's time.Now is another one" >&2; exit 1; }
cp workshop/torture/testdata/stepped.go.txt "$dir/stepped.go"
printf '{"Replace": {"%s": "%s", "%s": "%s"}}\n' "$now/time.go" "$dir/time.go" "$now/stepped.go" "$dir/stepped.go" > "$dir/overlay.json"
go build -overlay "$dir/overlay.json" -o "$dir/tilth-stepped" ./cmd/tilth

./bin/workshop torture -binary bin/tilth -stepped "$dir/tilth-stepped" "$@"

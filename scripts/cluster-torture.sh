#!/usr/bin/env bash
# Tortures a cluster of three nodes of bin/tilth over PostgreSQL and a synchronous
# copy, and prints a table: faults, how long devices went unanswered, and what was
# lost (internal/tools/torture). It takes about four minutes and needs Debian's
# postgresql (scripts/tools.sh), no network and no root; as root, PostgreSQL runs as
# the user postgres. Arguments go to the program, for example:
#   scripts/cluster-torture.sh -rounds 10 -only 'leader killed,primary lost'
#   scripts/cluster-torture.sh --sample   what `make prove` runs: a kill, a freeze and an orderly end
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/torture" ./internal/tools/torture/cmd

if [ "${1:-}" = --sample ]; then
  shift
  # Three times the promised second is still sooner than anybody ends a silent leader (--takeover-after, 4 s), and does
  # not depend on the machine's speed.
  set -- -rounds 1 -slack 3 -only 'leader killed,leader frozen,leader ends in order' "$@"
else
  set -- -rounds 2 "$@"
fi
"$dir/torture" -cluster -binary bin/tilth "$@"

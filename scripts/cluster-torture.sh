#!/usr/bin/env bash
# Tortures a cluster of three nodes of bin/tilth over PostgreSQL and a synchronous
# copy, and prints a table: faults, how long devices went unanswered, and what was
# lost (workshop/torture). It takes about four minutes and needs Debian's
# postgresql (scripts/tools.sh), no network and no root; as root, PostgreSQL runs as
# the user postgres. Arguments go to the program, for example:
#   scripts/cluster-torture.sh -rounds 10 -only 'leader killed,primary lost'
#   scripts/cluster-torture.sh --sample   what `make prove` runs: a kill, a freeze and an orderly end
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop

if [ "${1:-}" = --sample ]; then
  shift
  # An orderly end took 1.04 s on a machine of half the usual speed, where a kill took 0.52 s: here the ratio counts.
  set -- -rounds 1 -paced -only 'leader killed,leader frozen,leader ends in order' "$@"
else
  set -- -rounds 2 "$@"
fi
exec ./bin/workshop torture -cluster -binary bin/tilth "$@"

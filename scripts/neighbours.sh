#!/usr/bin/env bash
# Lets tenants take more than their share of bin/tilth and prints how that affects
# another tenant, with the limits (workshop neighbours). Arguments go to the
# program, for example: scripts/neighbours.sh --only 'slow readers,starting'
#   scripts/neighbours.sh --sample   what `make prove` runs: all attacks, smaller, within a minute
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop
ulimit -n "$(ulimit -Hn)"
exec ./bin/workshop neighbours "$@"

#!/usr/bin/env bash
# Lets tenants of bin/tilth use more than their share, and prints the effects on another tenant,
# with the limits (tilth bench neighbours). The arguments go to the program, for example:
# scripts/neighbours.sh --only 'slow readers,starting'
#   scripts/neighbours.sh --sample   the part in `make test`: all attacks, smaller ones, within a minute
set -euo pipefail
cd "$(dirname "$0")/.."
ulimit -n "$(ulimit -Hn)"
exec ./bin/tilth bench neighbours "$@"

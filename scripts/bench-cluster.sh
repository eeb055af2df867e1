#!/usr/bin/env bash
# Compares a node over PostgreSQL with a synchronous copy, alone and with a standby, with
# one server alone, and measures how soon nodes take over (docs/benchmarks-cluster.md). It
# starts PostgreSQL itself, in a folder of its own, and takes ten minutes at most.
# Arguments go to workshop cluster.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop
ulimit -n "$(ulimit -Hn)"
exec ./bin/workshop cluster "$@"

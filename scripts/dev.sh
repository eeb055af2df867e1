#!/usr/bin/env bash
# The demo with a console before it that reloads as you type. Both end when
# either does, and with this script, however it is ended:
#   scripts/dev.sh [settings of tilth demo]
set -euo pipefail
cd "$(dirname "$0")/.."

# Not by go run, which would not pass on that it is to end.
go build -o bin/tilth-dev ./cmd/tilth

running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
./bin/tilth-dev demo "$@" &
running+=($!)
# Nor by npm, for the same reason. The console's keys (h and Enter tells them)
# need the terminal.
(cd web && exec node_modules/.bin/vite) <&0 &
running+=($!)
wait -n

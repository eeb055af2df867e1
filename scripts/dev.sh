#!/usr/bin/env bash
# Runs the demo with a console that reloads as you type. If one of them ends, the
# other ends too, and both end with this script, however it is ended:
#   scripts/dev.sh [settings of tilth demo]
set -euo pipefail
cd "$(dirname "$0")/.."

# Without go run, which would not pass the signal on.
go build -o bin/tilth-dev ./cmd/tilth

running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
./bin/tilth-dev demo "$@" &
running+=($!)
# Without npm, for the same reason. The console's keys (h and Enter lists them)
# need the terminal.
(cd web && exec node_modules/.bin/vite) <&0 &
running+=($!)
wait -n

#!/usr/bin/env bash
# Runs the demo, and in front of it a console that reloads at each change of a file. Both end if
# either ends or if this script is ended in any way:
#   scripts/dev.sh [settings of tilth demo]
set -euo pipefail
cd "$(dirname "$0")/.."

# go run would not pass signals on.
go build -o bin/tilth-dev ./cmd/tilth

running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
./bin/tilth-dev demo "$@" &
running+=($!)
# npm would not either. Vite reads keys from the terminal (h and Enter lists them).
(cd web && exec node_modules/.bin/vite) <&0 &
running+=($!)
wait -n

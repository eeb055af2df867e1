#!/usr/bin/env bash
# Runs Vitest and counts its tests. Arguments go to Vitest:
#   scripts/web-test.sh run src/features/alarm
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0
[ $# -gt 0 ] || set -- run
cd web # tests read files of it
npx vitest "$@" --reporter=default --reporter=json --outputFile.json="$dir/results" || status=$?
cd ..
node web/scripts/test-report.mjs vitest "$dir/results" > "$dir/report"
scripts/count.sh "$dir/report" "$status"
exit "$status"

#!/usr/bin/env bash
# Runs the browser tests against bin/tilth and counts them. What fails runs once more, alone; if it then passes, it
# counts as passed, and is listed as flaky. Arguments go to Playwright: scripts/browser-test.sh alarm home
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { PLAYWRIGHT_JSON_OUTPUT_NAME=$dir/$1 npm --prefix web run e2e -- --reporter=list,json "${@:2}"; }
status=0
run first "$@" || status=$?
if [ "$status" != 0 ] && [ -e e2e/results/.last-run.json ]; then
  # The second run empties the folder with the traces of the first.
  rm -rf e2e/results-first
  cp -r e2e/results e2e/results-first
  status=0
  run second --last-failed --workers=1 "$@" || status=$?
fi
node web/scripts/test-report.mjs playwright "$dir/first" "$dir/second" | sed 's|/e2e/results/|/e2e/results-first/|' > "$dir/report"
scripts/count.sh "$dir/report" "$status"
exit "$status"

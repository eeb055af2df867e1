#!/usr/bin/env bash
# Runs the browser tests against bin/tilth and counts them. Files in which a test fails run once more, alone; a test that
# then passes counts as passed, and is listed as flaky. Arguments go to Playwright: scripts/browser-test.sh alarm home
set -euo pipefail
cd "$(dirname "$0")/.."

projects=()
for argument; do case $argument in --project=*) projects+=("$argument") ;; esac; done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { PLAYWRIGHT_JSON_OUTPUT_NAME=$dir/$1 npm --prefix web run e2e -- --reporter=list,json "${@:2}"; }
status=0
run first "$@" || status=$?
mapfile -t failed < <(node web/scripts/test-report.mjs playwright-failed "$dir/first")
if [ "$status" != 0 ] && [ -n "${failed[*]}" ]; then
  # The second run empties the folder with the traces of the first.
  rm -rf e2e/results-first
  cp -r e2e/results e2e/results-first
  status=0
  run second --workers=1 "${projects[@]}" "${failed[@]}" || status=$?
fi
node web/scripts/test-report.mjs playwright "$dir/first" "$dir/second" | sed 's|/e2e/results/|/e2e/results-first/|' > "$dir/report"
scripts/count.sh "$dir/report" "$status"
exit "$status"

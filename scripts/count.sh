#!/usr/bin/env bash
# Adds a report of web/scripts/test-report.mjs to the counts of scripts/parts.sh, if this runs within one of its parts.
#   scripts/count.sh REPORT STATUS
set -euo pipefail
[ -n "${parts_name:-}" ] || exit 0
read -r passed failed < "$1"
# A command can fail without a test that failed: it did not compile, or ran out of time.
[ "$2" = 0 ] || [ "$failed" != 0 ] || failed=1
echo "${parts_name// /_} $passed $failed" >> "$parts_counts"
tail -n +2 "$1" >> "$parts_flakies"

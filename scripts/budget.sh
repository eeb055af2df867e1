#!/usr/bin/env bash
# Prints how many hand-written lines each ring of the code has, and how many it had a week ago. It refuses nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

# lines COMMIT prints "RING LINES" for each ring. What is generated, and texts of people, are not counted.
lines() {
  git grep -Ic '' "$1" -- '*.go' '*.ts' '*.tsx' '*.mjs' '*.css' '*.sh' '*.md' Makefile ':!*.gen.*' | sed 's/^[^:]*://' |
    awk -F: '
      { ring = "" }
      $1 ~ /\.md$/ { ring = "pages" }
      $1 ~ /(^scripts|^workshop|^internal\/tools|^web\/scripts)\/|\.sh$|Makefile$/ { ring = "tools" }
      # These folders have since moved into internal/tools.
      $1 ~ /^internal\/(bench|farm|torture|testkit|architecture)\// { ring = "tools" }
      $1 ~ /\.go$/ && !ring { ring = "product, Go" }
      $1 ~ /\.(ts|tsx|mjs|css)$/ && !ring { ring = "console, TypeScript and CSS" }
      $1 ~ /_test\.go$|\.test\.tsx?$|^e2e\/|^web\/src\/test\// { ring = "tests" }
      ring { sum[ring] += $2 }
      END { for (ring in sum) print ring "\t" sum[ring] }'
}

before=$(git rev-list -1 --first-parent --before='1 week ago' HEAD)
[ -n "$before" ] || { echo "budget: this clone holds no commit of a week ago"; exit 0; }
join -t $'\t' -a 1 -a 2 -e 0 -o 0,1.2,2.2 <(lines "$before" | sort) <(lines HEAD | sort) |
  awk -F'\t' -v before="${before:0:8}" '
    function row(name, was, is) { printf "%-28s %8d %8d %+8d\n", name, was, is, is - was }
    BEGIN { printf "%-28s %8s %8s %8s\n", "hand-written lines", before, "now", "change" }
    { row($1, $2, $3); was += $2; is += $3 }
    END { row("sum", was, is) }'

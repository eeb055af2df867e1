#!/usr/bin/env bash
# Checks formatting, lint, builds, drift and sizes. The script ends at the first
# step that fails, and names it. With --types it only checks the types for other
# systems instead of building for them, for machines that have built nothing yet.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

step() { echo "check: $1"; }

step "go formatting"
unformatted=$(gofmt -l cmd internal workshop api web/*.go)
[ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; exit 1; }

step "golangci-lint"
scripts/lint.sh

systems="linux/amd64 darwin/arm64 windows/amd64"
if [ "${1:-}" = --types ]; then
  # This takes a tenth of the time of building, if nothing is built yet.
  step "it compiles for macOS and Windows, too"
  # shellcheck disable=SC2086 # one word each
  go run ./internal/tools/architecture/systems $systems
else
  for system in $systems; do
    step "it builds for $system"
    CGO_ENABLED=0 GOOS=${system%/*} GOARCH=${system#*/} go build -o /dev/null ./cmd/tilth
  done
fi

step "generated code is what the contracts give"
scripts/drift.sh

step "web formatting, lint and types"
npm --prefix web run --silent check

step "what a page loads"
npm --prefix web run --silent size

step "no registry address in the lock file"
scripts/lockfile.sh web/package-lock.json

step "licences of what is inside"
scripts/licences.sh --check

if command -v promtool >/dev/null; then # Debian: prometheus
  step "alerts"
  promtool check rules --lint=all deploy/prometheus/alerts.yml >/dev/null
  promtool test rules deploy/prometheus/alerts_test.yml >/dev/null
  promtool check rules --lint=all deploy/cluster/tilth-cluster.rules.yml >/dev/null
  promtool test rules deploy/cluster/tilth-cluster.rules_test.yml >/dev/null
fi

step "how much there is"
scripts/budget.sh

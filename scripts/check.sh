#!/usr/bin/env bash
# Formatting, lint, types, drift and sizes. Every step is run; the first that
# fails ends with its name.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

step() { echo "check: $1"; }

step "go formatting"
unformatted=$(gofmt -l cmd internal api web/*.go)
[ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; exit 1; }

step "golangci-lint"
scripts/lint.sh

# Types alone, in a tenth of the time that building for three systems takes.
step "it compiles for macOS and Windows, too"
go run ./internal/architecture/systems darwin/arm64 windows/amd64

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
fi

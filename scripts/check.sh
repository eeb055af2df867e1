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
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for side in console:openapi provider:openapi open:open; do
  contract=${side#*:} side=${side%:*}
  sed "s|^output: .*|output: $fresh/$side.go|" "api/$side.codegen.yaml" > "$fresh/$side.yaml"
  go tool oapi-codegen -config "$fresh/$side.yaml" "api/$contract.yaml"
done
cmp "$fresh/console.go" internal/httpapi/wire/wire.gen.go
cmp "$fresh/provider.go" internal/providerapi/wire/wire.gen.go
cmp "$fresh/open.go" internal/openapi/wire/wire.gen.go
(cd web && npx --no-install openapi-typescript ../api/openapi.yaml -o "$fresh/schema.ts" >/dev/null)
cmp "$fresh/schema.ts" web/src/api/schema.gen.ts

step "web formatting, lint and types"
(cd web && npm run --silent check)
(cd web && npx --no-install biome ci --config-path=. ../e2e/*.ts && npx --no-install tsc --noEmit -p ../e2e)

step "what a page loads"
(cd web && npm run --silent size)

step "no registry address in the lock file"
scripts/lockfile.sh web/package-lock.json

step "licences of what is inside"
scripts/licences.sh --check

if command -v promtool >/dev/null; then # Debian: prometheus
  step "alerts"
  promtool check rules --lint=all deploy/prometheus/alerts.yml >/dev/null
  promtool test rules deploy/prometheus/alerts_test.yml >/dev/null
fi

#!/usr/bin/env bash
# Fails if the generated Go and TypeScript differ from what the contracts generate, a copied file from its origin, or
# a go.mod or go.sum from what `go mod tidy` writes.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

go mod tidy -diff
go -C workshop mod tidy -diff

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for side in console:openapi provider:openapi open:open; do
  contract=${side#*:} side=${side%:*}
  sed "s|^output: .*|output: $fresh/$side.go|" "api/$side.codegen.yaml" > "$fresh/$side.yaml"
  go tool oapi-codegen -config "$fresh/$side.yaml" "api/$contract.yaml"
done
cmp "$fresh/console.go" internal/edge/console/wire/wire.gen.go
cmp "$fresh/provider.go" internal/edge/provider/wire/wire.gen.go
cmp "$fresh/open.go" internal/edge/openapi/wire/wire.gen.go
web/node_modules/.bin/openapi-typescript api/openapi.yaml -o "$fresh/schema.ts" >/dev/null
cmp "$fresh/schema.ts" web/src/api/schema.gen.ts
cmp web/src/app/levels.css internal/domain/notify/alerttext/levelcolor/levels.css

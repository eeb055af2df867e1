#!/usr/bin/env bash
# Runs golangci-lint, in a fixed version, on the given packages or on all. The first run builds it
# into bin.
#   scripts/lint.sh --build   only builds it
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

version=v2.15.0
lint=bin/golangci-lint-$version
if [ ! -x "$lint" ]; then
  GOBIN=$PWD/bin go install "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$version"
  mv bin/golangci-lint "$lint"
fi
[ "${1:-}" != --build ] || exit 0
[ $# -gt 0 ] || set -- ./...
"$lint" run "$@"

#!/usr/bin/env bash
# Runs golangci-lint, in one version for everybody, on the given packages, else on
# all, also those of the workshop, which are ./workshop/…. The first run builds it into bin.
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
[ $# -gt 0 ] || set -- ./... ./workshop/...
own=() workshop=()
for package; do
  case $package in ./workshop/*) workshop+=("./${package#./workshop/}") ;; *) own+=("$package") ;; esac
done
[ "${#own[@]}" = 0 ] || "$lint" run "${own[@]}"
[ "${#workshop[@]}" = 0 ] || (cd workshop && "../$lint" run "${workshop[@]}")

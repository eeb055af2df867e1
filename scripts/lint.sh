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
flags=() product=() workshop=()
for argument; do
  case $argument in
    -*) flags+=("$argument") ;;
    ./workshop/*) workshop+=("./${argument#./workshop/}") ;;
    *) product+=("$argument") ;;
  esac
done
[ "${#product[@]}${#workshop[@]}" != 00 ] || { product=(./...) workshop=(./...); }
[ "${#product[@]}" = 0 ] || "$lint" run "${flags[@]}" "${product[@]}"
[ "${#workshop[@]}" = 0 ] || (cd workshop && "../$lint" run "${flags[@]}" "${workshop[@]}")

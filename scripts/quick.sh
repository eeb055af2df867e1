#!/usr/bin/env bash
# Runs the checks that a change needs before it is committed, chosen by the files changed since the
# last commit on main: format, lint and tests of the packages, pages and contracts that it touches.
# `make test` runs the rest.
#   scripts/quick.sh [REVISION]   files changed since that revision
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/parts.sh

since=${1:-$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)}
mapfile -t changed < <({ git diff --name-only "$since"; git ls-files --others --exclude-standard; } | sort -u)
if [ "${#changed[@]}" = 0 ]; then
  echo "Nothing changed since $(git rev-parse --short "$since")."
  exit 0
fi

# of PATTERN prints the changed files that match and still exist, one on a line.
of() { printf '%s\n' "${changed[@]}" | grep -E "$1" | while read -r file; do [ ! -e "$file" ] || echo "$file"; done || true; }
# touches PATTERN tells whether any changed file matches, including deleted ones.
touches() { printf '%s\n' "${changed[@]}" | grep -qE "$1"; }

# The package of a changed file is in its folder or, for test data, migrations and the like, in the
# nearest folder above that has Go files.
packages() {
  printf '%s\n' "${changed[@]}" | grep -E '^(cmd|internal|api)/|^web/[^/]*\.go$' | while read -r file; do
    dir=$(dirname "$file")
    while [ "$dir" != . ] && ! compgen -G "$dir/*.go" > /dev/null; do dir=$(dirname "$dir"); done
    [ "$dir" = . ] || echo "./$dir"
  done | sort -u
}

# beside_them prints the tests in the folders of the console's changed files.
beside_them() {
  of '^web/src/' | xargs -r dirname | sort -u | while read -r dir; do compgen -G "$dir/*.test.ts*" || true; done | sed 's|^web/||'
}
web_tests() {
  local tests
  mapfile -t tests < <(beside_them)
  [ "${#tests[@]}" -gt 0 ] || { echo "no tests beside them"; return 0; }
  npm --prefix web test -- "${tests[@]}"
}

go_format() {
  local unformatted
  unformatted=$(of '\.go$' | xargs -r gofmt -l)
  [ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; return 1; }
}

if touches '\.go$|^internal/|^go\.mod$|^api/'; then
  part 'Go: format' go_format
  mapfile -t packages < <(packages)
# Code that uses a changed package must still compile, tests too. The cheapest
  # analysis is enough, since lint checks more.
  part 'Go: all compiles' go vet -assign ./...
  if [ "${#packages[@]}" -gt 0 ]; then
    part 'Go: lint' scripts/lint.sh "${packages[@]}"
  fi
  # -short leaves out the tests that start whole servers.
  part 'Go: tests' go test -vet=off -short "${packages[@]}" ./internal/tools/architecture
fi
if touches '^api/|\.gen\.(go|ts)$'; then
  part 'generated code' scripts/drift.sh
fi
if touches '^(web|e2e)/.*\.(ts|tsx|css|json|html)$'; then
  part 'web: format, lint, types' npm --prefix web run --silent check
fi
if touches '^web/src/'; then
  part 'web: tests' web_tests
fi
if touches '^scripts/|^deploy/.*\.sh$|^\.ci/'; then
  part 'scripts' go test -vet=off -run Scripts ./internal/tools/architecture
fi
parts_took

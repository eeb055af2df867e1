#!/usr/bin/env bash
# Checks a change before it is committed, by what changed since the last commit on main: format, lint and types; the
# tests of the Go packages that changed and of those that import them, the Vitest files that
# import what changed, and the browser tests of its features. `make test` proves the rest.
#   scripts/quick.sh [REVISION]   for the changes since that revision
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
. scripts/memory.sh
. scripts/affected.sh
. scripts/parts.sh

since=${1:-$(git merge-base HEAD main 2>/dev/null || git rev-parse HEAD)}
mapfile -t changed < <({ git diff --name-only "$since"; git ls-files --others --exclude-standard; } | sort -u)
if [ "${#changed[@]}" = 0 ]; then
  echo "Nothing changed since $(git rev-parse --short "$since")."
  exit 0
fi

# of PATTERN prints the changed files that match and still exist, one a line.
of() { printf '%s\n' "${changed[@]}" | grep -E "$1" | while read -r file; do [ ! -e "$file" ] || echo "$file"; done || true; }
# touches PATTERN succeeds if any changed file matches, even a deleted one.
touches() { printf '%s\n' "${changed[@]}" | grep -qE "$1"; }
# deleted PATTERN succeeds if a deleted file matches.
deleted() { printf '%s\n' "${changed[@]}" | grep -E "$1" | while read -r file; do [ -e "$file" ] || echo "$file"; done | grep -q .; }

go_format() {
  local unformatted
  unformatted=$(of '\.go$' | xargs -r gofmt -l)
  [ -z "$unformatted" ] || { echo "run gofmt -w on:"; echo "$unformatted"; return 1; }
}

if touches '\.go$|^internal/|(^|/)go\.mod$|^api/'; then
  part 'Go: format' go_format
  mapfile -t packages < <(affected_packages "${changed[@]}")
  # What imports a changed package compiles with its tests below; these two reach all packages.
  if touches '(^|/)go\.mod$' || deleted '\.go$'; then
    part 'Go: all compiles' go vet -assign ./...
    part 'workshop: all compiles' go vet -C workshop -assign ./...
  fi
  mapfile -t own < <(changed_packages "${changed[@]}" | sed 's|^tilth/|./|')
  if [ "${#own[@]}" -gt 0 ]; then
    part 'Go: lint' scripts/lint.sh "${own[@]}"
  fi
  # -short leaves out tests that start whole servers.
  mapfile -t product < <(printf '%s\n' "${packages[@]}" | grep -v '^tilth/workshop/')
  mapfile -t workshop < <(printf '%s\n' "${packages[@]}" | grep '^tilth/workshop/')
  part 'Go: tests' scripts/go-test.sh -short "${product[@]}" ./internal/tools/architecture
  [ "${#workshop[@]}" = 0 ] || part 'workshop: tests' scripts/go-test.sh -C=workshop -short "${workshop[@]}"
fi
if touches '^api/|\.gen\.(go|ts)$|(^|/)go\.(mod|sum)$'; then
  part 'generated code' scripts/drift.sh
fi
if touches '^(web|e2e)/.*\.(ts|tsx|css|json|html)$'; then
  part 'web: format, lint, types' npm --prefix web run --silent check
fi
mapfile -t modules < <(of '^web/src/.*\.(ts|tsx|json)$')
mapfile -t wide < <(widely_imported "${modules[@]}")
mapfile -t narrow < <(comm -23 <(printf '%s\n' "${modules[@]}") <(printf '%s\n' "${wide[@]}") | grep .)
if [ "${#narrow[@]}" -gt 0 ]; then
  mapfile -t others < <(unaffected_features "${narrow[@]}" | sed 's|.*|--exclude=src/features/&/**|')
  part 'web: tests' scripts/web-test.sh related --run --passWithNoTests "${others[@]}" "${narrow[@]#web/}"
fi
# The tests of most features would take ten minutes.
if [ "${#wide[@]}" -gt 0 ]; then
  mapfile -t nearest < <(nearest_tests "${wide[@]}")
  [ "${#nearest[@]}" = 0 ] || part 'web: nearest tests' scripts/web-test.sh run "${nearest[@]}"
fi
mapfile -t specs < <(affected_specs "${changed[@]}")
if [ "${#specs[@]}" -gt 0 ]; then
  part 'console and binary' make --no-print-directory bin/tilth
  part 'browser tests' scripts/browser-test.sh --project=pages "${specs[@]}"
fi
if touches '^scripts/|^deploy/.*\.sh$|^\.ci/'; then
  part 'scripts' go test -vet=off -run Scripts ./internal/tools/architecture
fi
parts_took

#!/usr/bin/env bash
# Fails if an npm lock file names where a package was fetched from: with such an
# address npm asks that registry, whatever is configured here.
#   scripts/lockfile.sh web/package-lock.json
set -euo pipefail

awk '/"resolved"/ { print FILENAME ":" FNR ": " $0; found = 1 } END { exit found }' "${1:?usage: $0 LOCKFILE}"

#!/usr/bin/env bash
# Fails if an npm lock file contains the address from which a package was fetched: npm would use
# that registry, whatever is configured.
#   scripts/lockfile.sh web/package-lock.json
set -euo pipefail

awk '/"resolved"/ { print FILENAME ":" FNR ": " $0; found = 1 } END { exit found }' "${1:?usage: $0 LOCKFILE}"

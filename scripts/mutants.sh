#!/usr/bin/env bash
# Plants faults of one line in files that browser tests reach, one at a time, and
# prints which tests catch each: those beside the file, those related to it, then the
# browser tests of its feature. A seed always gives the same faults. It works in a copy of
# the committed state, and ends after 90 minutes at the latest.
#   scripts/mutants.sh SEED [--count 60] [--minutes 90] [--list FILE]   writes the list to FILE, else bin/mutants.json
#   scripts/mutants.sh SEED --again FILE [--list FILE]                  the faults of a list, after tests have changed
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

make --no-print-directory web/node_modules/.package-lock.json
arguments=() list=$PWD/bin/mutants.json
mkdir -p bin
while [ $# -gt 0 ]; do
  case $1 in
    --list) list=$(realpath "$2"); shift ;;
    --again) arguments+=(--again "$(realpath "$2")"); shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git clone --quiet . "$copy"
cp -r web/node_modules "$copy/web/node_modules"
rm -rf "$copy"/web/node_modules/.{cache,vite}
cd "$copy"
node web/scripts/mutants.mjs "${arguments[@]}" --list "$list"

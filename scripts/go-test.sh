#!/usr/bin/env bash
# Runs Go tests and counts them. A test of a package that starts processes has a second try, alone; if
# it then passes, it counts as passed, and is listed as flaky. Arguments: flags of go test, then packages.
# With -C=workshop the packages are those of the workshop's module.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

# Only the race detector needs cgo (scripts/race.sh).
case " $* " in *' -race '*) export CGO_ENABLED=1 ;; esac

processes='^tilth/(internal/(server|cluster|command|tools)|workshop)[/.]'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
flags=() packages=() module=.
for argument; do
  case $argument in -C=*) module=${argument#-C=} ;; -*) flags+=("$argument") ;; *) packages+=("$argument") ;; esac
done
status=0
# The workshop's module has no tools.
gotestsum=$(go tool -n gotestsum)
(cd "$module" && "$gotestsum" --format pkgname --format-hide-empty-pkg --hide-summary skipped --jsonfile "$dir/events" \
  --rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race --rerun-fails-report "$dir/again" \
  --packages "${packages[*]}" -- -vet=off "${flags[@]}") || status=$?
if [ -s "$dir/again" ] && grep -qvE "$processes" "$dir/again"; then
  echo "These failed once. They start no process, so they had no second try:"
  grep -vE "$processes" "$dir/again" | sed 's/^/--- FAIL: /'
  status=1
fi
node web/scripts/test-report.mjs go "$dir/events" > "$dir/report"
scripts/count.sh "$dir/report" "$status"
exit "$status"

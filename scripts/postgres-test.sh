#!/usr/bin/env bash
# Runs tests of stores on a PostgreSQL that exists only as long as the tests:
#   scripts/postgres-test.sh [command to run with TILTH_TEST_DATABASE_URL set]
# Without arguments it runs the tests of the packages with SQL stores. It needs Debian's postgresql
# (scripts/tools.sh), and root or a user who may run initdb.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

tools=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1)")
[ -x "$tools/initdb" ] || { echo "PostgreSQL is missing: scripts/tools.sh installs it" >&2; exit 1; }

dir=$(mktemp -d /tmp/tilth-postgres.XXXXXX)
# PostgreSQL refuses to run as root.
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; else "$@"; fi; }
[ "$(id -u)" != 0 ] || chown postgres "$dir"
finish() {
  as "$tools/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$dir"
}
trap finish EXIT

# The database need not survive the tests, so that nothing waits for the disk. Its collation sorts
# differently from SQLite, as in most installations.
cd /
as "$tools/initdb" -D "$dir/data" -U tilth -A trust --encoding=UTF8 --no-sync \
  --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US >/dev/null
as "$tools/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-c listen_addresses='' -c unix_socket_directories='$dir' \
  -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300 -c shared_buffers=64MB \
  -c autovacuum=off -c max_wal_size=4GB -c log_min_messages=warning" start >/dev/null
cd - >/dev/null

export TILTH_TEST_DATABASE_URL="postgres://tilth@/postgres?host=$dir"
if [ $# -gt 0 ]; then
  "$@"
else
  # The packages with SQL of their own, and the tests of the whole server that depend on the
  # database. They run beside the browser tests and yield to them: the only time-out ends tests that
  # hang.
  go test -vet=off -timeout 30m ./internal/platform/db ./internal/domain/tenant ./internal/domain/identity ./internal/domain/device ./internal/domain/notify ./internal/domain/audit
  go test -vet=off -timeout 30m -short ./internal/domain/alarm
  go test -vet=off ./internal/command -run '^(TestDatabaseAway|TestFolderToPostgresAndBack|TestKillChangesNoNotice|TestBackupUnderLoad)$'
fi

#!/usr/bin/env bash
# Runs tests of the SQL stores on a PostgreSQL that it starts, and stops afterwards:
#   scripts/postgres-test.sh            the two below
#   scripts/postgres-test.sh --stores   the stores
#   scripts/postgres-test.sh --servers  the database itself, and servers that do something else over PostgreSQL
#   scripts/postgres-test.sh COMMAND…   a command, with TILTH_TEST_DATABASE_URL set
# Needs Debian's postgresql (scripts/tools.sh), and root or a user who may run initdb.
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

# Nothing needs to outlive the tests, so PostgreSQL does not wait for the disk. Its
# collation sorts unlike SQLite, as that of most operators does.
cd /
as "$tools/initdb" -D "$dir/data" -U tilth -A trust --encoding=UTF8 --no-sync \
  --locale=C.UTF-8 --locale-provider=icu --icu-locale=en-US >/dev/null
as "$tools/pg_ctl" -D "$dir/data" -w -l "$dir/log" -o "-c listen_addresses='' -c unix_socket_directories='$dir' \
  -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=300 -c shared_buffers=64MB \
  -c autovacuum=off -c max_wal_size=4GB -c log_min_messages=warning" start >/dev/null
cd - >/dev/null

export TILTH_TEST_DATABASE_URL="postgres://tilth@/postgres?host=$dir"
# Beside the browser tests they are slow, so the timeout only ends what hangs.
stores() {
  local packages
  packages=$(go list ./internal/domain/... | grep -vE '/domain/(alarm|reading)$')
  # shellcheck disable=SC2086 # one word each
  scripts/go-test.sh -timeout=30m $packages
  scripts/go-test.sh -timeout=30m -short ./internal/domain/alarm
}
servers() {
  scripts/go-test.sh -timeout=30m ./internal/platform/db
  scripts/go-test.sh -timeout=30m '-run=^(TestDatabaseAway|TestFolderToPostgresAndBack|TestKillChangesNoNotice|TestBackupUnderLoad)$' ./internal/command
}
case ${1:-} in
  '')
    stores
    servers
    ;;
  --stores) stores ;;
  --servers) servers ;;
  *) "$@" ;;
esac

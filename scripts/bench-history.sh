#!/usr/bin/env bash
# Queries a device's month from a tilth and from those of VictoriaMetrics, InfluxDB and PostgreSQL
# that are installed and hold the same readings; prints all in one table. The arguments go to tilth
# bench history. It installs nothing: it says what is missing and continues. It starts the peers on
# free ports with new folders in $TMPDIR, and stops them at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
pids=()
peers=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap finish EXIT

# first FILE... prints the first executable file.
first() {
  for file in "$@"; do
    if [ -x "$file" ]; then echo "$file"; return; fi
  done
}
# version COMMAND... prints the version that the command reports, or that of its package.
version() {
  "$@" 2>&1 | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?[^ ,)]*' | head -n 1 | grep . ||
    dpkg-query -W -f '${Version}' "$(dpkg-query -S "$1" 2>/dev/null | cut -d: -f1)" 2>/dev/null || echo "(version unknown)"
}

# start NAME LAUNCH tries ports until the peer answers on one, and sets $port; LAUNCH PORT starts
# the peer in the background.
start() {
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 10000))
    "$2" "$port"
    local pid=$!
    for _ in $(seq 200); do
      kill -0 "$pid" 2>/dev/null || break
      if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && kill -0 "$pid" 2>/dev/null; then
        pids+=("$pid")
        return 0
      fi
      sleep 0.1
    done
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  echo "$1 does not start and is left out:" >&2
  tail -n 5 "$dir/$1.log" >&2
  return 1
}

# By default VictoriaMetrics deletes data older than a month.
victoria() {
  "$victoria" -storageDataPath="$dir/victoriametrics" -httpListenAddr="127.0.0.1:$1" -retentionPeriod=12 -loggerLevel=WARN \
    >"$dir/victoriametrics.log" 2>&1 &
}

# The default settings, except that it compacts at once what is no longer written.
influx() {
  mkdir -p "$dir/influxdb"
  cat > "$dir/influxdb.conf" <<CONF
reporting-disabled = true
bind-address = "127.0.0.1:$((10000 + RANDOM % 10000))"
[meta]
  dir = "$dir/influxdb/meta"
[data]
  dir = "$dir/influxdb/data"
  wal-dir = "$dir/influxdb/wal"
  query-log-enabled = false
  cache-snapshot-write-cold-duration = "2s"
  compact-full-write-cold-duration = "5s"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:$1"
  log-enabled = false
CONF
  "$influx" -config "$dir/influxdb.conf" >"$dir/influxdb.log" 2>&1 &
}

# PostgreSQL refuses to run as root. It gets enough memory for the whole table, as in production.
as=()
if [ "$(id -u)" = 0 ]; then as=(setpriv --reuid=postgres --regid=postgres --clear-groups); fi
postgres() {
  "${as[@]}" "$postgres/postgres" -D "$dir/postgres/data" -k "$dir/postgres" -p "$1" -c listen_addresses=127.0.0.1 -c shared_buffers=1GB \
    -c max_wal_size=4GB >"$dir/postgres.log" 2>&1 &
}
initialise() {
  mkdir "$dir/postgres"
  if [ "${#as[@]}" -gt 0 ]; then chmod 755 "$dir"; chown postgres "$dir/postgres"; fi
  (cd "$dir/postgres" && "${as[@]}" "$postgres/initdb" -D "$dir/postgres/data" -U bench -A trust -E UTF8 --locale=C >"$dir/postgres.log" 2>&1)
}

go_bin=$(go env GOPATH 2>/dev/null || true)/bin
victoria=$(first "$go_bin/victoria-metrics" "$(command -v victoria-metrics || true)")
influx=$(first "$(command -v influxd || true)" /usr/sbin/influxd)
postgres=$(dirname "$(first /usr/lib/postgresql/15/bin/postgres "$(command -v postgres || true)")")

if [ -n "$victoria" ] && start victoriametrics victoria; then
  echo "Peer: VictoriaMetrics $(version "$victoria" --version)"
  peers+=("victoriametrics=http://127.0.0.1:$port")
fi
if [ -n "$influx" ] && start influxdb influx; then
  echo "Peer: InfluxDB $(version "$influx" version)"
  peers+=("influxdb=http://127.0.0.1:$port")
fi
if [ -x "$postgres/initdb" ]; then
  if initialise && start postgres postgres; then
    echo "Peer: PostgreSQL $(version "$postgres/postgres" --version)"
    peers+=("postgres=postgres://bench@127.0.0.1:$port/postgres?sslmode=disable")
  fi
fi

# Not with exec: the peers must be stopped afterwards.
"${TILTH:-./bin/tilth}" bench history --peers "$(IFS=,; echo "${peers[*]:-none}")" "$@"

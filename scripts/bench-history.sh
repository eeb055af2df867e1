#!/usr/bin/env bash
# Queries a month and years of a device's readings from a server that it starts, and from
# those of VictoriaMetrics, InfluxDB and PostgreSQL that are installed, which get
# the same readings. Prints all in one table. Arguments go to workshop history.
# The script installs nothing: it says what is missing and continues. It starts
# the peers on free ports with folders of their own in $TMPDIR, and stops them at
# the end.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop

dir=$(mktemp -d)
pids=()
peers=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$dir"
}
trap finish EXIT

# first FILE... prints the first file that can be run.
first() {
  for file in "$@"; do
    if [ -x "$file" ]; then echo "$file"; return; fi
  done
}
# version COMMAND... prints the version that the command, or else its package, gives.
version() {
  "$@" 2>&1 | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?[^ ,)]*' | head -n 1 | grep . ||
    dpkg-query -W -f '${Version}' "$(dpkg-query -S "$1" 2>/dev/null | cut -d: -f1)" 2>/dev/null || echo "(version unknown)"
}

# start NAME LAUNCH tries ports until the peer answers at one; LAUNCH PORT starts
# it in the background. It leaves the port in $port.
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

# By default the store drops readings that are older than a month; the oldest are of ten years ago.
victoria() {
  "$victoria" -storageDataPath="$dir/victoriametrics" -httpListenAddr="127.0.0.1:$1" -retentionPeriod=11y -loggerLevel=WARN \
    >"$dir/victoriametrics.log" 2>&1 &
}

# Default settings, except that it compacts at once what is no longer written to.
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

# PostgreSQL does not run as root. It gets enough memory for the whole table.
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

# Without exec, so that the script can stop the peers afterwards.
./bin/workshop history --peers "$(IFS=,; echo "${peers[*]:-none}")" "$@"

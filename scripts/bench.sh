#!/usr/bin/env bash
# Loads a tilth and, with the same devices and messages, a mosquitto that keeps everything in memory
# and has no subscriber; prints both in one table. The arguments go to tilth bench ingest. If
# mosquitto is missing, this script installs Debian's package, which needs root.
set -euo pipefail
cd "$(dirname "$0")/.."

broker=$(command -v mosquitto || true)
[ -n "$broker" ] || [ ! -x /usr/sbin/mosquitto ] || broker=/usr/sbin/mosquitto
if [ -z "$broker" ]; then
  echo "Installing for the comparison: mosquitto"
  if ! command -v apt-get >/dev/null; then
    echo "Install mosquitto with your system's package manager, then run again." >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  # The package would start the broker as a service, which is not needed.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends mosquitto >/dev/null
  if [ -f "$policy" ] && grep -q 'exit 101' "$policy"; then rm -f "$policy"; fi
  broker=/usr/sbin/mosquitto
fi

dir=$(mktemp -d)
peer=
finish() {
  if [ -n "$peer" ]; then kill "$peer" 2>/dev/null && wait "$peer" 2>/dev/null || true; fi
  rm -rf "$dir"
}
trap finish EXIT

# Switch off everything that would cost the peer time, and every limit that the load reaches.
start() {
  cat > "$dir/mosquitto.conf" <<CONF
listener $1 127.0.0.1
allow_anonymous true
persistence false
max_connections -1
max_inflight_messages 0
max_queued_messages 0
sys_interval 0
log_dest file $dir/mosquitto.log
log_type error
log_type warning
connection_messages false
set_tcp_nodelay true
CONF
  "$broker" -c "$dir/mosquitto.conf" 2>"$dir/mosquitto.err" &
  peer=$!
  for _ in $(seq 100); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then kill -0 "$peer" 2>/dev/null && return 0; fi
    kill -0 "$peer" 2>/dev/null || break
    sleep 0.05
  done
  kill "$peer" 2>/dev/null || true
  wait "$peer" 2>/dev/null || true
  peer=
  return 1
}

port=
for _ in 1 2 3 4 5; do # if a port is taken, try another
  try=$((20000 + RANDOM % 10000))
  if start "$try"; then port=$try; break; fi
done
if [ -z "$port" ]; then
  echo "mosquitto does not start:" >&2
  cat "$dir/mosquitto.err" "$dir/mosquitto.log" >&2 2>/dev/null || true
  exit 1
fi

echo "Peer: $("$broker" -h | head -n 1), in memory, no subscriber"
./bin/tilth bench ingest --peer-mqtt "127.0.0.1:$port" --peer-pid "$peer" "$@"

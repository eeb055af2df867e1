#!/usr/bin/env bash
# Loads a server that it starts and, with the same devices and messages, a
# mosquitto that keeps everything in memory and has no subscriber. Prints both in
# one table. Arguments go to workshop ingest. Installs Debian's mosquitto if it
# is missing, which needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop

broker=$(command -v mosquitto || true)
[ -n "$broker" ] || [ ! -x /usr/sbin/mosquitto ] || broker=/usr/sbin/mosquitto
if [ -z "$broker" ]; then
  echo "Installing for the comparison: mosquitto"
  if ! command -v apt-get >/dev/null; then
    echo "Install mosquitto with your system's package manager, then run again." >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  # The package starts the broker as a service, which the bench does not use.
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

# Everything that would cost the peer time is off, and no limit affects the load.
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
for _ in 1 2 3 4 5; do # a port may be taken: then another
  try=$((20000 + RANDOM % 10000))
  if start "$try"; then port=$try; break; fi
done
if [ -z "$port" ]; then
  echo "mosquitto does not start:" >&2
  cat "$dir/mosquitto.err" "$dir/mosquitto.log" >&2 2>/dev/null || true
  exit 1
fi

echo "Peer: $("$broker" -h | head -n 1), in memory, no subscriber"
./bin/workshop ingest --peer-mqtt "127.0.0.1:$port" --peer-pid "$peer" "$@"

#!/usr/bin/env bash
# A cluster of Tilth on this machine, to try what it survives (docs/cluster.md):
# PostgreSQL with a synchronous copy, three nodes, HAProxy before them, and simulated
# devices, all on 127.0.0.1 and in bin/cluster:
#   scripts/cluster.sh                  starts everything and stops it at Ctrl-C
# and meanwhile, in another terminal:
#   scripts/cluster.sh status           who leads
#   scripts/cluster.sh kill-leader      kill -9 of the node that leads
#   scripts/cluster.sh freeze-leader    stops it as a machine that hangs would, for 30 s
#   scripts/cluster.sh yield            has it hand over, as before its upgrade
#   scripts/cluster.sh kill-primary     ends PostgreSQL's primary and promotes its copy
# A second start goes on with what is in bin/cluster; remove that folder to begin
# anew. CLUSTER_PORTS moves all ports, CLUSTER_DIR the folder. Needs bin/tilth
# (make build) and Debian's postgresql and haproxy (scripts/tools.sh), but no network.
set -euo pipefail
cd "$(dirname "$0")/.."

ports=${CLUSTER_PORTS:-21000}
dir=$(realpath -m "${CLUSTER_DIR:-bin/cluster}")
tilth=$PWD/bin/tilth
nodes=(one two three)
http() { echo "127.0.0.1:$((ports + $1))"; } # of node 1, 2 or 3; of HAProxy: 0
mqtt() { echo "127.0.0.1:$((ports + 10 + $1))"; }
admin() { echo "127.0.0.1:$((ports + 20 + $1))"; }
declare -A database=([a]=$((ports + 41)) [b]=$((ports + 42))) # ports of both PostgreSQL servers

fail() {
  echo "$*" >&2
  exit 1
}

# PostgreSQL refuses to run as root.
as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"; else "$@"; fi; }
balancer=$(command -v haproxy || echo /usr/sbin/haproxy)
tools=$(dirname "$(readlink -f "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1)")")
postgres() { (cd / && PGPASSWORD=$(<"$dir/password") as "$tools/$1" "${@:2}"); }
sql() { postgres psql -XqAt -h 127.0.0.1 -p "${database[$1]}" -U postgres -d postgres -v ON_ERROR_STOP=1 -c "$2"; }
primary() { cat "$dir/primary"; }
other() { if [ "$1" = a ]; then echo b; else echo a; fi; }

start_postgres() { # a or b
  postgres pg_ctl -D "$dir/postgres/$1" -w -l "$dir/postgres/$1.log" start -o "-c port=${database[$1]}" >/dev/null ||
    fail "PostgreSQL $1 does not start: $dir/postgres/$1.log"
}

stop_postgres() { # a or b, how
  [ ! -e "$dir/postgres/$1/postmaster.pid" ] || postgres pg_ctl -D "$dir/postgres/$1" -m "$2" -w stop >/dev/null
}

# copy_postgres makes the other server a copy of one, for which that one then waits.
copy_postgres() { # a or b
  local copy
  copy=$(other "$1")
  rm -rf "$dir/postgres/$copy"
  postgres pg_basebackup -h 127.0.0.1 -p "${database[$1]}" -U postgres -D "$dir/postgres/$copy" -R -c fast
  start_postgres "$copy"
  until [ "$(sql "$1" 'SELECT count(*) FROM pg_stat_replication')" = 1 ]; do sleep .1; done
  sql "$1" "ALTER SYSTEM SET synchronous_standby_names = '*'"
  sql "$1" 'SELECT pg_reload_conf()' >/dev/null
}

new_postgres() {
  if [ -e "$dir/begun" ]; then rm -rf "$dir"; fi # its making was interrupted
  [ -z "$(ls -A "$dir" 2>/dev/null)" ] || fail "$dir has something else in it."
  mkdir -p "$dir/postgres"
  touch "$dir/begun"
  (umask 077 && head -c 18 /dev/urandom | base64 | tr '+/' ab >"$dir/password")
  if [ "$(id -u)" = 0 ]; then
    chown postgres "$dir/postgres" "$dir/password"
    as test -x "$dir" || fail "The user postgres may not enter $dir: name another folder with CLUSTER_DIR."
  fi
  postgres initdb -D "$dir/postgres/a" -U postgres -A scram-sha-256 --pwfile="$dir/password" --encoding=UTF8 \
    --locale=C.UTF-8 >/dev/null
  printf "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nlog_min_messages = warning\n" |
    as tee -a "$dir/postgres/a/postgresql.conf" >/dev/null
  start_postgres a
  sql a "CREATE ROLE tilth LOGIN PASSWORD '$(<"$dir/password")'"
  sql a "CREATE DATABASE tilth OWNER tilth ENCODING 'UTF8' TEMPLATE template0"
  copy_postgres a
  echo a >"$dir/primary"
}

# What all nodes and commands are told. The password is in no flag, since everybody can read flags.
use_database() {
  [ -e "$dir/primary" ] || fail "There is no cluster in $dir: start it with scripts/cluster.sh."
  export TILTH_DATABASE_URL="postgres://tilth:$(<"$dir/password")@127.0.0.1:${database[a]},127.0.0.1:${database[b]}/tilth?target_session_attrs=primary"
}

leader() { "$tilth" cluster status | awk '$1 == "leads:" { sub(",", "", $2); print $2 }'; }

pid_of_leader() {
  local name
  name=$(leader)
  [ -e "$dir/$name.pid" ] || fail "No node leads now: scripts/cluster.sh status"
  cat "$dir/$name.pid"
}

case ${1:-start} in
  start) ;;
  status)
    use_database
    exec "$tilth" cluster status
    ;;
  yield)
    use_database
    exec "$tilth" cluster yield
    ;;
  kill-leader)
    use_database
    pid=$(pid_of_leader)
    echo "kill -9 $pid"
    kill -9 "$pid"
    exit
    ;;
  freeze-leader)
    use_database
    pid=$(pid_of_leader)
    echo "kill -STOP $pid, and in 30 s kill -CONT $pid"
    kill -STOP "$pid"
    sleep 30
    kill -CONT "$pid"
    exit
    ;;
  kill-primary)
    use_database
    old=$(primary)
    new=$(other "$old")
    stop_postgres "$old" immediate # as kill -9: it neither says goodbye nor writes anything
    # Nobody waits for the copy that this one would be.
    postgres pg_ctl -D "$dir/postgres/$new" -w promote >/dev/null
    echo "$new" >"$dir/primary"
    echo "PostgreSQL $old was ended and $new promoted; $old becomes its copy."
    copy_postgres "$new"
    exit
    ;;
  *) fail "scripts/cluster.sh [status|kill-leader|freeze-leader|yield|kill-primary]" ;;
esac

[ -x "$tilth" ] || fail "bin/tilth is missing: make build"
[ -x "$tools/initdb" ] || fail "PostgreSQL is missing: scripts/tools.sh installs it"
[ -x "$balancer" ] || fail "HAProxy is missing: scripts/tools.sh installs it"
for port in "$ports" $((ports + 1)) $((ports + 2)) $((ports + 3)) "${database[@]}"; do
  if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    fail "Port $port is taken, perhaps by a cluster that runs: end it, or move all ports, as CLUSTER_PORTS=22000."
  fi
done

declare -A job=() # what each of our processes is
finish() {
  trap '' INT TERM HUP
  # A frozen process takes no other signal. Those that ended already are no error.
  kill -CONT "${!job[@]}" 2>/dev/null || true
  kill "${!job[@]}" 2>/dev/null || true
  wait
  for server in $(primary 2>/dev/null || echo a) a b; do # the primary first, so that its copy has all
    stop_postgres "$server" fast || echo "PostgreSQL $server does not stop: $dir/postgres/$server.log" >&2
  done
  rm -f "$dir"/*.pid
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

start_node() { # 1, 2 or 3
  local name=${nodes[$1 - 1]}
  # In a session of its own: at Ctrl-C only this script gets the signal, and ends everything in order.
  setsid "$tilth" serve --data-dir "$dir/$name" --cluster --node-name "$name" --proxy-protocol 127.0.0.1/32 \
    --http-addr "$(http "$1")" --mqtt-addr "$(mqtt "$1")" --admin-addr "$(admin "$1")" --default-tenant demo --captcha off --memory 25% \
    >>"$dir/$name.log" 2>&1 &
  job[$!]="node $1"
  echo $! >"$dir/$name.pid"
}

await() { # an admin port, what does not become ready otherwise
  local tries=0
  until "$tilth" healthcheck --http-addr "$(admin "$1")" >/dev/null 2>&1; do
    [ $((tries += 1)) -lt 600 ] || fail "$2"
    sleep .1
  done
}

await_node() { await "$1" "Node ${nodes[$1 - 1]} does not become ready: $dir/${nodes[$1 - 1]}.log"; }

# What users get, with the ports and nodes of this machine.
start_balancer() {
  awk -v nodes="${nodes[*]}" -v http="$ports" -v mqtt="$((ports + 10))" -v admin="$((ports + 20))" '
    BEGIN { port["http"] = http; port["mqtt"] = mqtt; port["admin"] = admin; count = split(nodes, name, " ") }
    /^[a-z]/ { section = $2; servers = 0 }
    $1 == "user" || $1 == "group" { next }
    $1 == "bind" { print "    bind 127.0.0.1:" port[section]; next }
    $1 == "server" {
      if (servers++ == 0)
        for (i = 1; i <= count; i++) print "    server " name[i] " 127.0.0.1:" port[section] + i " port " admin + i " " $4
      next
    }
    { print }' deploy/cluster/haproxy.cfg >"$dir/haproxy.cfg"
  setsid "$balancer" -db -f "$dir/haproxy.cfg" >>"$dir/haproxy.log" 2>&1 &
  job[$!]=balancer
}

echo "PostgreSQL and its copy …"
if [ -e "$dir/primary" ]; then
  start_postgres "$(primary)"
  start_postgres "$(other "$(primary)")"
else
  new_postgres
fi
use_database

echo "HAProxy and three nodes …"
start_balancer
start_node 1
await_node 1
await 0 "HAProxy finds no node that leads: $dir/haproxy.log"
token=$dir/one/provider-token
for n in 2 3; do
  [ -d "$dir/${nodes[n - 1]}" ] ||
    "$tilth" join --from "http://$(admin 0)" --token-file "$token" --data-dir "$dir/${nodes[n - 1]}" >/dev/null
  start_node "$n"
  await_node "$n"
done

# The demo's farms. Their file has no secrets, so each device and each person gets one here.
(umask 077 && sed -E -e 's/\{deviceName: ([A-Z0-9-]+),/&  secret: a-secret-for-trials-of-\1,/' \
  -e 's/\{userName: [a-z]+,/& password: demo-farm,/' internal/tools/farm/farm.yaml >"$dir/farm.yaml")
"$tilth" apply -f "$dir/farm.yaml" --server "http://$(admin 0)" --token-file "$token" >/dev/null
setsid "$tilth" simulate -f "$dir/farm.yaml" --every 2s --broker "tcp://$(mqtt 0)" \
  >"$dir/simulate.log" 2>&1 &
job[$!]=simulate

lead=$(leader)
cat <<END

$("$tilth" cluster status)

  console      http://$(http 0): HAProxy leads to whichever node leads
               tenant demo, user demo, password demo-farm; or yanzhao, yanzhao, demo-farm
  MQTT         $(mqtt 0); 40 simulated devices report every 2 s
  admin        $(admin 0) leads to the node that leads, for tilth apply and backup; token in $dir/one/provider-token
               $(admin 1), $(admin 2), $(admin 3) are the nodes': /readyz?leader says who leads, /metrics
  processes    one $(<"$dir/one.pid"), two $(<"$dir/two.pid"), three $(<"$dir/three.pid"); logs $dir/NAME.log

Open the console, look at a device, and in another terminal try ($lead leads)

  kill -9 $(<"$dir/$lead.pid")                        another node leads within a second or two; values go on
  kill -STOP $(<"$dir/$lead.pid")                     so after four to five seconds; kill -CONT makes it a standby
  scripts/cluster.sh yield             the leader hands over; hardly to be seen
  scripts/cluster.sh kill-primary      the copy of PostgreSQL becomes the primary; values pause until it is
  scripts/cluster.sh status            who leads, who is behind, what is wrong

The process numbers change as nodes are started again, so there are scripts/cluster.sh kill-leader and
freeze-leader. A node that ends is started again after ten seconds, as a service manager would.
Ctrl-C stops everything. The next start goes on with this data; rm -r $dir begins anew.
END

while true; do
  ended=
  wait -n -p ended "${!job[@]}" 2>/dev/null || true # a process that was killed fails
  was=${job[$ended]}
  unset "job[$ended]"
  case $was in
    node\ *)
      echo "$(date +%T) Node ${nodes[${was#node } - 1]} has ended; it starts again in ten seconds."
      sleep 10 &
      job[$!]="start ${was#node }"
      ;;
    start\ *) start_node "${was#start }" ;;
    balancer) fail "HAProxy ended: $dir/haproxy.log" ;;
    simulate) fail "The simulated devices ended: $dir/simulate.log" ;;
  esac
done

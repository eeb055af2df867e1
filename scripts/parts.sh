# Sourced by scripts that run many commands: runs each as a part with a name,
# alone or beside others, and prints at the end what each took.
#   part NAME COMMAND…     runs a command and waits for it; the script ends where it fails
#   beside NAME COMMAND…   starts a command whose output is kept
#   join NAME…             waits for what was started beside, and prints its output
#   parts_took             prints the table

parts_began=$(date +%s%N)
parts_dir=$(mktemp -d)
parts_table=$parts_dir/table
declare -A parts_running=()
trap parts_end EXIT

parts_now() { echo $((($(date +%s%N) - parts_began) / 100000000)); } # tenths of a second

parts_row() { # NAME, tenths of a second, remark
  printf '%-28s %5d.%d s  %s\n' "$1" $(($2 / 10)) $(($2 % 10)) "${3:-}" >> "$parts_table"
}

part() {
  local name=$1 from to
  shift
  from=$(parts_now)
  echo "== $name"
  "$@" || { local status=$?; echo "== $name failed" >&2; exit "$status"; }
  to=$(parts_now)
  parts_row "$name" $((to - from))
}

beside() {
  local name=$1
  shift
  echo "== $name, beside what follows"
  ( 
    from=$(parts_now)
    status=0
    "$@" || status=$?
    echo $(($(parts_now) - from)) > "$parts_dir/$name.took"
    exit "$status"
  ) > "$parts_dir/$name.out" 2>&1 &
  parts_running[$name]=$!
}

join() {
  local name status
  for name; do
    status=0
    wait "${parts_running[$name]}" || status=$?
    unset "parts_running[$name]"
    echo "== $name"
    cat "$parts_dir/$name.out"
    [ "$status" = 0 ] || { echo "== $name failed" >&2; exit "$status"; }
    parts_row "$name" "$(cat "$parts_dir/$name.took")" beside
  done
}

parts_took() {
  parts_row whole "$(parts_now)"
  echo
  cat "$parts_table"
}

parts_end() {
  local status=$? name
  for name in "${!parts_running[@]}"; do
    kill "${parts_running[$name]}" 2>/dev/null || true
  done
  [ "$status" = 0 ] || { echo "It failed after:" >&2; cat "$parts_table" >&2 2>/dev/null || true; }
  rm -rf "$parts_dir"
}

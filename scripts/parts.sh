# Sourced by scripts that run many commands: runs each as a part with a name,
# alone or beside others, and prints at the end how long each took.
#   part NAME COMMAND…     runs a command and waits for it; if it fails, the script ends
#   beside NAME COMMAND…   starts a command in the background and keeps its output
#   join NAME…             waits for such commands, and prints their output
#   parts_took             prints the table, what was flaky, and how much passed
# A part counts as one that passed or failed, unless its command counts its tests (scripts/count.sh).

parts_began=$(date +%s%N)
parts_dir=$(mktemp -d)
parts_table=$parts_dir/table
parts_failed=
parts_counts=$parts_dir/counts # a line "NAME PASSED FAILED" for each count
parts_flakies=$parts_dir/flakies
touch "$parts_counts" "$parts_flakies"
export parts_counts parts_flakies
declare -A parts_running=()
trap parts_end EXIT

# parts_cpu leaves in $parts_used the processor time of this shell's children that
# have ended so far, in tenths of a second. Commands that ended beside a part count
# with it, too. It must not run in $(…), which is another shell.
parts_cpu() {
  local file=$parts_dir/times.$BASHPID
  times > "$file"
  parts_used=$(awk 'NR == 2 { split($1 $2, t, /[ms]/); printf "%d", 10 * (60 * t[1] + t[2] + 60 * t[3] + t[4]) }' "$file")
}

parts_now() { echo $((($(date +%s%N) - parts_began) / 100000000)); } # tenths of a second

parts_row() { # NAME, tenths of a second, those of processors, remark
  printf '%-26s %5d.%d s %6d.%d s  %s\n' "$1" $(($2 / 10)) $(($2 % 10)) $(($3 / 10)) $(($3 % 10)) "${4:-}" >> "$parts_table"
}

# parts_ended NAME STATUS counts a part whose command did not count its tests.
parts_ended() {
  grep -q -- "^${1// /_} " "$parts_counts" || echo "${1// /_} $(($2 == 0)) $(($2 != 0))" >> "$parts_counts"
}

part() {
  local name=$1 from used status
  shift
  from=$(parts_now)
  parts_cpu
  used=$parts_used
  echo "== $name"
  export parts_name=$name
  status=0
  # A log of which only the end is kept shall still name the tests that failed.
  "$@" 2>&1 | tee "$parts_dir/out" || status=$?
  parts_ended "$name" "$status"
  [ "$status" = 0 ] || { parts_failed=$name; exit "$status"; }
  parts_cpu
  parts_row "$name" $(($(parts_now) - from)) $((parts_used - used))
}

beside() {
  local name=$1
  shift
  echo "== $name, beside what follows"
  set -m # a process group of its own, which ends as a whole
  (
    from=$(parts_now)
    status=0
    export parts_name=$name
    "$@" || status=$?
    parts_ended "$name" "$status"
    parts_cpu
    echo "$(($(parts_now) - from)) $parts_used" > "$parts_dir/$name.took"
    exit "$status"
  ) > "$parts_dir/$name.out" 2>&1 &
  parts_running[$name]=$!
  set +m
}

join() {
  local name status took used
  for name; do
    status=0
    wait "${parts_running[$name]}" || status=$?
    unset "parts_running[$name]"
    echo "== $name"
    cat "$parts_dir/$name.out"
    [ "$status" = 0 ] || { cp "$parts_dir/$name.out" "$parts_dir/out"; parts_failed=$name; exit "$status"; }
    read -r took used < "$parts_dir/$name.took"
    parts_row "$name" "$took" "$used" beside
  done
}

parts_took() {
  parts_cpu
  parts_row whole "$(parts_now)" "$parts_used"
  echo
  printf '%-26s %9s %9s\n' part took processors
  cat "$parts_table"
  parts_totals
}

# parts_totals prints the tests that failed once, and the last line: how much passed and failed.
parts_totals() {
  [ ! -s "$parts_flakies" ] || { echo; echo FLAKY; cat "$parts_flakies"; }
  awk '{ passed += $2; failed += $3 } END { printf "\n%d passed, %d failed\n", passed, failed }' "$parts_counts"
}

# parts_names prints the lines of the failed part's output that name what failed, as Go, Vitest and
# Playwright write them, and what the part said of the first ones.
parts_names() {
  [ -e "$parts_dir/out" ] || return 0
  local names='^ *(--- FAIL|FAIL|panic:|×|[0-9]+\) )'
  sed -i 's/\x1b\[[0-9;]*m//g' "$parts_dir/out"
  grep -aE "$names" "$parts_dir/out" | sort -u | head -20 || true
  grep -aE -A 14 "$names" "$parts_dir/out" | grep -avE '^ *$' | head -60 || true
}

parts_end() {
  local status=$? name
  for name in "${!parts_running[@]}"; do
    kill -- "-${parts_running[$name]}" 2>/dev/null || true
  done
  [ "$status" = 0 ] || {
    echo "It failed after:" >&2
    cat "$parts_table" >&2 2>/dev/null || true
    [ -z "$parts_failed" ] || echo "== $parts_failed failed" >&2
    parts_names >&2
    parts_totals
  }
  rm -rf "$parts_dir"
}

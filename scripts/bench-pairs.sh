#!/usr/bin/env bash
# Compares two versions of tilth on this machine. Runs the benches with both
# versions alternately, so that other load of the machine affects both alike, and
# prints each pair's ratio, their median and their spread. Above 1 the second
# version is faster; of bytes it has more.
#   scripts/bench-pairs.sh BEFORE AFTER [PAIRS [BENCH…]]
# BEFORE and AFTER are paths of two binaries, each, for history, with a workshop of its version beside it (make build bin/workshop);
# the default is seven pairs of ingest, history and alarm. telling takes long and must be named.
# HISTORY are other sizes of history, for example HISTORY='--days 5 --devices 5'.
set -euo pipefail
cd "$(dirname "$0")/.."
make -s bin/workshop
before=$(realpath "${1:?the binary of before}") after=$(realpath "${2:?the binary of after}") pairs=${3:-7}
benches=("${@:4}")
[ ${#benches[@]} -gt 0 ] || benches=(ingest history alarm)
read -ra history_sizes <<<"${HISTORY:-}"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Each prints its figures, one a line: a value and a name. More is better, except of bytes.
ingest() {
  ./bin/workshop ingest --binary "$1" --duration 10s |
    awk '/acknowledged .* messages\/s/ && !found++ { gsub(",", "", $2); print $2, "messages acknowledged in a second" }'
}
# Each version makes its own run, since it must seal the readings itself.
history() {
  "$(dirname "$1")/workshop" history --binary "$1" --asks 30 --year-devices 0 "${history_sizes[@]}" | awk '
    function seconds(t) { return t ~ /µs$/ ? t / 1e6 : t ~ /ms$/ ? t / 1e3 : t ~ /m/ ? 60 * t + substr(t, index(t, "m") + 1) : t + 0 }
    function bytes() { match($0, /\([0-9.]+ KiB\)/); return 1024 * substr($0, RSTART + 1) }
    $1 == "written" { values = $2; gsub(",", "", values) }
    $1 == "sealed" { took = $3; sub(",", "", took); print values / seconds(took), "values sealed in a second" }
    / a value sealed / { print bytes(), "bytes sealed" }
    / the whole folder / { print bytes(), "bytes of the whole folder" }
    /, every reading$/ { asked = 1 }
    asked && $1 == "tilth" && !found++ { print 1 / seconds($4), "ranges of a device answered in a second, every reading" }'
}
alarm() {
  ./bin/workshop alarm --binary "$1" --duration 2s |
    awk '/as much as is taken, with / && !found { for (i = 1; i < NF; i++) if ($(i + 1) == "messages/s") {
      gsub(",", "", $i); print $i, "messages acknowledged in a second while 10,000 rules evaluate them"; found = 1 } }'
}
telling() {
  ./bin/workshop telling --binary "$1" --digest-after 0 --duration 10s |
    awk '/with volleys/ && !found++ {
      gsub(",", "", $3); print $3, "messages acknowledged in a second beside volleys of notices, each told by mail" }'
}

for bench in "${benches[@]}"; do
  echo "$bench"
  for pair in $(seq "$pairs"); do
    # The version that runs first changes from pair to pair.
    if [ $((pair % 2)) = 1 ]; then
      "$bench" "$before" >"$out/before"; "$bench" "$after" >"$out/after"
    else
      "$bench" "$after" >"$out/after"; "$bench" "$before" >"$out/before"
    fi
    awk -v pair="$pair" '
      { value = $1; name = $0; sub(/^[^ ]+ /, "", name) }
      FILENAME == ARGV[1] { before[name] = value; waiting++; next }
      name in before {
        printf "  pair %d  before %.1f  after %.1f  ratio %.3f  %s\n", pair, before[name], value, value / before[name], name
        waiting--
        compared++
      }
      END { if (waiting || !compared) { print "the versions print different figures, or none" >"/dev/stderr"; exit 1 } }
    ' "$out/before" "$out/after" | tee -a "$out/$bench"
  done
  # The names in the order in which they were printed, each with the ratios in order.
  awk -v bench="$bench" '
    { name = $0; sub(/.* ratio [^ ]+  /, "", name); match($0, /ratio [0-9.]+/); r = substr($0, RSTART + 6, RLENGTH - 6) + 0 }
    !(name in count) { names[++kinds] = name }
    { for (i = ++count[name]; i > 1 && ratios[name, i - 1] > r; i--) ratios[name, i] = ratios[name, i - 1]; ratios[name, i] = r }
    END { for (k = 1; k <= kinds; k++) { name = names[k]; n = count[name]
      printf "%s: median ratio %.3f, from %.3f to %.3f  %s\n", bench, (ratios[name, int((n + 1) / 2)] + ratios[name, int(n / 2) + 1]) / 2,
        ratios[name, 1], ratios[name, n], name } }' "$out/$bench"
done

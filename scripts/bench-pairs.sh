#!/usr/bin/env bash
# Compares two versions of tilth on this machine: runs the benches with one and the other in turn,
# so that other load affects both alike, and prints each pair's ratio, and the ratios' median and
# range. A ratio above 1 means that the second version is faster.
#   scripts/bench-pairs.sh BEFORE AFTER [PAIRS [BENCH…]]
# BEFORE and AFTER are paths of two binaries. By default it runs seven pairs of ingest, history and
# alarm; telling runs only if it is named, since it takes long.
set -euo pipefail
cd "$(dirname "$0")/.."
before=$(realpath "${1:?the binary of before}") after=$(realpath "${2:?the binary of after}") pairs=${3:-7}
benches=("${@:4}")
[ ${#benches[@]} -gt 0 ] || benches=(ingest history alarm)

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Each function prints one figure; more is better.
ingest() { # messages acknowledged in a second
  ./bin/tilth bench ingest --binary "$1" --duration 10s |
    awk '/acknowledged .* messages\/s/ { gsub(",", "", $2); print $2; exit }'
}
history() { # queries of a device's month answered in a second, every reading
  ./bin/tilth bench history --binary "$1" --devices 10 --asks 30 |
    awk '/every reading$/ && !found { found = 1 } found && $1 == "tilth" { t = $4; print 1000 / (t ~ /µs$/ ? t / 1000 : t ~ /ms$/ ? t + 0 : t * 1000); exit }'
}
alarm() { # messages acknowledged in a second while 10,000 rules are evaluated, as many as the server takes
  ./bin/tilth bench alarm --binary "$1" --duration 2s |
    awk '/as much as is taken, with / { for (i = 1; i < NF; i++) if ($(i + 1) == "messages/s") { gsub(",", "", $i); print $i; exit } }'
}
telling() { # messages acknowledged in a second during volleys of notices, each sent by mail
  ./bin/tilth bench telling --binary "$1" --digest-after 0 --duration 10s |
    awk '/with volleys/ { gsub(",", "", $3); print $3; exit }'
}

for bench in "${benches[@]}"; do
  echo "$bench"
  for pair in $(seq "$pairs"); do
    # The order alternates from pair to pair.
    if [ $((pair % 2)) = 1 ]; then
      a=$("$bench" "$before") b=$("$bench" "$after")
    else
      b=$("$bench" "$after") a=$("$bench" "$before")
    fi
    awk -v a="$a" -v b="$b" -v n="$pair" 'BEGIN { printf "  pair %d  before %.1f  after %.1f  ratio %.3f\n", n, a, b, b / a }' | tee -a "$out/$bench"
  done
  awk '{ print $NF }' "$out/$bench" | sort -n | awk -v bench="$bench" '{ r[NR] = $1 } END {
    printf "%s: median ratio %.3f, from %.3f to %.3f\n", bench, (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2, r[1], r[NR] }'
done

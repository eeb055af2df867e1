#!/usr/bin/env bash
# A device's readings since a time, as a table: ./history.sh WS-0001 2026-11-01T00:00:00Z > readings.csv
# Needs TILTH_URL (https://console.example), TILTH_APP_KEY and TILTH_APP_SECRET.
set -euo pipefail
: "${TILTH_URL:?is missing: the address of the console, https://console.example}"
: "${TILTH_APP_KEY:?is missing: the appKey of an API credential (profile page, My app)}"
: "${TILTH_APP_SECRET:?is missing: the appSecret that belongs to it}"
[ $# = 2 ] || { echo "usage: $0 DEVICE FROM" >&2; exit 2; }

# The secret goes in through standard input, so that no list of processes shows it. --fail makes a refusal an error; a table
# that is cut off on its way is one as well (curl ends with 18), so the file counts only when this script succeeds.
curl --fail-with-body --silent --show-error --config - --get \
  --data-urlencode "from=$2" --data-urlencode "format=csv" \
  "$TILTH_URL/open-api/v1/devices/$1/history" <<CONFIG
user = "$TILTH_APP_KEY:$TILTH_APP_SECRET"
CONFIG

#!/usr/bin/env bash
# A device's readings since a time, as a table: ./history.sh WS-0001 2026-11-01T00:00:00Z > readings.csv
# Needs TILTH_URL (https://console.example), TILTH_APP_KEY and TILTH_APP_SECRET.
set -euo pipefail
: "${TILTH_URL:?is missing: the address of the console, https://console.example}"
: "${TILTH_APP_KEY:?is missing: the appKey of an API credential (profile page, My app)}"
: "${TILTH_APP_SECRET:?is missing: the appSecret that belongs to it}"
[ $# = 2 ] || { echo "usage: $0 DEVICE FROM" >&2; exit 2; }

# A name may hold what means something in an address, as ? and % do.
encoded() {
  local LC_ALL=C text=$1 byte at
  for ((at = 0; at < ${#text}; at++)); do
    case ${text:at:1} in
      [A-Za-z0-9._~-]) printf %s "${text:at:1}" ;;
      *) printf -v byte %d "'${text:at:1}"; printf %%%02X $((byte & 255)) ;;
    esac
  done
}

# The secret goes in through standard input, so that no list of processes shows it. --fail makes a refusal an error; a table
# that is cut off on its way is one as well (curl ends with 18), and so is an address that leads elsewhere (47), so the file
# counts only when this script succeeds.
curl --fail-with-body --location --max-redirs 0 --globoff --silent --show-error --config - --get \
  --data-urlencode "from=$2" --data-urlencode "format=csv" \
  "${TILTH_URL%/}/open-api/v1/devices/$(encoded "$1")/history" <<CONFIG
user = "$TILTH_APP_KEY:$TILTH_APP_SECRET"
CONFIG

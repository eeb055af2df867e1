#!/usr/bin/env bash
# Installs what the tests need beside Go and Node, if it is missing:
# a C compiler for the race detector; Chromium, a Chinese font and ffmpeg, which makes the cameras' streams, for the
# browser tests; mosquitto's clients and curl for the device tests; python3 for the examples of the open API; openssl for a
# certificate; nginx, which the live stream is tested behind; HAProxy, which a cluster is tested behind; PostgreSQL, which
# the stores are tested over; in CI Postfix, which mails are tested against. Needs root if something is missing.
set -euo pipefail

missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
# Headless Chromium takes a quarter less time than the full one, which is used if there is no other.
if command -v apt-get >/dev/null; then
  command -v chromium-headless-shell >/dev/null || missing+=(chromium-headless-shell)
else
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing+=(chromium)
fi
command -v mosquitto_pub >/dev/null || missing+=(mosquitto-clients)
command -v curl >/dev/null || missing+=(curl)
command -v python3 >/dev/null || missing+=(python3)
command -v openssl >/dev/null || missing+=(openssl)
command -v ffmpeg >/dev/null || missing+=(ffmpeg)
[ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || missing+=(nginx)
[ -x /usr/sbin/haproxy ] || command -v haproxy >/dev/null || missing+=(haproxy)
[ -n "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] || command -v initdb >/dev/null || missing+=(postgresql)
[ -z "${CI:-}" ] || command -v postfix >/dev/null || missing+=(postfix)
fc-list 2>/dev/null | grep -qi 'noto.*cjk' || missing+=(fonts-noto-cjk fontconfig)

if [ "${#missing[@]}" -gt 0 ]; then
  echo "Installing for the tests: ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "Install these with your system's package manager, then run again." >&2
    exit 1
  fi
  export DEBIAN_FRONTEND=noninteractive
  # Server packages start their servers as services; the tests start their own.
  policy=/usr/sbin/policy-rc.d
  if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

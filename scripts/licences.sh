#!/usr/bin/env bash
# Writes docs/licences.md: the third-party code in bin/tilth and its licences. It reads the linked
# Go modules from the module cache, and the npm packages in the console (a build into a temporary
# folder lists them) from web/node_modules; it fetches nothing.
#   scripts/licences.sh            writes docs/licences.md
#   scripts/licences.sh --check    tells whether it is up to date
#   scripts/licences.sh --texts    prints the full licences, which must accompany the binary
#  It fails if a licence is unknown or is not one of those accepted below.
set -euo pipefail
cd "$(dirname "$0")/.."

# Licences that only require attribution, and that allow distribution under Apache-2.0.
taken=' 0BSD Apache-2.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT OFL-1.1 public-domain '
# Of several licences that are offered, the one that is accepted.
chosen() {
  case $1 in
    # Dual: "the Eclipse Public License v2.0 and Eclipse Distribution License v1.0"; the latter is
    # BSD-3-Clause by another name.
    github.com/eclipse/paho.*) echo 'BSD-3-Clause (EDL-1.0; or EPL-2.0)' ;;
  esac
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# kind FILE prints the licence whose text is in a file.
kind() {
  local words
  words=$(tr -s '[:space:]*>/#' ' ' < "$1" | tr '[:upper:]' '[:lower:]')
  local found=''
  has() { grep -qF "$1" <<< "$words"; }
  ! has 'gnu general public' && ! has 'gnu lesser' && ! has 'gnu affero' || found+=' GPL'
  ! has 'mozilla public license' || found+=' MPL-2.0'
  ! has 'eclipse public license' || found+=' EPL-2.0'
  ! has 'common development and distribution' || found+=' CDDL'
  ! has 'business source license' || found+=' BUSL'
  ! has 'apache license' || ! has 'version 2.0' || found+=' Apache-2.0'
  if has 'redistributions in binary form must reproduce'; then
    if has 'neither the name' || has 'contributors may be used to endorse'; then found+=' BSD-3-Clause'; else found+=' BSD-2-Clause'; fi
  fi
  ! has 'permission is hereby granted, free of charge' || found+=' MIT'
  ! has 'permission to use, copy, modify, and or distribute this software for any purpose' &&
    ! has 'permission to use, copy, modify, and distribute this software for any purpose' || found+=' ISC'
  ! has 'dedicated to the public domain' || found+=' public-domain'
  ! has 'public domain with cc0 1.0' || found+=' CC0-1.0'
  echo "${found:- unknown}"
}

# Names, versions and folders of the linked packages, for all supported systems. The licences in a
# package's folder count, and those in the folders above it, up to the module's.
for system in linux darwin windows; do
  GOOS=$system CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}	{{.Version}}	{{.Dir}}	{{$.Dir}}{{end}}{{end}}' ./cmd/tilth
done | sort -u > "$work/packages"

# terms FOLDER lists the files with licences and notices in a folder.
terms() {
  find "$1" -maxdepth 1 -type f ! -iname '*.go' ! -iname '*-logo' \
    \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'unlicense*' -o -iname 'notice*' -o -iname 'patents' -o -iname 'edl-v10' \)
}

while IFS=$'\t' read -r module version root dir; do
  while :; do
    terms "$dir" | sed "s|^|$module	$version	|"
    [ "$dir" != "$root" ] || break
    dir=$(dirname "$dir")
  done
done < "$work/packages" | sort -u > "$work/terms"
cut -f1,2 "$work/packages" | sort -u > "$work/modules"

while IFS=$'\t' read -r module version; do
  licence=$(chosen "$module")
  if [ -z "$licence" ]; then
    awk -F'\t' -v m="$module" '$1 == m { print $3 }' "$work/terms" | grep -ivE '/(notice|patents|edl-v10|.*-3rd-party)[^/]*$' > "$work/files" || true
    licence=$(while read -r file; do kind "$file" | tr ' ' '\n'; done < "$work/files" | sed '/^$/d' | sort -u | paste -sd, | sed 's/,/, /g')
  fi
  printf '%s\t%s\t%s\n' "$module" "$version" "${licence:-unknown}"
done < "$work/modules" > "$work/go"

# The console: the packages in the bundle, and direct dependencies from which it takes other files,
# such as the font.
(cd web && node --input-type=module - "$work" <<'JS'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'vite';

const work = process.argv[2];
await build({ logLevel: 'error', build: { outDir: `${work}/console`, emptyOutDir: true, minify: false, license: { fileName: 'licences.json' } } });
const bundled = JSON.parse(readFileSync(`${work}/console/licences.json`, 'utf8'));
for (const name of Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)) {
  if (bundled.some((p) => p.name === name)) continue;
  const { version, license } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const file = readdirSync(`node_modules/${name}`).find((f) => /^licen[cs]e/i.test(f));
  bundled.push({ name, version, identifier: license, text: file && readFileSync(`node_modules/${name}/${file}`, 'utf8') });
}
bundled.sort((a, b) => (a.name < b.name ? -1 : 1));
// A package that does not name its licence is judged by the licence's text.
const named = ({ name, version, identifier, text }, at) => {
  if (!identifier && text) writeFileSync(`${work}/unnamed-${at}`, text);
  return `${name}\t${version}\t${identifier ?? (text ? `${work}/unnamed-${at}` : 'unknown')}\n`;
};
writeFileSync(`${work}/npm-named`, bundled.map(named).join(''));
writeFileSync(`${work}/npm-texts`, bundled.map((p) => `\n==== ${p.name} ${p.version}\n\n${p.text ?? p.identifier}\n`).join(''));
JS
)
while IFS=$'\t' read -r name version licence; do
  case $licence in "$work"/*) licence=$(kind "$licence" | sed 's/^ //; s/ /, /g') ;; esac
  printf '%s\t%s\t%s\n' "$name" "$version" "$licence"
done < "$work/npm-named" > "$work/npm"

# Each licence must be one of those accepted.
fault=0
while IFS=$'\t' read -r name version licence; do
  for part in $(sed 's/ (.*//; s/,/ /g' <<< "$licence"); do
    case $taken in *" $part "*) ;; *) echo "licences: $name $version: $part" >&2; fault=1 ;; esac
  done
done < <(cat "$work/go" "$work/npm")
[ "$fault" = 0 ] || { echo "licences: the licences above are not accepted" >&2; exit 1; }

if [ "${1:-}" = --texts ]; then
  echo "Third-party code in tilth, and its licences."
  printf '\n==== Go\n\n'; cat "$(go env GOROOT)/LICENSE"
  while IFS=$'\t' read -r module version file; do printf '\n==== %s %s, %s\n\n' "$module" "$version" "$(basename "$file")"; cat "$file"; done < "$work/terms"
  cat "$work/npm-texts"
  exit
fi

rows() { awk -F'\t' '{ print "| " $1 " | " $2 " | " $3 " |" }' "$1"; }
count() { cut -f3 "$work/go" "$work/npm" | sed 's/ (.*//; s/, /\n/g' | sort | uniq -c | sort -k1,1nr -k2 | awk '{ printf "%s%s %s", (NR > 1 ? ", " : ""), $2, $1 }'; }
total=$(count)
page=$work/page.md
{
  cat <<'MD'
# Third-party code in the binary

`scripts/licences.sh` writes this page from what is linked and bundled; do not edit it. Run the script after changing a
dependency. `scripts/licences.sh --check` tells whether the page is up to date. Both fail if a licence is unknown or
requires more than attribution. A distributed binary must be accompanied by the full licences:
`scripts/licences.sh --texts > THIRD-PARTY.txt`.

If the licence of a folder inside a module differs from the module's, both are listed. Tools for building and testing
are not listed, since the binary contains nothing of them.

MD
  echo "In all: $total."
  printf '\n## Go\n\nGo itself and its standard library: BSD-3-Clause. Linked on Linux, macOS or Windows:\n\n| module | version | licence |\n|---|---|---|\n'
  rows "$work/go"
  printf '\n## The console\n\nThe coastline in world-atlas is Natural Earth'"'"'s, public domain; Inter is the type.\n\n| package | version | licence |\n|---|---|---|\n'
  rows "$work/npm"
} > "$page"
if [ "${1:-}" = --check ]; then
  diff -u docs/licences.md "$page" || { echo "docs/licences.md is out of date: run scripts/licences.sh" >&2; exit 1; }
else
  cp "$page" docs/licences.md
fi

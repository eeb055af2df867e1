#!/usr/bin/env bash
# Makes a release of the committed state: an archive for each architecture and
# their checksums, in bin/release. The same commit, Go and Node give the same
# bytes, in any folder and at any time.
#   scripts/release.sh 1.2.3
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
cd "$(dirname "$0")/.."

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || { echo "usage: $0 VERSION, for example 1.2.3" >&2; exit 2; }
if [ -n "$(git status --porcelain)" ]; then
  echo "release: what is not committed would not be in it:" >&2
  git status --short >&2
  exit 1
fi
commit=$(git rev-parse HEAD)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# Settings of the user's environment must not affect the release.
unset GOFLAGS GOEXPERIMENT GODEBUG NODE_ENV NODE_OPTIONS
export CGO_ENABLED=0 GOWORK=off GOENV=off GOAMD64=v1 GOARM64=v8.0

out=$PWD/bin/release
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
rm -rf "$out"
mkdir -p "$out"

echo "release: $version of $commit, $(go version | cut -d' ' -f3), node $(node --version)"
echo "release: the console"
(cd web && npm ci --no-audit --no-fund --ignore-scripts --silent && npm run --silent build)
echo "release: the licences"
scripts/licences.sh --check
scripts/licences.sh --texts > "$stage/THIRD-PARTY.txt"

for arch in amd64 arm64; do
  name=tilth-$version-linux-$arch
  echo "release: $name"
  mkdir "$stage/$name"
  GOOS=linux GOARCH=$arch go build -trimpath -buildvcs=false -mod=readonly \
    -ldflags "-s -w -X tilth/internal/server.Version=$version -X tilth/internal/server.Commit=$commit" -o "$stage/$name/tilth" ./cmd/tilth
  git archive --format=tar HEAD LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs deploy | tar -x -C "$stage/$name"
  cp "$stage/THIRD-PARTY.txt" "$stage/$name/"
  tar --format=ustar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
    -C "$stage" -cf - "$name" | gzip -9n > "$out/$name.tar.gz"
done
(cd "$out" && sha256sum -- *.tar.gz > SHA256SUMS && cat SHA256SUMS)

#!/usr/bin/env bash
# Builds an image of a release with buildah, podman or docker, whichever is
# there; needs no network.
#   deploy/image.sh 1.2.3 [amd64|arm64]    after make release VERSION=1.2.3
set -euo pipefail
export LC_ALL=C
umask 022
cd "$(dirname "$0")/.."

version=${1:-} arch=${2:-$(go env GOARCH)}
archive=bin/release/tilth-$version-linux-$arch.tar.gz
[ -n "$version" ] || { echo "usage: $0 VERSION [ARCH]" >&2; exit 2; }
[ -f "$archive" ] || { echo "image: there is no $archive: make release VERSION=$version first" >&2; exit 1; }
(cd bin/release && grep -F " ${archive##*/}" SHA256SUMS | sha256sum --check --quiet)

authorities=${SSL_CERT_FILE:-}
for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
  [ -n "$authorities" ] || [ ! -f "$file" ] || authorities=$file
done
[ -n "$authorities" ] || { echo "image: no authorities' certificates here: install ca-certificates, or name a file by SSL_CERT_FILE" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$archive" -C "$folder" --strip-components=1
cp "$authorities" "$folder/ca-certificates.crt"
mkdir -p "$folder/empty/data" "$folder/empty/tmp"
chmod 0700 "$folder/empty/data" "$folder/empty/tmp"

tag=tilth:$version
[ "$arch" = "$(go env GOARCH)" ] || tag=$tag-$arch
args=(--platform "linux/$arch" --build-arg "VERSION=$version" -t "$tag" -f "$folder/deploy/Dockerfile" "$folder")
# The docker format supports HEALTHCHECK; no cache, since the copied files decide.
if command -v buildah >/dev/null; then
  buildah build --format docker --isolation chroot --no-cache "${args[@]}"
elif command -v podman >/dev/null; then
  podman build --format docker --isolation chroot --no-cache "${args[@]}"
elif command -v docker >/dev/null; then
  docker build --no-cache "${args[@]}"
else
  echo "image: none of buildah, podman and docker is here" >&2
  exit 1
fi
echo "image: $tag"

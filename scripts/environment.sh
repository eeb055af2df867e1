# Sourced by whatever builds or tests Go: one set of flags, so that nothing is
# compiled twice. The race detector alone needs cgo (scripts/race.sh).
export CGO_ENABLED=0
case " $(go env GOFLAGS) " in
  *' -trimpath '*) ;;
  *) GOFLAGS="$(go env GOFLAGS) -trimpath" && export GOFLAGS ;;
esac

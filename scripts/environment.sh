# Sourced by all scripts that build or test Go: one set of flags, so that nothing
# is compiled twice. Only the race detector needs cgo (scripts/race.sh).
export CGO_ENABLED=0
case " $(go env GOFLAGS) " in
  *' -trimpath '*) ;;
  *) GOFLAGS="$(go env GOFLAGS) -trimpath" && export GOFLAGS ;;
esac

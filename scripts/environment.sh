# Sourced by all that builds or tests Go: with the same flags everywhere, Go compiles nothing twice.
# Only the race detector needs cgo (scripts/race.sh).
export CGO_ENABLED=0
case " $(go env GOFLAGS) " in
  *' -trimpath '*) ;;
  *) GOFLAGS="$(go env GOFLAGS) -trimpath" && export GOFLAGS ;;
esac

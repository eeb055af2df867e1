//go:build !race

package reading

// underRace tells that the race detector runs, under which times say nothing.
const underRace = false

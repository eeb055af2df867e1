package tenant

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

// zoneNames are the names of the IANA time zone database, one a line. Without
// them it would be the machine that decides: it has files that are no zones
// (localtime, posixrules) and the same zones under other names (posix/…).
//
//go:embed zones.txt
var zoneNames string

// zones are the zones by name. Each takes a file's reading, so it is loaded
// when it is first asked for, and kept.
var zones = sync.OnceValue(func() map[string]func() *time.Location {
	all := map[string]func() *time.Location{}
	for name := range strings.Lines(zoneNames) {
		name = strings.TrimSpace(name)
		all[name] = sync.OnceValue(func() *time.Location { return loadZone(name) })
	}
	return all
})

func loadZone(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil // of a program that was built without the zones
	}
	return zone
}

// Zone is the time zone of an IANA name; nil where there is none.
func Zone(name string) *time.Location {
	if load := zones()[name]; load != nil {
		return load()
	}
	return nil
}

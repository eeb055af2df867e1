package tenant

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

// zoneNames lists the names of the IANA time zone database, one per line. Without it, the machine
// would decide: it has files that are no zones (localtime, posixrules) and the same zones under
// other names (posix/…).
//
//go:embed zones.txt
var zoneNames string

// zones maps each name to its zone. Loading a zone reads a file, so the first call for a zone loads
// it, and later calls reuse it.
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
		return nil // the program was built without the zones
	}
	return zone
}

// Zone gives the time zone of an IANA name; nil if there is none.
func Zone(name string) *time.Location {
	if load := zones()[name]; load != nil {
		return load()
	}
	return nil
}

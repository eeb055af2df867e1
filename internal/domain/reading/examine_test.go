package reading

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
)

func anyDevice(device.Ref) bool { return true }

// closedStore creates a store with sealed and unsealed readings of two devices, damages it and
// closes it.
func closedStore(t *testing.T, damage func(s *Store) error) Options {
	t.Helper()
	o := Options{Dir: t.TempDir()}
	s := openStore(t, o)
	for m := range int64(50) {
		mustAppend(t, s,
			arrival(1, 7, start+m*minute, num(1, float64(m)), text(2, "ok")),
			arrival(2, 9, start+10*msPerDay+m*minute, num(1, 1)))
	}
	seal(t, s, time.UnixMilli(start+5*msPerDay))
	mustAppend(t, s, arrival(1, 7, start+5*msPerDay, num(1, 1)))
	if err := damage(s); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return o
}

func mustExamine(t *testing.T, o Options, known func(device.Ref) bool) *Findings {
	t.Helper()
	f, err := Examine(t.Context(), o.Dir, 0, known)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestExamineCountsAndChangesNothing(t *testing.T) {
	o := closedStore(t, func(*Store) error { return nil })
	f := mustExamine(t, o, anyDevice)
	if !f.OK() || f.Segments != 1 || f.Sealed != 50 || f.Frames != 51 || f.Values != 151 || f.Days != 3 ||
		f.Devices != 2 {
		t.Errorf("%+v", f)
	}
	again := mustExamine(t, o, func(ref device.Ref) bool { return ref.Tenant != 2 })
	if again.Total != 0 || !slices.Equal(again.Orphans, []device.Ref{{Tenant: 2, ID: 9}}) || again.OK() {
		t.Errorf("%+v", again)
	}
	if rows := readRange(t, openStore(t, o), 1, 7, minTime, maxTime, 1); len(rows) != 51 {
		t.Errorf("%d frames afterwards", len(rows))
	}
}

func TestExamineNamesDamage(t *testing.T) {
	ref := device.Ref{Tenant: 1, ID: 7}
	key := appendMs(appendSegmentPrefix(nil, 20574, ref), 0)
	for want, damage := range map[string]func(s *Store) error{
		"segment of tenant 1 device 7 at 2026-05-01T00:00:00.000Z": func(s *Store) error {
			return s.db.Set(key, []byte{segmentFormat, 9}, pebble.Sync)
		},
		"begins before the end of the previous segment": func(s *Store) error {
			b := &block{}
			b.add(start+10*minute, []Field{num(1, 1)})
			within := appendMs(appendSegmentPrefix(nil, 20574, ref), uint32(10*minute))
			return s.db.Set(within, new(segmentWriter).encode(nil, b), pebble.Sync)
		},
		"into the next day": func(s *Store) error {
			b := &block{}
			b.add(start+msPerDay-1, []Field{num(1, 1)})
			b.add(start+msPerDay, []Field{num(1, 1)})
			other := appendSegmentPrefix(nil, 20574, device.Ref{Tenant: 1, ID: 8})
			return s.db.Set(appendMs(other, uint32(msPerDay-1)), new(segmentWriter).encode(nil, b), pebble.Sync)
		},
		"frame of tenant 1 device 7": func(s *Store) error {
			return s.db.Set(hotKey(1, 7, start+9*msPerDay), []byte{1, 0}, pebble.Sync)
		},
		"malformed key": func(s *Store) error { return s.db.Set([]byte{tagHot, 1, 2}, []byte{1}, pebble.Sync) },
		"latest values of tenant 1 device": func(s *Store) error {
			return s.db.Set(appendRefKey(nil, tagLatest, device.Ref{Tenant: 1, ID: 70}), []byte{200}, pebble.Sync)
		},
		"journal entry":                   func(s *Store) error { return s.db.Set(appendJournalKey(nil, 1<<40), []byte{9}, pebble.Sync) },
		"the journal has no entries from": func(s *Store) error { return s.db.Delete(appendJournalKey(nil, 20), pebble.Sync) },
	} {
		t.Run(want, func(t *testing.T) {
			f := mustExamine(t, closedStore(t, damage), anyDevice)
			if f.OK() || !strings.Contains(strings.Join(f.Problems, "\n"), want) || f.Total != len(f.Problems) {
				t.Errorf("%d problems: %q", f.Total, f.Problems)
			}
		})
	}
}

func TestExamineOfAFolderInUse(t *testing.T) {
	o := Options{Dir: t.TempDir()}
	openStore(t, o)
	_, err := Examine(t.Context(), o.Dir, 0, anyDevice)
	if err == nil || !strings.Contains(err.Error(), "in use by another process") {
		t.Errorf("%v", err)
	}
	if _, err := Examine(t.Context(), t.TempDir()+"/none", 0, anyDevice); err == nil {
		t.Error("a folder that does not exist: no error")
	}
}

package reading

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
)

// arrivalSeconds returns a reading with a time of at seconds after start that arrived arrivedAt
// seconds after start.
func arrivalSeconds(at, arrivedAt int64, fields ...Field) Arrival {
	a := arrival(1, 1, start+at*1000, fields...)
	a.At = start + arrivedAt*1000
	return a
}

// A reading ten minutes ahead does not hide the right ones that follow. It is not forgotten either:
// as of its own time it is the newest, until a newer one arrives.
func TestReadingAheadDoesNotHideLater(t *testing.T) {
	s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
	check := func(what string, want Newest) {
		t.Helper()
		for range 3 {
			same(t, what, s.Newest(t.Context(), 1, 1), []Newest{want})
			same(t, what+", latest", s.Latest(t.Context(), 1, 1), []Last{want.Last})
			s = crash(t, s)
			checkpoint(t, s)
		}
	}
	mustAppend(t, s, arrivalSeconds(590, 0, num(1, 9)))
	check("alone", Newest{Last{1, start + 590_000, Number(9)}, start})
	mustAppend(t, s, arrivalSeconds(-30, 1, num(1, 8)))
	check("after a late one", Newest{Last{1, start + 590_000, Number(9)}, start})
	mustAppend(t, s, arrivalSeconds(30, 31, num(1, 1)))
	check("after a right one", Newest{Last{1, start + 30_000, Number(1)}, start + 30_000})
	same(t, "as of its time", readAsOf(t, s, 1, 1, start+590_000, 1), []Last{{1, start + 590_000, Number(9)}})
	same(t, "just before its time", readAsOf(t, s, 1, 1, start+589_999, 1), []Last{{1, start + 30_000, Number(1)}})
	mustAppend(t, s, arrivalSeconds(600, 600, num(1, 2)))
	check("after its time", Newest{Last{1, start + 600_000, Number(2)}, start + 600_000})
	// Of readings that arrive together, the one with the newest time counts.
	mustAppend(t, s, arrivalSeconds(800, 700, num(1, 3)), arrivalSeconds(790, 700, num(1, 4)))
	check("after a message", Newest{Last{1, start + 800_000, Number(3)}, start + 700_000})
	mustAppend(t, s, arrivalSeconds(800, 699, num(1, 5)))
	check("after a correction", Newest{Last{1, start + 800_000, Number(5)}, start + 700_000})
}

// The store knows after checkpoints and kills which readings were stamped ahead and where they were
// deferred.
func TestAheadReadingsAreTracked(t *testing.T) {
	for name, restart := range map[string]func(s *Store) *Store{
		"running": func(s *Store) *Store { return s },
		"killed":  func(s *Store) *Store { return crash(t, s) },
		"killed after a checkpoint": func(s *Store) *Store {
			checkpoint(t, s)
			return crash(t, s)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, Options{Dir: "data", fs: vfs.NewCrashableMem()})
			for i, step := range []struct {
				what     string
				at, when int64
				want     string
			}{
				{"a reading as it arrives is not ahead", 0, 0, ""},
				{"ahead", 590, 0, "590:0"},
				{"the same again", 590, 1, "590:0"},
				{"a late reading passes nothing over", 40, 101, "590:0"},
				{"a reading ahead passes nothing over", 500, 102, "500:0 590:0"},
				{"a right reading passes both over", 100, 102, "500:6 590:6"},
				{"the next right reading changes nothing", 110, 110, "500:6 590:6"},
				{"the same ahead again", 590, 120, "500:6 590:0"},
				{"the same when its time is right", 500, 500, "590:9"},
				{"ahead, and never deferred", 700, 600, "590:9 700:0"},
				{"a right reading near its time", 640, 640, "590:9 700:11"},
				{"right, and ahead by less than a minute", 680, 650, "590:9 680:0 700:11"},
				{"the next of a fast clock", 690, 660, "590:9 680:0 690:0 700:11"},
				{"one between them passes over the later one", 685, 661, "590:9 680:0 685:0 690:14 700:11"},
				{"the time of one comes", 600, 682, "590:9 685:0 690:14 700:11"},
				{"half an hour later", 2500, 2500, ""},
			} {
				mustAppend(t, s, arrivalSeconds(step.at, step.when, num(device.PropertyID(1+i%3), 1)))
				s = restart(s)
				if got := formatAhead(s); got != step.want {
					t.Fatalf("%s: %q, want %q", step.what, got, step.want)
				}
			}
		})
	}
}

func formatAhead(s *Store) (list string) {
	for i, a := range s.latest.aheadReadings(device.Ref{Tenant: 1, ID: 1}) {
		if i > 0 {
			list += " "
		}
		list += fmt.Sprintf("%d:%d", (a.Time-start)/1000, a.DeferredAtPosition)
	}
	return list
}

// The store remembers the newest maxAhead readings of a device that were stamped ahead.
func TestAheadReadingsAreBounded(t *testing.T) {
	var d deviceLatest
	rng := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		d.trackAhead(start+minute+1+int64(rng.IntN(600_000)), start, 1)
	}
	if n := len(d.ahead); n != maxAhead {
		t.Fatalf("%d readings, want %d", n, maxAhead)
	}
	for i := 1; i < maxAhead; i++ {
		if d.ahead[i].Time <= d.ahead[i-1].Time {
			t.Fatalf("not in order: %v", d.ahead)
		}
	}
	if oldest := d.ahead[0].Time; oldest < start+9*minute {
		t.Errorf("the oldest is %d s ahead", (oldest-start)/1000)
	}
}

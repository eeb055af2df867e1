package reading

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A leader that still fetches days cannot copy what came late for them: the archived position stays before
// it, so that the log keeps it, whether everything is compared or the position has stalled for long.
func TestLateReadingsOfMissingDaysStayInTheLog(t *testing.T) {
	for name, happens := range map[string]func(s *Store, a *FakeArchive) error{
		"everything is compared": func(_ *Store, a *FakeArchive) error {
			_, err := a.Doubt(t.Context())
			return err
		},
		"the position has stalled": func(s *Store, _ *FakeArchive) error {
			long := time.Now().Add(-2 * longestStall)
			s.archived.advancedAt.Store(&long)
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			first, log, archive := archiving(t, Options{})
			mustAppend(t, first, daysOf(archivedRefs[0], 2)...)
			mustArchive(t, first, archive)
			fill := func() *Store {
				o := first.opts
				o.Dir, o.fs = "filled", vfs.NewMem()
				if _, err := Fill(t.Context(), o, log); err != nil {
					t.Fatal(err)
				}
				s := openStore(t, o)
				catchUp(t, s, log)
				return s
			}
			leader := fill()
			late := arrival(1, 1, start+1, num(1, 5))
			mustAppend(t, first, late, arrival(1, 1, start+2*msPerDay, num(1, 6)))
			archive.term++
			lead(t, leader, log)
			leader.SetArchive(archive)
			if err := happens(leader, archive); err != nil {
				t.Fatal(err)
			}
			mustArchive(t, leader, archive)
			if at := archive.state; !at.Complete || at.Position != 1 || leader.archivedLimit() != 1 {
				t.Errorf("the archive reaches to %+v, the log may drop up to %d", at, leader.archivedLimit())
			}
			log.drop(archive.state.Position)
			if got := readRange(t, fill(), 1, 1, late.Time, late.Time, 1); len(got) != 1 {
				t.Errorf("a node that begins with the archive has %v of the late reading", got)
			}
			// Once the day is here, it is copied.
			if err := leader.FetchMissing(t.Context()); err != nil {
				t.Fatal(err)
			}
			mustArchive(t, leader, archive)
			if at := archive.state; !at.Complete || at.Position != leader.Position() {
				t.Errorf("the archive reaches to %+v, want %d", at, leader.Position())
			}
		})
	}
}

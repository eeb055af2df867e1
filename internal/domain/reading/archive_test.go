package reading

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// archiving opens a store that leads and copies to an archive.
func archiving(t testing.TB, o Options) (*Store, *FakeLog, *FakeArchive) {
	t.Helper()
	log, archive := NewFakeLog("life", 0), NewFakeArchive()
	o.Archive, o.Archiving = archive, true
	o.RetentionClock = func() time.Time { return time.UnixMilli(start) }
	s := openStore(t, o)
	lead(t, s, log)
	s.SetArchive(archive)
	return s, log, archive
}

// archiveNow seals everything and copies it.
func archiveNow(t testing.TB, s *Store, a *FakeArchive) error {
	t.Helper()
	seal(t, s, time.UnixMilli(start+100*msPerDay))
	checkpoint(t, s)
	return s.copyPass(t.Context(), a)
}

func mustArchive(t testing.TB, s *Store, a *FakeArchive) {
	t.Helper()
	if err := archiveNow(t, s, a); err != nil {
		t.Fatal(err)
	}
}

// daysOf makes a reading an hour of a device, on some days.
func daysOf(ref device.Ref, days int) (batch []Arrival) {
	for h := range int64(24 * days) {
		batch = append(
			batch,
			arrival(ref.Tenant, ref.ID, start+h*60*minute, num(1, float64(h%7)), num(2, float64(h)/10)),
		)
	}
	return batch
}

var archivedRefs = []device.Ref{{Tenant: 1, ID: 1}, {Tenant: 1, ID: 2}, {Tenant: 2, ID: 1}}

// A copy that is under way when a device is erased does not bring it back, at whatever write that happens.
func TestErasureDuringACopy(t *testing.T) {
	for at := range 4 {
		s, _, archive := archiving(t, Options{})
		for _, ref := range archivedRefs {
			mustAppend(t, s, daysOf(ref, 2)...)
		}
		writes, erased := 0, make(chan error, 1)
		archive.onPut = func() {
			if writes++; writes == at+1 {
				go func() { erased <- s.Erase(context.Background(), 1, 1) }()
				await(t, "the erasure to be in the log", func() bool {
					s.order.Lock()
					defer s.order.Unlock()
					return s.order.erased[archivedRefs[0]] != 0
				})
			}
		}
		mustArchive(t, s, archive)
		if err := <-erased; err != nil {
			t.Fatal(err)
		}
		archive.onPut = nil
		mustArchive(t, s, archive)
		kept := 0
		for k := range archive.days {
			if k.ref == archivedRefs[0] {
				t.Errorf("erased during write %d: %+v is archived", at+1, k)
			}
			kept++
		}
		if _, is := archive.latest[archivedRefs[0]]; is || kept != 4 || len(archive.latest) != 2 {
			t.Errorf("erased during write %d: %d device-days, latest of %v", at+1, kept, archive.latest)
		}
	}
}

// While the archive is away, days stay here, the log keeps what is not archived, and nothing fails; then
// everything is copied.
func TestArchiveThatIsAway(t *testing.T) {
	s, log, archive := archiving(t, Options{})
	mustAppend(t, s, daysOf(archivedRefs[0], 3)...)
	s.Trim(s.Position())
	archive.fail(errors.New("away"))
	if err := archiveNow(t, s, archive); err == nil || len(archive.days) != 0 {
		t.Fatalf("an archive that is away has %d device-days (%v)", len(archive.days), err)
	}
	if told, err := s.forgetEvaluated(t.Context(), 0); err != nil || told != 0 || log.forgot != 0 {
		t.Errorf("the log may drop up to %d (%v)", told, err)
	}
	archive.fail(nil)
	mustArchive(t, s, archive)
	if told, err := s.forgetEvaluated(
		t.Context(),
		0,
	); err != nil || told != 1 || log.forgot != 1 ||
		len(archive.days) != 3 {
		t.Errorf("the log may drop up to %d (%v), %d device-days", told, err, len(archive.days))
	}
	// What is the same is not written again; what came late is.
	before := archive.puts
	mustArchive(t, s, archive)
	mustAppend(t, s, daysOf(archivedRefs[0], 1)...)
	mustArchive(t, s, archive)
	if archive.puts != before {
		t.Errorf("%d device-days are written again", archive.puts-before)
	}
	mustAppend(t, s, arrival(1, 1, start+1, num(1, 5)))
	mustArchive(t, s, archive)
	if archive.puts != before+1 {
		t.Errorf("%d device-days are written for a late reading, want 1", archive.puts-before)
	}
}

// What was written before the log's life began is in no log. Until it is evaluated, no node can begin with the
// archive: it could never evaluate it.
func TestArchiveAwaitsEvaluationOfWhatIsInNoLog(t *testing.T) {
	archive := NewFakeArchive()
	s := openStore(t, Options{
		Archive: archive, Archiving: true,
		RetentionClock: func() time.Time { return time.UnixMilli(start) },
	})
	mustAppend(t, s, daysOf(archivedRefs[0], 2)...)
	if err := s.BeginLife("life"); err != nil {
		t.Fatal(err)
	}
	lead(t, s, NewFakeLog("life", s.Position()))
	s.SetArchive(archive)
	mustArchive(t, s, archive)
	if archive.state.Complete || len(archive.days) != 2 {
		t.Errorf("a node can begin with %+v, %d device-days", archive.state, len(archive.days))
	}
	s.Trim(s.life().begin)
	mustArchive(t, s, archive)
	if !archive.state.Complete || archive.state.Position < s.life().begin {
		t.Errorf("no node can begin with %+v", archive.state)
	}
}

// A damaged segment is read from the archive, and healed from it. It is not copied over what is sound there.
func TestDamagedSegmentIsHealed(t *testing.T) {
	s, _, archive := archiving(t, Options{})
	for _, ref := range archivedRefs {
		mustAppend(t, s, daysOf(ref, 3)...)
	}
	mustArchive(t, s, archive)
	want := contentOf(t, s)
	day, _ := dayOf(start)
	damage := func() {
		t.Helper()
		segments, err := localSegments(t.Context(), s.db, archivedRefs[1], day+1)
		if err != nil || len(segments) != 1 {
			t.Fatal(segments, err)
		}
		key := appendMs(appendSegmentPrefix(nil, day+1, archivedRefs[1]), segments[0].ms)
		if err := s.db.Set(key, segments[0].raw[:len(segments[0].raw)/2], pebble.Sync); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	sameContents(t, "with a damaged segment", contentOf(t, s), want)
	if archive.reads == 0 {
		t.Error("the archive was not read")
	}
	if err := s.FetchMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	archive.reads = 0
	sameContents(t, "after healing", contentOf(t, s), want)
	if archive.reads != 0 {
		t.Errorf("after healing, the archive is read %d times", archive.reads)
	}
	// Late readings that only this node has sealed are not replaced by what the archive has.
	mustAppend(t, s, arrival(1, 2, start+msPerDay+1, num(1, 5)))
	seal(t, s, time.UnixMilli(start+100*msPerDay))
	damage()
	err := s.Range(
		t.Context(),
		1,
		2,
		start,
		start+3*msPerDay,
		[]device.PropertyID{1},
		func(int64, []Field) error { return nil },
	)
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("reading what only this node had: %v", err)
	}
	archive.puts = 0
	if err := s.copyPass(t.Context(), archive); err != nil {
		t.Error(err)
	}
	if archive.puts != 0 {
		t.Error("a damaged day is copied")
	}
}

// Damaged latest values of the archive are found, keep nodes from beginning with it, and are written anew.
func TestDamagedLatestAreHealed(t *testing.T) {
	s, log, archive := archiving(t, Options{})
	for _, ref := range archivedRefs {
		mustAppend(t, s, daysOf(ref, 1)...)
	}
	mustArchive(t, s, archive)
	l := archive.latest[archivedRefs[1]]
	l.Values = append(bytes.Clone(l.Values), 'x')
	archive.latest[archivedRefs[1]] = l
	examine := func(want int) {
		t.Helper()
		f, err := ExamineArchive(t.Context(), archive, time.UnixMilli(0), true)
		if err != nil || f.Total != want {
			t.Fatalf("%+v, %v, want %d problems", f, err, want)
		}
		if name := fmt.Sprintf("device %d", archivedRefs[1].ID); want > 0 && !strings.Contains(f.Problems[0], name) {
			t.Errorf("%q does not name %s", f.Problems, name)
		}
	}
	examine(1)
	o := Options{Dir: t.TempDir() + "/x", Archive: archive, Archiving: true}
	if _, err := Fill(t.Context(), o, log); !errors.Is(err, ErrArchiveDamaged) {
		t.Errorf("a node begins with damaged latest values: %v", err)
	}
	mustArchive(t, s, archive)
	examine(0)
	o.Dir += "2"
	if _, err := Fill(t.Context(), o, log); err != nil {
		t.Error(err)
	}
}

// An archive that gives another tenant's days is refused.
func TestArchiveOfAnotherTenant(t *testing.T) {
	s, log, archive := archiving(t, Options{})
	mustAppend(t, s, daysOf(device.Ref{Tenant: 2, ID: 1}, 1)...)
	mustArchive(t, s, archive)
	o := Options{Dir: t.TempDir() + "/x", Archive: mixedArchive{archive}, Archiving: true}
	if _, err := Fill(t.Context(), o, log); err != nil {
		t.Fatal(err)
	}
	node := openStore(t, o)
	err := node.Range(t.Context(), 1, 1, start, start+msPerDay, []device.PropertyID{1}, func(int64, []Field) error {
		t.Error("another tenant's readings")
		return nil
	})
	if err == nil {
		t.Error("another tenant's days are taken")
	}
}

// mixedArchive confuses tenants.
type mixedArchive struct{ *FakeArchive }

func (a mixedArchive) DeviceDays(ctx context.Context, _ tenant.ID, d device.ID, life string, days []int32,
	fn func(*ArchivedDay) error) error {
	return a.FakeArchive.DeviceDays(ctx, 2, d, life, days, fn)
}

// A store without an archive remembers nothing for it.
func TestNothingIsMarkedWithoutAnArchive(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, daysOf(archivedRefs[0], 2)...)
	seal(t, s, time.UnixMilli(start+100*msPerDay))
	for _, tag := range []byte{tagToArchive, tagMissing} {
		if found, err := hasKeys(t.Context(), s.db, []byte{tag}, []byte{tag + 1}); err != nil || found {
			t.Errorf("keys under %q (%v)", tag, err)
		}
	}
	if value, err := s.get(keyMarked); err != nil || value != nil {
		t.Errorf("%x, %v", value, err)
	}
}

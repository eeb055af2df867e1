package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
)

const minute = int64(time.Minute / time.Millisecond)

var firstDay = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// archivingStore opens a node's readings, with the archive in PostgreSQL.
func archivingStore(t *testing.T, dir, address string) *reading.Store {
	t.Helper()
	reader := NewArchiveReader(address)
	s, err := reading.Open(t.Context(), reading.Options{
		Dir: dir, Archive: reader, Archiving: true, CheckpointEvery: 10 * time.Millisecond,
		RetentionClock: func() time.Time { return firstDay },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), reader.Close()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// leadTest makes a store lead and copy to the archive, until stop is called.
func leadTest(t *testing.T, s *reading.Store, address, name string) (term *Term, stop func()) {
	t.Helper()
	n := joinTest(t, address, name)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	o := noPreparation
	o.BeginLife = func(mark string) (uint64, error) { return s.Position(), s.BeginLife(mark) }
	term, err := n.AwaitTerm(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lead(t.Context(), term); err != nil {
		t.Fatal(err)
	}
	term.Leads()
	archive := term.NewArchive(NewArchiveReader(address))
	copying, end := context.WithCancel(t.Context())
	ended := make(chan struct{}, 2)
	go func() {
		_ = s.CopyToArchive(copying, archive, 10*time.Millisecond) // it ends with the test
		ended <- struct{}{}
	}()
	go func() {
		_ = s.Run(copying) // likewise
		ended <- struct{}{}
	}()
	return term, func() {
		end()
		<-ended
		<-ended
		if err := errors.Join(archive.Close(), archive.ArchiveReader.Close(), term.End()); err != nil {
			t.Error(err)
		}
	}
}

// measure appends readings of a day, one a minute.
func measure(t *testing.T, s *reading.Store, ref device.Ref, day, minutes int) {
	t.Helper()
	begin := firstDay.AddDate(0, 0, day).UnixMilli()
	batch := make([]reading.Arrival, minutes)
	for m := range batch {
		at := begin + int64(m)*minute
		batch[m] = reading.Arrival{At: at, Frame: reading.Frame{
			Tenant: ref.Tenant, Device: ref.ID, Time: at,
			Fields: []reading.Field{
				{Property: 1, Value: reading.Number(float64(int(ref.Tenant)*1000+day*100+m) / 10)},
				{Property: 2, Value: reading.Text(fmt.Sprint("state ", m%3))},
			},
		}}
	}
	if err := s.Append(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	s.Trim(s.Position())
}

// contentOf returns all readings of a device, and its latest values.
func contentOf(t *testing.T, s *reading.Store, ref device.Ref) string {
	t.Helper()
	text := ""
	err := s.Range(t.Context(), ref.Tenant, ref.ID, 0, firstDay.AddDate(1, 0, 0).UnixMilli(), []device.PropertyID{1, 2},
		func(at int64, fields []reading.Field) error {
			text += fmt.Sprintln(at, fields)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return text + fmt.Sprint(s.Newest(t.Context(), ref.Tenant, ref.ID))
}

// awaitTrue waits until a condition holds.
func awaitTrue(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatal("waited in vain for " + what)
		}
	}
}

// archived waits until the archive is complete; with marks, until it has everything up to the store's
// position, but for an erasure at the end, which no checkpoint counts.
func archived(t *testing.T, s *reading.Store, address string, marks bool) reading.ArchiveState {
	t.Helper()
	reader := NewArchiveReader(address)
	defer func() { _ = reader.Close() }()
	var state reading.ArchiveState
	awaitTrue(t, "the archive", func() bool {
		var err error
		if state, err = reader.State(t.Context()); err != nil {
			t.Fatal(err)
		}
		return state.Complete &&
			(!marks || s.ArchiveStats().Behind == 0 && state.Position+1 >= s.Position())
	})
	return state
}

var testRefs = []device.Ref{{Tenant: 1, ID: 1}, {Tenant: 1, ID: 2}, {Tenant: 2, ID: 1}}

// sealAll seals everything.
func sealAll(t *testing.T, s *reading.Store) {
	t.Helper()
	if err := s.Seal(t.Context(), firstDay.AddDate(0, 2, 0)); err != nil {
		t.Fatal(err)
	}
}

// A node that has nothing but PostgreSQL answers as the node that was lost: at once from the archive, and
// later from its own disk. It leads, and what is erased meanwhile does not come back.
func TestNodeFilledFromPostgreSQL(t *testing.T) {
	address := testDatabase(t)
	lost := archivingStore(t, t.TempDir(), address)
	_, stop := leadTest(t, lost, address, "lost")
	for day := range 12 {
		for _, ref := range testRefs {
			measure(t, lost, ref, day, 30)
		}
		if day == 10 {
			sealAll(t, lost)
			archived(t, lost, address, true)
		}
	}
	measure(t, lost, testRefs[0], 3, 40) // late
	var want []string
	for _, ref := range testRefs {
		want = append(want, contentOf(t, lost, ref))
	}
	stop()

	dir := t.TempDir() + "/readings"
	log, err := OpenLog(address)
	if err != nil {
		t.Fatal(err)
	}
	reader := NewArchiveReader(address)
	filled, err := reading.Fill(t.Context(), reading.Options{Dir: dir, Archive: reader}, log)
	if err := errors.Join(err, log.Close(), reader.Close()); err != nil {
		t.Fatal(err)
	}
	if filled.Days != 11 || filled.Devices != len(testRefs) || filled.Position == 0 ||
		filled.Position >= lost.Position() {
		t.Errorf("filled with %+v, the log ends at %d", filled, lost.Position())
	}
	node := archivingStore(t, dir, address)
	_, stop = leadTest(t, node, address, "node")
	defer func() { stop() }()
	same := func(when string, refs ...device.Ref) {
		t.Helper()
		for i, ref := range testRefs {
			if len(refs) > 0 && ref != refs[0] {
				continue
			}
			if got := contentOf(t, node, ref); got != want[i] {
				t.Errorf("%s: %+v holds %d bytes, want %d: %.300s", when, ref, len(got), len(want[i]), got)
			}
		}
	}
	same("from the archive")
	if stats := node.ArchiveStats(); stats.Missing != 11 || stats.Fetched == 0 {
		t.Errorf("stats %+v", stats)
	}
	if err := node.Snapshot(t.Context(), t.TempDir()+"/copy", func(context.Context) error { return nil }); err == nil {
		t.Error("a node that lacks days makes a backup")
	}
	// A device that is erased before its days are fetched stays erased, and another tenant's stays.
	if err := node.Erase(t.Context(), 1, 1); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, node, testRefs[0]); got != "[]" {
		t.Errorf("an erased device holds %.300s", got)
	}
	same("after another was erased", testRefs[2])
	if err := node.FetchMissing(t.Context()); err != nil {
		t.Fatal(err)
	}
	sealAll(t, node)
	same("from its own disk", testRefs[1])
	same("from its own disk", testRefs[2])
	if got := contentOf(t, node, testRefs[0]); got != "[]" || node.ArchiveStats().Missing != 0 {
		t.Errorf("after fetching, %d days missing, an erased device holds %.300s", node.ArchiveStats().Missing, got)
	}
	archived(t, node, address, true)
	if rows := queryInt(
		t,
		address,
		"SELECT count(*) FROM reading_parts WHERE tenant_id = 1 AND device_id = 1",
	); rows != 0 {
		t.Errorf("%d rows of an erased device", rows)
	}
	if rows := queryInt(t, address, "SELECT count(*) FROM reading_parts"); rows != 24 {
		t.Errorf("%d rows, want 24", rows)
	}
}

// The node that leads writes a damaged row anew; a node does not store one.
func TestDamagedRowIsWrittenAnew(t *testing.T) {
	address := testDatabase(t)
	leader := archivingStore(t, t.TempDir(), address)
	_, stop := leadTest(t, leader, address, "a")
	defer func() { stop() }()
	for day := range 3 {
		for _, ref := range testRefs {
			measure(t, leader, ref, day, 30)
		}
	}
	sealAll(t, leader)
	archived(t, leader, address, true)
	first := firstDay.UnixMilli() / 86_400_000
	queryInt(t, address, fmt.Sprintf(`WITH one AS (UPDATE reading_parts SET segments = set_byte(segments, 40,
		get_byte(segments, 40) # 1) WHERE day = %d AND tenant_id = 2 RETURNING 1) SELECT count(*) FROM one`, first+1))

	log, err := OpenLog(address)
	if err != nil {
		t.Fatal(err)
	}
	reader := NewArchiveReader(address)
	defer func() {
		if err := errors.Join(log.Close(), reader.Close()); err != nil {
			t.Error(err)
		}
	}()
	found, err := reading.ExamineArchive(t.Context(), reader, firstDay, false)
	if err != nil || found.Total != 1 || found.DeviceDays != 9 || found.Days != 3 {
		t.Fatalf("findings %+v, %v", found, err)
	}
	dir := t.TempDir() + "/readings"
	if _, err := reading.Fill(t.Context(), reading.Options{Dir: dir, Archive: reader}, log); err != nil {
		t.Fatal(err)
	}
	node := archivingStore(t, dir, address)
	if err := node.FetchMissing(t.Context()); !errors.Is(err, reading.ErrArchiveDamaged) {
		t.Errorf("fetching: %v", err)
	}
	awaitTrue(t, "the leader to write it anew", func() bool { return node.FetchMissing(t.Context()) == nil })
	if found, err = reading.ExamineArchive(t.Context(), reader, firstDay, false); err != nil || found.Total != 0 {
		t.Errorf("findings %+v, %v", found, err)
	}
	for _, ref := range testRefs {
		if got, want := contentOf(t, node, ref), contentOf(t, leader, ref); got != want {
			t.Errorf("%+v: %.200s, want %.200s", ref, got, want)
		}
	}
}

// Whoever holds the archive's tables locked keeps nobody from the status, and so from a hand-over.
func TestStatusOfALockedArchive(t *testing.T) {
	address := testDatabase(t)
	leader := archivingStore(t, t.TempDir(), address)
	_, stop := leadTest(t, leader, address, "a")
	defer func() { stop() }()
	measure(t, leader, testRefs[0], 0, 30)
	sealAll(t, leader)
	archived(t, leader, address, true)
	if s, err := ReadStatus(t.Context(), address); err != nil || s.ArchiveBytes == 0 {
		t.Fatalf("before: %+v, %v", s, err)
	}
	other, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(context.Background()) }() // ends its lock, too
	if _, err := other.Exec(t.Context(), "BEGIN; LOCK TABLE reading_parts IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	s, err := ReadStatus(t.Context(), address)
	if err != nil || s.Leader != "a" || !s.ArchiveComplete ||
		!slices.ContainsFunc(
			s.Problems,
			func(p string) bool { return strings.Contains(p, "has locked the archive's tables") },
		) {
		t.Errorf("locked: %+v, %v", s, err)
	}
}

// Nothing of an earlier term is written to the archive.
func TestArchiveOfAnEarlierTerm(t *testing.T) {
	address := testDatabase(t)
	first := archiveTest(t, address)
	if _, err := first.Begin(t.Context(), "life"); err != nil {
		t.Fatal(err)
	}
	if err := first.term.session.drop(); err != nil { // its lock of the log is free
		t.Fatal(err)
	}
	second := own(t, joinTest(t, address, "b")).NewArchive(NewArchiveReader(address))
	defer func() {
		if err := errors.Join(second.Close(), second.ArchiveReader.Close()); err != nil {
			t.Error(err)
		}
	}()
	if _, err := second.Reach(t.Context(), 5, 5); err != nil {
		t.Fatal(err)
	}
	ref := device.Ref{Tenant: tenant.ID(1), ID: device.ID(1)}
	for range 2 { // the first attempt finds its session ended
		_, err := first.Put(t.Context(), 1, nil, []reading.ArchivedDay{{Ref: ref, Day: 1, Segments: []byte("x")}})
		if err == nil {
			t.Fatal("an earlier term wrote to the archive")
		}
		if errors.Is(err, reading.ErrFenced) {
			break
		}
	}
	if !errors.Is(first.term.Err(), reading.ErrFenced) {
		t.Errorf("the earlier term: %v", first.term.Err())
	}
	if rows := queryInt(t, address, "SELECT count(*) FROM reading_parts"); rows != 0 {
		t.Errorf("%d rows", rows)
	}
}

func queryInt(t *testing.T, address, query string) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(c.QueryRow(t.Context(), query).Scan(&n), c.Close(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

package logtest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// ArchiveConformance runs the cases that every reading.Archive must pass. open returns an archive that was
// never begun, another one each time.
func ArchiveConformance(t *testing.T, open func(t *testing.T) reading.Archive) {
	for name, check := range map[string]func(c *archiveCase){
		"an archive that was never begun":     neverBegun,
		"device-days are replaced":            replaceDays,
		"days are listed and read in order":   inOrder,
		"a tenant's days are its own":         ownDays,
		"an erasure keeps what came after it": erasure,
		"the archive is read when complete":   whenComplete,
		"old days are dropped":                expire,
		"writes are counted":                  countWrites,
		"damage is noted until it is mended":  noteDamage,
		"damaged latest values are noted":     noteDamagedLatest,
		"another life begins without content": beginAnew,
		"latest values are replaced":          replaceLatest,
	} {
		t.Run(name, func(t *testing.T) { check(&archiveCase{T: t, Archive: open(t)}) })
	}
}

const life = "life"

type archiveCase struct {
	*testing.T
	reading.Archive
}

// ok fails the test if a call failed.
func (c *archiveCase) ok(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// must fails the test if a write failed.
func (c *archiveCase) must(w reading.ArchiveWrite, err error) reading.ArchiveWrite {
	c.Helper()
	c.ok(err)
	return w
}

func (c *archiveCase) begin() {
	c.Helper()
	c.must(c.Begin(c.Context(), life))
	c.must(c.Reach(c.Context(), 1, 11))
}

func ref(tenant, id int64) device.Ref {
	var r device.Ref
	r.Tenant, r.ID = r.Tenant+typed(r.Tenant, tenant), r.ID+typed(r.ID, id)
	return r
}

func typed[T ~int64](_ T, n int64) T { return T(n) }

// day makes a device-day whose content tells what it is.
func day(r device.Ref, on int32, pos uint64, content string) reading.ArchivedDay {
	return reading.ArchivedDay{
		Ref:        r,
		Day:        on,
		Position:   pos,
		Digest:     1<<63 + pos,
		Segments:   []byte(content),
		Aggregates: []byte("of " + content),
	}
}

func (c *archiveCase) put(days ...reading.ArchivedDay) {
	c.Helper()
	for _, d := range days {
		c.must(c.Put(c.Context(), d.Day, nil, []reading.ArchivedDay{d}))
	}
}

// read returns a device's days as text.
func (c *archiveCase) read(r device.Ref, days ...int32) (found []string) {
	c.Helper()
	c.ok(c.DeviceDays(c.Context(), r.Tenant, r.ID, life, days, func(d *reading.ArchivedDay) error {
		if d.Ref != r || d.Digest != 1<<63+d.Position || string(d.Aggregates) != "of "+string(d.Segments) {
			c.Errorf("device-day %+v", d)
		}
		found = append(found, fmt.Sprintf("%d: %s", d.Day, d.Segments))
		return nil
	}))
	return found
}

func (c *archiveCase) want(what string, got []string, want ...string) {
	c.Helper()
	if !slices.Equal(got, want) {
		c.Errorf("%s: %q, want %q", what, got, want)
	}
}

func neverBegun(c *archiveCase) {
	s, err := c.State(c.Context())
	if err != nil || s != (reading.ArchiveState{}) {
		c.Errorf("state %+v, %v", s, err)
	}
	days, err := c.Days(c.Context())
	if err != nil || len(days) != 0 {
		c.Errorf("days %v, %v", days, err)
	}
	err = c.DeviceDays(c.Context(), 1, 1, life, []int32{1}, func(*reading.ArchivedDay) error { return nil })
	if !errors.Is(err, reading.ErrArchiveIncomplete) {
		c.Errorf("reading it: %v", err)
	}
}

func replaceDays(c *archiveCase) {
	c.begin()
	a, b := ref(1, 1), ref(1, 2)
	c.put(day(a, 20000, 5, "first"), day(b, 20000, 6, "other"))
	c.must(c.Put(c.Context(), 20000, []device.Ref{b}, []reading.ArchivedDay{day(a, 20000, 7, "second")}))
	c.want("replaced", c.read(a, 20000), "20000: second")
	c.want("removed", c.read(b, 20000))
	digests, err := c.Digests(c.Context(), 20000, []device.Ref{a, b})
	if err != nil || len(digests) != 1 || digests[a] != 1<<63+7 {
		c.Errorf("digests %v, %v", digests, err)
	}
}

func inOrder(c *archiveCase) {
	c.begin()
	all := []int32{-25, -1, 0, 9, 10, 20000, 20011}
	for _, on := range []int32{20011, 9, -1, 10, 20000, 0, -25} {
		c.put(day(ref(1, 1), on, 5, fmt.Sprint(on)), day(ref(2, 1), on, 5, "of another"))
	}
	days, err := c.Days(c.Context())
	if err != nil || !slices.Equal(days, all) {
		c.Errorf("days %v, want %v (%v)", days, all, err)
	}
	c.want("some days", c.read(ref(1, 1), -25, 0, 1, 10, 20011), "-25: -25", "0: 0", "10: 10", "20011: 20011")
	for i := range int64(5) {
		c.put(day(ref(i%2+1, 10-i), 30, 5, "x"))
	}
	var got, refs []string
	for after := (device.Ref{}); ; {
		list, err := c.DayAfter(c.Context(), 30, after, 2)
		c.ok(err)
		some, err := c.RefsAfter(c.Context(), 30, after, 2)
		c.ok(err)
		if len(list) == 0 {
			break
		}
		for i := range list {
			got = append(got, fmt.Sprint(list[i].Ref.Tenant, " ", list[i].Ref.ID))
			refs = append(refs, fmt.Sprint(some[i].Tenant, " ", some[i].ID))
		}
		after = list[len(list)-1].Ref
	}
	c.want("devices of a day", got, "1 6", "1 8", "1 10", "2 7", "2 9")
	c.want("their names", refs, got...)
}

// A device of another tenant with the same number is another device.
func ownDays(c *archiveCase) {
	c.begin()
	mine, theirs := ref(1, 7), ref(2, 7)
	c.put(day(mine, 100, 5, "mine"), day(theirs, 100, 5, "theirs"))
	c.want("mine", c.read(mine, 100), "100: mine")
	c.want("theirs", c.read(theirs, 100), "100: theirs")
	c.must(c.Erase(c.Context(), mine.Tenant, mine.ID, 9))
	c.want("mine", c.read(mine, 100))
	c.want("theirs, after mine were erased", c.read(theirs, 100), "100: theirs")
	c.must(c.Put(c.Context(), 100, []device.Ref{mine}, nil))
	c.want("theirs, after mine were removed", c.read(theirs, 100), "100: theirs")
	c.ok(c.NoteDamaged(c.Context(), mine.Tenant, mine.ID, 100))
	c.put(day(theirs, 100, 6, "again"))
	list, err := c.Damaged(c.Context())
	if err != nil || len(list) != 1 || list[0].Ref != mine {
		c.Errorf("damaged %+v, %v", list, err)
	}
}

func erasure(c *archiveCase) {
	c.begin()
	r := ref(1, 1)
	c.put(day(r, 5, 8, "before"), day(r, 6, 10, "after"), day(r, 7, 12, "later"))
	for id, pos := range []uint64{8, 10} {
		l := reading.ArchivedLatest{Ref: ref(1, int64(id+1)), Position: pos, Values: []byte("v")}
		c.must(c.PutLatest(c.Context(), []reading.ArchivedLatest{l}))
		c.must(c.Erase(c.Context(), l.Ref.Tenant, l.Ref.ID, 10))
	}
	c.want("days", c.read(r, 5, 6, 7), "6: after", "7: later")
	list, err := c.LatestAfter(c.Context(), device.Ref{}, 10)
	if err != nil || len(list) != 1 || list[0].Position != 10 {
		c.Errorf("latest %+v, %v", list, err)
	}
}

func whenComplete(c *archiveCase) {
	c.begin()
	c.put(day(ref(1, 1), 5, 8, "x"))
	nothing := func(*reading.ArchivedDay) error { return nil }
	if err := c.DeviceDays(
		c.Context(),
		1,
		1,
		"another",
		[]int32{5},
		nothing,
	); !errors.Is(
		err,
		reading.ErrArchiveIncomplete,
	) {
		c.Errorf("with another life: %v", err)
	}
	c.must(c.Doubt(c.Context()))
	if err := c.DeviceDays(
		c.Context(),
		1,
		1,
		life,
		[]int32{5},
		nothing,
	); !errors.Is(
		err,
		reading.ErrArchiveIncomplete,
	) {
		c.Errorf("while it is doubted: %v", err)
	}
	c.must(c.Reach(c.Context(), 1<<40, 1<<63+1))
	c.want("complete again", c.read(ref(1, 1), 5), "5: x")
	s, err := c.State(c.Context())
	if err != nil || s.Life != life || !s.Complete || s.Position != 1<<40 || s.Chain != 1<<63+1 || s.Mark == "" {
		c.Errorf("state %+v, %v", s, err)
	}
}

func expire(c *archiveCase) {
	c.begin()
	for _, on := range []int32{-30, 19989, 19990, 20000, 20009} {
		c.put(day(ref(1, 1), on, 8, "x"))
	}
	c.must(c.Expire(c.Context(), 20005))
	days, err := c.Days(c.Context())
	if err != nil || slices.Contains(days, -30) || slices.Contains(days, 19989) || !slices.Contains(days, 20009) {
		c.Errorf("days %v, %v", days, err)
	}
	c.put(day(ref(1, 1), 19985, 9, "late")) // a partition that was dropped is made again
	c.want("late", c.read(ref(1, 1), 19985), "19985: late")
}

func countWrites(c *archiveCase) {
	before := c.must(c.Begin(c.Context(), life))
	for range 3 {
		w := c.must(c.Expire(c.Context(), -1<<31))
		s, err := c.State(c.Context())
		c.ok(err)
		if w.Term != before.Term || w.Number != before.Number+1 || s.Last != w {
			c.Fatalf("write %+v after %+v, state %+v", w, before, s)
		}
		before = w
	}
	for w, want := range map[reading.ArchiveWrite]bool{
		{}:     true,
		before: true,
		{Term: before.Term, Number: before.Number - 1}: true,
		{Term: before.Term, Number: before.Number + 1}: false,
		{Term: before.Term + 1, Number: 1}:             false,
	} {
		if has, err := c.Has(c.Context(), w); err != nil || has != want {
			c.Errorf("has %+v: %v, %v", w, has, err)
		}
	}
}

func noteDamage(c *archiveCase) {
	c.begin()
	r := ref(1, 1)
	c.put(day(r, 5, 8, "x"))
	for range 2 {
		c.ok(c.NoteDamaged(c.Context(), r.Tenant, r.ID, 5))
	}
	list, err := c.Damaged(c.Context())
	if err != nil || len(list) != 1 || list[0].Ref != r || list[0].Day != 5 {
		c.Fatalf("damaged %+v, %v", list, err)
	}
	c.put(day(r, 5, 9, "y"))
	if list, err = c.Damaged(c.Context()); err != nil || len(list) != 0 {
		c.Errorf("damaged %+v, %v", list, err)
	}
}

func noteDamagedLatest(c *archiveCase) {
	c.begin()
	mine, theirs := ref(1, 7), ref(2, 7)
	for _, r := range []device.Ref{mine, theirs} {
		c.ok(c.NoteDamaged(c.Context(), r.Tenant, r.ID, reading.LatestDay))
	}
	c.must(c.PutLatest(c.Context(), []reading.ArchivedLatest{{Ref: mine, Position: 8, Values: []byte("v")}}))
	list, err := c.Damaged(c.Context())
	if err != nil || len(list) != 1 || list[0].Ref != theirs || list[0].Day != reading.LatestDay {
		c.Errorf("damaged %+v, %v: only those of tenant 2 are left", list, err)
	}
}

func beginAnew(c *archiveCase) {
	c.begin()
	c.put(day(ref(1, 1), 5, 8, "x"))
	c.must(c.PutLatest(c.Context(), []reading.ArchivedLatest{{Ref: ref(1, 1), Position: 8, Values: []byte("v")}}))
	before, err := c.State(c.Context())
	c.ok(err)
	c.must(c.Begin(c.Context(), "next"))
	now, err := c.State(c.Context())
	c.ok(err)
	days, err := c.Days(c.Context())
	c.ok(err)
	latest, err := c.LatestAfter(c.Context(), device.Ref{}, 10)
	c.ok(err)
	if now.Life != "next" || now.Complete || now.Mark == before.Mark || len(days)+len(latest) != 0 {
		c.Errorf("state %+v, days %v, latest %v", now, days, latest)
	}
	c.put(day(ref(1, 1), 5, 8, "x"))
}

func replaceLatest(c *archiveCase) {
	c.begin()
	var refs []device.Ref
	for i := range int64(5) {
		refs = append(refs, ref(1+i%2, i))
		c.must(c.PutLatest(c.Context(), []reading.ArchivedLatest{{Ref: refs[i], Position: 1, Values: []byte("old")}}))
		l := reading.ArchivedLatest{Ref: refs[i], Position: 2, Digest: 1<<63 + uint64(i), Values: []byte(fmt.Sprint(i))}
		c.must(c.PutLatest(c.Context(), []reading.ArchivedLatest{l}))
	}
	var got []string
	for after := (device.Ref{}); ; {
		list, err := c.LatestAfter(c.Context(), after, 2)
		c.ok(err)
		if len(list) == 0 {
			break
		}
		for _, l := range list {
			got = append(got, fmt.Sprint(l.Ref.Tenant, " ", l.Ref.ID, ": ", string(l.Values)))
		}
		after = list[len(list)-1].Ref
	}
	c.want("latest", got, "1 0: 0", "1 2: 2", "1 4: 4", "2 1: 1", "2 3: 3")
	digests, err := c.LatestDigests(c.Context(), refs[:3])
	if err != nil || len(digests) != 3 || digests[refs[2]] != 1<<63+2 {
		c.Errorf("digests %v, %v", digests, err)
	}
}

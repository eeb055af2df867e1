package reading

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"tilth/internal/domain/device"
	"tilth/internal/domain/tenant"
)

// FakeArchive is an archive in memory. It is exported for the tests of package reading_test.
type FakeArchive struct {
	mu      sync.Mutex
	state   ArchiveState
	begun   int
	days    map[deviceDay]ArchivedDay
	latest  map[device.Ref]ArchivedLatest
	damaged map[deviceDay]bool

	log     *FakeLog // in the same database; nil: the archive does not go back with it
	history []archiveMoment

	failure error             // of all calls
	onPut   func()            // called before a write, without the lock
	term    uint64            // of the leader
	terms   map[uint64]uint64 // writes of each
	puts    int               // device-days that were written
	reads   int               // calls of DeviceDays
}

// NewFakeArchive returns an archive that was never begun.
func NewFakeArchive() *FakeArchive {
	a := &FakeArchive{term: 1, terms: map[uint64]uint64{}}
	a.clear()
	return a
}

func (a *FakeArchive) clear() {
	a.days, a.latest, a.damaged = map[deviceDay]ArchivedDay{}, map[device.Ref]ArchivedLatest{}, map[deviceDay]bool{}
}

func (a *FakeArchive) lock() func() {
	a.mu.Lock()
	return a.mu.Unlock
}

func compareRefs(a, b device.Ref) int {
	return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.ID, b.ID))
}

func (a *FakeArchive) State(context.Context) (ArchiveState, error) {
	defer a.lock()()
	return a.state, a.failure
}

func (a *FakeArchive) Has(_ context.Context, w ArchiveWrite) (bool, error) {
	defer a.lock()()
	return w == (ArchiveWrite{}) || a.terms[w.Term] >= w.Number, a.failure
}

func (a *FakeArchive) Days(context.Context) (days []int32, err error) {
	defer a.lock()()
	for k := range a.days {
		if !slices.Contains(days, k.day) {
			days = append(days, k.day)
		}
	}
	slices.Sort(days)
	return days, a.failure
}

func (a *FakeArchive) DeviceDays(_ context.Context, t tenant.ID, d device.ID, life string, days []int32,
	fn func(*ArchivedDay) error) error {
	list, err := func() (list []ArchivedDay, err error) {
		defer a.lock()()
		a.reads++
		if err := a.state.checkComplete(life); err != nil {
			return nil, err
		}
		for _, day := range days {
			if one, ok := a.days[deviceDay{device.Ref{Tenant: t, ID: d}, day}]; ok {
				list = append(list, one)
			}
		}
		return list, a.failure
	}()
	for i := 0; i < len(list) && err == nil; i++ {
		err = fn(&list[i])
	}
	return err
}

func (a *FakeArchive) DayAfter(
	_ context.Context,
	day int32,
	after device.Ref,
	most int,
) (list []ArchivedDay, err error) {
	defer a.lock()()
	for k, d := range a.days {
		if k.day == day && compareRefs(k.ref, after) > 0 {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b ArchivedDay) int { return compareRefs(a.Ref, b.Ref) })
	return list[:min(most, len(list))], a.failure
}

func (a *FakeArchive) RefsAfter(
	ctx context.Context,
	day int32,
	after device.Ref,
	most int,
) (refs []device.Ref, err error) {
	list, err := a.DayAfter(ctx, day, after, most)
	for _, d := range list {
		refs = append(refs, d.Ref)
	}
	return refs, err
}

func (a *FakeArchive) LatestAfter(_ context.Context, after device.Ref, most int) (list []ArchivedLatest, err error) {
	defer a.lock()()
	for ref, l := range a.latest {
		if compareRefs(ref, after) > 0 {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b ArchivedLatest) int { return compareRefs(a.Ref, b.Ref) })
	return list[:min(most, len(list))], a.failure
}

func (a *FakeArchive) NoteDamaged(_ context.Context, t tenant.ID, d device.ID, day int32) error {
	defer a.lock()()
	a.damaged[deviceDay{device.Ref{Tenant: t, ID: d}, day}] = true
	return a.failure
}

func (a *FakeArchive) Damaged(context.Context) (list []ArchivedDay, err error) {
	defer a.lock()()
	for k := range a.damaged {
		list = append(list, ArchivedDay{Ref: k.ref, Day: k.day})
	}
	return list, a.failure
}

func (a *FakeArchive) Digests(_ context.Context, day int32, refs []device.Ref) (map[device.Ref]uint64, error) {
	defer a.lock()()
	found := map[device.Ref]uint64{}
	for _, ref := range refs {
		if d, ok := a.days[deviceDay{ref, day}]; ok {
			found[ref] = d.Digest
		}
	}
	return found, a.failure
}

func (a *FakeArchive) LatestDigests(_ context.Context, refs []device.Ref) (map[device.Ref]uint64, error) {
	defer a.lock()()
	found := map[device.Ref]uint64{}
	for _, ref := range refs {
		if l, ok := a.latest[ref]; ok {
			found[ref] = l.Digest
		}
	}
	return found, a.failure
}

// write runs one transaction.
func (a *FakeArchive) write(do func() error) (ArchiveWrite, error) {
	if f := a.onPut; f != nil {
		f()
	}
	defer a.lock()()
	if a.failure != nil {
		return ArchiveWrite{}, a.failure
	}
	a.terms[a.term]++
	a.state.Last = ArchiveWrite{a.term, a.terms[a.term]}
	if err := do(); err != nil || a.log == nil {
		return a.state.Last, err
	}
	last, _, err := a.log.Last(context.Background())
	a.history = append(a.history, archiveMoment{
		last, a.state, maps.Clone(a.days), maps.Clone(a.latest), maps.Clone(a.damaged), maps.Clone(a.terms),
	})
	return a.state.Last, err
}

// archiveMoment is what an archive held while the log ended at an entry.
type archiveMoment struct {
	last    uint64
	state   ArchiveState
	days    map[deviceDay]ArchivedDay
	latest  map[device.Ref]ArchivedLatest
	damaged map[deviceDay]bool
	terms   map[uint64]uint64
}

// goBack makes the archive hold what it held when the log ended at a position, as after a failover of the
// database to a copy that was behind.
func (a *FakeArchive) goBack(last uint64) {
	defer a.lock()()
	for len(a.history) > 0 && a.history[len(a.history)-1].last > last {
		a.history = a.history[:len(a.history)-1]
	}
	a.state, a.terms = ArchiveState{}, map[uint64]uint64{}
	a.clear()
	if n := len(a.history); n > 0 {
		m := a.history[n-1]
		a.state, a.days, a.latest, a.damaged = m.state, maps.Clone(m.days), maps.Clone(m.latest), maps.Clone(m.damaged)
		a.terms = maps.Clone(m.terms)
	}
}

func (a *FakeArchive) Put(_ context.Context, day int32, remove []device.Ref, put []ArchivedDay) (ArchiveWrite, error) {
	return a.write(func() error {
		for _, ref := range remove {
			delete(a.days, deviceDay{ref, day})
			delete(a.damaged, deviceDay{ref, day})
		}
		for _, d := range put {
			if d.Day != day || d.Position == 0 {
				return fmt.Errorf("put %+v on day %d", d, day)
			}
			d.Segments, d.Aggregates = bytes.Clone(d.Segments), bytes.Clone(d.Aggregates)
			a.days[deviceDay{d.Ref, day}] = d
			delete(a.damaged, deviceDay{d.Ref, day})
			a.puts++
		}
		return nil
	})
}

func (a *FakeArchive) PutLatest(_ context.Context, put []ArchivedLatest) (ArchiveWrite, error) {
	return a.write(func() error {
		for _, l := range put {
			a.latest[l.Ref] = l
			delete(a.damaged, deviceDay{l.Ref, LatestDay})
		}
		return nil
	})
}

func (a *FakeArchive) Erase(_ context.Context, t tenant.ID, d device.ID, before uint64) (ArchiveWrite, error) {
	return a.write(func() error {
		ref := device.Ref{Tenant: t, ID: d}
		maps.DeleteFunc(a.days, func(k deviceDay, d ArchivedDay) bool { return k.ref == ref && d.Position < before })
		maps.DeleteFunc(a.latest, func(r device.Ref, l ArchivedLatest) bool { return r == ref && l.Position < before })
		return nil
	})
}

func (a *FakeArchive) Expire(_ context.Context, before int32) (ArchiveWrite, error) {
	return a.write(func() error {
		maps.DeleteFunc(a.days, func(k deviceDay, _ ArchivedDay) bool { return k.day < before })
		return nil
	})
}

func (a *FakeArchive) Begin(_ context.Context, life string) (ArchiveWrite, error) {
	return a.write(func() error {
		a.clear()
		a.begun++
		a.state = ArchiveState{Life: life, Mark: fmt.Sprint("mark ", a.begun), Last: a.state.Last}
		return nil
	})
}

func (a *FakeArchive) Reach(_ context.Context, pos, chain uint64) (ArchiveWrite, error) {
	return a.write(func() error {
		if pos < a.state.Position {
			return errors.New("the archived position went back")
		}
		a.state.Position, a.state.Chain, a.state.Complete = pos, chain, true
		return nil
	})
}

func (a *FakeArchive) Doubt(context.Context) (ArchiveWrite, error) {
	return a.write(func() error {
		a.state.Complete = false
		return nil
	})
}

func (a *FakeArchive) fail(err error) {
	defer a.lock()()
	a.failure = err
}

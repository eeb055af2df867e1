package reading

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"tilth/internal/domain/device"
	"tilth/internal/tools/testkit/race"
)

// TestCrashLosesNothingAcknowledged crashes the disk again and again while two writers append, a
// consumer records its position, checkpoints are written, memtables are flushed and the days being
// written to are sealed. However much of the unsynced data the disk happens to hold: every
// acknowledged batch is completely readable and is in the journal unless the consumer recorded it,
// and the latest values match the readings.
func TestCrashLosesNothingAcknowledged(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for n := range race.Cases(25) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rig := newCrashRig(t, rng.Uint64())
			acks := 5 + rng.IntN(300)
			cfg := vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(101), RNG: rng}
			disk, acknowledged, evaluated := rig.crashAfter(acks, cfg)
			s := openStore(t, Options{Dir: "data", fs: disk, memTableBytes: 64 << 10})
			what := fmt.Sprintf("%d acknowledged, evaluated to %d", len(acknowledged), evaluated)
			checkAcknowledged(t, what, s, acknowledged)
			checkBacklog(t, what, s, evaluated, acknowledged)
			checkLatestAgainstReadings(t, what, s)
		})
	}
}

// crashRig is a working store on a disk that can crash.
type crashRig struct {
	t     *testing.T
	disk  *vfs.MemFS
	store *Store

	mu           sync.Mutex
	acknowledged map[int]bool // batches by number
	acks         chan struct{}

	positionMu sync.Mutex // held while the consumer records its position
	evaluated  uint64
}

func newCrashRig(t *testing.T, seed uint64) *crashRig {
	p := &crashRig{t: t, disk: vfs.NewCrashableMem(), acknowledged: map[int]bool{}, acks: make(chan struct{}, 1000)}
	p.store = openStore(t, Options{Dir: "data", fs: p.disk, memTableBytes: 64 << 10, QueueBatches: 4})
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	report := func(what string, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	work.Go(func() { report("consume", p.store.Consume(ctx, 0, p.consume)) })
	for w := range 2 {
		work.Go(func() {
			for n := w; ctx.Err() == nil; n += 2 {
				err := p.store.Append(ctx, crashBatch(n))
				if report("append", err); err != nil {
					return
				}
				p.mu.Lock()
				p.acknowledged[n] = true
				p.mu.Unlock()
				select {
				case p.acks <- struct{}{}:
				default:
				}
			}
		})
	}
	work.Go(func() {
		rng := rand.New(rand.NewPCG(seed, 1))
		for ctx.Err() == nil {
			if rng.IntN(3) == 0 {
				report("flush", p.store.db.Flush())
			}
			report("checkpoint", p.store.checkpoint(ctx))
			report("seal", p.store.Seal(ctx, time.UnixMilli(start+10*msPerDay)))
		}
	})
	t.Cleanup(func() {
		cancel()
		work.Wait()
	})
	return p
}

// consume records its position at every second batch, for that batch and the one before.
func (p *crashRig) consume(_ context.Context, pos uint64, _ []Arrival) error {
	if pos%2 == 0 {
		p.positionMu.Lock()
		defer p.positionMu.Unlock()
		p.evaluated = pos
		p.store.Trim(pos)
	}
	return nil
}

// crashAfter waits for some acknowledgements and crashes the disk.
func (p *crashRig) crashAfter(acks int, cfg vfs.CrashCloneCfg) (
	disk *vfs.MemFS, acknowledged map[int]bool, evaluated uint64,
) {
	for range acks {
		<-p.acks
	}
	p.positionMu.Lock()
	defer p.positionMu.Unlock()
	p.mu.Lock() // so that at most one batch of each writer is not recorded
	defer p.mu.Unlock()
	return p.disk.CrashClone(cfg), maps.Clone(p.acknowledged), p.evaluated
}

const crashDevices = 5

// crashBatch returns batch n: three frames of its own, and one that all batches share and in which
// each batch has its own property.
func crashBatch(n int) []Arrival {
	var batch []Arrival
	for i := range 3 {
		d := device.ID(1 + (n+i)%crashDevices)
		batch = append(batch,
			arrival(1, d, start+int64(n)*minute, num(1, float64(n)), text(2, fmt.Sprint("batch ", n))))
	}
	return append(batch, arrival(1, 1+crashDevices, start, num(device.PropertyID(1+n), float64(n))))
}

func hasBatch(t *testing.T, s *Store, n int) bool {
	t.Helper()
	for _, a := range crashBatch(n) {
		var props []device.PropertyID
		for _, f := range a.Fields {
			props = append(props, f.Property)
		}
		rows := readRange(t, s, a.Tenant, a.Device, a.Time, a.Time, props...)
		if len(rows) != 1 || !slices.Equal(rows[0].Fields, a.Fields) {
			return false
		}
	}
	return true
}

func checkAcknowledged(t *testing.T, what string, s *Store, acknowledged map[int]bool) {
	t.Helper()
	for n := range acknowledged {
		if !hasBatch(t, s, n) {
			t.Errorf("%s: batch %d is lost", what, n)
		}
	}
}

// checkBacklog consumes the rest of the journal. It holds batches that were not recorded, each once, at
// positions without a gap, with its readings, and ends after as many batches as were acknowledged. A
// batch's readings and its entry are one write, so checkAcknowledged shows that no entry is missing.
func checkBacklog(t *testing.T, what string, s *Store, evaluated uint64, acknowledged map[int]bool) {
	t.Helper()
	c := startConsumer(t, s, evaluated, nil)
	await(t, "the backlog to be consumed", func() bool {
		select {
		case err := <-c.ended:
			t.Fatalf("%s: consume: %v", what, err)
		default:
		}
		return s.allConsumed()
	})
	c.stop()
	same(t, what+": positions", c.positions(), positions(evaluated+1, s.Stats().Position))
	seen := map[int]bool{}
	for _, e := range c.entries {
		n := int(e.batch[0].Fields[0].Value.Float())
		if seen[n] {
			t.Errorf("%s: batch %d is in the journal twice", what, n)
		}
		seen[n] = true
		same(t, what+": entry", e.batch, crashBatch(n))
		if !hasBatch(t, s, n) {
			t.Errorf("%s: batch %d is in the journal without its readings", what, n)
		}
	}
	for n := range acknowledged {
		delete(seen, n)
	}
	// At most two batches were being written; the others were acknowledged.
	if len(seen) > 2 {
		t.Errorf("%s: the journal has %d batches that were not acknowledged", what, len(seen))
	}
	if got, least := int(s.Stats().Position), len(acknowledged); got < least {
		t.Errorf("%s: the journal ends at %d, %d batches were acknowledged", what, got, least)
	}
}

func checkLatestAgainstReadings(t *testing.T, what string, s *Store) {
	t.Helper()
	props := make([]device.PropertyID, 10_000)
	for i := range props {
		props[i] = device.PropertyID(i)
	}
	for d := range device.ID(crashDevices + 1) {
		newest := map[device.PropertyID]Last{}
		for _, r := range readRange(t, s, 1, d+1, minTime, maxTime, props...) {
			for _, f := range r.Fields {
				newest[f.Property] = Last{f.Property, r.Time, f.Value}
			}
		}
		want := slices.SortedFunc(maps.Values(newest), func(a, b Last) int { return int(a.Property) - int(b.Property) })
		same(t, fmt.Sprintf("%s: latest of device %d", what, d+1), s.Latest(t.Context(), 1, d+1), want)
	}
}

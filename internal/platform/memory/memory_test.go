package memory

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

// testGauge is a gauge of 1,000 MiB over a usage that a test sets.
type testGauge struct {
	*Gauge
	usage            Usage
	reads            int
	collected        int
	heldAfterCollect uint64 // what is held after a collection; 0: all
	now              time.Time
	log              bytes.Buffer
}

func newTestGauge() *testGauge {
	b := &testGauge{now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)}
	b.Gauge = New(Options{
		Limit: 1000 * mib, Now: func() time.Time { return b.now }, Logger: slog.New(slog.NewTextHandler(&b.log, nil)),
		Read: func() Usage { b.reads++; return b.usage },
		Collect: func() {
			b.collected++
			b.now = b.now.Add(20 * time.Millisecond)
			if b.heldAfterCollect > 0 {
				b.usage = Usage{Held: b.heldAfterCollect}
			}
		},
	})
	return b
}

// setUsage sets the usage of a later time.
func (b *testGauge) setUsage(held, garbage uint64) {
	b.usage = Usage{Held: held * mib, Garbage: garbage * mib}
	b.now = b.now.Add(time.Minute)
}

// The heaviest work is refused first, messages from devices last.
func TestHeaviestWorkIsRefusedFirst(t *testing.T) {
	b := newTestGauge()
	for _, c := range []struct {
		held  uint64
		short string
	}{{0, ""}, {799, ""}, {800, "heavy"}, {919, "heavy"}, {920, "heavy call"}, {969, "heavy call"}, {970, "heavy call intake"}, {2000, "heavy call intake"}, {500, ""}} {
		b.setUsage(c.held, 0)
		var short []string
		for w := range workKinds {
			if b.Refuse(w) {
				short = append(short, WorkNames[w])
			}
		}
		if got := strings.Join(short, " "); got != c.short {
			t.Errorf("%d MiB of 1000: short for %q, want %q", c.held, got, c.short)
		}
	}
	if r := b.Refused(); r["heavy"] != 6 || r["call"] != 4 || r["intake"] != 2 {
		t.Errorf("refused %v", r)
	}
	if log := b.log.String(); strings.Count(log, "memory is short") != 3 ||
		strings.Count(log, "there is memory again") != 3 {
		t.Errorf("log:\n%s", log)
	}
}

// Garbage does not count as used: before work is refused because of it, it is collected, but not
// again and again.
func TestGarbageIsCollectedBeforeRefusing(t *testing.T) {
	b := newTestGauge()
	b.heldAfterCollect = 300 * mib
	b.setUsage(850, 500)
	if b.IsShort(Heavy) || b.collected != 1 || b.InUse() != 300*mib {
		t.Errorf("%d collections, %d MiB in use", b.collected, b.InUse()/mib)
	}
	// The same garbage again at once: the estimate counts until the next collection.
	b.usage = Usage{Held: 900 * mib, Garbage: 550 * mib}
	b.now = b.now.Add(sampleEvery)
	if b.IsShort(Heavy) || b.collected != 1 || b.InUse() != 350*mib {
		t.Errorf("%d collections, %d MiB in use", b.collected, b.InUse()/mib)
	}
	// What is not garbage stays, and counts.
	b.heldAfterCollect = 850 * mib
	b.now = b.now.Add(collectPauseFactor * 20 * time.Millisecond)
	if !b.IsShort(Heavy) || b.IsShort(Call) || b.collected != 2 {
		t.Errorf("%d collections, %d MiB in use", b.collected, b.InUse()/mib)
	}
	// Below the first threshold nothing is collected.
	b.setUsage(790, 700)
	if b.IsShort(Heavy) || b.collected != 2 {
		t.Errorf("%d collections", b.collected)
	}
}

// Work admitted since the last sample may have used up what is left: the gauge samples again before
// it admits more, however young the sample is.
func TestManyAdmissionsSampleAgain(t *testing.T) {
	b := newTestGauge()
	b.setUsage(790, 0)
	for range 10 * mib / heavyBytes {
		if b.Refuse(Heavy) {
			t.Fatal("refused with 10 MiB to spare")
		}
	}
	if b.reads != 1 {
		t.Errorf("%d samples", b.reads)
	}
	b.usage.Held = 805 * mib // what was admitted has begun, within the same moment
	if !b.Refuse(Heavy) || b.IsShort(Call) {
		t.Errorf("%d MiB by %d samples", b.InUse()/mib, b.reads)
	}
}

// However many callers ask, the gauge samples at most ten times a second.
func TestSamplingIsRateLimited(t *testing.T) {
	b := newTestGauge()
	for range 1000 {
		b.IsShort(Call)
		b.now = b.now.Add(time.Millisecond)
	}
	if b.reads < 9 || b.reads > 11 {
		t.Errorf("%d samples in a second", b.reads)
	}
}

// Without a limit nothing is refused, and nothing is sampled.
func TestNoLimit(t *testing.T) {
	var none *Gauge
	if none.Refuse(Heavy) || none.IsShort(Intake) {
		t.Error("a nil gauge refused work")
	}
	g := New(
		Options{
			Read:    func() Usage { return Usage{Held: 1 << 60} },
			Collect: func() { t.Error("collected without need") },
		},
	)
	if g.Refuse(Heavy) || g.Refused()["heavy"] != 0 || g.InUse() != 1<<60 {
		t.Errorf("refused %v", g.Refused())
	}
}

// The runtime reports about as much as a test holds.
func TestReadRuntime(t *testing.T) {
	g := New(Options{Limit: 1 << 50})
	before := g.InUse()
	held := make([]byte, 64*mib)
	g = New(Options{Limit: 1 << 50})
	if after := g.InUse(); after < before+60*mib || after > before+80*mib {
		t.Errorf("%d MiB, then %d MiB with 64 MiB more", before/mib, after/mib)
	}
	held[0] = 1
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				g.Refuse(Heavy)
			}
		})
	}
	all.Wait()
}

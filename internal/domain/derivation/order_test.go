package derivation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
)

// The derived values depend only on the readings, whatever their order, batches and repetitions,
// and whenever the store restarts or the engine forgets.
func TestArrivalOrderDoesNotMatter(t *testing.T) {
	found := map[device.PropertyID]int{}
	for round := range 8 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			w := newFixture(t, mastProduct())
			w.entry.Product.OfflineAfter = time.Duration(5+rng.IntN(40)) * time.Minute
			sent := weather(rng, 4, round%2 == 1)
			want := tableOf(sent)
			sent = append(sent, sent[:rng.IntN(len(sent))]...)
			w.delayFrames(rng, sent)
			for begin := 0; begin < len(sent); {
				end := min(len(sent), begin+1+rng.IntN(40))
				w.send(sent[begin:end]...)
				w.disturb(rng)
				begin = end
			}
			w.checkDerived("at the end", want)
			for _, id := range derivedIDs {
				found[id] += len(w.read(id))
			}
			w.restart()
			w.checkDerived("after a restart", want)
		})
	}
	for _, id := range derivedIDs {
		if found[id] < 4 {
			t.Errorf("only %d values of property %d in all: this weather tests too little", found[id], id)
		}
	}
}

// delayFrames makes some or all of the frames late.
func (w *fixture) delayFrames(rng *rand.Rand, frames []reading.Frame) {
	switch rng.IntN(4) {
	case 0:
		rng.Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
		return
	case 1:
		slices.SortStableFunc(frames, func(a, b reading.Frame) int { return int(b.Time - a.Time) }) // backwards
	}
	for range len(frames) / 8 {
		i := rng.IntN(len(frames))
		j := min(len(frames)-1, i+rng.IntN(150))
		frames[i], frames[j] = frames[j], frames[i]
	}
}

func (w *fixture) disturb(rng *rand.Rand) {
	w.Helper()
	switch rng.IntN(30) {
	case 0:
		w.restart()
	case 1:
		w.engine = w.newEngine()
	case 2:
		w.engine.Forget(w.entry.Ref)
	case 3: // products are reloaded
		p := *w.entry.Product
		w.entry = device.NewEntry(w.entry.Ref, w.entry.Name, &p, false, false)
	case 4:
		if err := w.store.Seal(w.Context(), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)); err != nil {
			w.Fatal(err)
		}
	}
}

// Readings are corrected: after every batch the last value of an instant counts, and the values
// derived from it.
func TestCorrections(t *testing.T) {
	for round := range 6 {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 2))
			w := newFixture(t, mastProduct())
			sent := weather(rng, 3, round%2 == 1)
			w.delayFrames(rng, sent)
			var arrived []reading.Frame
			for n, begin := 0, 0; begin < len(sent); n++ {
				end := min(len(sent), begin+1+rng.IntN(60))
				batch := slices.Clone(sent[begin:end])
				for range rng.IntN(4) {
					if len(arrived) > 0 {
						f := arrived[rng.IntN(len(arrived))]
						f.Fields = slices.Clone(f.Fields)
						i := rng.IntN(len(f.Fields))
						f.Fields[i].Value = reading.Number(float64(rng.IntN(1000)) / 10)
						batch = append(batch, f)
					}
				}
				w.send(batch...)
				w.disturb(rng)
				arrived = append(arrived, batch...)
				if n%4 == 0 {
					w.checkDerived(fmt.Sprint("after batch ", n), tableOf(arrived))
				}
				begin = end
			}
			w.checkDerived("at the end", tableOf(arrived))
		})
	}
}

// A late frame just before midnight changes the first instants after it, and so the values of the
// next day.
func TestLateFrameChangesNextDay(t *testing.T) {
	w := newFixture(t, mastProduct())
	w.site.Zone = time.UTC
	w.engine = w.newEngine()
	w.entry.Product.OfflineAfter = time.Hour
	day := time.Date(2026, 10, 24, 0, 0, 0, 0, time.UTC)
	var sent []reading.Frame
	send := func(minute int, values ...any) {
		sent = append(sent, frame(day.Add(time.Duration(minute)*time.Minute), values...))
		w.send(sent[len(sent)-1])
	}
	for minute := 0; minute < 3*24*60; minute += 10 {
		send(minute, airT, 5)
		if minute%60 == 40 {
			send(minute+5, airRH, 30)
		}
	}
	w.checkDerived("in order", tableOf(sent))
	send(12*60+1, airT, 5) // the engine reads the season and caches it
	before := w.read(dewHours, dewET)
	send(24*60-5, airRH, 100)
	w.checkDerived("a late frame", tableOf(sent))
	after, second := w.read(dewHours, dewET), newCivilDay(2026, 10, 25).lastMilli(time.UTC)
	if before[second][dewHours] == after[second][dewHours] || before[second][dewET] == after[second][dewET] {
		t.Errorf("the second day has not changed: %v", after)
	}
}

package ingest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/rain"
	"tilth/internal/domain/reading"
)

// report submits what a station measured at a time after now.
func (e *edge) report(after time.Duration, fields string) Outcome {
	e.t.Helper()
	return e.submit("WS-1", StationReport, "dateutc="+url.QueryEscape(utc(after))+"&"+fields)
}

func TestStationRainCounters(t *testing.T) {
	for _, test := range []struct {
		name    string
		reports []string // one a minute, or "SECONDS: fields"
		want    string
	}{
		{"growth", []string{"totalrainin=1", "totalrainin=1.01", "totalrainin=1.02", "totalrainin=1.03"}, "60 0.25; 120 0.25; 180 0.25"},
		{"no rain", []string{"totalrainin=1", "totalrainin=1.000"}, "60 0"},
		{"the counter begins anew", []string{"dailyrainin=0.5", "dailyrainin=0", "dailyrainin=0.1"}, "60 0; 120 2.54"},
		{"the total comes first", []string{"totalrainin=1&yearlyrainin=1&dailyrainin=1", "totalrainin=2&yearlyrainin=3&dailyrainin=4"}, "60 25.4"},
		{"then the year", []string{"yearlyrainin=1&dailyrainin=1", "yearlyrainin=1.5&dailyrainin=4"}, "60 12.7"},
		{"a missing total", []string{"totalrainin=-9999&dailyrainin=1", "totalrainin=&dailyrainin=2"}, "60 25.4"},
		{"another field", []string{"totalrainin=1", "dailyrainin=2", "dailyrainin=3", "totalrainin=4", "totalrainin=4.1"}, "120 25.4; 240 2.54"},
		{"late", []string{"totalrainin=1", "totalrainin=2", "30: totalrainin=1.5", "totalrainin=2.1"}, "60 25.4; 180 2.54"},
		{"repeated", []string{"totalrainin=1", "totalrainin=2", "60: totalrainin=2", "totalrainin=2"}, "60 25.4; 180 0"},
		{"repeated with another count", []string{"totalrainin=1", "60: totalrainin=2", "60: totalrainin=3", "totalrainin=3"}, "60 25.4; 180 25.4"},
		{"out of range", []string{"totalrainin=1", "totalrainin=3.5", "totalrainin=3.6"}, "120 2.54"},
		{"absurd", []string{"totalrainin=1", "totalrainin=1e308", "totalrainin=1.1"}, "120 2.54"},
		{"no number", []string{"totalrainin=1", "totalrainin=x", "totalrainin=1.1"}, "120 2.54"},
		{"a glitch", []string{"totalrainin=193.5988", "totalrainin=52.4764", "totalrainin=193.5988", "totalrainin=193.6025"}, "60 0; 120 0; 180 0.09"},
		{"a correction", []string{"totalrainin=12.51", "totalrainin=12.50", "totalrainin=12.51"}, "60 0; 120 0"},
		{"to nothing and back", []string{"totalrainin=12.5", "totalrainin=0", "totalrainin=12.5"}, "60 0; 120 0"},
		{"a glitch up", []string{"totalrainin=193", "totalrainin=500", "totalrainin=193.01"}, "120 0.25"},
		{"a jump", []string{"totalrainin=193", "totalrainin=500", "totalrainin=500", "totalrainin=500", "totalrainin=500.01"}, "240 0.25"},
		{"a total at its end", []string{
			"totalrainin=236.22&yearlyrainin=236.22&monthlyrainin=1.012", "totalrainin=236.22&yearlyrainin=236.22&monthlyrainin=1.02",
		}, "60 0.2"},
		{"piezo", []string{"rrain_piezo=0&drain_piezo=0.004&yrain_piezo=19.669", "rrain_piezo=0.197&drain_piezo=0.104&yrain_piezo=19.769"}, "60 2.54"},
		{"the total lags", []string{"totalrainin=1&dailyrainin=1", "totalrainin=1&dailyrainin=1.1", "totalrainin=1.1&dailyrainin=1.1"}, "60 2.54; 120 0"},
		{"the day is no number", []string{"totalrainin=1&dailyrainin=x", "totalrainin=1.1&dailyrainin=x"}, "60 2.54"},
		{"without a counter between", []string{"totalrainin=1", "humidity=5", "totalrainin=1.1"}, "120 2.54"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := openStore(t, t.TempDir())
			e := newStations(t, overStore(store))
			for i, fields := range test.reports {
				after := time.Duration(i) * time.Minute
				if seconds, rest, ok := strings.Cut(fields, ": "); ok {
					fields = rest
					if _, err := fmt.Sscan(seconds, &i); err != nil {
						t.Fatal(err)
					}
					after = time.Duration(i) * time.Second
				}
				if o := e.report(after, fields); o.Err != nil {
					t.Fatal(o.Err)
				}
			}
			if got := strings.ReplaceAll(stored(t, store, 1, "rainfall"), "rainfall=", ""); got != test.want {
				t.Errorf("stored %s, want %s", got, test.want)
			}
		})
	}
}

// Rain outside the property's range is refused like any value.
func TestStationRainOutOfRange(t *testing.T) {
	e := newStations(t, overStore(openStore(t, t.TempDir())))
	e.report(0, "totalrainin=1")
	if o := e.report(time.Minute, "totalrainin=3.5"); o.Refused != 1 ||
		o.FirstRefusal != (device.Refusal{Time: now, Identifier: "rainfall", Reason: device.ReasonOutOfRange}) {
		t.Errorf("%+v", o)
	}
}

// A growth that no gauge makes is refused, and the rest of the report is kept. The property bounds it.
func TestStationRainTooFast(t *testing.T) {
	store := openStore(t, t.TempDir())
	e := newStations(t, overStore(store))
	e.report(0, "humidity=5&totalrainin=1")
	want := device.Refusal{Time: now, Identifier: "rainfall", Reason: device.ReasonTooFast}
	o := e.report(time.Minute, "humidity=6&totalrainin=9")
	if o.Refused != 1 || o.FirstRefusal != want || o.Values != 2 {
		t.Errorf("%+v", o)
	}
	p := stationProduct()
	p.Property(device.Rainfall).MaxRise = bound(2)
	e.registry.Replace(stationEntries(p))
	for i, fields := range []string{"totalrainin=1.08", "totalrainin=1.01"} {
		e.report(time.Duration(i+2)*time.Minute, fields)
	}
	// The total is not believed, and the day tells what fell.
	e.report(4*time.Minute, "totalrainin=1.01&dailyrainin=1")
	if o := e.report(5*time.Minute, "totalrainin=99&dailyrainin=1.01"); o.Refused != 1 || o.FirstRefusal != want {
		t.Errorf("%+v", o)
	}
	const all = "0 airHumidity=5; 60 airHumidity=6; 180 rainfall=0.25; 240 rainfall=0; 300 rainfall=0.25"
	if got := stored(t, store, 1, "airHumidity", device.Rainfall); got != all {
		t.Errorf("stored %s", got)
	}
	if n := e.pipeline.Stats().Refused[device.ReasonTooFast]; n != 3 {
		t.Errorf("%d counted as too fast", n)
	}
}

// A product without rainfall, or with one that takes a field of its own, derives no rain.
func TestStationRainNeedsTheProperty(t *testing.T) {
	store := openStore(t, t.TempDir())
	e := newStations(t, overStore(store))
	p := stationProduct()
	p.Property("rainfall").Upload = "eventrainin"
	e.registry.Replace(stationEntries(p))
	for i := range 2 {
		e.report(time.Duration(i)*time.Minute, fmt.Sprintf("totalrainin=%d&eventrainin=0.%d", i, i))
	}
	if got := stored(t, store, 1, "rainfall"); got != "0 rainfall=0; 60 rainfall=2.54" {
		t.Errorf("stored %s", got)
	}
	if in := e.diagnostics.Get(green, 1); in.LastRefusal.Identifier != "totalrainin" || in.Refused != 0 {
		t.Errorf("diagnostics %+v", in)
	}
}

// A restart keeps the count that a lower one is compared with. How often that did not return is not kept.
func TestStationRainStepsDownOverARestart(t *testing.T) {
	dir := t.TempDir()
	for i, total := range []string{"193.5988", "52.4764", "52.4764", "193.6027"} {
		store := openStore(t, dir)
		e := newStations(t, overStore(store))
		e.report(time.Duration(i)*time.Minute, "totalrainin="+total)
		if i == 3 {
			if got := stored(t, store, 1, "rainfall"); got != "60 rainfall=0; 120 rainfall=0; 180 rainfall=0.1" {
				t.Errorf("stored %s", got)
			}
		}
		if err := errors.Join(e.pipeline.Close(t.Context()), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A restart between two reports loses no rain and counts none twice, also if the store had to read
// its values back from the journal.
func TestStationRainOverARestart(t *testing.T) {
	dir := t.TempDir()
	for i, total := range []string{"1.00", "1.04", "1.08"} {
		store := openStore(t, dir)
		e := newStations(t, overStore(store))
		e.report(time.Duration(i)*time.Minute, "totalrainin="+total)
		if i == 2 {
			if got := stored(t, store, 1, "rainfall"); got != "60 rainfall=1.02; 120 rainfall=1.02" {
				t.Errorf("stored %s", got)
			}
		}
		if err := errors.Join(e.pipeline.Close(t.Context()), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A commit that failed leaves no count behind: the report that is sent again has the whole rain.
func TestStationRainAfterAFailedCommit(t *testing.T) {
	store := openStore(t, t.TempDir())
	log := &failingJournal{store: store}
	e := newStations(t, overStore(store), func(o *Options) { o.Journal = log })
	e.report(0, "totalrainin=1")
	log.err = errDisk
	if o := e.report(time.Minute, "totalrainin=2"); o.Err == nil {
		t.Errorf("%+v", o)
	}
	log.err = nil
	e.report(time.Minute, "totalrainin=2")
	if got := stored(t, store, 1, "rainfall"); got != "60 rainfall=25.4" {
		t.Errorf("stored %s", got)
	}
}

// A report that is sent again after failed commits counts once, also as one that does not return.
func TestStationRainStepsDownAfterFailedCommits(t *testing.T) {
	store := openStore(t, t.TempDir())
	log := &failingJournal{store: store}
	e := newStations(t, overStore(store), func(o *Options) { o.Journal = log })
	e.report(0, "totalrainin=30")
	for i, total := range []string{"20", "20", "30.01", "30.02", "12", "12", "12", "12.01"} {
		at := time.Duration(i+1) * time.Minute
		log.err = errDisk
		for range 5 {
			e.report(at, "totalrainin="+total)
		}
		log.err = nil
		e.report(at, "totalrainin="+total)
	}
	const want = "60 rainfall=0; 120 rainfall=0; 180 rainfall=0.25; 240 rainfall=0.25; " +
		"300 rainfall=0; 360 rainfall=0; 420 rainfall=0; 480 rainfall=0.25"
	if got := stored(t, store, 1, "rainfall"); got != want {
		t.Errorf("stored %s", got)
	}
}

// The memory of gauges of which the readings do not tell everything is bounded.
func TestHeldGaugesAreBounded(t *testing.T) {
	var doubtful rain.Gauge
	doubtful, _ = doubtful.Next(now, rain.Counts{{MM: 900, Shown: true}}, rain.DefaultMaxRise)
	settled := doubtful
	doubtful, _ = doubtful.Next(now+1, rain.Counts{{MM: 800, Shown: true}}, rain.DefaultMaxRise)
	held := heldGauges{}
	for id := range device.ID(maxHeldGauges + 10) {
		g := rainGauges{held: held, batch: heldGauges{id: doubtful, -1: settled}}
		g.keep()
	}
	if len(held) != maxHeldGauges {
		t.Errorf("%d", len(held))
	}
	for id := range held {
		g := rainGauges{held: held, batch: heldGauges{id: settled}}
		g.keep()
	}
	if len(held) != 0 {
		t.Errorf("%d left", len(held))
	}
}

// Reports that are committed together count the same as one after the other, and each station's
// counter is its own.
func TestStationRainInOneBatch(t *testing.T) {
	store := openStore(t, t.TempDir())
	held := &heldJournal{store: store, entered: make(chan struct{}, 10), gate: make(chan struct{})}
	e := newStations(t, overStore(store), func(o *Options) { o.Journal = held })
	var answered sync.WaitGroup
	submit := func(name string, after time.Duration, fields string) {
		answered.Add(1)
		m := Message{
			Entry: e.find(name), Kind: StationReport, At: now,
			Payload: []byte("dateutc=" + url.QueryEscape(utc(after)) + "&" + fields),
		}
		if err := e.pipeline.Submit(t.Context(), m, func(Outcome) { answered.Done() }); err != nil {
			t.Fatal(err)
		}
	}
	submit("WS-2", 0, "humidity=1") // the batch that the others wait for
	receive(t, held.entered)
	for i, total := range []string{"1", "1.5", "0.1"} {
		submit("WS-1", time.Duration(i)*time.Minute, "totalrainin="+total)
		submit("WS-2", time.Duration(i)*time.Minute, "totalrainin=9")
	}
	close(held.gate)
	answered.Wait()
	if n := len(held.entered); n != 1 {
		t.Errorf("%d more batches, want 1", n)
	}
	if got := stored(t, store, 1, "rainfall"); got != "60 rainfall=12.7; 120 rainfall=2.54" {
		t.Errorf("stored %s", got)
	}
	if got := stored(t, store, 2, "rainfall"); got != "60 rainfall=0; 120 rainfall=0" {
		t.Errorf("of the other, stored %s", got)
	}
}

// heldJournal holds commits until its gate is closed.
type heldJournal struct {
	store   *reading.Store
	entered chan struct{}
	gate    chan struct{}
}

func (l *heldJournal) Append(ctx context.Context, batch []reading.Arrival) error {
	l.entered <- struct{}{}
	<-l.gate
	return l.store.Append(ctx, batch)
}

// Two reports at once, over HTTP, are each counted once, in whichever order they come.
func TestStationReportsAtOnce(t *testing.T) {
	store := openStore(t, t.TempDir())
	e := newStations(t, overStore(store))
	base := e.serveHTTP().URL
	e.report(0, "totalrainin=1")
	var sending sync.WaitGroup
	for i := range 8 {
		sending.Go(func() {
			after := time.Duration(i+1) * time.Second
			form := fmt.Sprintf("dateutc=%s&totalrainin=1.%d", url.QueryEscape(utc(after)), i+1)
			if status, answer, _ := post(t, base+ecowittPath("WS-1"), form); status != 200 {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	sending.Wait()
	sum := 0.0
	rain := []device.PropertyID{stationProduct().Property("rainfall").ID}
	err := store.Range(t.Context(), green, 1, 0, 2*now, rain, func(_ int64, fields []reading.Field) error {
		sum += fields[0].Value.Float()
		return nil
	})
	if err != nil || roundToHundredths(sum) != 20.32 {
		t.Errorf("rain of 0.8 inches: %v mm, %v", sum, err)
	}
}

// The count is in the same frame as the rain; screens never see it.
func TestStationRainCountIsHidden(t *testing.T) {
	e := newStations(t)
	e.report(0, "totalrainin=1")
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	frame := &e.journal.batches[0][0]
	if len(frame.Fields) != 1 || frame.Fields[0].Property != device.RainTotal {
		t.Fatalf("%+v", frame)
	}
	if event := readingEvent(e.find("WS-1"), frame); event != nil {
		t.Errorf("%s", event)
	}
}

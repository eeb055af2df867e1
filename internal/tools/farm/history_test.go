package farm

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

func TestHistoryIsInOrderAndWhole(t *testing.T) {
	t.Parallel()
	f := testFarm(t)
	from, to := demoNow.AddDate(0, 0, -1), demoNow
	counts := map[string]int{}
	var last time.Time
	err := f.History(context.Background(), from, to, from, func(name string, r Report) error {
		if r.Sent.Before(last) {
			t.Fatalf("%s: %v after %v", name, r.Sent, last)
		}
		last = r.Sent
		counts[name]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Devices() {
		if want := len(collect(d, from, to, d.HistoryInterval)); counts[d.Name] != want {
			t.Errorf("%s: %d reports, want %d", d.Name, counts[d.Name], want)
		}
	}
}

// In its thin part a history has contacts at the same times as in full, values once in ten minutes,
// and the same rain.
func TestThinHistory(t *testing.T) {
	t.Parallel()
	f := testFarm(t)
	// Six days of rain in Hebei; the last two are dense.
	from := time.Unix(int64(findDevice(t, f, "HB-WS-01").site.start(dayOf(2026, 7, 20))), 0)
	to := from.AddDate(0, 0, 6)
	denseFrom := to.AddDate(0, 0, -2).Add(5 * time.Hour) // a history is dense from local midnight on
	type seen struct {
		contacts    []time.Time
		thin, dense int
		rain        float64
	}
	collect := func(denseFrom time.Time) map[string]*seen {
		all := map[string]*seen{}
		measured := map[string]map[time.Time]bool{}
		err := f.History(context.Background(), from, to, denseFrom, func(name string, r Report) error {
			d := all[name]
			if d == nil {
				d, measured[name] = &seen{}, map[time.Time]bool{}
				all[name] = d
			}
			d.contacts = append(d.contacts, r.Sent)
			if r.Values == nil || measured[name][r.Time] {
				return nil
			}
			measured[name][r.Time] = true
			if r.Time.Before(to.AddDate(0, 0, -2)) {
				d.thin++
			} else {
				d.dense++
			}
			if name == "HB-WS-01" {
				d.rain += number(t, r.Values, "rainfall")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	full, thin := collect(from), collect(denseFrom)
	for name, want := range full {
		got := thin[name]
		if !slices.EqualFunc(got.contacts, want.contacts, time.Time.Equal) {
			t.Errorf("%s: %d contacts, in full %d", name, len(got.contacts), len(want.contacts))
		}
		if name[:3] != "HB-" {
			continue // the days of the other site begin five hours later
		}
		every := findDevice(t, f, name).HistoryInterval
		part := min(1, float64(every)/float64(ThinInterval))
		assertNear(t, name+": share of thin reports", float64(got.thin)/float64(want.thin), part, .02)
		if got.dense != want.dense {
			t.Errorf("%s: %d dense reports, in full %d", name, got.dense, want.dense)
		}
	}
	rain := full["HB-WS-01"].rain
	if rain < 20 {
		t.Fatalf("only %v mm fell, so that the test proves little", rain)
	}
	assertNear(t, "mm of rain of the thin history", thin["HB-WS-01"].rain, rain, 3)
}

func TestHistoryStopsOnEmitError(t *testing.T) {
	full := errors.New("the disk is full")
	count := 0
	err := testFarm(
		t,
	).History(
		context.Background(),
		demoNow.AddDate(0, 0, -1),
		demoNow,
		time.Time{},
		func(string, Report) error {
			if count++; count == 10 {
				return full
			}
			return nil
		},
	)
	if !errors.Is(err, full) || count != 10 {
		t.Errorf("%v after %d reports", err, count)
	}
}

func TestHistoryStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	count := 0
	err := testFarm(t).History(ctx, demoNow.AddDate(0, 0, -1), demoNow, time.Time{}, func(string, Report) error {
		if count++; count == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || count != 10 {
		t.Errorf("%v after %d reports", err, count)
	}
}

func TestEmptyHistory(t *testing.T) {
	err := testFarm(t).History(context.Background(), demoNow, demoNow, demoNow, func(name string, r Report) error {
		t.Errorf("%s reports %v", name, r)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func BenchmarkMonthOfFortyDevices(b *testing.B) {
	for range b.N {
		f := bigFarm(b)
		count := 0
		err := f.History(
			context.Background(),
			demoNow.AddDate(0, 0, -30),
			demoNow,
			time.Time{},
			func(string, Report) error {
				count++
				return nil
			},
		)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(count), "reports")
	}
}

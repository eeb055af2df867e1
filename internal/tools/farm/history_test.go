package farm

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestHistoryIsInOrderAndWhole(t *testing.T) {
	t.Parallel()
	f := testFarm(t)
	from, to := demoNow.AddDate(0, 0, -1), demoNow
	counts := map[string]int{}
	var last time.Time
	err := f.History(context.Background(), from, to, func(name string, r Report) error {
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

func TestHistoryStopsOnEmitError(t *testing.T) {
	full := errors.New("the disk is full")
	count := 0
	err := testFarm(t).History(context.Background(), demoNow.AddDate(0, 0, -1), demoNow, func(string, Report) error {
		if count++; count == 10 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || count != 10 {
		t.Errorf("%v after %d reports", err, count)
	}
}

func TestHistoryStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	count := 0
	err := testFarm(t).History(ctx, demoNow.AddDate(0, 0, -1), demoNow, func(string, Report) error {
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
	err := testFarm(t).History(context.Background(), demoNow, demoNow, func(name string, r Report) error {
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
		err := f.History(context.Background(), demoNow.AddDate(0, 0, -30), demoNow, func(string, Report) error {
			count++
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(count), "reports")
	}
}

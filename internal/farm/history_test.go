package farm

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestHistoryIsInOrderAndWhole(t *testing.T) {
	f := testFarm(t)
	from, to := demoNow.AddDate(0, 0, -2), demoNow
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

func TestHistoryStopsWithItsReceiver(t *testing.T) {
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

// A month of the full farm of 40 devices must be made within ten seconds of one
// core; the benchmark below tells how long it takes. Here a slip by a whole
// order shows, and a busy machine does not.
func TestFullFarmIsMadeInTime(t *testing.T) {
	f := bigFarm(t)
	if len(f.devices) != 40 {
		t.Fatalf("%d devices", len(f.devices))
	}
	start, count := time.Now(), 0
	err := f.History(context.Background(), demoNow.AddDate(0, 0, -3), demoNow, func(string, Report) error {
		count++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 70000 {
		t.Errorf("only %d reports", count)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("three days of 40 devices took %v", took)
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

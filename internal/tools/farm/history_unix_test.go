//go:build unix

package farm

import (
	"context"
	"syscall"
	"testing"
	"time"
)

// A month of the full farm of 40 devices must take at most ten seconds of one processor core;
// BenchmarkMonthOfFortyDevices measures it. This test finds slowdowns by an order of magnitude. It
// measures processor time, so that other load on the machine does not matter.
func TestFullFarmIsFastEnough(t *testing.T) {
	f := bigFarm(t)
	if len(f.devices) != 40 {
		t.Fatalf("%d devices", len(f.devices))
	}
	start, count := processorTime(t), 0
	err := f.History(context.Background(), demoNow.AddDate(0, 0, -3), demoNow, time.Time{}, func(string, Report) error {
		count++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count < 70000 {
		t.Errorf("only %d reports", count)
	}
	if took := processorTime(t) - start; took > 5*time.Second {
		t.Errorf("three days of 40 devices took %v", took)
	}
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

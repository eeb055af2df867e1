package notify_test

import (
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/tenant"
	"tilth/internal/tools/testkit"
)

func TestSendTestLimit(t *testing.T) {
	clock := testkit.NewClock()
	tests := notify.NewTestLimit("tests", clock.Now, nil)
	take := func(owner tenant.ID, after time.Duration) time.Duration {
		clock.Set(testkit.Start.Add(after))
		return tests.Allow(owner).Retry
	}
	for i := range 5 {
		if wait := take(1, time.Duration(i)*time.Second); wait != 0 {
			t.Errorf("test %d waits %s", i, wait)
		}
	}
	if wait := take(1, 10*time.Second); wait != 50*time.Second {
		t.Errorf("the sixth waits %s", wait)
	}
	if wait := take(2, 10*time.Second); wait != 0 {
		t.Errorf("another tenant waits %s", wait)
	}
	if wait := take(1, time.Minute); wait != 0 {
		t.Errorf("a minute after the first: %s", wait)
	}
	if wait := take(1, time.Minute); wait != time.Second {
		t.Errorf("the next one: %s", wait)
	}
}

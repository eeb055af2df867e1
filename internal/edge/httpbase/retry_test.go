package httpbase

import (
	"net/http"
	"testing"
	"time"
)

func TestSetRetryAfter(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		-time.Minute: "1", 0: "1", 1: "1", time.Second: "1", time.Second + 1: "2", 1500 * time.Millisecond: "2", 10 * time.Second: "10", time.Hour - 1: "3600",
	} {
		h := http.Header{"Retry-After": {"of before"}}
		if SetRetryAfter(h, wait); len(h["Retry-After"]) != 1 || h.Get("Retry-After") != want {
			t.Errorf("%s: %v, want %s", wait, h, want)
		}
	}
}

func TestCeilSeconds(t *testing.T) {
	for d, want := range map[time.Duration]int{
		-1500 * time.Millisecond: -1, -1: 0, 0: 0, 1: 1, time.Second: 1, time.Second + 1: 2, 1<<63 - 1: 9_223_372_037,
	} {
		if got := CeilSeconds(d); got != want {
			t.Errorf("%d: %d, want %d", d, got, want)
		}
	}
}

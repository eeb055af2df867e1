package console_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/edge/console"
	"tilth/internal/platform/memory"
	"tilth/internal/tools/testkit"
)

// When memory gets short, the server first refuses calls that read history, then the calls of
// signed-in users, and signing in last. A refusal says in words when to try again.
func TestMemoryPressureRefusals(t *testing.T) {
	gauge, percent := testkit.FakeMemory()
	w := newServer(t, func(o *console.Options) { o.Memory = gauge })
	from, to := w.Clock.Now().Add(-time.Hour), w.Clock.Now()
	heavy := []testkit.Call{
		w.get(rangePath(seriesPath, "WS-1", "rain", from, to)),
		w.get(rangePath(seriesPath, "WS-1", "rain", from, to) + "&points=100"),
		w.get(rangePath(rowsPath, "WS-1", "rain", from, to)),
		w.get(rangePath(columnsPath, "WS-1", "rain", from, to)),
		w.get(rangePath(signPath, "WS-1", "rain", from, to)),
		w.get(rangePath(exportPath, "WS-1", "rain", from, to)),
		w.get(rangePath(coveragePath, "WS-1", "", from, to)),
		w.rehearse(frostForm("WS-1", nil)),
		w.rehearseAll(frostForm("WS-1", nil)),
	}
	call, health := w.get(userPath), testkit.Call{Path: "/healthz"}
	open := testkit.Call{Path: byHostPath + "?website=nobody.example"}
	refused := func(c testkit.Call) bool {
		t.Helper()
		a := w.Do(t, c)
		if a.Status != http.StatusServiceUnavailable {
			return false
		}
		if a.Code != 503 || a.Header.Get("Retry-After") == "" ||
			!strings.Contains(a.Msg, "no memory to spare for this right now. Try again in") {
			t.Errorf("%s: %v %s", c.Path, a.Header, a.Body)
		}
		return true
	}
	for _, s := range []struct {
		percent           uint64
		heavy, call, open bool
	}{
		{79, false, false, false}, {85, true, false, false}, {95, true, true, false}, {98, true, true, true},
		{50, false, false, false},
	} {
		percent.Store(s.percent)
		for _, c := range heavy {
			if got := refused(c); got != s.heavy {
				t.Errorf("at %d%%, %s is refused: %t", s.percent, c.Path, got)
			}
		}
		if got := refused(call); got != s.call {
			t.Errorf("at %d%%, a call is refused: %t", s.percent, got)
		}
		if got := refused(open); got != s.open {
			t.Errorf("at %d%%, a call without sign-in is refused: %t", s.percent, got)
		}
		if refused(health) {
			t.Errorf("at %d%%, the health check fails", s.percent)
		}
	}
	if r := gauge.Refused(); r["heavy"] != uint64(3*len(heavy)) || r["call"] != 2 || r["intake"] != 1 {
		t.Errorf("%v", r)
	}
	percent.Store(85)
	for language, want := range map[string]string{"zh-cn": "请在5", "tr-tr": "yeterli bellek yok", "ru-ru": "не хватает памяти"} {
		c := heavy[0]
		c.Header = map[string]string{"Accept-Language": language}
		if a := w.Do(t, c); !strings.Contains(a.Msg, want) {
			t.Errorf("%s: %s", language, a.Msg)
		}
	}
}

// A heavy call that found enough memory may wait for its slot while the calls before it use the
// memory up. It is checked again when its turn comes.
func TestMemoryIsCheckedAgainInTurn(t *testing.T) {
	var reads, now atomic.Int64
	gauge := memory.New(memory.Options{
		Limit: 1 << 30,
		Read: func() memory.Usage {
			if reads.Add(1) == 1 {
				return memory.Usage{}
			}
			return memory.Usage{Held: 85 << 30 / 100}
		},
		Now: func() time.Time { return time.Unix(now.Add(1), 0) }, // later each time, so that the gauge reads again
	})
	w := newServer(t, func(o *console.Options) { o.Memory = gauge })
	call := w.get(rangePath(rowsPath, "WS-1", "rain", w.Clock.Now().Add(-time.Hour), w.Clock.Now()))
	reads.Store(0)
	if a := w.Do(t, call); a.Code != 503 || reads.Load() != 2 {
		t.Errorf("after %d checks: %s", reads.Load(), a.Body)
	}
}

package bench

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// newLiveFixture returns a run of two tenants whose reporters sent two readings each. The busy
// tenant's second device sent two more in the second part. Each tenant has two screens, which
// received all events 5 ms after the acknowledgement.
func newLiveFixture() (*liveRun, *LiveResult) {
	o := LiveOptions{Screens: 4, Tenants: 2, Busy: 1, Values: 1, Duration: time.Second}
	tenants := o.tenants()
	h := newLiveRun(o, Target{}, tenants, make([]*console, 2))
	for _, r := range h.reporters {
		part := 0
		if r.busyOnly {
			part = 1
		}
		for n := range 2 {
			r.reports = append(
				r.reports,
				ackedReading{time: int64(1000 + n), acked: time.Duration(n) * time.Second, part: part},
			)
		}
	}
	ended := make(chan struct{})
	close(ended)
	for i := range o.Screens {
		w := &liveScreen{tenant: i % 2, screen: &screen{stop: func() {}, ended: ended}}
		for _, r := range h.reporters {
			if r.tenant != w.tenant {
				continue
			}
			for _, one := range r.reports {
				w.record(
					fmt.Appendf(nil, `{"deviceName":%q,"time":%d,"values":{"a":1}}`, r.device.Name, one.time),
					one.acked+5*time.Millisecond,
				)
			}
		}
		h.screens = append(h.screens, w)
	}
	return h, &LiveResult{Target: "tilth", Options: o, Parts: []LivePart{{Name: "first"}, {Name: "second"}}}
}

// Each fault is found, and a run without one counts.
func TestLiveCompare(t *testing.T) {
	h, r := newLiveFixture()
	if err := h.compare(r); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  Delay
		want int
	}{
		{"first, others", r.Parts[0].Others, 4},
		{"first, busy", r.Parts[0].Busy, 4},
		{"second, busy", r.Parts[1].Busy, 4},
		{"second, others", r.Parts[1].Others, 0},
	} {
		if c.got.Count != c.want || c.got.Missing != 0 ||
			c.want > 0 && (c.got.P50 != 5*time.Millisecond || c.got.Max != 5*time.Millisecond) {
			t.Errorf("%s: %+v, want %d", c.name, c.got, c.want)
		}
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
	for says, spoil := range map[string]func(h *liveRun, r *LiveResult){
		"first: 1 events were lost":  func(h *liveRun, _ *LiveResult) { h.screens[0].events = h.screens[0].events[1:] },
		"second: 2 events were lost": func(h *liveRun, _ *LiveResult) { h.screens[3].events = h.screens[3].events[:2] },
		"1 events were told twice, and 0": func(h *liveRun, _ *LiveResult) {
			h.screens[1].events = append(h.screens[1].events, h.screens[1].events[0])
		},
		// A reading of another tenant counts as one that was never sent.
		"0 events were told twice, and 1": func(h *liveRun, _ *LiveResult) {
			h.screens[0].events = append(h.screens[0].events, h.screens[1].events[0])
		},
		"0 events were told twice, and 2": func(h *liveRun, _ *LiveResult) {
			h.screens[0].record([]byte("{"), 0)
			h.screens[0].record([]byte("{}"), 0)
		},
		"cut off 3 times and told to fetch anew 0": func(h *liveRun, _ *LiveResult) { h.screens[2].screen.cuts.Add(3) },
		"cut off 0 times and told to fetch anew 1": func(h *liveRun, _ *LiveResult) { h.screens[2].screen.resets.Add(1) },
		"of 2 screens that never read 1 were":      func(_ *liveRun, r *LiveResult) { r.Options.Slow, r.SlowCut = 2, 1 },
		"third: nothing was told":                  func(_ *liveRun, r *LiveResult) { r.Parts = append(r.Parts, LivePart{Name: "third"}) },
		"cannot say":                               func(h *liveRun, _ *LiveResult) { h.screens[0].screen.err = errors.New("cannot say") },
	} {
		h, r := newLiveFixture()
		spoil(h, r)
		if err := errors.Join(h.compare(r), r.Err()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

func TestLiveOptions(t *testing.T) {
	good := LiveOptions{Screens: 10, Tenants: 3, Slow: 2, Busy: 25, Values: 2, Duration: time.Second}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for says, spoil := range map[string]func(o *LiveOptions){
		"2 screens cannot be shared": func(o *LiveOptions) { o.Screens = 2 },
		"among 0 tenants":            func(o *LiveOptions) { o.Tenants = 0 },
		"need a busy tenant":         func(o *LiveOptions) { o.Busy = 0 },
		"a value and":                func(o *LiveOptions) { o.Values = 0 },
		"some time":                  func(o *LiveOptions) { o.Duration = 0 },
	} {
		o := good
		spoil(&o)
		if _, _, err := ServeLive(t.Context(), o, ServerOptions{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
	tenants := good.tenants()
	raw, err := fileOf(tenants)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "deviceName:"); n != 3+3 { // 25 a second, 10 each
		t.Errorf("%d devices", n)
	}
	names := map[string]bool{}
	for _, w := range tenants {
		if !strings.Contains(string(raw), "- name: "+w.Name+"\n") || !strings.Contains(string(raw), w.Password) {
			t.Errorf("%s is not in the file", w.Name)
		}
		for _, d := range w.Devices {
			names[d.Name] = true
		}
	}
	if len(names) != 6 {
		t.Errorf("names are used twice: %v", names)
	}
	if n := strings.Count(string(raw), "- identifier:"); n != 2 {
		t.Errorf("%d properties", n)
	}
}

// A reporter's readings have rising times, the server keeps them, and they are counted once
// acknowledged.
func TestReporter(t *testing.T) {
	f := newFakeServer(t, 1, 2)
	target := f.target()
	o := LiveOptions{Screens: 1, Tenants: 1, Values: 2, Duration: time.Second}
	acked := make([]atomic.Int64, 1)
	all := o.reporters([]Tenant{f.world}, acked)
	if err := connectAll(t.Context(), all, target.MQTT); err != nil {
		t.Fatal(err)
	}
	r := all[0]
	if err := r.run(t.Context(), 1, time.Now(), 0, time.Millisecond, time.Now().Add(50*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	kept := len(f.kept[r.device.Name])
	f.mu.Unlock()
	if n := len(r.reports); n < 2 || kept != n || acked[0].Load() != int64(n) || r.reports[n-1].part != 1 {
		t.Errorf("%d reports, %d kept, %d counted", n, kept, acked[0].Load())
	}
	if !slices.IsSortedFunc(r.reports, func(a, b ackedReading) int { return int(a.time - b.time) }) {
		t.Error("times do not rise")
	}
	if err := closeAll(all); err != nil {
		t.Error(err)
	}
	if err := r.report(1, time.Now()); err == nil {
		t.Error("report gives no error on a closed connection")
	}
	all[0].device.Secret = "wrong"
	if err := connectAll(t.Context(), all, target.MQTT); err == nil || !strings.Contains(err.Error(), "BENCH-00001") {
		t.Errorf("%v", err)
	}
}

// cutOff says that a slow screen is cut off if the server ends its stream, and only then.
func TestSlowScreen(t *testing.T) {
	end := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer let-me-in" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, "id: e-1\n\n")
		http.NewResponseController(w).Flush()
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	defer web.Close()
	c := &console{base: web.URL, token: "let-me-in"}
	for _, ends := range []bool{false, true} {
		s, err := openSlow(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		until := time.Now().Add(20 * time.Millisecond)
		if ends {
			close(end)
			until = time.Now().Add(slowEnds)
		}
		if cut, err := s.cutOff(until); err != nil || cut != ends {
			t.Errorf("ends %t: cut off %t, %v", ends, cut, err)
		}
	}
	c.token = "another"
	if _, err := openSlow(t.Context(), c); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("%v", err)
	}
}

// watchCut records when the server has only the screens that read.
func TestWhenSlowScreensAreCutOff(t *testing.T) {
	screens := atomic.Int64{}
	screens.Store(3)
	requests := make(chan struct{}, 1000)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "tilth_live_screens %d\n", screens.Load())
		requests <- struct{}{}
	}))
	defer web.Close()
	h := &liveRun{target: Target{MetricsURL: web.URL}, screens: make([]*liveScreen, 2), slow: make([]*slowScreen, 1)}
	stop := h.watchCut(t.Context(), time.Now())
	<-requests
	if err := stop(); err != nil || h.slowFor != 0 {
		t.Errorf("%s, %v", h.slowFor, err)
	}
	screens.Store(2)
	began := time.Now().Add(-time.Minute)
	if err := h.askCut(t.Context(), began); err != nil || h.slowFor < time.Minute {
		t.Errorf("%s, %v", h.slowFor, err)
	}
}

func TestLivePrint(t *testing.T) {
	h, r := newLiveFixture()
	if err := h.compare(r); err != nil {
		t.Fatal(err)
	}
	r.MemoryBefore, r.MemoryOpen, r.Quiet = 50<<20, 50<<20+4*40<<10, 0.004
	r.Options.Slow, r.SlowCut, r.SlowFor = 2, 2, 4*time.Second
	r.Parts[0].ServerCPU, r.Parts[0].Memory, r.Parts[0].Readings = 0.04, 51<<20, 4
	var out strings.Builder
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"tilth: 4 open screens of 2 tenants, 1 values in a reading, parts of 1s", "40.0 KiB each; server 0.00 processors, 1ms of a second each",
		"4 readings/s, 8 events/s; server 0.04 processors, 10ms of a second a screen", "of the other tenants: p50 5ms, p99 5ms",
		"2 of 2 cut off, the last after 4s", "0 events lost, 0 told twice",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("the output lacks %q:\n%s", part, out.String())
		}
	}
	if r.SlowFor = 0; !strings.Contains(r.slowly(), "not known when") {
		t.Error(r.slowly())
	}
}

// A server without a stream, or without devices, gives no result.
func TestLiveRefused(t *testing.T) {
	f := newFakeServer(t, 1, 1)
	target := f.target()
	target.PID = os.Getpid()
	o := LiveOptions{Screens: 3, Tenants: 1, Values: 1, Duration: time.Millisecond}
	nowhere := httptest.NewServer(http.NotFoundHandler())
	defer nowhere.Close()
	people := []*console{{base: nowhere.URL, http: nowhere.Client()}}
	_, err := runLive(t.Context(), o, target, []Tenant{f.world}, people)
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
	unknown := NewTenant(1, 1)
	_, err = runLive(t.Context(), o, target, []Tenant{unknown}, people)
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
}

package console_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

// Calls that read history run one after the other, tenant by tenant. A tenant that makes too many
// delays nobody else, and its further calls are refused.
func TestHeavyCallsAreScheduledByTenant(t *testing.T) {
	var working, most atomic.Int64
	var neighbour atomic.Bool
	entered, going := make(chan struct{}, 100), make(chan struct{})
	s := &testkit.ObservedStore{Each: func(ctx context.Context, n int) error {
		if n > 1 || !limit.HasTask(ctx) || neighbour.Load() {
			return nil
		}
		most.Store(max(most.Load(), working.Add(1)))
		entered <- struct{}{}
		<-going
		working.Add(-1)
		return nil
	}}
	w := newServer(t, func(o *console.Options) {
		s.Store = o.Stores.Readings
		o.Readings = s
		o.Turns = limit.NewScheduler[tenant.ID, int64](
			limit.Options{Name: "work", Meter: new(limit.Meter)},
			limit.SchedulerOptions{
				MaxRunning:             2,
				MaxRunningPerKey:       1,
				MaxRunningPerSubmitter: 1,
				MaxWaitingPerKey:       6,
				MaxWaitingPerSubmitter: 3,
				TimeSlice:              time.Millisecond,
			},
		)
	})
	begin := w.Clock.Now().Add(-2 * time.Hour)
	w.measureDense(t, begin, 100)
	ask := rangePath(rowsPath, "WS-2", "airTemperature", begin, w.Clock.Now())
	// One runs, three wait, the others are refused at once.
	const asked, refused = 10, 6
	answers := make(chan *testkit.Answer, asked)
	for range asked {
		go func() { answers <- w.Do(t, testkit.Call{Path: ask, Token: w.ada}) }()
	}
	for range refused {
		if a := testkit.Receive(t, "a refusal", answers); a.Code != 429 || a.Header.Get("Retry-After") != "2" {
			t.Errorf("%v %s", a.Header, a.Body)
		}
	}
	testkit.Receive(t, "the first call", entered)
	theirs := rangePath(rowsPath, marker+"-1", "airTemperature", begin, w.Clock.Now())
	neighbour.Store(true)
	if a := w.Do(t, testkit.Call{Path: theirs, Token: w.rivalToken}); a.Code != 200 {
		t.Errorf("another tenant:  %s", a.Body)
	}
	if a := w.Do(t, w.get(userPath)); a.Code != 200 {
		t.Errorf("a call that reads no history: %s", a.Body)
	}
	neighbour.Store(false)
	close(going)
	for range asked - refused {
		if a := testkit.Receive(t, "an answer", answers); a.Code != 200 {
			t.Errorf("%s", a.Body)
		}
	}
	if most.Load() != 1 {
		t.Errorf("%d calls of a tenant ran at once", most.Load())
	}
}

// If a client leaves while its call waits for a slot, the call does not run.
func TestWaitingCallOfGoneClientIsDropped(t *testing.T) {
	scheduler := limit.NewScheduler[tenant.ID, int64](
		limit.Options{Name: "work", Meter: new(limit.Meter)},
		limit.SchedulerOptions{
			MaxRunning:             1,
			MaxRunningPerKey:       1,
			MaxRunningPerSubmitter: 1,
			MaxWaitingPerKey:       9,
			MaxWaitingPerSubmitter: 9,
			TimeSlice:              time.Second,
		},
	)
	w := newServer(t, func(o *console.Options) { o.Turns = scheduler })
	task, _ := scheduler.Enter(t.Context(), w.field.ID, 0)
	ctx, cancel := context.WithCancel(t.Context())
	call := w.get(rangePath(rowsPath, "WS-2", "rain", w.Clock.Now().Add(-time.Hour), w.Clock.Now()))
	req := call.Request(ctx, w.Serve(t))
	time.AfterFunc(50*time.Millisecond, cancel)
	if res, err := http.DefaultTransport.RoundTrip(req); err == nil {
		_ = res.Body.Close()
		t.Errorf("the dropped call was answered with %d", res.StatusCode)
	}
	task.Leave()
	if a := w.Do(t, call); a.Code != 200 {
		t.Errorf("the next call:  %s", a.Body)
	}
}

// The body of a call that needs no sign-in is limited to what its form needs.
func TestPublicBodyLimit(t *testing.T) {
	w := newServer(t)
	body := func(n int) string {
		return `{"tenantName":"field","userName":"ada","password":"` + testkit.Password + `"` + strings.Repeat(
			" ",
			n,
		) + `}`
	}
	if a := w.Do(t, testkit.Call{Method: "POST", Path: loginPath, Body: body(15 << 10)}); a.Code != 200 {
		t.Errorf("15 KiB: %s", a.Body)
	}
	if a := w.Do(t, testkit.Call{Method: "POST", Path: loginPath, Body: body(16 << 10)}); a.Status != 413 {
		t.Errorf("more than 16 KiB: %s", a.Body)
	}
	open := 0
	for _, op := range w.Operations(w.ConsoleTags()...) {
		if !op.Public {
			continue
		}
		open++
		// Some require a parameter first, each another one.
		path := op.Path + map[string]string{"getTenantByWebsite": "?website=x", "getTenantIdByName": "?name=x", "refreshToken": "?refreshToken=x", "getSignInWays": "?tenantName=x"}[op.ID]
		a := w.Do(t, testkit.Call{Method: op.Method, Path: path, Body: "{" + strings.Repeat(" ", 16<<10) + "}"})
		if a.Status != 413 {
			t.Errorf("%s takes more than 16 KiB: %s", op.ID, a.Body)
		}
	}
	if open < 5 {
		t.Errorf("%d calls need no sign-in", open)
	}
	// Signed-in users' calls have the limit that the contract names, else the same one.
	for _, c := range []struct {
		path     string
		size     int
		tooLarge bool
	}{
		{scenePath + "update", 15 << 10, false},
		{scenePath + "update", 16 << 10, true},
		{rulesPath + "update", 60 << 10, false},
		{rulesPath + "update", 64 << 10, true},
	} {
		large := `{"id":1` + strings.Repeat(" ", c.size) + `}`
		a := w.Do(t, testkit.Call{Method: "PUT", Path: c.path, Body: large, Token: w.ada})
		if (a.Status == 413) != c.tooLarge {
			t.Errorf("%d bytes to %s: %s", len(large), c.path, a.Body)
		}
	}
}

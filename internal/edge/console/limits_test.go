package console_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/device"
	"tilth/internal/domain/reading"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

func parsePrefixes(t *testing.T, all ...string) (list []netip.Prefix) {
	t.Helper()
	for _, s := range all {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// Calls that need no session are limited by address; all others are not.
func TestPublicLimit(t *testing.T) {
	w := newServer(t)
	call := testkit.Call{Path: settingsPath}
	for i := range 60 {
		if a := w.Do(t, call); a.Code != 200 {
			t.Fatalf("call %d: %s", i+1, a.Body)
		}
	}
	for _, public := range []testkit.Call{call, {Path: byNamePath + "?name=x"}} {
		a := w.Do(t, public)
		if a.Status != 200 || a.Code != 429 || a.Msg != "Too many requests. Try again in 1\u00a0s" ||
			a.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %s, Retry-After %q", public.Path, a.Status, a.Body, a.Header.Get("Retry-After"))
		}
	}
	w.Run(t, []testkit.Scenario{
		{Name: "signed in", Call: w.get(userPath)},
		{Name: "elsewhere", Call: testkit.Call{Path: settingsPath, From: "198.51.100.7"}},
		{
			Name: "a forged address",
			Call: testkit.Call{Path: settingsPath, Header: map[string]string{"X-Forwarded-For": "198.51.100.8"}},
			Code: 429,
		},
		{Name: "an unknown path", Call: testkit.Call{Path: "/admin-api/none"}, Status: 404, Code: 404},
	})
	w.Clock.Advance(time.Second) // refills ten calls
	for i := range 11 {
		if a := w.Do(t, call); (a.Code == 200) != (i < 10) {
			t.Errorf("after a second, call %d: %s", i+1, a.Body)
		}
	}
}

// Look-ups, captchas, sign-ins and renewals have a budget of their own each: when one is used up, the
// calls of the others go on.
func TestPublicBudgets(t *testing.T) {
	meter := new(limit.Meter)
	w := newServer(t, func(o *console.Options) { o.Limits = meter })
	budgets := map[string][]testkit.Call{
		"console_calls": {{Path: settingsPath}, {Path: byNamePath + "?name=x"}},
		"console_captchas": {
			post(captchaPath, blockPuzzle),
			post(checkPath, `{"captchaType":"blockPuzzle","pointJson":"x","token":"x"}`),
		},
		"console_sign_ins": {
			loginCall("field", "ada", "x"), publicPost(t, loginCodePath, body{"ticket": "x", "code": "123456"}),
			publicPost(t, loginTotpPath+"begin", body{"ticket": "x"}),
			publicPost(t, loginTotpPath+"confirm", body{"ticket": "x", "code": "123456"}),
		},
		"console_renewals": {refreshCall("x")},
	}
	refusals := func() (n uint64) { // the captcha and sign-in have limits of their own besides
		for budget := range budgets {
			n += meter.Stats()[budget].Refused
		}
		return n
	}
	addresses := 0
	for spent, calls := range budgets {
		addresses++
		from := fmt.Sprintf("198.51.100.%d", addresses)
		refused := func(c testkit.Call) bool {
			c.From = from
			before := refusals()
			w.Do(t, c)
			return refusals() > before
		}
		for i := range 60 {
			if c := calls[i%len(calls)]; refused(c) {
				t.Fatalf("%s: call %d, %s, is refused", spent, i+1, c.Path)
			}
		}
		for budget, calls := range budgets {
			for _, c := range calls {
				if got, want := refused(c), budget == spent; got != want {
					t.Errorf("without %s: %s refused %t", spent, c.Path, got)
				}
			}
		}
	}
}

// At each second, 15 look-ups, a sign-in and a renewal come from one address for half a minute: look-ups
// are refused, and neither sign-ins nor renewals.
func TestLookUpsDelayNoSignIn(t *testing.T) {
	w := newServer(t)
	refused := map[string]int{}
	count := func(what string, c testkit.Call) {
		t.Helper()
		if w.Do(t, c).Code != 200 {
			refused[what]++
		}
	}
	const seconds = 30
	for range seconds {
		for range 15 {
			count("look-ups", testkit.Call{Path: settingsPath})
		}
		count("sign-ins", loginCall("field", "ada", testkit.Password))
		count("renewals", refreshCall(w.Session(t, w.field.Bora).Refresh))
		w.Clock.Advance(time.Second)
	}
	if refused["look-ups"] == 0 || refused["sign-ins"] > 0 || refused["renewals"] > 0 {
		t.Errorf("refused: %v of %d sign-ins and renewals", refused, seconds)
	}
}

// One IPv6 network counts as one client, because a client has more addresses than there are calls.
// Behind a trusted proxy, each client counts for itself.
func TestPublicLimitNetworks(t *testing.T) {
	w := newServer(t, func(o *console.Options) { o.Proxies = parsePrefixes(t, "10.0.0.0/8") })
	codes := func(n int, address func(i int) string) map[int]int {
		t.Helper()
		found := map[int]int{}
		for i := range n {
			call := testkit.Call{
				Path:   settingsPath,
				From:   "10.0.0.1",
				Header: map[string]string{"X-Forwarded-For": address(i)},
			}
			found[w.Do(t, call).Code]++
		}
		return found
	}
	if got := codes(70, func(i int) string { return fmt.Sprintf("2001:db8:0:1::%x", i+1) }); got[200] != 60 ||
		got[429] != 10 {
		t.Errorf("one network: %v", got)
	}
	if got := codes(70, func(i int) string { return fmt.Sprintf("2001:db8:0:%x::1", i+2) }); got[200] != 70 {
		t.Errorf("many networks: %v", got)
	}
	if got := codes(70, func(i int) string { return fmt.Sprintf("198.51.100.%d", i+1) }); got[200] != 70 {
		t.Errorf("many addresses: %v", got)
	}
}

// heldReadings are readings of which the newest of the field wait until going is closed.
type heldReadings struct {
	console.Readings
	field          tenant.ID
	entered, going chan struct{}
	asking, most   atomic.Int64 // queries at once
}

func (r *heldReadings) Newest(ctx context.Context, t tenant.ID, d device.ID) []reading.Newest {
	if t == r.field {
		r.most.Store(max(r.most.Load(), r.asking.Add(1)))
		r.entered <- struct{}{}
		<-r.going
		r.asking.Add(-1)
	}
	return r.Readings.Newest(ctx, t, d)
}

// If a tenant asks many queries at once, they are answered one after the other. Other tenants do
// not wait for them, and neither do the tenant's changes.
func TestTenantQueriesAreQueued(t *testing.T) {
	readings := &heldReadings{entered: make(chan struct{}, 10), going: make(chan struct{})}
	w := newServer(t, func(o *console.Options) { readings.Readings, o.Readings = o.Stores.Readings, readings })
	readings.field = w.field.ID
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if a := w.Do(t, w.get(lastPath+"?deviceName=WS-1")); a.Code != 200 {
				t.Errorf("%s", a.Body)
			}
		})
	}
	<-readings.entered // at least one is running
	theirs := w.get(lastPath + "?deviceName=" + w.rivalDevice.Name)
	theirs.Token = w.rivalToken
	w.Run(t, []testkit.Scenario{
		{Name: "another tenant asks", Call: theirs},
		{
			Name: "a change",
			Call: testkit.Call{
				Method: "PUT",
				Path:   "/admin-api/client/pc/notify-message/update-all-read",
				Token:  w.ada,
			},
		},
	})
	close(readings.going)
	all.Wait()
	if most := readings.most.Load(); most > 4 {
		t.Errorf("%d queries of a tenant ran at once", most)
	}
}

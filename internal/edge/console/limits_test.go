package console_test

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/internal/domain/alarm"
	"tilth/internal/domain/tenant"
	"tilth/internal/edge/console"
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
	for _, public := range []testkit.Call{call, {Path: byNamePath + "?name=x"}, loginCall("field", "ada", "x"), refreshCall("x")} {
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

// If a tenant asks many queries at once, they are answered one after the other. Other tenants do
// not wait for them, and neither do the tenant's changes.
func TestTenantQueriesAreQueued(t *testing.T) {
	var asking, most atomic.Int64
	var field tenant.ID
	entered, going := make(chan struct{}, 10), make(chan struct{})
	w := newServer(t, func(o *console.Options) {
		o.TenantAlarmLag = func(of tenant.ID) alarm.Behind {
			if of != field {
				return alarm.Behind{}
			}
			most.Store(max(most.Load(), asking.Add(1)))
			entered <- struct{}{}
			<-going
			asking.Add(-1)
			return alarm.Behind{}
		}
	})
	field = w.field.ID
	const statistics = "/admin-api/client/pc/home/overview-statistics"
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if a := w.Do(t, w.get(statistics)); a.Code != 200 {
				t.Errorf("%s", a.Body)
			}
		})
	}
	<-entered // at least one is running
	theirs := w.get(statistics)
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
	close(going)
	all.Wait()
	if most.Load() > 4 {
		t.Errorf("%d queries of a tenant ran at once", most.Load())
	}
}

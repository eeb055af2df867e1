package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/platform/errs"
)

const (
	wantRefused     = "refused: not sent: the address is in a network that this server does not call"
	wantUnreachable = "later: the host's name leads to no address that this server calls"
)

// Nobody is led to what is behind the server's walls: not by an address, in
// whatever form, nor by a name; and what is there is not told.
func TestPrivateAddressesRefused(t *testing.T) {
	w := newWorld(t)
	port := portOf(forbiddenListener(t, 0))
	for _, host := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "[::1]", "169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.1.1"} {
		if got := w.send(t, fmt.Sprintf("https://%s:%d/", host, port)); got != wantRefused {
			t.Errorf("%s: %s", host, got)
		}
	}
	if got := w.send(t, fmt.Sprintf("https://localhost:%d/", port)); got != wantUnreachable {
		t.Errorf("localhost: %s", got)
	}
	// Without TLS only what the provider opened is called.
	wantContains(t, "plain", w.send(t, fmt.Sprintf("http://127.0.0.1:%d/", port)), "refused: ", "without TLS")
	// An address that answers and one that does not are the same.
	if got := w.send(t, "https://127.0.0.1:1/"); got != wantRefused {
		t.Errorf("%s", got)
	}
}

// A name that has a good address first and a bad one later is judged again at
// each attempt, by the very address that is connected to: the name is resolved
// once an attempt. One that has both leads to the good one only.
func TestDNSRebindingRefused(t *testing.T) {
	l := listen(t, allowedAddr, 0)
	url, connections := serve(t, l, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("welcome")) })
	_ = url
	forbiddenListener(t, portOf(l))
	both, resolved := false, 0
	w := newWorld(t, func(o *webhook.Options) {
		o.Resolver = resolver(t, func(query int) []netip.Addr {
			resolved++
			switch {
			case both:
				return []netip.Addr{blockedAddr, allowedAddr}
			case query == 0:
				return []netip.Addr{allowedAddr}
			}
			return []netip.Addr{blockedAddr}
		})
	})
	id, _ := w.addWebhook(t, fmt.Sprintf("http://planner.example:%d/", portOf(l)))
	if said, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || said != "200 welcome" {
		t.Fatalf("%s %v", said, err)
	}
	for range 3 {
		_, err := w.caller.Send(t.Context(), w.notification(id))
		if got := failureText(t, err); got != wantUnreachable {
			t.Errorf("rebound: %s", got)
		}
	}
	both = true
	if said, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || said != "200 welcome" {
		t.Errorf("%s %v", said, err)
	}
	if n := connections.Load(); n != 2 || resolved != 5 {
		t.Errorf("%d connections, resolved %d times in 5 attempts", n, resolved)
	}
}

// Whoever names hosts behind the server's walls does not learn which there are: a
// test and a delivery say and take the same of names that are there, whatever the
// address, with TLS or without, and of those that are not, however long finding
// out takes.
func TestInternalHostnamesNotRevealed(t *testing.T) {
	quick, slow := "db.inner.example", "none.inner.example"
	for name, answers := range map[string]func(int) []netip.Addr{
		quick: func(int) []netip.Addr { return []netip.Addr{blockedAddr} },
		slow: func(int) []netip.Addr {
			time.Sleep(testTimeout / 3) // the name server's, who asks others
			return nil
		},
	} {
		w := newWorld(t, func(o *webhook.Options) { o.Resolver = resolver(t, answers) })
		for _, scheme := range []string{"https", "http"} {
			id, _ := w.addWebhook(t, fmt.Sprintf("%s://%s:%d/", scheme, name, portOf(forbiddenListener(t, 0))))
			begun := time.Now()
			o, err := w.caller.SendTest(t.Context(), w.field.ID, id)
			took := time.Since(begun)
			if err != nil || o.Err == nil || o.Err.Key != "webhook.nowhere" || len(o.Err.Args) != 0 || "later: "+
				o.Answer != wantUnreachable {
				t.Errorf("%s %s: %+v %v", scheme, name, o, err)
			}
			// Not before, and from the same timer: what comes after it is the machine's noise.
			if took < testTimeout+testTimeout/20 {
				t.Errorf("%s %s: told after %s", scheme, name, took)
			}
			begun = time.Now()
			_, err = w.caller.Send(t.Context(), w.notification(id))
			if got := failureText(t, err); got != wantUnreachable || time.Since(begun) < testTimeout+testTimeout/20 {
				t.Errorf("%s %s: %s after %s", scheme, name, got, time.Since(begun))
			}
		}
		if log := w.Log.Text(); strings.Contains(log, "inner.example") {
			t.Error(log)
		}
	}
}

// Who does not wait for the answer is not waited for.
func TestLookupDelayEndsWithContext(t *testing.T) {
	w := newWorld(t, func(o *webhook.Options) {
		o.Timeout = time.Hour // so that telling it alike takes minutes
		o.Resolver = resolver(t, func(int) []netip.Addr { return []netip.Addr{blockedAddr} })
	})
	id, _ := w.addWebhook(t, "https://db.inner.example/")
	ctx, leave := context.WithTimeout(t.Context(), testTimeout)
	defer leave()
	begun := time.Now()
	o, err := w.caller.SendTest(ctx, w.field.ID, id)
	if took := time.Since(begun); err != nil || o.Err == nil || o.Err.Key != "webhook.nowhere" || took > time.Minute {
		t.Errorf("%+v %v after %s", o, err, took)
	}
}

// Redirects are not followed, wherever they lead.
func TestRedirectsNotFollowed(t *testing.T) {
	world, inner := newWorld(t), forbiddenListener(t, 0)
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"http://" + inner.Addr().String() + "/", "https://" + inner.Addr().String() + "/", "//" + inner.Addr().String() + "/", "/elsewhere", "file:///etc/passwd"} {
			asked := 0
			url, _ := serve(t, listen(t, allowedAddr, 0), func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			if got := world.send(t, url); got != fmt.Sprint("later: ", status) || asked != 1 {
				t.Errorf("%d to %s: %s, asked %d times", status, to, got, asked)
			}
			world.deleteWebhooks(t)
		}
	}
}

// The environment names a proxy for mail's and gateways' sake; it would be
// called instead of the program, and call whatever it is told.
func TestProxyIgnored(t *testing.T) {
	proxy := "http://" + forbiddenListener(t, 0).Addr().String()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	t.Setenv("NO_PROXY", "")
	url, _ := serve(t, listen(t, allowedAddr, 0), func(http.ResponseWriter, *http.Request) {})
	if got := newWorld(t).send(t, url); got != "200" {
		t.Error(got)
	}
}

// What a try of a webhook is told of an address that is not called is in the
// reader's words, and as little.
func TestSendTestToPrivateAddress(t *testing.T) {
	w := newWorld(t, func(o *webhook.Options) { o.Guard = &guard.Guard{} })
	id, _ := w.addWebhook(t, fmt.Sprintf("https://127.0.0.1:%d/", portOf(forbiddenListener(t, 0))))
	o, err := w.caller.SendTest(t.Context(), w.field.ID, id)
	if err != nil || o.Err == nil || o.Err.Key != "webhook.inside" || "refused: "+o.Answer != wantRefused {
		t.Errorf("%+v %v", o, err)
	}
	other := w.Tenant(t, "rival")
	if _, err := w.caller.SendTest(t.Context(), other.ID, id); !errs.Is(err, errs.NotFound) {
		t.Errorf("%v", err)
	}
	if strings.Contains(w.Log.Text(), "127.0.0.1") {
		t.Errorf("%s", w.Log.Text())
	}
}

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

// The internal network cannot be called, neither by an address in any notation nor by a name, and
// the answers tell nothing about it.
func TestPrivateAddressesRefused(t *testing.T) {
	w := newFixture(t, withTimeout(testTimeout))
	port := portOf(forbiddenListener(t, 0))
	for _, host := range []string{
		"127.0.0.1", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "[::1]",
		"169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.1.1",
	} {
		if got := w.send(t, fmt.Sprintf("https://%s:%d/", host, port)); got != wantRefused {
			t.Errorf("%s: %s", host, got)
		}
	}
	if got := w.send(t, fmt.Sprintf("https://localhost:%d/", port)); got != wantUnreachable {
		t.Errorf("localhost: %s", got)
	}
	// Without TLS only networks that the provider allows are called.
	wantContains(t, "plain", w.send(t, fmt.Sprintf("http://127.0.0.1:%d/", port)), "refused: ", "without TLS")
	// An address with a server and one without give the same answer.
	if got := w.send(t, "https://127.0.0.1:1/"); got != wantRefused {
		t.Errorf("%s", got)
	}
}

// If a name has an allowed address first and a blocked one later, the guard checks the very address
// of each attempt's connection: the name is resolved once per attempt. If a name has both, only the
// allowed one is called.
func TestDNSRebindingRefused(t *testing.T) {
	l := listen(t, allowedAddr, 0)
	_, connections := serve(t, l, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("welcome")) })
	forbiddenListener(t, portOf(l))
	both, resolved := false, 0
	// Some attempts last as long as this, and others have to succeed within it.
	w := newFixture(t, withTimeout(5*testTimeout), func(o *webhook.Options) {
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
	if answer, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || answer != "200 welcome" {
		t.Fatalf("%s %v", answer, err)
	}
	for range 3 {
		_, err := w.caller.Send(t.Context(), w.notification(id))
		if got := failureText(t, err); got != wantUnreachable {
			t.Errorf("rebound: %s", got)
		}
	}
	both = true
	if answer, err := w.caller.Send(t.Context(), w.notification(id)); err != nil || answer != "200 welcome" {
		t.Errorf("%s %v", answer, err)
	}
	if n := connections.Load(); n != 2 || resolved != 5 {
		t.Errorf("%d connections, resolved %d times in 5 attempts", n, resolved)
	}
}

// A user cannot find out which names exist in the internal network: tests and deliveries give the
// same answer and take the same time for existing and missing names, with TLS or without, however
// long the lookup takes.
func TestInternalHostnamesNotRevealed(t *testing.T) {
	const within = 5 * testTimeout
	for name, answers := range map[string]func(int) []netip.Addr{
		"db.inner.example": func(int) []netip.Addr { return []netip.Addr{blockedAddr} },
		"none.inner.example": func(int) []netip.Addr {
			time.Sleep(testTimeout / 3) // a name server that queries others
			return nil
		},
	} {
		for _, scheme := range []string{"https", "http"} {
			t.Run(scheme+" "+name, func(t *testing.T) {
				t.Parallel()
				w := newFixture(t, withTimeout(within), func(o *webhook.Options) { o.Resolver = resolver(t, answers) })
				id, _ := w.addWebhook(t, fmt.Sprintf("%s://%s:%d/", scheme, name, portOf(forbiddenListener(t, 0))))
				begun := time.Now()
				o, err := w.caller.SendTest(t.Context(), w.field.ID, id)
				took := time.Since(begun)
				if err != nil || o.Err == nil || o.Err.Key != "webhook.nowhere" || len(o.Err.Args) != 0 ||
					"later: "+o.Answer != wantUnreachable {
					t.Errorf("%+v %v", o, err)
				}
				// The same timer ends both, and not earlier; the rest is noise.
				if took < within+within/20 {
					t.Errorf("answer after %s", took)
				}
				begun = time.Now()
				_, err = w.caller.Send(t.Context(), w.notification(id))
				if got := failureText(t, err); got != wantUnreachable || time.Since(begun) < within+within/20 {
					t.Errorf("%s after %s", got, time.Since(begun))
				}
				if log := w.Log.Text(); strings.Contains(log, "inner.example") {
					t.Error(log)
				}
			})
		}
	}
}

// The lookup delay ends with the caller's context.
func TestLookupDelayEndsWithContext(t *testing.T) {
	w := newFixture(t, func(o *webhook.Options) {
		o.Timeout = time.Hour // so that the delay is minutes
		o.Resolver = resolver(t, func(int) []netip.Addr { return []netip.Addr{blockedAddr} })
	})
	id, _ := w.addWebhook(t, "https://db.inner.example/")
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	begun := time.Now()
	o, err := w.caller.SendTest(ctx, w.field.ID, id)
	if took := time.Since(begun); err != nil || o.Err == nil || o.Err.Key != "webhook.nowhere" || took > time.Minute {
		t.Errorf("%+v %v after %s", o, err, took)
	}
}

// Redirects are not followed, wherever they lead.
func TestRedirectsNotFollowed(t *testing.T) {
	w, inner := newFixture(t), forbiddenListener(t, 0).Addr().String()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{
			"http://" + inner + "/", "https://" + inner + "/", "//" + inner + "/", "/elsewhere", "file:///etc/passwd",
		} {
			asked := 0
			url, _ := serve(t, listen(t, allowedAddr, 0), func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			if got := w.send(t, url); got != fmt.Sprint("later: ", status) || asked != 1 {
				t.Errorf("%d to %s: %s, asked %d times", status, to, got, asked)
			}
			w.deleteWebhooks(t)
		}
	}
}

// Webhook calls ignore the proxy that the environment sets for gateways: the proxy would call any
// address.
func TestProxyIgnored(t *testing.T) {
	proxy := "http://" + forbiddenListener(t, 0).Addr().String()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy)
	}
	t.Setenv("NO_PROXY", "")
	url, _ := serve(t, listen(t, allowedAddr, 0), func(http.ResponseWriter, *http.Request) {})
	if got := newFixture(t).send(t, url); got != "200" {
		t.Error(got)
	}
}

// A test call to an address that the guard refuses gives the error for users, without details.
func TestSendTestToPrivateAddress(t *testing.T) {
	w := newFixture(t, func(o *webhook.Options) { o.Guard = &guard.Guard{} })
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

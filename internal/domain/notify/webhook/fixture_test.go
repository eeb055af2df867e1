package webhook_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/guard"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/platform/alertmsg"
	"tilth/internal/tools/testkit"
)

// testTimeout is the timeout of an attempt in tests where no server answers. The others have that of a
// server, which no machine is too slow for.
const testTimeout = 300 * time.Millisecond

// withTimeout sets the timeout of an attempt.
func withTimeout(timeout time.Duration) func(o *webhook.Options) {
	return func(o *webhook.Options) { o.Timeout = timeout }
}

// fixture is a caller with a real store. Of this machine's addresses it may call only allowedAddr,
// which the provider allows.
type fixture struct {
	*testkit.Stores
	field  *testkit.Tenant
	caller *webhook.Caller
}

var (
	allowedAddr = netip.MustParseAddr("127.0.0.2")
	blockedAddr = netip.MustParseAddr("127.0.0.1")
)

func newFixture(t *testing.T, with ...func(o *webhook.Options)) *fixture {
	t.Helper()
	w := &fixture{Stores: testkit.NewStores(t)}
	w.field = w.Tenant(t, "field")
	o := webhook.Options{
		Store:  w.Webhooks,
		Guard:  &guard.Guard{Private: []netip.Prefix{netip.PrefixFrom(allowedAddr, 32)}},
		Now:    w.Clock.Now,
		Logger: w.Log.Logger,
	}
	for _, f := range with {
		f(&o)
	}
	w.caller = webhook.New(o)
	return w
}

// addWebhook adds a webhook with a URL, and gives its id and secret.
func (w *fixture) addWebhook(t *testing.T, url string) (id int64, secret string) {
	t.Helper()
	id, secret, err := w.Webhooks.Create(t.Context(), w.field.ID,
		&notify.Webhook{Name: fmt.Sprint("hook ", url), URL: url, Opened: true, Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return id, secret
}

// deleteWebhooks removes all webhooks, so that the tenant does not reach its limit.
func (w *fixture) deleteWebhooks(t *testing.T) {
	t.Helper()
	list, _, err := w.Webhooks.Page(t.Context(), w.field.ID, 0, notify.WebhooksATenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range list {
		if err := w.Webhooks.Delete(t.Context(), w.field.ID, h.ID); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *fixture) notification(id int64) *notify.Notification {
	return &notify.Notification{ID: "triggered-0123456789abcdef", Tenant: w.field.ID, Kind: notify.KindWebhook,
		Recipient: fmt.Sprint(id), Alarms: []alertmsg.Alarm{frost}}
}

var frost = alertmsg.Alarm{
	Event:       alertmsg.Triggered,
	Notice:      4711,
	Rule:        1,
	Title:       "Frost <b>",
	Level:       2,
	DeviceName:  "WS-1",
	NoteName:    "Mast",
	Start:       testkit.Start.UnixMilli(),
	Description: "Close the vents",
}

// send calls a URL about a notice, and gives the answer or the text of the failure.
func (w *fixture) send(t *testing.T, url string) string {
	t.Helper()
	id, _ := w.addWebhook(t, url)
	answer, err := w.caller.Send(t.Context(), w.notification(id))
	if err == nil {
		return answer
	}
	return failureText(t, err)
}

func failureText(t *testing.T, err error) string {
	t.Helper()
	f, ok := errors.AsType[*notify.Failure](err)
	if !ok {
		t.Fatalf("%T %v", err, err)
	}
	return []string{"refused: ", "later: ", "down: "}[f.Kind] + f.Answer
}

// listen listens on a port of one of the machine's addresses; 0: any free port.
func listen(t *testing.T, at netip.Addr, port int) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(at.String(), fmt.Sprint(port)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // a server may have closed it
	return l
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// serve serves a handler on a listener, and counts the connections.
func serve(t *testing.T, l net.Listener, h http.HandlerFunc) (url string, connections *atomic.Int32) {
	t.Helper()
	connections = &atomic.Int32{}
	s := httptest.NewUnstartedServer(h)
	_ = s.Listener.Close() // l replaces it
	s.Listener = l
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, connections
}

// serveRaw calls answer on each connection after it has read the request.
func serveRaw(t *testing.T, answer func(c net.Conn)) (url string) {
	t.Helper()
	l := listen(t, allowedAddr, 0)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := c.Read(make([]byte, 16<<10)); err == nil {
					answer(c)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// forbiddenListener listens on an address that must not be called: a connection fails the test.
func forbiddenListener(t *testing.T, port int) net.Listener {
	t.Helper()
	l := listen(t, blockedAddr, port)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Errorf("a connection from %s", c.RemoteAddr())
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l
}

// resolver answers each DNS query for any name with the addresses that answers gives.
func resolver(t *testing.T, answers func(query int) []netip.Addr) *net.Resolver {
	var queries atomic.Int32
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go func() {
			defer there.Close()
			for {
				var size [2]byte
				if _, err := io.ReadFull(there, size[:]); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(there, query); err != nil {
					return
				}
				var m dnsmessage.Message
				if err := m.Unpack(query); err != nil {
					t.Errorf("DNS: %v", err)
					return
				}
				m.Response, m.Additionals = true, nil
				for _, q := range m.Questions {
					if q.Type != dnsmessage.TypeA {
						continue
					}
					for _, a := range answers(int(queries.Add(1)) - 1) {
						m.Answers = append(m.Answers, dnsmessage.Resource{
							Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
							Body:   &dnsmessage.AResource{A: a.As4()},
						})
					}
				}
				packed, err := m.Pack()
				if err != nil {
					t.Errorf("DNS: %v", err)
					return
				}
				if _, err := there.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(packed))),
					packed...)); err != nil {
					return
				}
			}
		}()
		return here, nil
	}}
}

func wantContains(t *testing.T, what, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("%s: %q lacks %q", what, got, part)
		}
	}
}

package httpbase

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"tilth/internal/platform/limit"
	"tilth/internal/tools/testkit"
)

const mib = 1 << 20

// announced is a body of a size that its header announces or, with size -1, does not.
func announced(size int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", io.NopCloser(strings.NewReader(strings.Repeat("x", 100))))
	r.ContentLength = size
	return r
}

// Whatever one user, one tenant and networks without sign-in announce, the bytes are taken before
// anything is read, and a newcomer's body is received.
func TestBodiesAreBoundedByAnnouncedSize(t *testing.T) {
	meter := new(limit.Meter)
	b := NewBodies("test", 512*mib, meter)
	var releases []func()
	hold := func(from Sender, size int64) (n int64) {
		for {
			_, release, err := b.Receive(minimalWriter{}, announced(size), from, mib)
			if errors.Is(err, ErrBodiesFull) {
				release()
				return n
			}
			if err != nil {
				t.Fatal(err)
			}
			releases = append(releases, release)
			n += max(size, 0)
			if size < 0 {
				n += mib // as much as the call may have
			}
		}
	}
	const inAll = 512 * mib / bodyShare
	if n := hold(Sender{Tenant: 1, Member: 1}, 100_000); n == 0 || n > inAll/8 {
		t.Errorf("a user holds %d of %d", n, inAll)
	}
	for member := range int64(100) {
		hold(Sender{Tenant: 1, Member: member}, 100_000)
	}
	if n := hold(Sender{Tenant: 1, Member: 200}, -1); n != 0 {
		t.Errorf("a tenant with all it may have holds %d more that it did not announce", n)
	}
	if n := hold(Sender{Network: limit.Network{}}, 16<<10); n == 0 || n > inAll/8 {
		t.Errorf("a network holds %d", n)
	}
	if n := hold(Sender{Tenant: 2, Member: 1}, mib); n == 0 {
		t.Error("another tenant got nothing")
	}
	for _, release := range releases {
		release()
	}
	if s := meter.Stats()["test_bodies"]; s.Keys != 0 {
		t.Errorf("after all is released: %+v", s)
	}
}

func TestBodyIsReceived(t *testing.T) {
	b := NewBodies("test", 0, nil)
	for name, c := range map[string]struct {
		r    *http.Request
		want string
		err  error
	}{
		"announced":              {announced(100), strings.Repeat("x", 100), nil},
		"in chunks":              {announced(-1), strings.Repeat("x", 100), nil},
		"none":                   {httptest.NewRequest(http.MethodGet, "/", http.NoBody), "", nil},
		"announced as too large": {announced(101), "", &http.MaxBytesError{Limit: 100}},
	} {
		body, release, err := b.Receive(minimalWriter{}, c.r, Sender{Tenant: 1}, 100)
		release()
		if string(body) != c.want || (err == nil) != (c.err == nil) ||
			c.err != nil && ViolationOf(err).Rule != RuleTooLarge {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
	chunks := announced(-1)
	_, release, err := b.Receive(minimalWriter{}, chunks, Sender{Tenant: 1}, 99)
	release()
	if ViolationOf(err).Rule != RuleTooLarge {
		t.Errorf("chunks that are too large: %v", err)
	}
	if body, _, err := b.Receive(closedConn{}, post("x"), Sender{}, 10); !errors.Is(err, net.ErrClosed) || body != nil {
		t.Errorf("a closed connection: %q, %v", body, err)
	}
}

// Over a real connection: a body whose last byte is withheld is given up, and its bytes are free
// again; a whole body leaves no deadline that would end the request while it is answered.
func TestBodyHasLimitedTime(t *testing.T) {
	meter := new(limit.Meter)
	b := NewBodies("test", 0, meter)
	b.timeout = 50 * time.Millisecond
	ended := make(chan error, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, release, err := b.Receive(NewStatusWriter(w), r, Sender{Tenant: 1}, 100)
		release()
		if err == nil {
			select {
			case <-r.Context().Done():
				err = r.Context().Err()
			case <-time.After(3 * b.timeout):
			}
		}
		ended <- err
	}))
	defer s.Close()
	for body, want := range map[string]error{"ha": os.ErrDeadlineExceeded, "hallo": nil} {
		nc, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(nc, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n"+body); err != nil {
			t.Fatal(err)
		}
		if err := testkit.Receive(t, "the end", ended); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", body, err, want)
		}
		if want == nil {
			if _, err := http.ReadResponse(bufio.NewReader(nc), nil); err != nil {
				t.Errorf("%q: %v", body, err)
			}
		}
		nc.Close()
	}
	if n := meter.Stats()["test_bodies"].Keys; n != 0 {
		t.Errorf("%d hold bytes", n)
	}
}

// Two large bodies of a tenant at most are decoded at once, and another tenant's comes in its turn.
// Small ones are decoded at once.
func TestLargeBodiesAreDecodedInTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	b := NewBodies("test", 0, nil)
	large := make([]byte, largeBody+1)
	running, release := make(chan int64), make(chan struct{})
	decode := func(tenant int64, body []byte) {
		err := b.Decode(t.Context(), Sender{Tenant: tenant, Member: 1}, body, func() error {
			running <- tenant
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		go decode(1, large)
	}
	for range decodesPerTenant {
		testkit.Receive(t, "a large body of the first tenant", running)
	}
	go decode(2, large)
	if got := testkit.Receive(t, "one of the second", running); got != 2 {
		t.Errorf("a third body of tenant %d is decoded", got)
	}
	go decode(1, large[:largeBody])
	testkit.Receive(t, "a small one", running)
	close(release)
	testkit.Receive(t, "the third of the first tenant", running)

	gone, leave := context.WithCancel(t.Context())
	leave()
	runtime.GOMAXPROCS(1)
	blocked := NewBodies("test", 0, nil)
	err := blocked.Decode(t.Context(), Sender{Tenant: 1}, large, func() error {
		return blocked.Decode(gone, Sender{Tenant: 2}, large, func() error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left while its body waited: %v", err)
	}
}

func TestBodyViolations(t *testing.T) {
	for err, rule := range map[error]Rule{ErrBodiesFull: RuleNoRoom, os.ErrDeadlineExceeded: RuleTooSlow} {
		if got := ViolationOf(err); got.Rule != rule {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

package pgpair_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"tilth/internal/tools/pgpair"
)

// echo listens, and answers every line with the same line, and the end with "bye".
func echo(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := io.Copy(conn, conn); err == nil {
					io.WriteString(conn, "bye\n")
				}
			}()
		}
	}()
	return l.Addr().String()
}

type client struct {
	*net.TCPConn
	lines *bufio.Reader
}

func proxyTo(t *testing.T, address string) *pgpair.Proxy {
	t.Helper()
	p, err := pgpair.NewProxy(address)
	ok(t, err)
	t.Cleanup(func() { ok(t, p.Close()) })
	return p
}

func dial(t *testing.T, p *pgpair.Proxy) client {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	ok(t, err)
	t.Cleanup(func() { conn.Close() })
	return client{conn.(*net.TCPConn), bufio.NewReader(conn)}
}

func (c client) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (c client) expect(t *testing.T, line string) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if got, err := c.lines.ReadString('\n'); got != line+"\n" {
		t.Fatalf("received %q (%v), want %q", got, err, line)
	}
}

// expectSilence fails if anything arrives, or if the connection ends.
func (c client) expectSilence(t *testing.T) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if got, err := c.lines.ReadString('\n'); !errors.Is(err, os.ErrDeadlineExceeded) || got != "" {
		t.Fatalf("received %q (%v), want nothing", got, err)
	}
}

func TestProxyPassesAllAndTheEnd(t *testing.T) {
	p := proxyTo(t, echo(t))
	c := dial(t, p)
	long := strings.Repeat("x", 5<<20) // more than the proxy and the sockets hold
	go func() {
		io.WriteString(c, long+"\n")
		c.CloseWrite()
	}()
	c.expect(t, long)
	c.expect(t, "bye")
	if _, err := c.lines.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the end arrived as %v", err)
	}
}

func TestProxySwallows(t *testing.T) {
	p := proxyTo(t, echo(t))
	before := dial(t, p)
	before.say(t, "1")
	before.expect(t, "1")

	p.Swallow()
	before.say(t, "2")
	after := dial(t, p)
	after.say(t, "a")
	before.expectSilence(t)
	after.expectSilence(t)

	p.Pass() // what was held arrives, in order
	before.say(t, "3")
	before.expect(t, "2")
	before.expect(t, "3")
	after.expect(t, "a")
}

func TestProxyDelays(t *testing.T) {
	p := proxyTo(t, echo(t))
	c := dial(t, p)
	c.say(t, "1")
	c.expect(t, "1")
	const delay = 150 * time.Millisecond
	p.Delay(delay)
	began := time.Now()
	long := strings.Repeat("x", 2<<20) // many chunks on their way at once
	go func() { _, _ = io.WriteString(c, long+"\n") }()
	c.expect(t, long)
	// Had each chunk waited for the one before it, 64 would take 64 times the delay: more than nine
	// seconds. On a busy machine the proxy takes longer than twice the delay, but not half of that.
	if took := time.Since(began); took < 2*delay || took >= 32*delay {
		t.Errorf("there and back took %s, want twice %s", took, delay)
	}
}

func TestProxyCuts(t *testing.T) {
	p := proxyTo(t, echo(t))
	c := dial(t, p)
	c.say(t, "1")
	c.expect(t, "1")
	p.Cut()
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.lines.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, io.EOF) {
		t.Errorf("a cut connection ended with %v, want a reset", err)
	}
	// The reset arrives when the connection is open, or while it opens.
	next, err := net.Dial("tcp", p.Addr())
	if err == nil {
		next.SetReadDeadline(time.Now().Add(10 * time.Second))
		_, err = next.Read(make([]byte, 1))
		next.Close()
	}
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a new connection ended with %v while cut", err)
	}
	p.Pass()
	again := dial(t, p)
	again.say(t, "2")
	again.expect(t, "2")
}

func TestProxyBeforePostgreSQL(t *testing.T) {
	pair := pgpair.Require(t)
	first, second := proxyTo(t, pair.Primary().Addr()), proxyTo(t, pair.Copy().Addr())
	address := pair.URLThrough(first.Addr(), second.Addr())
	execOn(t, address, "CREATE TABLE rows (n int)")
	first.Swallow()
	if !hangs(t, address, "INSERT INTO rows VALUES (1)") {
		t.Error("a statement was answered through a proxy that swallows")
	}
	first.Cut() // what was held is lost
	ok(t, pair.Failover(t.Context()))
	if rows := query[int](t, address, "SELECT count(*) FROM rows"); rows != 0 {
		t.Errorf("%d rows after a failover, want none", rows)
	}
}

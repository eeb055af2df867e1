package listen

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pires/go-proxyproto"
)

const balancer = "10.0.0.5:4000"

var proxiedOptions = ListenerOptions{
	Name:      "mqtt",
	Balancers: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24"), netip.MustParsePrefix("2001:db8:ba1::/48")},
}

func tcp(address string) *net.TCPAddr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
}

// header makes a PROXY header for a client.
func header(t *testing.T, version byte, client, server net.Addr, tlvs ...proxyproto.TLV) []byte {
	t.Helper()
	h := proxyproto.HeaderProxyFromAddrs(version, client, server)
	if err := h.SetTLVs(tlvs); err != nil {
		t.Fatal(err)
	}
	b, err := h.Format()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// changed returns b with one byte replaced.
func changed(b []byte, at int, to byte) []byte {
	b = bytes.Clone(b)
	b[at] = to
	return b
}

func TestProxyHeader(t *testing.T) {
	four, six := tcp("198.51.100.7:5000"), tcp("[2001:db8::7]:5000")
	here4, here6 := tcp("10.0.0.1:1883"), tcp("[2001:db8::1]:1883")
	v2 := header(t, 2, four, here4)
	wide := proxyproto.TLV{Type: proxyproto.PP2_TYPE_AUTHORITY, Value: bytes.Repeat([]byte("a.example"), 300)}
	const data = "\x10\x0chello"
	const (
		isRead  = iota // the header, and what comes after it
		isWrong        // nothing is read
		asItIs         // the bytes are no header
	)
	for name, test := range map[string]struct {
		from   string
		head   []byte
		client string
		it     int
	}{
		"IPv4":                             {balancer, v2, "198.51.100.7:5000", isRead},
		"IPv6":                             {balancer, header(t, 2, six, here6), "[2001:db8::7]:5000", isRead},
		"IPv4 written as IPv6":             {balancer, header(t, 2, tcp("[::ffff:198.51.100.7]:5000"), here6), "198.51.100.7:5000", isRead},
		"with more than addresses":         {balancer, header(t, 2, four, here4, proxyproto.TLV{Type: proxyproto.PP2_TYPE_NOOP, Value: []byte("x")}, wide), "198.51.100.7:5000", isRead},
		"of a balancer in IPv6":            {"[2001:db8:ba1::2]:1", v2, "198.51.100.7:5000", isRead},
		"of a balancer written as IPv6":    {"[::ffff:10.0.0.5]:1", v2, "198.51.100.7:5000", isRead},
		"the balancer's own":               {balancer, header(t, 2, nil, nil), balancer, isRead},
		"the balancer's own, with address": {balancer, changed(v2, 12, 0x20), balancer, isRead},
		"version 1":                        {balancer, header(t, 1, four, here4), "198.51.100.7:5000", isRead},
		"version 1, unknown":               {balancer, []byte("PROXY UNKNOWN\r\n"), balancer, isRead},
		"no header":                        {balancer, nil, balancer, isWrong},
		"an unknown version":               {balancer, changed(v2, 12, 0x31), balancer, isWrong},
		"an unknown command":               {balancer, changed(v2, 12, 0x2f), balancer, isWrong},
		"an unknown protocol":              {balancer, changed(v2, 13, 0x41), balancer, isWrong},
		"of UDP":                           {balancer, changed(v2, 13, 0x12), balancer, isWrong},
		"of a local socket":                {balancer, header(t, 2, &net.UnixAddr{Net: "unix", Name: "/a"}, &net.UnixAddr{Net: "unix", Name: "/b"}), balancer, isWrong},
		"too long":                         {balancer, changed(v2, 14, 0xff), balancer, isWrong},
		"too short":                        {balancer, changed(v2, 15, 3), balancer, isWrong},
		"half a signature":                 {balancer, v2[:7], balancer, isWrong},
		// From other addresses the bytes are data, and no header.
		"from another address":             {strangerAddr, v2, strangerAddr, asItIs},
		"from a neighbouring network":      {"10.0.1.5:1", v2, "10.0.1.5:1", asItIs},
		"another address without a header": {strangerAddr, nil, strangerAddr, asItIs},
		"version 1 from another address":   {strangerAddr, header(t, 1, four, here4), strangerAddr, asItIs},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTestLimiter(0)
				p := h.startListener(t, proxiedOptions)
				defer p.end()
				client := p.connect(test.from)
				go func() {
					// The write fails after an invalid header, which is not read to its end.
					_, _ = client.Write(append(bytes.Clone(test.head), data...))
					_ = client.Close() // everything was written
				}()
				c := <-p.accepted
				defer func() { _ = c.Close() }() // it may be closed already
				if got := c.RemoteAddr().String(); got != test.client {
					t.Errorf("the client address is %s, want %s", got, test.client)
				}
				want := map[int]string{isRead: data, asItIs: string(test.head) + data}[test.it]
				got, err := io.ReadAll(c)
				if string(got) != want || (err != nil) != (test.it == isWrong) {
					t.Errorf("read %q, %v; want %q", got, err, want)
				}
				lines := 0
				if test.it == isWrong {
					lines = 1
					if _, again := c.Read(make([]byte, 1)); again == nil || errors.Is(again, io.EOF) {
						t.Errorf("second read: %v", again)
					}
				}
				h.wantLog(t, lines)
				if f := h.Stats(); f.BadHeaders != uint64(lines) {
					t.Errorf("stats %+v", f)
				}
			})
		})
	}
}

// The header must arrive within five seconds, even if it comes byte by byte.
func TestProxyHeaderTimeout(t *testing.T) {
	v2 := header(t, 2, tcp("198.51.100.7:5000"), tcp("10.0.0.1:1883"))
	for name, test := range map[string]struct {
		each   time.Duration // between two bytes
		sent   int
		ok     bool
		logged int
	}{
		"slowly":     {100 * time.Millisecond, len(v2), true, 0},
		"too slowly": {time.Second, len(v2), false, 1},
		"half":       {time.Millisecond, 20, false, 1},
		"never":      {time.Millisecond, 0, false, 0}, // as from balancers that only check that the port is open
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newTestLimiter(0)
				p := h.startListener(t, proxiedOptions)
				defer p.end()
				client := p.connect(balancer)
				c := <-p.accepted
				var writing sync.WaitGroup
				defer writing.Wait() // no time passes once the test has ended
				writing.Go(func() {
					for _, b := range append(bytes.Clone(v2), "hello"...)[:test.sent] {
						time.Sleep(test.each)
						if _, err := client.Write([]byte{b}); err != nil {
							return // the server gave up
						}
					}
				})
				began := time.Now()
				c.RemoteAddr()
				_, err := c.Read(nil)
				if took := time.Since(began); took > headerTimeout || (err == nil) != test.ok {
					t.Errorf("read: %v after %s", err, took)
				}
				h.wantLog(t, test.logged)
				if test.ok {
					// The timeout applied to the header alone.
					go func() {
						time.Sleep(time.Hour)
						_, _ = client.Write([]byte("x")) // an error ends the test elsewhere
					}()
					if n, err := c.Read(make([]byte, 1)); n != 1 || err != nil {
						t.Errorf("read an hour later: %d, %v", n, err)
					}
					if err := c.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
						t.Error(err)
					}
					if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
						t.Errorf("read with a deadline: %v", err)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A balancer that resets a connection before its header, as when its own client has left, sends no wrong one.
func TestResetBeforeProxyHeaderIsNoFault(t *testing.T) {
	h := newTestLimiter(0)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	options := proxiedOptions
	options.Balancers = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	ln := h.Listen(inner, options)
	defer ln.Close()
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := errors.Join(client.(*net.TCPConn).SetLinger(0), client.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) || h.Stats().BadHeaders != 0 {
		t.Errorf("%v, %d wrong headers", err, h.Stats().BadHeaders)
	}
}

// Connections without a valid header are logged once a minute.
func TestBadHeadersLoggedOncePerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestLimiter(0)
		for range 1000 {
			h.noteBadHeader("http", tcp(balancer), errNoClientAddr)
			time.Sleep(100 * time.Millisecond)
		}
		h.wantLog(t, 2, "times=600")
	})
}

// A connection from this machine to itself begins with a LOCAL header if the listener expects one,
// and with nothing if not.
func TestWriteLocalHeader(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }() // nothing waits for it
	for network, want := range map[string]string{"127.0.0.0/8": string(header(t, 2, nil, nil)), "10.0.0.0/8": ""} {
		nc, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		err = WriteLocalHeader(nc, []netip.Prefix{netip.MustParsePrefix(network)})
		if err := errors.Join(err, nc.Close()); err != nil {
			t.Error(err)
		}
		if data, err := io.ReadAll(c); string(data) != want || err != nil {
			t.Errorf("%s: the client sent %q, %v", network, data, err)
		}
		_ = c.Close() // it was only read
	}
}

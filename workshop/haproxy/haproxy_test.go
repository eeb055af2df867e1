package haproxy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"tilth/deploy/cluster"
)

// The configuration that users get leads to the nodes of this machine, and is otherwise as it was.
func TestLocalConfig(t *testing.T) {
	at := Addresses{HTTP: "127.0.0.1:1", MQTT: "127.0.0.1:2", Admin: "127.0.0.1:3"}
	nodes := []Node{
		{"a", "127.0.0.1:11", "127.0.0.1:12", "127.0.0.1:13"},
		{"b", "127.0.0.1:21", "127.0.0.1:22", "127.0.0.1:23"},
	}
	got, err := localConfig(cluster.HAProxy, at, nodes, "/tmp/s")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"global\n    stats socket /tmp/s\n",
		"listen http\n    bind 127.0.0.1:1\n    server a 127.0.0.1:11 port 13 send-proxy-v2\n" +
			"    server b 127.0.0.1:21 port 23 send-proxy-v2\n\n",
		"    bind 127.0.0.1:2\n    server a 127.0.0.1:12 port 13 send-proxy-v2\n",
		"    bind 127.0.0.1:3\n    server a 127.0.0.1:13 port 13\n    server b 127.0.0.1:23 port 23\n\n",
		"option httpchk GET /readyz?leader\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "\n    server a 10.77.") {
		t.Errorf("it leads to other machines\n%s", got)
	}
	for says, config := range map[string]string{
		`nobody has said where to listen for "ftp"`: cluster.HAProxy + "\nlisten ftp\n    bind :21\n",
		"listens for none of":                       "listen http\n    bind :80\nlisten mqtt\n    bind :1883\n",
		`it listens at ":8080" for http`:            "listen http\n    bind :8080\n",
	} {
		if _, err := localConfig(config, at, nodes, "s"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// Clients reach the node that leads, and only that one; when another leads, they reach it.
func TestLeadsToWhoeverLeads(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts HAProxy")
	}
	var leads atomic.Value
	leads.Store("b")
	o := Options{Dir: t.TempDir()}
	for _, name := range []string{"a", "b"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/readyz" && leads.Load() != name {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = io.WriteString(w, name) // the client says if it is missing
		}))
		t.Cleanup(s.Close)
		at := strings.TrimPrefix(s.URL, "http://")
		o.Nodes = append(o.Nodes, Node{name, at, at, at})
	}
	p, err := Start(t.Context(), o)
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	for _, name := range []string{"b", "a", "b"} {
		leads.Store(name)
		for got := ""; got != name; {
			if err := p.AwaitLeader(t.Context()); err != nil {
				t.Fatal(err)
			}
			client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := client.Get("http://" + p.Admin + "/")
			if err != nil {
				continue // the former one was left in this moment
			}
			body, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			got = string(body)
		}
	}
	p.Close()
}

// A node learns a client's address.
func TestNodesLearnTheClientsAddress(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts HAProxy")
	}
	var leads atomic.Value
	leads.Store("a")
	o := Options{Dir: t.TempDir()}
	for _, name := range []string{"a", "b"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if leads.Load() != name {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		t.Cleanup(s.Close)
		at := strings.TrimPrefix(s.URL, "http://")
		o.Nodes = append(o.Nodes, Node{name, at, serveDevices(t), at})
	}
	p, err := Start(t.Context(), o)
	if errors.Is(err, ErrMissing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.AwaitLeader(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A device connects, and gets what its node gets first.
	ask := func() string {
		nc, err := net.Dial("tcp", p.MQTT)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer nc.Close()
		got, _ := io.ReadAll(nc) // what is missing fails below
		if len(got) < 28 || !strings.HasPrefix(string(got), "\r\n\r\n\x00\r\nQUIT\n\x21\x11") {
			return fmt.Sprintf("%q is no PROXY header of a client", got)
		}
		from, _ := netip.AddrFromSlice(got[16:20])
		port := binary.BigEndian.Uint16(got[24:26])
		return fmt.Sprint(netip.AddrPortFrom(from, port) == netip.MustParseAddrPort(nc.LocalAddr().String()))
	}
	if got := ask(); got != "true" {
		t.Errorf("while one leads: %s", got)
	}
}

// serveDevices answers each connection with the PROXY header that comes first, and closes it.
func serveDevices(t *testing.T) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(nc, nc, 28) // of TCP over IPv4; the client says what is missing
			_ = nc.Close()
		}
	}()
	return ln.Addr().String()
}

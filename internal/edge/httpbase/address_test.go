package httpbase

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// trustedNetwork is a network of trusted proxies.
var trustedNetwork = netip.MustParsePrefix("10.0.0.0/8")

// Forwarded addresses are trusted only if they come from trusted proxies, from the nearest hop
// outwards.
func TestClientAddr(t *testing.T) {
	proxies := []netip.Prefix{trustedNetwork, netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		remote    string
		forwarded []string
		want      string
	}{
		{"203.0.113.1:5000", nil, "203.0.113.1"},
		{"203.0.113.1:5000", []string{"198.51.100.1"}, "203.0.113.1"}, // not a trusted proxy
		{"10.0.0.1:5000", []string{"198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:5000", nil, "10.0.0.1"},
		{"10.0.0.1:5000", []string{"198.51.100.1, 10.0.0.9"}, "198.51.100.1"}, // two proxies
		// the client's own claim is further out
		{"10.0.0.1:5000", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1"},
		{"10.0.0.1:5000", []string{"1.1.1.1, 198.51.100.1, 10.2.2.2"}, "198.51.100.1"},
		{"10.0.0.1:5000", []string{"198.51.100.1", "10.2.2.2"}, "198.51.100.1"}, // two header lines
		{"10.0.0.1:5000", []string{"10.3.3.3"}, "10.3.3.3"},                     // from inside
		{"10.0.0.1:5000", []string{"garbage"}, "10.0.0.1"},
		{"10.0.0.1:5000", []string{"1.1.1.1, garbage"}, "10.0.0.1"},
		{"10.0.0.1:5000", []string{""}, "10.0.0.1"},
		{"10.0.0.1:5000", []string{"198.51.100.1:443"}, "198.51.100.1"}, // some proxies add the port
		{"[fd00::1]:5000", []string{"2001:db8::7"}, "2001:db8::7"},
		{"[fd00::1]:5000", []string{"[2001:db8::7]:443"}, "2001:db8::7"},
		{"[::ffff:10.0.0.1]:5000", []string{"::ffff:198.51.100.1"}, "198.51.100.1"}, // IPv4-mapped IPv6 addresses
		{"@", []string{"198.51.100.1"}, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.remote
		for _, f := range c.forwarded {
			r.Header.Add("X-Forwarded-For", f)
		}
		if got := ClientAddr(r, proxies).String(); got != c.want {
			t.Errorf("%s through %q: %s, want %s", c.remote, c.forwarded, got, c.want)
		}
	}
}

// Host and scheme are trusted only from a trusted proxy, and of several values only the one that
// the nearest proxy wrote.
func TestClientHostAndScheme(t *testing.T) {
	proxies := []netip.Prefix{trustedNetwork}
	for _, c := range []struct {
		remote        string
		hosts, protos []string
		tls           bool
		host, scheme  string
	}{
		{remote: "203.0.113.1:5000", host: "asked.example", scheme: "http"},
		{remote: "203.0.113.1:5000", tls: true, host: "asked.example", scheme: "https"},
		{remote: "203.0.113.1:5000", hosts: []string{"evil.example"}, protos: []string{"https"}, host: "asked.example", scheme: "http"},
		{remote: "10.0.0.1:5000", host: "asked.example", scheme: "http"},
		{remote: "10.0.0.1:5000", hosts: []string{"farm.example"}, protos: []string{"HTTPS"}, host: "farm.example", scheme: "https"},
		{remote: "10.0.0.1:5000", hosts: []string{"evil.example, farm.example"}, protos: []string{"https, http"}, host: "farm.example", scheme: "http"},
		{remote: "10.0.0.1:5000", hosts: []string{"evil.example", " farm.example "}, protos: []string{"http", "https"}, host: "farm.example", scheme: "https"},
		{remote: "10.0.0.1:5000", hosts: []string{"farm.example,"}, protos: []string{""}, host: "asked.example", scheme: "http"},
		{remote: "10.0.0.1:5000", protos: []string{"http"}, tls: true, host: "asked.example", scheme: "https"},
		{remote: "@", hosts: []string{"evil.example"}, host: "asked.example", scheme: "http"},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://asked.example/", nil)
		r.RemoteAddr = c.remote
		r.Header["X-Forwarded-Host"], r.Header["X-Forwarded-Proto"] = c.hosts, c.protos
		if c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		if host, scheme := ClientHost(r, proxies), ClientScheme(r, proxies); host != c.host || scheme != c.scheme {
			t.Errorf("%+v: %s://%s", c, scheme, host)
		}
	}
}

func TestFromProxy(t *testing.T) {
	proxies := []netip.Prefix{trustedNetwork, netip.MustParsePrefix("fd00::/8")}
	for remote, want := range map[string]bool{
		"10.0.0.1:5000": true, "[::ffff:10.0.0.1]:5000": true, "[fd00::1]:5000": true, "203.0.113.1:5000": false, "@": false, "": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = remote
		if FromProxy(r, proxies) != want || FromProxy(r, nil) {
			t.Errorf("%s: not %t", remote, want)
		}
	}
}

package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"tilth/internal/settings"
)

func TestHTTPSRedirectRules(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	const served = "served"
	for name, c := range map[string]struct {
		host, target, from, public string
		off, secure                bool
		want                       string // redirect target, or served
	}{
		"page":                         {want: "https://field.example:" + port + "/"},
		"call with a query":            {target: "/admin-api/x?a=1&b=%2F", want: "https://field.example:" + port + "/admin-api/x?a=1&b=%2F"},
		"a program":                    {target: "/open-api/v1/devices", want: "https://field.example:" + port + "/open-api/v1/devices"},
		"escapes stay":                 {target: "/avatar/a%2Fb", want: "https://field.example:" + port + "/avatar/a%2Fb"},
		"two slashes":                  {target: "//other.example/x", want: "https://field.example:" + port + "//other.example/x"},
		"a port of its own":            {host: "field.example:8080", want: "https://field.example:" + port + "/"},
		"an address":                   {host: "[::1]:8080", want: "https://[::1]:" + port + "/"},
		"an IPv6 address on port 443":  {host: "[::1]:80", public: "https://x.example", want: "https://[::1]/"},
		"public address":               {public: "https://other.example", want: "https://field.example/"},
		"public address's port":        {public: "https://other.example:8443", want: "https://field.example:8443/"},
		"public address without https": {public: "http://other.example", want: "https://field.example:" + port + "/"},
		"telemetry":                    {target: "/api/v1/secret/telemetry", want: served},
		"a weather station":            {target: "/weatherstation/updateweatherstation.php", want: served},
		"a network server":             {target: "/api/v1/integrations/lorawan", want: served},
		"MQTT":                         {target: "/mqtt", want: served},
		"like MQTT":                    {target: "/mqtt2", want: "https://field.example:" + port + "/mqtt2"},
		"health":                       {target: "/healthz", want: served},
		"readiness":                    {target: "/readyz", want: served},
		"a trusted proxy":              {from: "10.1.2.3:5000", want: served},
		"a trusted proxy as an IPv4-mapped address": {from: "[::ffff:10.1.2.3]:5000", want: served},
		"over TLS":                {secure: true, want: served},
		"switched off":            {off: true, want: served},
		"no host":                 {host: "a b", want: ""},
		"a user name in the host": {host: "me@field.example", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Server{listeners: listeners{https: ln}, set: &settings.Server{
				HTTPSRedirect: !c.off,
				PublicURL:     c.public,
				Proxies:       []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
			}}
			reached := false
			h := s.httpsPolicy(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
			target, host, from := "/", "field.example", "192.0.2.1:5000"
			if c.target != "" {
				target = c.target
			}
			if c.host != "" {
				host = c.host
			}
			if c.from != "" {
				from = c.from
			}
			r := httptest.NewRequest(http.MethodPost, "http://x"+target, http.NoBody)
			r.Host, r.RemoteAddr = host, from
			if c.secure {
				r.TLS = &tls.ConnectionState{}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if reached != (c.want == served) {
				t.Fatalf("served: %v", reached)
			}
			if got := w.Header().Get("Strict-Transport-Security"); (got != "") != c.secure {
				t.Errorf("strict transport: %q", got)
			}
			switch {
			case reached:
			case c.want == "":
				if w.Code != http.StatusBadRequest || w.Header().Get("Location") != "" {
					t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
				}
			default:
				if w.Code != http.StatusTemporaryRedirect || w.Header().Get("Location") != c.want ||
					w.Header().Get("Cache-Control") != "no-store" {
					t.Errorf("%d to %q, want %q", w.Code, w.Header().Get("Location"), c.want)
				}
			}
		})
	}
}

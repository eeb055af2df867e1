package app

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// startTLS starts p with an HTTPS address of its own, whose certificate is in
// dir.
func (p *process) startTLS(dir string, args ...string) (address string, roots *x509.CertPool) {
	p.t.Helper()
	certFile, keyFile, roots := testkit.Certificate(p.t, dir, time.Now())
	p.start(append([]string{"--https-addr", anyPort, "--tls-cert", certFile, "--tls-key", keyFile}, args...)...)
	return p.https, roots
}

// browser is a client that trusts roots, speaks HTTP/2 where it is offered and
// follows no redirect.
func browser(t *testing.T, roots *x509.CertPool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// getPage asks for an address, with a token where there is one.
func getPage(t *testing.T, c *http.Client, address, token string) *http.Response {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := newProcess(t)
	secure, roots := p.startTLS(dir)
	p.apply(simulatedFarm)

	page := getPage(t, browser(t, roots), "https://"+secure+"/readyz", "")
	if page.StatusCode != http.StatusOK || page.ProtoMajor != 2 ||
		page.Header.Get("Strict-Transport-Security") != strictTransport {
		t.Errorf("%s %s, %v", page.Proto, page.Status, page.Header)
	}
	plain := getPage(t, browser(t, nil), "http://"+p.http+"/signin", "")
	if got := plain.Header.Get(
		"Strict-Transport-Security",
	); plain.StatusCode >= 300 && plain.StatusCode < 400 ||
		got != "" {
		t.Errorf("without TLS: %s, strict transport %q", plain.Status, got)
	}
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		c, err := tls.Dial(
			"tcp",
			secure,
			&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: version},
		)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			c.Close()
		}
	}

	// What is told of addresses is what was asked for.
	token := p.signIn("farm", "ada", "correct horse")
	told := getPage(
		t,
		browser(t, roots),
		"https://"+secure+"/admin-api/client/pc/device/get/connection?deviceName=SILO-1",
		token,
	)
	line, err := bufio.NewReader(told.Body).ReadString('\n')
	if err != nil || !strings.Contains(line, `"http":"https://`+secure+`"`) {
		t.Errorf("connection: %s, %v", line, err)
	}

	// Devices reach the same address, and a renewed certificate needs no restart.
	trusting := func(o *mqtt.ClientOptions) { o.SetTLSConfig(&tls.Config{RootCAs: roots}) }
	publishOnce(t, "wss://"+secure+"/mqtt", trusting)
	before := roots
	_, _, roots = testkit.Certificate(t, dir, time.Now())
	publishOnce(t, "wss://"+secure+"/mqtt", trusting)
	if _, err := browser(t, before).Get("https://" + secure + "/readyz"); err == nil {
		t.Error("the certificate before is still in use")
	}
	if n := p.receivedCount(); n != 2 {
		t.Errorf("%d messages received", n)
	}
}

// A stop ends screens that are open over HTTP/2 and devices on its WebSockets,
// cleanly and in time.
func TestStopClosesHTTPSStreams(t *testing.T) { // by itself: the stop is timed
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir())
	p.apply(simulatedFarm)
	stream := getPage(
		t,
		browser(t, roots),
		"https://"+secure+"/admin-api/client/pc/live",
		p.signIn("farm", "ada", "correct horse"),
	)
	lines := bufio.NewScanner(stream.Body)
	if stream.ProtoMajor != 2 || !lines.Scan() || !strings.HasPrefix(lines.Text(), "id: ") {
		t.Fatalf("%s %s begins with %q", stream.Proto, stream.Status, lines.Text())
	}
	lost := make(chan error, 1)
	c := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker(
			"wss://" + secure + "/mqtt",
		).SetTLSConfig(
			&tls.Config{RootCAs: roots},
		).SetAutoReconnect(
			false,
		).
			SetUsername(
				"SILO-1",
			).SetPassword(
			"silo-secret-number-0001",
		).SetConnectionLostHandler(
			func(_ mqtt.Client, err error) { lost <- err },
		),
	)
	if token := c.Connect(); !token.WaitTimeout(5*time.Second) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	begin := time.Now()
	p.stop()
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("the stop took %v", took)
	}
	for lines.Scan() { // to its end
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
	select {
	case <-lost:
	case <-time.After(5 * time.Second):
		t.Error("the device was not told")
	}
}

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
		want                       string // where to, or served
	}{
		"page":                      {want: "https://field.example:" + port + "/"},
		"call with a question":      {target: "/admin-api/x?a=1&b=%2F", want: "https://field.example:" + port + "/admin-api/x?a=1&b=%2F"},
		"a program":                 {target: "/open-api/v1/devices", want: "https://field.example:" + port + "/open-api/v1/devices"},
		"escapes stay":              {target: "/avatar/a%2Fb", want: "https://field.example:" + port + "/avatar/a%2Fb"},
		"two slashes":               {target: "//other.example/x", want: "https://field.example:" + port + "//other.example/x"},
		"a port of its own":         {host: "field.example:8080", want: "https://field.example:" + port + "/"},
		"an address":                {host: "[::1]:8080", want: "https://[::1]:" + port + "/"},
		"an address on 443":         {host: "[::1]:80", public: "https://x.example", want: "https://[::1]/"},
		"public address":            {public: "https://other.example", want: "https://field.example/"},
		"public address's port":     {public: "https://other.example:8443", want: "https://field.example:8443/"},
		"public address without it": {public: "http://other.example", want: "https://field.example:" + port + "/"},
		"telemetry":                 {target: "/api/v1/secret/telemetry", want: served},
		"a network server":          {target: "/api/v1/integrations/lorawan", want: served},
		"MQTT":                      {target: "/mqtt", want: served},
		"like MQTT":                 {target: "/mqtt2", want: "https://field.example:" + port + "/mqtt2"},
		"health":                    {target: "/healthz", want: served},
		"readiness":                 {target: "/readyz", want: served},
		"a trusted proxy":           {from: "10.1.2.3:5000", want: served},
		"one in IPv6's clothes":     {from: "[::ffff:10.1.2.3]:5000", want: served},
		"over TLS":                  {secure: true, want: served},
		"switched off":              {off: true, want: served},
		"no host":                   {host: "a b", want: ""},
		"somebody's name in it":     {host: "me@field.example", want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Server{listeners: listeners{https: ln}, set: &Settings{
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

// With the redirect people are sent on and devices are not.
func TestHTTPSRedirect(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir(), "--https-redirect")
	p.apply(simulatedFarm)
	moved := getPage(t, browser(t, nil), "http://"+p.http+"/signin?next=%2Fdevices", "")
	if got := moved.Header.Get("Location"); got != "https://"+secure+"/signin?next=%2Fdevices" {
		t.Errorf("%s to %q", moved.Status, got)
	}
	if there := getPage(
		t,
		browser(t, roots),
		moved.Header.Get("Location"),
		"",
	); there.StatusCode >= 300 &&
		there.StatusCode < 400 {
		t.Errorf("sent on once more: %s", there.Status)
	}
	publishOnce(t, "ws://"+p.http+"/mqtt", func(*mqtt.ClientOptions) {})
}

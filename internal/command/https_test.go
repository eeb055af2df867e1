package command

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// startTLS starts p with an HTTPS address of its own, whose certificate is in dir.
func (p *process) startTLS(dir string, args ...string) (address string, roots *x509.CertPool) {
	p.t.Helper()
	certFile, keyFile, roots := testkit.Certificate(p.t, dir, time.Now())
	p.start(append([]string{"--https-addr", testkit.AnyPort, "--tls-cert", certFile, "--tls-key", keyFile}, args...)...)
	return p.https, roots
}

// browser is a client that trusts roots, uses HTTP/2 if the server offers it, and follows no
// redirect.
func browser(t *testing.T, roots *x509.CertPool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// getPage requests an address, with a token unless that is empty.
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
		page.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("%s %s, %v", page.Proto, page.Status, page.Header)
	}
	plain := getPage(t, browser(t, nil), "http://"+p.http+"/signin", "")
	got := plain.Header.Get("Strict-Transport-Security")
	if plain.StatusCode >= 300 && plain.StatusCode < 400 || got != "" {
		t.Errorf("without TLS: %s, strict transport %q", plain.Status, got)
	}
	versions := map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true}
	for version, want := range versions {
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

	// Addresses in answers have the host that was asked for.
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
		t.Error("the old certificate is still in use")
	}
	if n := p.receivedCount(); n != 2 {
		t.Errorf("%d messages received", n)
	}
}

// A stop ends screens over HTTP/2 and devices on WebSockets cleanly and in time.
func TestStopClosesHTTPSStreams(t *testing.T) { // not parallel, since it times the stop
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
	if token := c.Connect(); !token.WaitTimeout(testkit.WaitTimeout) || token.Error() != nil {
		t.Fatal(token.Error())
	}
	p.stop()
	p.wantNobodyCutOff()
	for lines.Scan() { // to its end
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
	select {
	case <-lost:
	case <-time.After(testkit.WaitTimeout):
		t.Error("the device got no DISCONNECT")
	}
}

// With the redirect people are redirected and devices are not.
func TestHTTPSRedirect(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	secure, roots := p.startTLS(t.TempDir(), "--https-redirect")
	p.apply(simulatedFarm)
	moved := getPage(t, browser(t, nil), "http://"+p.http+"/signin?next=%2Fdevices", "")
	if got := moved.Header.Get("Location"); got != "https://"+secure+"/signin?next=%2Fdevices" {
		t.Errorf("%s to %q", moved.Status, got)
	}
	there := getPage(t, browser(t, roots), moved.Header.Get("Location"), "")
	if there.StatusCode >= 300 && there.StatusCode < 400 {
		t.Errorf("redirected a second time: %s", there.Status)
	}
	publishOnce(t, "ws://"+p.http+"/mqtt", func(*mqtt.ClientOptions) {})
}

package command

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/authority"
)

const farmExpiryMetric = `tilth_certificate_expiry_timestamp_seconds{name="farm.example"}`

// A server accepts readings even if its ACME server does not answer. Once that answers, people and
// devices get the certificate that it issues, although the HTTP address, at which it asks for its
// proof, redirects everybody else. A restart without the ACME server changes nothing.
func TestCertificatesAreIssued(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	ca := authority.New(t, authority.Options{TLSPort: 1, Names: []string{"farm.example"}, Blocked: true})
	start := func(directory string, args ...string) {
		t.Helper()
		p.start(
			append(
				args,
				"--https-addr", testkit.AnyPort,
				"--mqtt-tls-addr", testkit.AnyPort,
				"--https-redirect",
				"--acme-domains", "farm.example",
				"--acme-agree",
				"--acme-directory", directory,
				"--acme-ca-file", ca.RootFile,
			)...)
	}
	start(ca.Directory)
	p.apply(simulatedFarm)
	publishOnce(t, "tcp://"+p.mqtt, func(*mqtt.ClientOptions) {})
	if got := p.metricText(farmExpiryMetric); got != "0" {
		t.Errorf("without a certificate: %s", got)
	}
	if _, err := ca.FetchCertificate(t.Context(), p.https, "farm.example"); err == nil {
		t.Error("the server presents a certificate that nobody issued")
	}

	ca.SetChallengePort(t, p.http) // only HTTP leads to a proof, in spite of the redirect
	ca.Unblock()
	testkit.Eventually(
		t,
		"a certificate",
		func() bool { _, err := ca.FetchCertificate(t.Context(), p.https, "farm.example"); return err == nil },
	)
	met, err := ca.FetchCertificate(t.Context(), p.mqttTLS, "farm.example")
	if err != nil {
		t.Fatal(err)
	}
	expires, err := strconv.ParseFloat(p.metricText(farmExpiryMetric), 64)
	if err != nil || int64(expires) != met.NotAfter.Unix() {
		t.Errorf("expires %v, %v; want %v", expires, err, met.NotAfter.Unix())
	}
	trusting := func(o *mqtt.ClientOptions) {
		o.SetTLSConfig(&tls.Config{RootCAs: ca.Roots, ServerName: "farm.example"})
	}
	publishOnce(t, "ssl://"+p.mqttTLS, trusting)
	publishOnce(t, "wss://"+p.https+"/mqtt", trusting)
	if moved := getPage(
		t,
		browser(t, nil),
		"http://"+p.http+"/signin",
		"",
	); moved.StatusCode != http.StatusTemporaryRedirect {
		t.Errorf("people at the HTTP address: %s", moved.Status)
	}
	_, err = ca.FetchCertificate(t.Context(), p.https, "other.example")
	if err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("another name: %v", err)
	}
	if info, err := os.Stat(filepath.Join(p.dir, "acme")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of keys: %v, %v", info, err)
	}
	p.stop()

	start("https://"+unusedAddr+"/dir", "--acme-email", "ops@farm.example")
	testkit.Eventually(t, "a reported failure", func() bool {
		return p.metricText(`tilth_certificate_failures_total{name="farm.example"}`) != "0"
	})
	publishOnce(t, "tcp://"+p.mqtt, func(*mqtt.ClientOptions) {})
	p.stop()
	if !strings.Contains(p.stderr.String(), "no certificate was issued, it is tried again") ||
		!strings.Contains(p.stderr.String(), "name=farm.example") {
		t.Errorf("%s", p.stderr)
	}
	start(
		ca.Directory,
		"--acme-email", "ops@farm.example",
	) // the certificate is kept with the directory that issued it
	again, err := ca.FetchCertificate(t.Context(), p.https, "farm.example")
	if err != nil || again.SerialNumber.Cmp(met.SerialNumber) != 0 {
		t.Errorf("after a restart: %v, %v", again, err)
	}
}

// The metric reports the expiry of the operator's own certificate as well.
func TestOwnCertificateExpiryMetric(t *testing.T) {
	t.Parallel()
	p := newProcess(t)
	began := time.Now()
	p.startTLS(t.TempDir())
	expires, err := strconv.ParseFloat(p.metricText(`tilth_certificate_expiry_timestamp_seconds{name="localhost"}`), 64)
	if err != nil || time.Unix(int64(expires), 0).Before(began.Add(time.Hour-time.Minute)) {
		t.Errorf("expires %v, %v", expires, err)
	}
}

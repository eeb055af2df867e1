package acme

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tilth/internal/tools/testkit/authority"
)

// acmeFixture is an ACME server and the two addresses that it checks proofs at.
type acmeFixture struct {
	t           *testing.T
	name        string // of this fixture only: certmagic keeps pending proofs by name, for the whole process
	ca          *authority.Authority
	dir         string
	http, https net.Listener
	log         *lockedBuffer
}

// lockedBuffer is a log that tests can read concurrently.
type lockedBuffer struct {
	mu      sync.Mutex
	written bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written.String()
}

func (l *lockedBuffer) contains(words string) bool { return strings.Contains(l.String(), words) }

func newACMEFixture(t *testing.T, o authority.Options) *acmeFixture {
	t.Helper()
	w := &acmeFixture{
		t: t, name: strings.ToLower(strings.ReplaceAll(t.Name(), "/", ".")) + ".example",
		dir: filepath.Join(t.TempDir(), "acme"), http: listen(t), https: listen(t), log: &lockedBuffer{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log:\n%s", w.log)
		}
	})
	o.HTTPPort, o.TLSPort = cmp.Or(o.HTTPPort, port(w.http)), port(w.https)
	o.Names = append(o.Names, w.name)
	w.ca = authority.New(t, o)
	return w
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // a server may have closed it
	return l
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// start makes Certificates of the fixture's folder and runs them until stop.
func (w *acmeFixture) start(change func(*Options)) (c *Certificates, stop func()) {
	w.t.Helper()
	root, err := os.ReadFile(w.ca.RootFile)
	if err != nil {
		w.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(root)
	o := Options{
		Names: []string{
			w.name,
		},
		Directory:  w.ca.Directory,
		Roots:      roots,
		Dir:        w.dir,
		HTTP:       w.http.Addr(),
		HTTPS:      w.https.Addr(),
		Logger:     slog.New(slog.NewTextHandler(w.log, nil)),
		CheckEvery: 50 * time.Millisecond,
	}
	if change != nil {
		change(&o)
	}
	if c, err = New(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	w.t.Cleanup(stop)
	return c, stop
}

// serve serves both addresses with the certificates of c.
func (w *acmeFixture) serve(c *Certificates) {
	page := http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(out, "console") })
	plain := &http.Server{Handler: c.Challenges(page), ReadHeaderTimeout: time.Second}
	secure := &http.Server{
		Handler:           page,
		ReadHeaderTimeout: time.Second,
		TLSConfig:         c.Config(),
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, 0),
	}
	secure.TLSConfig.NextProtos = []string{"h2", "http/1.1", ALPNProtocol}
	go func() { _ = plain.Serve(w.http) }() // until the listener is closed
	go func() { _ = secure.ServeTLS(w.https, "", "") }()
	w.t.Cleanup(func() { _, _ = plain.Close(), secure.Close() })
}

// waitFor polls until done returns true.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	again, over := time.NewTicker(20*time.Millisecond), time.NewTimer(time.Minute)
	defer again.Stop()
	defer over.Stop()
	for !done() {
		select {
		case <-again.C:
		case <-over.C:
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

func (w *acmeFixture) servedCertificate(name string) (*x509.Certificate, error) {
	return w.ca.FetchCertificate(w.t.Context(), w.https.Addr().String(), name)
}

// Either kind of proof gives a certificate.
func TestChallengeTypes(t *testing.T) {
	t.Parallel()
	for proof, c := range map[string]struct {
		authority authority.Options
		change    func(*Options)
	}{
		"http-01":     {change: func(o *Options) { o.HTTPS = nil }},
		"tls-alpn-01": {authority: authority.Options{HTTPPort: 1}}, // port 80 is not ours
	} {
		t.Run(proof, func(t *testing.T) {
			t.Parallel()
			w := newACMEFixture(t, c.authority)
			c, _ := w.start(c.change)
			w.serve(c)
			var met *x509.Certificate
			waitFor(t, "a certificate", func() bool {
				var err error
				met, err = w.servedCertificate(w.name)
				return err == nil
			})
			if s := c.Statuses(); len(s) != 1 || s[0].Name != w.name || !s[0].Expires.Equal(met.NotAfter) {
				t.Errorf("%+v, expires %v", s, met.NotAfter)
			}
		})
	}
}

// renewable makes a fixture with a certificate that is due at the first check, more than half a
// minute before it expires: a certificate is due when less than five check intervals are left.
func renewable(t *testing.T) (w *acmeFixture, c *Certificates, stop func(), first *x509.Certificate) {
	t.Helper()
	for {
		w = newACMEFixture(t, authority.Options{ValidFor: 45 * time.Second})
		c, stop = w.start(func(o *Options) { o.CheckEvery = 8 * time.Second })
		w.serve(c)
		waitFor(t, "a certificate", func() bool {
			var err error
			first, err = w.servedCertificate(w.name)
			return err == nil
		})
		// DER puts a zero byte before a serial number whose first bit is set. The client names the
		// certificate to replace with that zero (RFC 9773, 4.1), but Pebble looks it up without,
		// and does not find it: one certificate in 256.
		if first.SerialNumber.BitLen()%8 != 0 {
			return w, c, stop, first
		}
		stop()
	}
}

// A certificate is renewed in time while it is being served, and the next start loads the newest.
func TestRenewal(t *testing.T) {
	t.Parallel()
	w, c, stop, first := renewable(t)
	waitFor(t, "another", func() bool {
		next, err := w.servedCertificate(w.name)
		if err != nil {
			t.Fatalf("no valid certificate is served: %v\n%s", err, w.log)
		}
		return next.SerialNumber.Cmp(first.SerialNumber) != 0
	})
	waitFor(t, "the renewal in the log", func() bool { return w.log.contains("renewal=true") })
	if n := c.Statuses()[0].Failures; n != 0 {
		t.Errorf("%d failures\n%s", n, w.log)
	}
	stop()
	again, err := New(t.Context(), Options{
		Names:     c.names,
		Directory: w.ca.Directory,
		Dir:       w.dir,
		HTTP:      w.http.Addr(),
		Logger:    slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Statuses(); !s[0].Expires.After(first.NotAfter) {
		t.Errorf("after a restart: %+v, the first certificate was valid until %v", s, first.NotAfter)
	}
}

// While the ACME server does not respond, other requests are served; once it responds, a
// certificate is issued without any action.
func TestUnresponsiveServer(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{Blocked: true})
	c, _ := w.start(nil)
	w.serve(c)
	res, err := http.Get("http://" + w.http.Addr().String() + "/")
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	if err := res.Body.Close(); err != nil {
		t.Error(err)
	}
	if _, err := w.servedCertificate(w.name); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("without a certificate: %v", err)
	}
	if s := c.Statuses(); !s[0].Expires.IsZero() {
		t.Errorf("%+v", s)
	}
	w.ca.Unblock()
	waitFor(t, "a certificate", func() bool { _, err := w.servedCertificate(w.name); return err == nil })
}

// A name whose proof the ACME server cannot find is logged and counted, and does not keep other
// names from their certificates. A name that is not in the settings gets no certificate.
func TestUnverifiableName(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{})
	c, _ := w.start(func(o *Options) { o.Names = []string{"gone.example", w.name} })
	w.serve(c)
	waitFor(t, "the right name", func() bool { _, err := w.servedCertificate(w.name); return err == nil })
	waitFor(t, "the wrong name's failure", func() bool { return c.Statuses()[0].Failures > 0 })
	if s := c.Statuses(); !s[0].Expires.IsZero() || s[1].Expires.IsZero() || s[1].Failures != 0 {
		t.Errorf("%+v", s)
	}
	if !w.log.contains("no certificate was issued, it is tried again") || !w.log.contains("name=gone.example") {
		t.Errorf("%s", w.log)
	}
	for _, name := range []string{"gone.example", "other.example", "x." + w.name} {
		if _, err := w.servedCertificate(name); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("%s: %v", name, err)
		}
	}
	unknown, err := http.Get("http://" + w.http.Addr().String() + "/.well-known/acme-challenge/nothing")
	if err != nil {
		t.Fatal(err)
	}
	defer unknown.Body.Close()
	if body, err := io.ReadAll(unknown.Body); err != nil || string(body) != "console" {
		t.Errorf("an unknown proof: %q, %v", body, err)
	}
}

// A client that names no host, such as a device that knows only an address, gets the certificate of
// the first name.
func TestDefaultCertificateWithoutSNI(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{Names: []string{"second.example"}})
	c, _ := w.start(func(o *Options) { o.Names = []string{w.name, "second.example"} })
	w.serve(c)
	waitFor(t, "both", func() bool {
		s := c.Statuses()
		return !s[0].Expires.IsZero() && !s[1].Expires.IsZero()
	})
	conn, err := tls.Dial("tcp", w.https.Addr().String(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if names := conn.ConnectionState().PeerCertificates[0].DNSNames; len(names) != 1 || names[0] != w.name {
		t.Errorf("the certificate is for %v", names)
	}
	if _, err := tls.Dial("tcp", w.https.Addr().String(), &tls.Config{InsecureSkipVerify: true,
		MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
}

// Only the owner can read keys, even in a folder that existed before.
func TestFolderPermissions(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{})
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c, _ := w.start(nil)
	w.serve(c)
	waitFor(t, "a certificate", func() bool { return !c.Statuses()[0].Expires.IsZero() })
	keys := 0
	err := filepath.WalkDir(w.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, info.Mode())
		}
		if b, err := os.ReadFile(path); err == nil {
			if block, _ := pem.Decode(b); block != nil && strings.Contains(block.Type, "PRIVATE KEY") {
				keys++
			}
		}
		return nil
	})
	if err != nil || keys != 2 { // the account's and the certificate's
		t.Errorf("%d keys, %v", keys, err)
	}
}

// A damaged stored certificate is logged and replaced.
func TestDamagedCertificate(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{})
	c, stop := w.start(nil)
	w.serve(c)
	waitFor(t, "a certificate", func() bool { return !c.Statuses()[0].Expires.IsZero() })
	stop()
	files, err := filepath.Glob(filepath.Join(w.dir, "certificates", "*", w.name, "*.crt"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	again, _ := w.start(nil)
	if !w.log.contains("the stored certificate is damaged") {
		t.Errorf("%s", w.log)
	}
	waitFor(t, "another", func() bool { return !again.Statuses()[0].Expires.IsZero() })
}

// Without an email address in the settings, an account whose files are lost is made anew without
// one.
func TestLostAccount(t *testing.T) {
	t.Parallel()
	w := newACMEFixture(t, authority.Options{})
	c, stop := w.start(nil)
	w.serve(c)
	waitFor(t, "a certificate", func() bool { return !c.Statuses()[0].Expires.IsZero() })
	stop()
	kept, err := filepath.Glob(filepath.Join(w.dir, "acme", "*", "users", "*", "*"))
	if err != nil || len(kept) != 2 {
		t.Fatal(kept, err)
	}
	for _, gone := range append(kept, filepath.Join(w.dir, "certificates")) {
		if err := os.RemoveAll(gone); err != nil {
			t.Fatal(err)
		}
	}
	again, _ := w.start(nil)
	waitFor(t, "another", func() bool { return !again.Statuses()[0].Expires.IsZero() })
	if n := again.Statuses()[0].Failures; n != 0 {
		t.Errorf("%d failures", n)
	}
}

func TestUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(t.Context(), Options{Names: []string{"a.example"}, Dir: file,
		Logger: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("New accepts a file as the folder")
	}
}

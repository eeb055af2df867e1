package ingest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v5 "github.com/eclipse/paho.golang/packets"
	mqtt "github.com/eclipse/paho.mqtt.golang"

	"tilth/internal/tools/testkit"
)

// serveTLS opens an MQTT listener over TLS with a new certificate in dir.
func (e *edge) serveTLS(dir string) (roots *x509.CertPool, log *testkit.Log) {
	e.t.Helper()
	certFile, keyFile, roots := testkit.Certificate(e.t, dir, time.Now())
	log = testkit.NewLog()
	certificate, err := LoadCertificate(certFile, keyFile, time.Now, log.Logger)
	if err != nil {
		e.t.Fatal(err)
	}
	e.serve(func(ln net.Listener) net.Listener { return tls.NewListener(ln, certificate.Config()) })
	return roots, log
}

// dialTLS opens a connection to the edge's TLS listener; an error means that the server's
// certificate is not among the roots.
func (e *edge) dialTLS(version byte, roots *x509.CertPool) (*client, error) {
	e.t.Helper()
	nc, err := tls.Dial("tcp", e.address, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
	if err != nil {
		return nil, err
	}
	e.t.Cleanup(func() { nc.Close() })
	return &client{t: e.t, version: version, Conn: nc}, nil
}

func TestTLSPaho(t *testing.T) {
	e := newEdge(t)
	roots, _ := e.serveTLS(t.TempDir())
	c := mqtt.NewClient(
		mqtt.NewClientOptions().AddBroker("ssl://" + e.address).SetTLSConfig(&tls.Config{RootCAs: roots}).
			SetUsername("WS-1").SetPassword(secretOf("WS-1")).SetAutoReconnect(false),
	)
	done := func(token mqtt.Token) {
		t.Helper()
		if !token.WaitTimeout(patience) || token.Error() != nil {
			t.Fatalf("no answer: %v", token.Error())
		}
	}
	done(c.Connect())
	for i := range 12 {
		done(c.Publish("v1/devices/me/telemetry", byte(i%3), false, fmt.Sprintf(`{"airTemperature":%d}`, i)))
	}
	eventually(t, "all committed", func() bool { return len(e.journal.temperatures(1)) == 12 })
	c.Disconnect(100)
	eventually(t, "its end noticed", func() bool { return e.pipeline.Stats().Connections == 0 })
	if s := e.pipeline.Stats(); s.HandshakeFailures+s.IdleTimeouts+s.Malformed != 0 {
		t.Errorf("failures were counted: %+v", s)
	}
}

// All answers and the reason reach a client before the end over TLS, too, and the connection is
// closed properly.
func TestTLSShutdownAnswersBeforeClose(t *testing.T) {
	eachVersion(t, func(t *testing.T, version byte) {
		e := newEdge(t)
		roots, _ := e.serveTLS(t.TempDir())
		c, err := e.dialTLS(version, roots)
		if err != nil {
			t.Fatal(err)
		}
		c.signIn("WS-1", "a")
		e.journal.hold()
		c.send(c.telemetry(1, 1, 1), c.telemetry(2, 1, 2))
		receive(t, e.journal.entered)
		eventually(t, "both taken in", func() bool { return e.pipeline.Stats().Waiting == 2 })
		down := make(chan error, 1)
		go func() { down <- e.mqtt.Shutdown(t.Context()) }()
		e.journal.release()
		c.wantAck(v5.PUBACK, 1, 0)
		c.wantAck(v5.PUBACK, 2, 0)
		c.wantEnd(reasonShuttingDown)
		c.Close()
		if err := receive(t, down); err != nil {
			t.Error(err)
		}
	})
}

// A client that does not speak TLS is rejected, and blocks no other client.
func TestTLSPlainClient(t *testing.T) {
	e := newEdge(t)
	roots, _ := e.serveTLS(t.TempDir())
	silent := e.dial(4) // never starts a handshake
	plain := e.dial(4)
	plain.send(plain.connect("WS-1", secretOf("WS-1"), "a"))
	eventually(t, "turned away", func() bool { return e.pipeline.Stats().HandshakeFailures == 1 })
	for { // an alert, then the end
		if _, err := plain.Read(make([]byte, 64)); err != nil {
			break
		}
	}
	c, err := e.dialTLS(4, roots)
	if err != nil {
		t.Fatal(err)
	}
	c.signIn("WS-1", "a")
	c.ping()
	eventually(t, "it is gone", func() bool { return e.pipeline.Stats().Connections == 2 })
	if n := e.pipeline.Stats().SignInFailures; n != 0 {
		t.Errorf("%d failed sign-ins", n)
	}
	silent.Close()
}

// Old versions of TLS are refused.
func TestTLSVersions(t *testing.T) {
	e := newEdge(t)
	roots, _ := e.serveTLS(t.TempDir())
	versions := map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true}
	for version, want := range versions {
		nc, err := tls.Dial(
			"tcp",
			e.address,
			&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS10, MaxVersion: version},
		)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			nc.Close()
		}
	}
	eventually(t, "one was refused", func() bool { return e.pipeline.Stats().HandshakeFailures == 1 })
}

// The time limit for a CONNECT includes the handshake: a silent client, or one that does the
// handshake byte by byte, has no more time than others.
func TestTLSDeadline(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile, _ := testkit.Certificate(t, dir, time.Now())
	certificate, err := LoadCertificate(certFile, keyFile, time.Now, testkit.NewLog().Logger)
	if err != nil {
		t.Fatal(err)
	}
	hello := []byte{0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3}
	for name, sent := range map[string][]byte{"silent": nil, "trickling": hello} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEdge(t)
				ours, theirs := net.Pipe()
				begin := time.Now()
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					e.mqtt.ServeConn(tls.Server(theirs, certificate.Config()), "192.0.2.1")
				}()
				go func() { // reads what the server sends
					for {
						if _, err := ours.Read(make([]byte, 64)); err != nil {
							return
						}
					}
				}()
				for i := range sent {
					if _, err := ours.Write(sent[i : i+1]); err != nil {
						t.Error(err)
					}
					time.Sleep(900 * time.Millisecond)
				}
				<-ended
				if d := time.Since(begin); d < 10*time.Second || d > 11*time.Second {
					t.Errorf("the connection ended after %v", d)
				}
				if s := e.pipeline.Stats(); s.IdleTimeouts != 1 || s.HandshakeFailures != 0 || s.Connections != 0 {
					t.Errorf("stats %+v", s)
				}
				ours.Close()
			})
		})
	}
}

// Shutdown ends handshakes in progress at once.
func TestTLSShutdownDuringHandshake(t *testing.T) {
	e := newEdge(t)
	e.serveTLS(t.TempDir())
	silent := e.dial(4)
	eventually(t, "it connected", func() bool { return e.pipeline.Stats().Connections == 1 })
	begin := time.Now()
	if err := e.mqtt.Shutdown(t.Context()); err != nil || time.Since(begin) > patience {
		t.Errorf("Shutdown returned %v after %v", err, time.Since(begin))
	}
	silent.wantEnd(0)
	if s := e.pipeline.Stats(); s.IdleTimeouts+s.HandshakeFailures != 0 {
		t.Errorf("Shutdown was counted as a failure: %+v", s)
	}
}

// A renewed certificate is used from the next connection on, without a restart; a half-finished
// renewal or a missing file does not stop the service.
func TestTLSCertificateIsReadAnew(t *testing.T) {
	dir := t.TempDir()
	e := newEdge(t)
	first, log := e.serveTLS(dir)
	trusted := func(roots *x509.CertPool) bool {
		t.Helper()
		c, err := e.dialTLS(4, roots)
		if err == nil {
			c.signIn("WS-1", "a")
			c.Close()
		}
		return err == nil
	}
	if !trusted(first) {
		t.Fatal("the first certificate is not used")
	}
	certFile, keyFile, second := testkit.Certificate(t, dir, time.Now())
	if trusted(first) || !trusted(second) {
		t.Error("the renewed certificate is not used")
	}
	other := t.TempDir()
	otherCert, otherKey, third := testkit.Certificate(t, other, time.Now())
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(otherCert, certFile)
	for range 3 {
		if !trusted(second) {
			t.Error("devices cannot connect during a half-finished renewal")
		}
	}
	if n := strings.Count(log.Text(), "cannot be used"); n != 1 {
		t.Errorf("the half-finished renewal was logged %d times:\n%s", n, log.Text())
	}
	move(otherKey, keyFile)
	if !trusted(third) {
		t.Error("the finished renewal is not used")
	}
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	if !trusted(third) {
		t.Error("devices cannot connect while a file is missing")
	}
	if n := strings.Count(log.Text(), "cannot be used"); n != 2 {
		t.Errorf("the missing file was logged %d times in total:\n%s", n, log.Text())
	}
	_, _, fourth := testkit.Certificate(t, dir, time.Now())
	if !trusted(fourth) {
		t.Error("the certificate is not read again after a file was missing")
	}
}

func TestCertificateThatCannotBeUsed(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	certFile, keyFile, _ := testkit.Certificate(t, dir, time.Now())
	_, otherKey, _ := testkit.Certificate(t, other, time.Now())
	for name, pair := range map[string][2]string{
		"from two pairs": {certFile, otherKey}, "no certificate": {keyFile, keyFile}, "no key": {certFile, certFile},
		"missing certificate": {dir + "/none", keyFile}, "missing key": {certFile, dir + "/none"}, "folder": {dir, keyFile},
	} {
		log := testkit.NewLog()
		_, err := LoadCertificate(pair[0], pair[1], time.Now, log.Logger)
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want one line that names the file", name, err)
		}
	}
	for age, warned := range map[time.Duration]bool{0: false, 2 * time.Hour: true, -2 * time.Hour: true} {
		log := testkit.NewLog()
		later := func() time.Time { return time.Now().Add(age) }
		if _, err := LoadCertificate(certFile, keyFile, later, log.Logger); err != nil {
			t.Error(err)
		}
		if strings.Contains(log.Text(), "not valid now") != warned {
			t.Errorf("seen %v from now: %q", age, log.Text())
		}
	}
}

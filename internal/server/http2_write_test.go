package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/edge/ingest"
	"tilth/internal/settings"
	"tilth/internal/tools/testkit"
)

// pipeListener is a listener whose connections are pipes, so that tests can use synctest's time.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error   { close(p.closed); return nil }
func (p *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 443} }

// serveHTTP2Once serves a handler as the HTTPS address does, makes one request over HTTP/2 and
// returns the answer for reading.
func serveHTTP2Once(
	t *testing.T,
	certificate *ingest.Certificate,
	roots *x509.CertPool,
	handler http.HandlerFunc,
	read func(body io.Reader),
) {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := webServer(
		(&Server{set: &settings.Server{}}).httpsPolicy(handler),
		slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	)
	server.TLSConfig = (&certificates{own: certificate}).web()
	served := make(chan error, 1)
	go func() { served <- server.ServeTLS(l, "", "") }()
	transport := &http.Transport{
		ForceAttemptHTTP2: true,
		DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			l.conns <- theirs
			c := tls.Client(ours, &tls.Config{RootCAs: roots, ServerName: "localhost", NextProtos: []string{"h2"}})
			return c, c.HandshakeContext(ctx)
		},
	}
	resp, err := (&http.Client{Transport: transport}).Get("https://localhost/")
	if err != nil {
		t.Fatal(err)
	}
	if resp.ProtoMajor != 2 {
		t.Errorf("answered over %s", resp.Proto)
	}
	read(resp.Body)
	resp.Body.Close()
	transport.CloseIdleConnections()
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-served; err != http.ErrServerClosed { //nolint:errorlint // returned as it is
		t.Error(err)
	}
}

func TestWritesOverHTTP2(t *testing.T) {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // where synctest's time begins
	certFile, keyFile, roots := testkit.Certificate(t, t.TempDir(), begin)
	certificate, err := ingest.LoadCertificate(
		certFile,
		keyFile,
		func() time.Time { return begin },
		testkit.NewLog().Logger,
	)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 10 * time.Second
	write := func(ctl *http.ResponseController, w io.Writer, text []byte) error {
		if err := ctl.SetWriteDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		return ctl.Flush()
	}
	t.Run("a quiet stream stays open", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				ctl := http.NewResponseController(w)
				for range 3 {
					if err := write(ctl, w, []byte("x")); err != nil {
						t.Error(err)
					}
					time.Sleep(2 * limit)
				}
			}, func(body io.Reader) {
				if got, err := io.ReadAll(body); string(got) != "xxx" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			})
		})
	})
	t.Run("a write that takes too long ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var took time.Duration
			var err error
			done := make(chan struct{})
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				defer close(done)
				ctl := http.NewResponseController(w)
				if err = write(ctl, w, []byte("x")); err != nil {
					return
				}
				begin := time.Now()
				err = write(ctl, w, make([]byte, 16<<20)) // more than the client buffers without reading
				took = time.Since(begin)
			}, func(io.Reader) { <-done })
			if err == nil || took < limit || took > limit+time.Second {
				t.Errorf("%v after %v", err, took)
			}
		})
	})
	t.Run("a limit may pass before anything is sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit)); err != nil {
					t.Error(err)
				}
				_, _ = w.Write(make([]byte, 100)) // still buffered
				time.Sleep(5 * limit)
			}, func(body io.Reader) {
				if got, err := io.ReadAll(body); len(got) != 100 || err != nil {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		})
	})
	t.Run("a write without a limit gets one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var took time.Duration
			var err error
			done := make(chan struct{})
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				defer close(done)
				begin := time.Now()
				_, err = w.Write(make([]byte, 16<<20)) // more than the client buffers without reading
				took = time.Since(begin)
			}, func(io.Reader) { <-done })
			if err == nil || took < writeTimeout || took > writeTimeout+time.Second {
				t.Errorf("%v after %v", err, took)
			}
		})
	})
	t.Run("a long write gets a limit for each chunk", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const long, atOnce = 6 << 20, 64 << 10 // more than the 4 MiB that the client buffers without reading
			var err error
			done := make(chan struct{})
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				defer close(done)
				_, err = w.Write(make([]byte, long))
			}, func(body io.Reader) {
				for range long / atOnce {
					time.Sleep(writeTimeout - time.Second)
					if n, err := io.ReadFull(body, make([]byte, atOnce)); err != nil {
						t.Errorf("%d bytes, %v", n, err)
						break
					}
				}
				<-done
			})
			if err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("the end of an answer gets a limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const window = 4 << 20 // what the client buffers without reading
			serveHTTP2Once(t, certificate, roots, func(w http.ResponseWriter, _ *http.Request) {
				if _, err := w.Write(make([]byte, window)); err != nil {
					t.Error(err)
				}
				_, _ = w.Write(make([]byte, 100)) // still buffered
			}, func(body io.Reader) {
				time.Sleep(writeTimeout + time.Second)
				if got, err := io.ReadAll(body); err == nil {
					t.Errorf("%d bytes arrived in the end", len(got))
				}
			})
		})
	})
}

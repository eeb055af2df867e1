package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/edge/ingest"
	"tilth/internal/tools/testkit"
	"tilth/internal/tools/testkit/h2conn"

	"golang.org/x/net/http2"
)

// A client that answers no ping, or reads nothing, loses the connection, whatever requests it has
// open.
func TestSilentHTTP2ClientsAreDisconnected(t *testing.T) {
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
	for name, test := range map[string]struct {
		reads, trickles bool
		limit           time.Duration
	}{
		"no answer to a ping":      {true, false, http2Limits.SendPingTimeout + http2Limits.PingTimeout},
		"a header that never ends": {true, true, http2Limits.SendPingTimeout + http2Limits.PingTimeout},
		"nothing is read":          {false, false, http2Limits.WriteByteTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
				left := make(chan struct{}, 1)
				server := webServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if test.reads {
						<-r.Context().Done()
					} else {
						for r.Context().Err() == nil {
							fmt.Fprintf(w, "%01000d", 0)
						}
					}
					left <- struct{}{}
				}), slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug))
				server.TLSConfig = (&certificates{own: certificate}).web()
				served := make(chan error, 1)
				go func() { served <- server.ServeTLS(l, "", "") }()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				// With TLS 1.3 nobody would read the server's last message.
				c := tls.Client(
					ours,
					&tls.Config{
						RootCAs:    roots,
						ServerName: "localhost",
						NextProtos: []string{"h2"},
						MaxVersion: tls.VersionTLS12,
					},
				)
				if err := c.HandshakeContext(context.Background()); err != nil {
					t.Fatal(err)
				}
				reading := make(chan error, 1)
				began := time.Now()
				if test.reads {
					go func() { _, err := io.Copy(io.Discard, c); reading <- err }()
				} else {
					reading <- os.ErrDeadlineExceeded
				}
				f, err := h2conn.New(c)
				if err == nil {
					err = f.Open(1, f.HeaderBlock(http.MethodGet, "/"))
				}
				if err != nil && test.reads {
					t.Fatal(err)
				}
				var trickling sync.WaitGroup
				if test.trickles {
					err := f.WriteHeaders(
						http2.HeadersFrameParam{StreamID: 3, BlockFragment: f.HeaderBlock(http.MethodGet, "/")},
					)
					if err != nil {
						t.Fatal(err)
					}
					trickling.Go(func() {
						for f.WriteContinuation(3, false, nil) == nil {
							time.Sleep(5 * time.Second)
						}
					})
				}
				<-left
				// crypto/tls waits up to five seconds to send its closing alert to a client that
				// reads nothing.
				if took := time.Since(began); took < test.limit || took > test.limit+6*time.Second {
					t.Errorf("the connection ended after %s", took)
				}
				<-reading // the server ends it
				_ = ours.Close()
				trickling.Wait()
				if err := errors.Join(server.Close(), <-served); !errors.Is(err, http.ErrServerClosed) {
					t.Error(err)
				}
			})
		})
	}
}

package provider

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tilth/internal/edge/provider/wire"
	"tilth/internal/platform/archive"
	"tilth/internal/tools/testkit"
)

type byteCounter int64

func (c *byteCounter) Write(b []byte) (int, error) {
	*c += byteCounter(len(b))
	return len(b), nil
}

// A backup counts as complete only if it was read to its end. In any case its copies are removed
// when it is closed.
func TestBackupCompleteOnlyWhenFullyRead(t *testing.T) {
	p := newFixture(t)
	dir := t.TempDir()
	var taken []time.Time
	p.service.BackupSource = BackupSource{
		Readings: p.readings, DataDir: dir, Version: "1.2.3", Now: func() time.Time { return testkit.Start },
		OnComplete: func(at time.Time) { taken = append(taken, at) },
	}

	cut, _, err := p.service.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(cut, make([]byte, 1024)); err != nil {
		t.Fatal(err)
	}
	if err := cut.Close(); err != nil {
		t.Fatal(err)
	}
	if len(taken) != 0 {
		t.Errorf("interrupted, but reported as complete at %v", taken)
	}

	whole, length, err := p.service.Backup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var read byteCounter
	m, err := archive.Read(t.Context(), io.TeeReader(whole, &read), "", nil)
	if err != nil || m.Version != "1.2.3" {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := io.Copy(&read, whole); err != nil { // the padding at the archive's end counts, too
		t.Fatal(err)
	}
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(read) != length {
		t.Errorf("%d bytes, %d were announced", read, length)
	}
	if len(taken) != 1 || !taken[0].Equal(testkit.Start) || !m.Time.Equal(testkit.Start) {
		t.Errorf("completed at %v, the manifest says %v", taken, m.Time)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A seed holds what nodes have in common, and no database; a server alone gives none.
func TestSeedHoldsWhatNodesShare(t *testing.T) {
	p := newFixture(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "database-mark"), []byte("the mark\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.service.BackupSource = BackupSource{Readings: p.readings, DataDir: dir, Now: time.Now}
	if _, _, err := p.service.Seed(t.Context()); err == nil || !strings.Contains(err.Error(), "--cluster") {
		t.Errorf("a server alone: %v", err)
	}
	p.service.BackupSource.SharedFiles = []string{"database-mark", "provider-token"} // the second may be missing
	seed, _, err := p.service.Seed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	into := t.TempDir()
	m, err := archive.Read(t.Context(), seed, into, nil)
	if err = errors.Join(err, seed.Close()); err != nil {
		t.Fatal(err)
	}
	for _, f := range m.Files {
		if f.Name != "device-key" && f.Name != "database-mark" && !strings.HasPrefix(f.Name, "readings/") {
			t.Errorf("it holds %s", f.Name)
		}
	}
	if mark, err := os.ReadFile(filepath.Join(into, "database-mark")); err != nil || string(mark) != "the mark\n" {
		t.Errorf("the mark is %q, %v", mark, err)
	}
	if len(m.Files) < 3 {
		t.Errorf("%d files", len(m.Files))
	}
}

// pipeListener is a listener with one client over a pipe, so that the test can control time.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// closeNotifyBody is a body that reports when it is closed.
type closeNotifyBody struct {
	io.Reader
	closed chan time.Time
}

func (k closeNotifyBody) Close() error { k.closed <- time.Now(); return nil }

// A backup that the client no longer receives is given up, and its copies are removed; a slow
// client may go on.
func TestStalledBackupIsGivenUp(t *testing.T) {
	const pieces, piece = 8, 32 << 10
	for name, c := range map[string]struct {
		each  time.Duration // between two pieces
		whole bool
	}{"slowly": {chunkTimeout - time.Second, true}, "not at all": {time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &pipeListener{conns: make(chan net.Conn, 1), closed: make(chan struct{})}
				body := closeNotifyBody{bytes.NewReader(make([]byte, pieces*piece)), make(chan time.Time, 1)}
				server := &http.Server{
					ReadHeaderTimeout: time.Second,
					Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
						answer := backupAnswer{
							wire.Backup200ApplicationxTarResponse{Body: body, ContentLength: pieces * piece},
						}
						if err := answer.VisitBackupResponse(w); (err == nil) != c.whole {
							t.Errorf("sending the backup: %v", err)
						}
					}),
				}
				served := make(chan error, 1)
				go func() { served <- server.Serve(l) }()
				transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					ours, theirs := net.Pipe()
					l.conns <- theirs
					return ours, nil
				}}
				began := time.Now()
				res, err := (&http.Client{Transport: transport}).Get("http://tilth/")
				if err != nil {
					t.Fatal(err)
				}
				received := 0
				for received < pieces*piece {
					time.Sleep(c.each)
					n, err := io.ReadFull(res.Body, make([]byte, piece))
					received += n
					if err != nil {
						break
					}
				}
				gone := <-body.closed
				if took := gone.Sub(began); !c.whole && took > chunkTimeout {
					t.Errorf("given up after %s", took)
				}
				if whole := received == pieces*piece; whole != c.whole {
					t.Errorf("%d bytes of %d", received, pieces*piece)
				}
				_ = res.Body.Close() // it was cut off, or is read completely
				transport.CloseIdleConnections()
				if err := server.Close(); err != nil {
					t.Error(err)
				}
				if err := <-served; err != http.ErrServerClosed { //nolint:errorlint // returned unwrapped
					t.Error(err)
				}
			})
		})
	}
}

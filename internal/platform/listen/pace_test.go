package listen

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A client that takes each chunk in time gets everything, however long that lasts; a write to a
// client that takes nothing fails. A writer may set a deadline instead.
func TestPace(t *testing.T) {
	pace := Pace{ChunkSize: 1000, Within: 30 * time.Second}
	paced := func(t *testing.T, from string) (server, client net.Conn) {
		options := ListenerOptions{Name: "http", Pace: pace, Balancers: proxiedOptions.Balancers}
		p := newTestLimiter(0).startListener(t, options)
		client = p.connect(from)
		server = <-p.accepted
		t.Cleanup(func() { _ = server.Close(); p.end() })
		return server, client
	}
	const long = 100_500 // not a multiple of the chunk
	for name, from := range map[string]string{"a client": strangerAddr, "a balancer": balancer} {
		t.Run(name+" that reads slowly", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := paced(t, from)
				wrote := make(chan error, 1)
				began := time.Now()
				go func() {
					n, err := server.Write(make([]byte, long))
					if n != long {
						err = errors.Join(err, io.ErrShortWrite)
					}
					wrote <- err
				}()
				for took := 0; took < long; {
					time.Sleep(pace.Within - time.Second)
					n, err := io.ReadFull(client, make([]byte, min(pace.ChunkSize, long-took)))
					if took += n; err != nil {
						t.Fatalf("write failed after %d bytes: %v", took, err)
					}
				}
				if err := <-wrote; err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took < 100*(pace.Within-time.Second) {
					t.Errorf("the client took everything within %s", took)
				}
			})
		})
		t.Run(name+" that stops reading", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, client := paced(t, from)
				go func() { _, _ = io.ReadFull(client, make([]byte, 2500)) }() // and no more
				began := time.Now()
				n, err := server.Write(make([]byte, long))
				took := time.Since(began)
				if n != 2500 || !errors.Is(err, os.ErrDeadlineExceeded) || took != pace.Within {
					t.Errorf("%d bytes written, %v after %s", n, err, took)
				}
			})
		})
	}
	t.Run("deadlines", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server, client := paced(t, strangerAddr)
			for _, set := range []func(time.Time) error{server.SetWriteDeadline, server.SetDeadline} {
				for _, limit := range []time.Duration{time.Second, 5 * time.Minute} {
					if err := set(time.Now().Add(limit)); err != nil {
						t.Fatal(err)
					}
					began := time.Now()
					_, err := server.Write(make([]byte, long))
					if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != limit {
						t.Errorf("write failed with %v after %s, want %s", err, time.Since(began), limit)
					}
				}
				if err := set(time.Time{}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				_, err := server.Write([]byte("x"))
				if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != pace.Within {
					t.Errorf("without a deadline: %v after %s", err, time.Since(began))
				}
				time.Sleep(time.Hour) // an expired deadline no longer counts
				go func() { _, _ = io.ReadFull(client, make([]byte, 1)) }()
				if _, err := server.Write([]byte("x")); err != nil {
					t.Errorf("an hour later: %v", err)
				}
			}
		})
	})
	t.Run("a listener without a pace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newTestLimiter(0).startListener(t, ListenerOptions{Name: "mqtt"})
			client := p.connect(strangerAddr)
			server := <-p.accepted
			wrote := make(chan error, 1)
			go func() { _, err := server.Write([]byte("x")); wrote <- err }()
			time.Sleep(24 * time.Hour)
			if _, err := client.Read(make([]byte, 1)); err != nil {
				t.Error(err)
			}
			if err := <-wrote; err != nil {
				t.Error(err)
			}
			p.end()
			_ = server.Close() // nothing was written
		})
	})
}

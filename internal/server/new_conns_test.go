package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A shutdown does not wait for connections without a request, whenever they were opened, and
// finishes requests that have begun.
func TestShutdownClosesNewConns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		asked, answer := make(chan struct{}), make(chan struct{})
		server := &http.Server{
			ReadHeaderTimeout: time.Hour,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				close(asked)
				<-answer
				_, _ = io.WriteString(w, "done")
			}),
		}
		var n newConns
		n.track(server)
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		connect := func() net.Conn {
			ours, theirs := net.Pipe()
			l.conns <- theirs
			return ours
		}
		silent, busy := connect(), connect()
		if _, err := io.WriteString(busy, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-asked
		began, ended := time.Now(), make(chan error, 1)
		go func() { ended <- server.Shutdown(context.Background()) }()
		if _, err := silent.Read(make([]byte, 1)); err != io.EOF { //nolint:errorlint // returned as it is
			t.Errorf("a client without a request got %v", err)
		}
		late, theirs := net.Pipe()
		n.onState(theirs, http.StateNew)
		if _, err := late.Read(make([]byte, 1)); err != io.EOF { //nolint:errorlint // returned as it is
			t.Errorf("a late client got %v", err)
		}
		select {
		case err := <-ended:
			t.Errorf("the server ended before it answered the request: %v", err)
		default:
		}
		close(answer)
		res, err := http.ReadResponse(bufio.NewReader(busy), nil)
		if err != nil {
			t.Fatal(err)
		}
		if said, err := io.ReadAll(res.Body); err != nil || string(said) != "done" {
			t.Errorf("%q, %v", said, err)
		}
		if err := <-ended; err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if err := <-served; err != http.ErrServerClosed { //nolint:errorlint // returned as it is
			t.Error(err)
		}
	})
}

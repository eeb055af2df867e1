package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"time"
)

const (
	// A slow screen behaves like one behind a network, not like one on this machine, for which the
	// systems would buffer megabytes: it takes packets of usual size, few at once.
	slowWindow = 4 << 10
	slowEnds   = 15 * time.Second // within this time its stream must end
)

// slowScreen opens a stream and never reads what arrives.
type slowScreen struct {
	nc     net.Conn
	stream io.ReadCloser
}

// openSlow opens a stream.
func openSlow(ctx context.Context, c *console) (*slowScreen, error) {
	nc, res, err := getSlowly(ctx, c, livePath)
	if err != nil {
		return nil, fmt.Errorf("slow screen: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("slow screen: %s", res.Status), res.Body.Close())
	}
	return &slowScreen{nc: nc, stream: res.Body}, nil
}

// getSlowly sends a GET request over a new connection with a small receive buffer, and reads the
// response's header.
func getSlowly(ctx context.Context, c *console, path string) (_ net.Conn, _ *http.Response, err error) {
	server, err := url.Parse(c.base)
	if err != nil {
		return nil, nil, err
	}
	var refused error
	d := net.Dialer{Timeout: dialTimeout, Control: func(_, _ string, raw syscall.RawConn) error {
		err := raw.Control(func(fd uintptr) { refused = takeLittle(fd) })
		return errors.Join(err, refused)
	}}
	nc, err := d.DialContext(ctx, "tcp", server.Host)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, nc.Close())
		}
	}()
	if err := nc.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, http.NoBody)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if err := r.Write(nc); err != nil {
		return nil, nil, err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(nc, slowWindow), r)
	if err != nil {
		return nil, nil, err
	}
	return nc, res, nc.SetDeadline(time.Time{})
}

// cutOff tells whether the server ends the stream until a time; it reads what the server sent
// before. It closes the connection.
func (s *slowScreen) cutOff(until time.Time) (bool, error) {
	defer func() { _ = s.nc.Close() }() // nothing more is read
	if err := s.nc.SetReadDeadline(until); err != nil {
		return false, err
	}
	_, err := io.Copy(io.Discard, s.stream)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return false, nil
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, connectionReset):
		return true, nil
	}
	return false, err
}

package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// screen is the client of a live stream, as a page of the console is. It receives all events of its
// tenant, counts them and keeps none.
type screen struct {
	console  *console
	notice   func(data []byte) // called with each notice; may be nil
	message  func(data []byte) // as notice
	reading  func(data []byte) // as notice
	buffer   int               // size of its buffer in bytes; a line of the stream must fit
	readings atomic.Int64
	resets   atomic.Int64 // how often the server told it to fetch everything again
	cuts     atomic.Int64 // how often the stream ended and was opened again
	opened   chan struct{}
	once     sync.Once
	last     string // id of the newest event
	ended    chan struct{}
	stop     context.CancelFunc
	err      error // set before ended is closed
}

// errStreamRefused means that the server refused a stream because its user has too many.
var errStreamRefused = errors.New("live stream: refused, there are too many")

const livePath = "/admin-api/client/pc/live"

// retry is how long a screen waits before it opens a stream again that ended, as a page does the first
// time.
const retry = time.Second

// watch opens a live stream and returns once it is open.
func watch(ctx context.Context, c *console) (*screen, error) { return watchFor(ctx, c, nil) }

// watchFor opens a live stream that calls notice with each notice.
func watchFor(ctx context.Context, c *console, notice func(data []byte)) (*screen, error) {
	return (&screen{console: c, notice: notice, buffer: 64 << 10}).open(ctx)
}

// watchReadings opens a live stream that calls reading with each reading. It takes little memory,
// since there may be thousands.
func watchReadings(ctx context.Context, c *console, reading func(data []byte)) (*screen, error) {
	return (&screen{console: c, reading: reading, buffer: 8 << 10}).open(ctx)
}

// open opens the stream and returns once it is open.
func (s *screen) open(ctx context.Context) (*screen, error) {
	ctx, stop := context.WithCancel(ctx)
	s.opened, s.ended, s.stop = make(chan struct{}), make(chan struct{}), stop
	go s.listen(ctx)
	select {
	case <-s.opened:
		return s, nil
	case <-s.ended:
		stop()
		return nil, fmt.Errorf("live stream: %w", s.err)
	}
}

// close ends the stream and returns the error with which it ended earlier, if any.
func (s *screen) close() error {
	s.stop()
	<-s.ended
	return s.err
}

// listen keeps a stream open until ctx ends.
func (s *screen) listen(ctx context.Context) {
	defer close(s.ended)
	for {
		if s.err = s.follow(ctx); s.err != nil || ctx.Err() != nil {
			if ctx.Err() != nil {
				s.err = nil // it was stopped
			}
			return
		}
		s.cuts.Add(1)
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return
		}
	}
}

// follow reads one stream to its end; an error means that the server opened none.
func (s *screen) follow(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.console.base+livePath, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+s.console.token)
	if s.last != "" {
		r.Header.Set("Last-Event-ID", s.last)
	}
	res, err := s.console.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	if res.StatusCode == http.StatusTooManyRequests {
		return errStreamRefused
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("live stream: %s", res.Status)
	}
	s.read(bufio.NewReaderSize(res.Body, s.buffer))
	return nil
}

func (s *screen) read(lines *bufio.Reader) {
	var take func(data []byte) // for the data of the event that is being read
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return // the end, or a line that no event has
		}
		if data, some := dataOf(line); some && take != nil {
			take(data)
		}
		switch {
		case bytes.HasPrefix(line, []byte("id: ")):
			s.last = string(bytes.TrimSpace(line[4:]))
			s.once.Do(func() { close(s.opened) })
		case bytes.Equal(line, []byte("event: reading\n")):
			take = s.reading
			s.readings.Add(1)
		case bytes.Equal(line, []byte("event: notice\n")):
			take = s.notice
		case bytes.Equal(line, []byte("event: message\n")):
			take = s.message
		case bytes.Equal(line, []byte("event: reset\n")):
			take = nil
			s.resets.Add(1)
		case bytes.HasPrefix(line, []byte("event: ")):
			take = nil
		}
	}
}

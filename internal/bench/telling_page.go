package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// page is a person's open screen that notes when it is told of notices, and of
// the messages about them. Unlike a screen it looks at two kinds of events.
type page struct {
	person *console
	tenant int
	began  time.Time // of the run

	heard        []telling // of its goroutine, until the page is closed
	count        atomic.Int64
	cuts, resets atomic.Int64
	last         string // id of the newest event
	opened       chan struct{}
	once         sync.Once
	ended        chan struct{}
	stop         context.CancelFunc
	err          error // known once ended is closed
}

// telling is what a page, or a recipient, was told of.
type telling struct {
	about
	message bool          // it was a message, not the notice
	at      time.Duration // since the run began
}

// about is one thing that happened to a notice.
type about struct {
	notice int64
	ended  bool
}

// open opens the stream and returns once it is.
func (p *page) open(ctx context.Context) error {
	ctx, p.stop = context.WithCancel(ctx)
	p.opened, p.ended = make(chan struct{}), make(chan struct{})
	go p.listen(ctx)
	select {
	case <-p.opened:
		return nil
	case <-p.ended:
		return fmt.Errorf("live stream: %w", p.err)
	}
}

// close ends the stream and answers why it had ended earlier, if it had.
func (p *page) close() error {
	if p.stop == nil {
		return nil // it was never opened
	}
	p.stop()
	<-p.ended
	return p.err
}

// listen keeps a stream open until ctx ends.
func (p *page) listen(ctx context.Context) {
	defer close(p.ended)
	for {
		if p.err = p.follow(ctx); ctx.Err() != nil {
			p.err = nil // it was stopped
		}
		if p.err != nil || ctx.Err() != nil {
			return
		}
		p.cuts.Add(1)
		select {
		case <-time.After(retry):
		case <-ctx.Done():
			return
		}
	}
}

// follow reads one stream to its end; an error means that there was none.
func (p *page) follow(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.person.base+livePath, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.person.token)
	if p.last != "" {
		r.Header.Set("Last-Event-ID", p.last)
	}
	res, err := p.person.http.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // it was read as far as it went
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("live stream: %s", res.Status)
	}
	p.read(bufio.NewReaderSize(res.Body, 8<<10))
	return nil
}

func (p *page) read(lines *bufio.Reader) {
	var kind string
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return // the end, or a line that no event has
		}
		if id, is := bytes.CutPrefix(line, []byte("id: ")); is {
			p.last = string(bytes.TrimSpace(id))
			p.once.Do(func() { close(p.opened) })
			continue
		}
		if name, is := bytes.CutPrefix(line, []byte("event: ")); is {
			switch kind = string(bytes.TrimSpace(name)); kind {
			case "reset":
				p.resets.Add(1)
			case "notice", "message":
			default:
				kind = "" // a reading: there are many
			}
			continue
		}
		if data, some := dataOf(line); some && (kind == "notice" || kind == "message") {
			p.hear(kind == "message", data, time.Since(p.began))
		}
	}
}

func (p *page) hear(message bool, data []byte, at time.Duration) {
	var e struct {
		ID       int64  `json:"id"`
		NoticeID int64  `json:"noticeId"`
		EndTime  int64  `json:"endTime"`
		Event    string `json:"event"`
	}
	// What cannot be read is of nothing that happened, and is counted as such.
	_ = json.Unmarshal(data, &e)
	one := telling{about: about{e.ID, e.EndTime != 0}, at: at}
	if message {
		one = telling{about: about{e.NoticeID, e.Event == "resolved"}, message: true, at: at}
	}
	p.heard = append(p.heard, one)
	p.count.Add(1)
}

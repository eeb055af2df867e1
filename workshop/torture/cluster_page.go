package torture

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"tilth/workshop/bench"
)

// pagePause is how long a page waits before it opens its stream again, as the console does the first
// time.
const pagePause = time.Second

// pageGrain is how exactly a page remembers when readings arrived.
const pageGrain = 10 * time.Millisecond

// clusterPage is a page of the console with its stream of events.
type clusterPage struct {
	address string // host:port
	token   string
	stop    context.CancelFunc
	ended   chan struct{}

	mu      sync.Mutex
	last    string      // id of the newest event
	shown   []time.Time // when readings arrived since watch, to pageGrain
	resets  int         // how often it was told to fetch everything again
	lines   int         // of the stream that is open
	endings []string    // why the streams ended
}

// openPage signs a person in and opens the stream. It is a guest: the other user signs in so often that
// the oldest of those sessions ends.
func openPage(ctx context.Context, address string, tenant bench.Tenant) (*clusterPage, error) {
	p := &clusterPage{address: address, ended: make(chan struct{})}
	body, err := json.Marshal(map[string]string{
		"userName": tenant.Guests[0], "password": tenant.Password, "tenantName": tenant.Name,
	})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+address+"/app-api/member/auth/login-username", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	status, answer, err := doRequest(r)
	if err != nil {
		return nil, err
	}
	var session struct {
		Data struct {
			AccessToken string `json:"accessToken"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(answer), &session); err != nil || session.Data.AccessToken == "" {
		return nil, fmt.Errorf("sign in for a page: %d %s", status, answer)
	}
	p.token = session.Data.AccessToken
	ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	go p.run(ctx)
	return p, nil
}

func (p *clusterPage) close() {
	p.stop()
	<-p.ended
}

// run keeps a stream open: one that ends is opened again.
func (p *clusterPage) run(ctx context.Context) {
	defer close(p.ended)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for ctx.Err() == nil {
		err := p.follow(ctx, client)
		p.mu.Lock()
		p.endings = append(p.endings, fmt.Sprintf("the stream ended at %s after %d lines: %v",
			time.Now().UTC().Format(time.TimeOnly), p.lines, err))
		p.lines = 0
		p.mu.Unlock()
		select {
		case <-time.After(pagePause):
		case <-ctx.Done():
		}
	}
}

// follow reads one stream to its end. A stream that says nothing for devicePatience has a frozen server,
// since readings arrive all the time while a fault is watched.
func (p *clusterPage) follow(ctx context.Context, client *http.Client) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream := "http://" + p.address + "/admin-api/client/pc/live"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, stream, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	p.mu.Lock()
	if p.last != "" {
		r.Header.Set("Last-Event-ID", p.last)
	}
	p.mu.Unlock()
	silence := time.AfterFunc(devicePatience, cancel)
	defer silence.Stop()
	res, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read as far as it went
	if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
		answer, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		return errors.Join(fmt.Errorf("%s: %s", res.Status, answer), err)
	}
	lines := bufio.NewReaderSize(res.Body, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		silence.Reset(devicePatience)
		p.take(line)
	}
}

// take takes a line of the stream.
func (p *clusterPage) take(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines++
	switch {
	case bytes.HasPrefix(line, []byte("id: ")):
		p.last = string(bytes.TrimSpace(line[4:]))
	case bytes.Equal(line, []byte("event: reading\n")):
		now := time.Now()
		if n := len(p.shown); n == 0 || now.Sub(p.shown[n-1]) >= pageGrain {
			p.shown = append(p.shown, now)
		}
	case bytes.Equal(line, []byte("event: reset\n")):
		p.resets++
	}
}

// lastEndings returns why the newest streams ended.
func (p *clusterPage) lastEndings() string {
	const most = 6
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.endings[max(0, len(p.endings)-most):], "; ")
}

// watch forgets when readings arrived so far, and returns how often everything was fetched again.
func (p *clusterPage) watch() (resets int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = nil
	return p.resets
}

// shownAfter returns when the first reading after a time arrived, zero if none has, and how often
// everything was fetched again.
func (p *clusterPage) shownAfter(t time.Time) (first time.Time, resets int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.shown {
		if at.After(t) {
			return at, p.resets
		}
	}
	return time.Time{}, p.resets
}

package console_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tilth/internal/tools/testkit"
)

// countingScreen is a screen that checks that each event is the one after the last.
type countingScreen struct {
	base, token string
	resumes     bool         // it has an id from the beginning
	seen        atomic.Int64 // number of the newest event that it has read completely
}

func (p *countingScreen) open(t *testing.T, dial *net.Dialer) (net.Conn, *http.Response) {
	t.Helper()
	nc, err := dial.DialContext(t.Context(), "tcp", strings.TrimPrefix(p.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	if err := nc.SetDeadline(time.Now().Add(testkit.WaitTimeout)); err != nil {
		t.Fatal(err)
	}
	call := testkit.Call{Path: livePath, Token: p.token, Header: map[string]string{}}
	if n := p.seen.Load(); n > 0 || p.resumes {
		call.Header["Last-Event-ID"] = fmt.Sprint("e-", n)
	}
	r := call.Request(t.Context(), p.base)
	if err := r.Write(nc); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(nc, 512), r)
	if err != nil || res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Fatalf("cannot open a stream: %v, %+v", err, res)
	}
	if err := nc.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	return nc, res
}

// read takes events from a stream until it ends; an incomplete event does not count. ends is the
// name of the event that ended the stream, if it is no reading.
func (p *countingScreen) read(stream io.Reader) (ends string, err error) {
	var id, name string
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case field == "id":
			id = value
		case field == "event":
			name = value
		case lines.Text() == "" && name == "reading":
			if last := p.seen.Load(); id != fmt.Sprint("e-", last+1) {
				return "", fmt.Errorf("event %s after %d", id, last)
			}
			p.seen.Add(1)
			name = ""
		case lines.Text() == "" && name != "":
			return name, nil
		}
	}
	return "", lines.Err()
}

// A screen that does not read is cut off. Meanwhile fifty others of its tenant get every event, and
// once it reads again, so does it.
func TestOnlySlowScreenIsCutOff(t *testing.T) {
	w := newServer(t)
	base := w.Serve(t)
	slow := &countingScreen{base: base, token: w.ada}
	// The small buffer is that of a slow network: on one machine, the operating system would buffer
	// megabytes.
	narrow := &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		return errors.Join(raw.Control(func(fd uintptr) { err = shrinkReceiveBuffer(fd) }), err)
	}}
	nc, stuck := slow.open(t, narrow)

	var reading sync.WaitGroup
	quick := make([]*countingScreen, 50)
	for i := range quick {
		p := &countingScreen{base: base, token: w.bora}
		quick[i] = p
		_, res := p.open(t, &net.Dialer{})
		reading.Go(func() {
			if ends, err := p.read(res.Body); err != nil {
				t.Errorf("screen %d: %s %v", i, ends, err)
			}
		})
	}
	n := int64(0)
	note := strings.Repeat("x", 1000)
	for w.hub.Screens() > len(quick) {
		if n > 100_000 {
			t.Fatalf("%d screens after %d events", w.hub.Screens(), n)
		}
		for range 100 {
			n++
			w.hub.Publish(
				w.field.ID,
				"reading",
				fmt.Appendf(nil, `{"deviceName":"WS-1","time":%d,"values":{"note":%q}}`, n, note),
			)
		}
		for i, p := range quick {
			testkit.Eventually(t, fmt.Sprintf("event %d on screen %d", n, i), func() bool { return p.seen.Load() == n })
		}
	}
	if err := nc.SetReadDeadline(time.Now().Add(testkit.WaitTimeout)); err != nil {
		t.Fatal(err)
	}
	// The end depends on whether the screen reads before a write has waited too long.
	if ends, err := slow.read(stuck.Body); ends != "" || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the slow screen's stream goes on: %s %v", ends, err)
	}
	if got := slow.seen.Load(); got == 0 || got >= n {
		t.Errorf("the slow screen has read %d of %d events", got, n)
	}
	_, again := slow.open(t, &net.Dialer{})
	reading.Go(func() {
		if ends, err := slow.read(again.Body); err != nil {
			t.Errorf("after it reconnected: %s %v", ends, err)
		}
	})
	testkit.Eventually(t, "the rest", func() bool { return slow.seen.Load() == n })
	w.hub.Close()
	reading.Wait()
}

// A stream may be cut anywhere, also within an event. When it is opened again from the last
// complete event's id, it brings every event once, in order.
func TestResumeOverRandomCuts(t *testing.T) {
	const events, cuts = 3000, 150
	w := newServer(t)
	p := &countingScreen{base: w.Serve(t), token: w.ada, resumes: true}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	watching, _, _, _ := w.hub.Subscribe(w.field.ID, "s", "") // events are kept from now on
	watching.Close()
	published := 0
	for range cuts {
		nc, res := p.open(t, &net.Dialer{})
		// Some events are published before the cut, some while no screen is connected.
		w.publishReadings(published+1, published+events/cuts/2)
		published += events / cuts / 2
		const least = 80 // bytes of an event
		waiting := int64(published) - p.seen.Load()
		if _, err := p.read(io.LimitReader(res.Body, random.Int64N(waiting*least))); err != nil {
			t.Fatal(err)
		}
		nc.Close()
		w.publishReadings(published+1, published+events/cuts/2)
		published += events / cuts / 2
	}
	_, res := p.open(t, &net.Dialer{})
	var reading sync.WaitGroup
	reading.Go(func() {
		if ends, err := p.read(res.Body); err != nil {
			t.Errorf("%s %v", ends, err)
		}
	})
	testkit.Eventually(t, "the rest", func() bool { return p.seen.Load() == events })
	w.hub.Close()
	reading.Wait()
}

// If the token expires while events arrive, the stream ends with "expired"; the next stream goes on
// where it was.
func TestLiveExpiresMidStream(t *testing.T) {
	w := newServer(t)
	p := &countingScreen{base: w.Serve(t), token: w.ada}
	w.Clock.Advance(30*time.Minute - time.Second) // the rest of the token's lifetime: time for an event at least
	_, res := p.open(t, &net.Dialer{})
	over := make(chan struct{})
	var publishing sync.WaitGroup
	n := 0
	publishing.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			// Fewer events than are kept for a screen that returns.
			if int64(n)-p.seen.Load() < 100 {
				n++
				w.publishReadings(n, n)
			}
		}
	})
	ends, err := p.read(res.Body)
	close(over)
	publishing.Wait()
	if rest, e := io.ReadAll(res.Body); ends != "expired" || err != nil || len(rest) > 0 || e != nil {
		t.Fatalf("%q, %v; then %q, %v", ends, err, rest, e)
	}
	if p.seen.Load() == 0 {
		t.Error("no event arrived before the end")
	}
	p.token = w.Session(t, w.field.Ada).Access
	_, res = p.open(t, &net.Dialer{})
	var reading sync.WaitGroup
	reading.Go(func() {
		if ends, err := p.read(res.Body); err != nil || ends != "" {
			t.Errorf("%s %v", ends, err)
		}
	})
	testkit.Eventually(t, "the rest", func() bool { return p.seen.Load() == int64(n) })
	w.hub.Close()
	reading.Wait()
}

// A burst of events arrives completely, however the events were gathered into writes.
func TestLiveBurst(t *testing.T) {
	w := newServer(t)
	p := &countingScreen{base: w.Serve(t), token: w.ada}
	_, res := p.open(t, &net.Dialer{})
	var reading sync.WaitGroup
	reading.Go(func() {
		if ends, err := p.read(res.Body); err != nil {
			t.Errorf("%s %v", ends, err)
		}
	})
	w.publishReadings(1, 500) // less than a screen may lag behind
	testkit.Eventually(t, "all events", func() bool { return p.seen.Load() == 500 })
	w.hub.Close()
	reading.Wait()
}

package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// A screen records notices and messages, ignores other events, and reconnects from the newest event
// that it received.
func TestNotifyScreenRecordsEvents(t *testing.T) {
	again := make(chan string, 1)
	streams := 0
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer let-me-in" || r.URL.Path != livePath {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		const since = "event: notice\ndata: {\"id\":5,\"startTime\":1,\"holdsSince\":1}\n\n" // the same notice once more
		if streams++; streams == 1 {
			fmt.Fprint(
				w,
				"id: e-1\n\nid: e-2\nevent: notice\ndata: {\"id\":5,\"startTime\":1}\n\n"+since+"id: e-3\nevent: reading\ndata: {\"id\":6}\n\n"+
					"id: e-4\nevent: message\ndata: {\"id\":1,\"noticeId\":5,\"event\":\"triggered\"}\n\n:\n\n",
			)
			return
		}
		fmt.Fprint(
			w,
			since+"id: e-9\nevent: reset\ndata: {\"id\":7}\n\nid: e-10\nevent: notice\ndata: {\"id\":5,\"startTime\":1,\"endTime\":2}\n\n"+
				"id: e-11\nevent: delivery\ndata: {\"noticeId\":5}\n\nid: e-12\nevent: message\ndata: {\"id\":2,\"noticeId\":5,\"event\":\"resolved\"}\n\n",
		)
		http.NewResponseController(w).Flush()
		again <- r.Header.Get("Last-Event-ID")
		<-r.Context().Done()
	}))
	defer web.Close()
	p := &notifyScreen{
		screen: screen{console: &console{base: web.URL, token: "let-me-in", http: web.Client()}},
		began:  time.Now(),
	}
	if err := p.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case last := <-again:
		if last != "e-4" {
			t.Errorf("reconnected from %q", last)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the screen did not reconnect")
	}
	timeout := time.After(20 * time.Second)
	for p.eventCount.Load() < 5 {
		select {
		case <-timeout:
			t.Fatalf("%d events", p.eventCount.Load())
		case <-time.After(time.Millisecond): // polled, since the screen only counts
		}
	}
	for range 2 { // a second close does nothing
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
	}
	var received []screenEvent
	for _, one := range p.events {
		if one.at <= 0 || one.at > time.Since(p.began) {
			t.Errorf("an event has the time %s", one.at)
		}
		one.at = 0
		received = append(received, one)
	}
	want := []screenEvent{
		{noticeEvent: noticeEvent{5, false}},
		{noticeEvent: noticeEvent{5, false}, message: true},
		{noticeEvent: noticeEvent{5, false}},
		{noticeEvent: noticeEvent{5, true}},
		{noticeEvent: noticeEvent{5, true}, message: true},
	}
	if !slices.Equal(received, want) || p.cuts.Load() != 1 || p.resets.Load() != 1 || p.last != "e-12" {
		t.Errorf("%+v, %d cuts, %d resets, last %q", received, p.cuts.Load(), p.resets.Load(), p.last)
	}
	p = &notifyScreen{screen: screen{console: &console{base: web.URL, token: "another", http: web.Client()}}}
	if err := p.open(t.Context()); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("%v", err)
	}
	if err := new(notifyScreen).close(); err != nil {
		t.Errorf("close of a screen that was never opened: %v", err)
	}
}

// listServer serves pages of a list from a function of the test.
func listServer(t *testing.T, total int, ids func(number, size string) []int64) *noticeList {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		var all []string
		for _, id := range ids(q.Get("pageNo"), q.Get("pageSize")) {
			all = append(all, fmt.Sprintf(`{"id":%d,"deviceName":"D","startTime":%d,"endTime":9}`, id, id))
		}
		fmt.Fprintf(w, `{"code":200,"data":{"total":%d,"list":[%s]}}`, total, strings.Join(all, ","))
	}))
	t.Cleanup(web.Close)
	return &noticeList{
		person: &console{base: web.URL, http: web.Client()},
		began:  time.Now(),
		size:   2,
		seen:   map[int64]time.Duration{},
	}
}

// watch reads the list while notices are expected, and records when each was there first.
func TestNoticeListIsPolled(t *testing.T) {
	requests := make(chan struct{}, 100)
	l := listServer(t, 2, func(number, size string) []int64 {
		if number != "1" || size != "2" {
			t.Errorf("page %s of %s", number, size)
		}
		requests <- struct{}{}
		return []int64{4, 3}[2-min(len(requests), 2):]
	})
	nothingExpected := func() { l.waitComplete(t.Context(), 3*listPollInterval) }
	if err := l.watchUntil(t, nothingExpected); err != nil || len(requests) > 0 {
		t.Errorf("%d requests although nothing was expected: %v", len(requests), err)
	}
	l.expect(2)
	if err := l.watchUntil(t, func() { l.waitComplete(t.Context(), 20*time.Second) }); err != nil {
		t.Fatal(err)
	}
	if len(l.seen) != 2 || l.seen[3] <= 0 || l.seen[4] <= l.seen[3] {
		t.Errorf("%v", l.seen)
	}
	l.expect(1) // it never comes
	if l.waitComplete(t.Context(), time.Millisecond); l.complete() {
		t.Error("waitComplete returned a complete list")
	}
	l.person.base = "http://127.0.0.1:1"
	if err := l.watch(t.Context()); err == nil {
		t.Error("watch of a server that does not answer gives no error")
	}
}

// watchUntil watches the list while f runs.
func (l *noticeList) watchUntil(t *testing.T, f func()) error {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- l.watch(ctx) }()
	f()
	stop()
	return <-ended
}

// all reads all pages of a list; a list with fewer notices than its total is an error.
func TestNoticeListIsComplete(t *testing.T) {
	pages := map[string][]int64{"1": {5, 4}, "2": {3}}
	l := listServer(t, 3, func(number, size string) []int64 {
		if size != "400" {
			t.Errorf("pages of %s", size)
		}
		return pages[number]
	})
	all, err := l.all(t.Context())
	if err != nil || len(all.List) != 3 || all.List[2].ID != 3 || all.List[2].StartTime != 3 ||
		all.List[2].DeviceName != "D" ||
		all.List[2].EndTime != 9 {
		t.Errorf("%+v, %v", all, err)
	}
	delete(pages, "2")
	if _, err := l.all(t.Context()); err == nil || !strings.Contains(err.Error(), "2 notices of 3") {
		t.Errorf("%v", err)
	}
}

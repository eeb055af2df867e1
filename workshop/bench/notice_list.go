package bench

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// listPollInterval is how often the run reads a list while it waits for notices: one person of each
// tenant reads it, and a run has many tenants.
const listPollInterval = 250 * time.Millisecond

// noticeList is a tenant's list of notices, as a person reads it.
type noticeList struct {
	person *console
	began  time.Time // of the run
	size   int       // notices of a page

	mu       sync.Mutex
	seen     map[int64]time.Duration // when each notice was in the list first, since the run began
	expected int
}

// expect says that so many more notices are about to open.
func (l *noticeList) expect(more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected += more
}

func (l *noticeList) complete() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen) >= l.expected
}

// watch reads the newest notices, as long as some are expected, until ctx ends.
func (l *noticeList) watch(ctx context.Context) error {
	tick := time.NewTicker(listPollInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		if l.complete() {
			continue
		}
		page, err := l.page(ctx, 1, l.size)
		at := time.Since(l.began)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		l.mu.Lock()
		for _, n := range page.List {
			if _, before := l.seen[n.ID]; !before {
				l.seen[n.ID] = at
			}
		}
		l.mu.Unlock()
	}
}

// waitComplete waits until all expected notices were in the list, but at most as long as most.
func (l *noticeList) waitComplete(ctx context.Context, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !l.complete() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// noticePage is a page of the list.
type noticePage struct {
	Total int `json:"total"`
	List  []struct {
		ID int64 `json:"id"`
		notice
	} `json:"list"`
}

func (l *noticeList) page(ctx context.Context, number, size int) (*noticePage, error) {
	var p noticePage
	path := fmt.Sprintf("/admin-api/client/pc/alarm-notice/page?pageNo=%d&pageSize=%d", number, size)
	return &p, l.person.call(ctx, http.MethodGet, path, nil, &p)
}

// all returns the whole list. No notice may open meanwhile.
func (l *noticeList) all(ctx context.Context) (*noticePage, error) {
	all, err := l.page(ctx, 1, noticePageSize)
	for number := 2; err == nil && len(all.List) < all.Total; number++ {
		var next *noticePage
		if next, err = l.page(ctx, number, noticePageSize); err == nil && len(next.List) == 0 {
			err = fmt.Errorf("the list has %d notices of %d", len(all.List), all.Total)
		}
		if err == nil {
			all.List = append(all.List, next.List...)
		}
	}
	return all, err
}

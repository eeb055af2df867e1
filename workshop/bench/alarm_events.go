package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	listEvery = 100 * time.Millisecond // how often the list is read
	listSize  = 400                    // notices on a page of it
)

// alarmEvent is a reading that opens or closes a notice.
type alarmEvent struct {
	device string
	rule   int   // index of the device's rule
	time   int64 // epoch ms
	begins bool
}

// alarmEvents records when each event was acknowledged, arrived on the open screen, and was first
// in the list. After close it only counts.
type alarmEvents struct {
	mu              sync.Mutex
	ack, live, list map[alarmEvent]time.Time
	began, ended    int
	closed          bool
}

func newAlarmEvents() *alarmEvents {
	return &alarmEvents{
		ack:  map[alarmEvent]time.Time{},
		live: map[alarmEvent]time.Time{},
		list: map[alarmEvent]time.Time{},
	}
}

func (k *alarmEvents) acked(m alarmEvent, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.begins {
		k.began++
	} else {
		k.ended++
	}
	if !k.closed {
		k.ack[m] = at
	}
}

func (k *alarmEvents) count() (began, ended int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.began, k.ended
}

// seen records the first time.
func (k *alarmEvents) seen(where map[alarmEvent]time.Time, m alarmEvent, at time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, before := where[m]; !before {
		where[m] = at
	}
}

// waitAll waits until all acknowledged events have arrived on the screen and in the list, but at
// most as long as most.
func (k *alarmEvents) waitAll(ctx context.Context, most time.Duration) {
	k.waitUntil(ctx, most, func(live, list Delay) bool { return live.Missing == 0 && list.Missing == 0 })
}

// waitUntil waits until the delays are as wanted, but at most as long as most.
func (k *alarmEvents) waitUntil(ctx context.Context, most time.Duration, wanted func(live, list Delay) bool) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for {
		if wanted(k.delays()) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pollInterval): // another process: there is no event to wait for
		}
	}
}

// delays returns the delays from the acknowledgement to the screen, for all events, and to the
// list, for those that open a notice.
func (k *alarmEvents) delays() (live, list Delay) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var toScreen, toList histogram
	for m, acked := range k.ack {
		live.add(&toScreen, k.live, m, acked)
		if m.begins {
			list.add(&toList, k.list, m, acked)
		}
	}
	live.P50, live.P99, live.Max = toScreen.quantile(0.5), toScreen.quantile(0.99), toScreen.max()
	list.P50, list.P99, list.Max = toList.quantile(0.5), toList.quantile(0.99), toList.max()
	return live, list
}

// delaysAt returns the delays to the screen. Those of missing events are counted as lasting until
// now; in fact they are longer.
func (k *alarmEvents) delaysAt(now time.Time) (live Delay) {
	k.mu.Lock()
	defer k.mu.Unlock()
	var toScreen histogram
	for m, from := range k.ack {
		if live.add(&toScreen, k.live, m, from); k.live[m].IsZero() {
			toScreen.add(now.Sub(from))
		}
	}
	live.P50, live.P99, live.Max = toScreen.quantile(0.5), toScreen.quantile(0.99), toScreen.max()
	return live
}

func (d *Delay) add(h *histogram, seen map[alarmEvent]time.Time, m alarmEvent, acked time.Time) {
	at, there := seen[m]
	if !there {
		d.Missing++
		return
	}
	d.Count++
	h.add(at.Sub(acked)) // 0 if it arrived before the acknowledgement was read
}

// close makes later events only be counted.
func (k *alarmEvents) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
}

// notice is a notice in an event of a screen or in the list.
type notice struct {
	Title      string `json:"title"`
	DeviceName string `json:"deviceName"`
	StartTime  int64  `json:"startTime"`
	EndTime    int64  `json:"endTime"`
	Unsteady   bool   `json:"unsteady"`
}

// event returns the event from which the newest change of the notice comes.
func (n *notice) event() (alarmEvent, bool) {
	number, ours := strings.CutPrefix(n.Title, "bench rule ")
	rule, err := strconv.Atoi(number)
	if !ours || err != nil {
		return alarmEvent{}, false
	}
	if n.EndTime != 0 {
		return alarmEvent{n.DeviceName, rule - 1, n.EndTime, false}, true
	}
	return alarmEvent{n.DeviceName, rule - 1, n.StartTime, true}, true
}

// watchNotices opens a screen that records when notices arrive.
func watchNotices(ctx context.Context, c *console, k *alarmEvents) (*screen, error) {
	return watchFor(ctx, c, func(data []byte) {
		now := time.Now()
		var n notice
		if json.Unmarshal(data, &n) != nil {
			return // it is missing in the end
		}
		if m, ours := n.event(); ours {
			k.seen(k.live, m, now)
		}
	})
}

// watchList reads the newest notices again and again until ctx ends.
func (c *console) watchList(ctx context.Context, k *alarmEvents) error {
	tick := time.NewTicker(listEvery)
	defer tick.Stop()
	for {
		var page struct {
			List []notice `json:"list"`
		}
		path := "/admin-api/client/pc/alarm-notice/page?pageNo=1&pageSize=" + strconv.Itoa(listSize)
		err := c.call(ctx, http.MethodGet, path, nil, &page)
		now := time.Now()
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		for i := range page.List {
			n := page.List[i]
			n.EndTime = 0
			if m, ours := n.event(); ours {
				k.seen(k.list, m, now)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// dataOf returns the data of a line of a stream, if the line has data.
func dataOf(line []byte) ([]byte, bool) {
	data, ok := bytes.CutPrefix(line, []byte("data: "))
	return bytes.TrimSpace(data), ok
}

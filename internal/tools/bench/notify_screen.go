package bench

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// notifyScreen is a person's open screen that notes when it is told of notices, and of
// the messages about them.
type notifyScreen struct {
	screen
	tenant int
	began  time.Time // of the run

	events     []screenEvent       // of its goroutine, until the page is closed
	counts     map[noticeEvent]int // how often, by notices
	eventCount atomic.Int64
}

// screenEvent is what a page, or a recipient, was told of.
type screenEvent struct {
	noticeEvent
	message bool          // it was a message, not the notice
	at      time.Duration // since the run began
}

// noticeEvent is one thing that happened to a notice.
type noticeEvent struct {
	notice int64
	ended  bool
}

// open opens the stream and returns once it is.
func (p *notifyScreen) open(ctx context.Context) error {
	p.notice = func(data []byte) { p.record(false, data, time.Since(p.began)) }
	p.message = func(data []byte) { p.record(true, data, time.Since(p.began)) }
	p.buffer = 8 << 10 // there are many
	_, err := p.screen.open(ctx)
	return err
}

// close ends the stream, if it was opened, and answers why it had ended
// earlier, if it had.
func (p *notifyScreen) close() error {
	if p.stop == nil {
		return nil
	}
	return p.screen.close()
}

func (p *notifyScreen) record(message bool, data []byte, at time.Duration) {
	var e struct {
		ID         int64  `json:"id"`
		NoticeID   int64  `json:"noticeId"`
		EndTime    int64  `json:"endTime"`
		HoldsSince int64  `json:"holdsSince"`
		Event      string `json:"event"`
	}
	// What cannot be read is of nothing that happened, and is counted as such.
	_ = json.Unmarshal(data, &e)
	one := screenEvent{noticeEvent: noticeEvent{e.ID, e.EndTime != 0}, at: at}
	if message {
		one = screenEvent{noticeEvent: noticeEvent{e.NoticeID, e.Event == "resolved"}, message: true, at: at}
	} else if p.isRepeat(one.noticeEvent, e.HoldsSince != 0) {
		return
	}
	p.events = append(p.events, one)
	p.eventCount.Add(1)
}

// isRepeat tells whether a notice is one that was told before and is told once more since
// it is known since when it holds.
func (p *notifyScreen) isRepeat(what noticeEvent, since bool) bool {
	if p.counts == nil {
		p.counts = map[noticeEvent]int{}
	}
	p.counts[what]++
	return since && p.counts[what] == 2
}

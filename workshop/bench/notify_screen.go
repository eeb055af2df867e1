package bench

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// notifyScreen is a person's open screen that records when events of notices, and of the messages
// about them, arrive.
type notifyScreen struct {
	screen
	tenant int
	began  time.Time // of the run

	events     []screenEvent       // only its goroutine uses it until the screen is closed
	counts     map[noticeEvent]int // how often each notice event arrived
	eventCount atomic.Int64
}

// screenEvent is an event that a screen received.
type screenEvent struct {
	noticeEvent
	message bool          // an event of the message, not of the notice
	at      time.Duration // since the run began
}

// noticeEvent is the opening or the closing of a notice.
type noticeEvent struct {
	notice int64
	ended  bool
}

// open opens the stream and returns once it is open.
func (p *notifyScreen) open(ctx context.Context) error {
	p.notice = func(data []byte) { p.record(false, data, time.Since(p.began)) }
	p.message = func(data []byte) { p.record(true, data, time.Since(p.began)) }
	p.buffer = 8 << 10 // there are many screens
	_, err := p.screen.open(ctx)
	return err
}

// close ends the stream, if it was opened, and returns the error with which it ended earlier, if
// any.
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
	// An unreadable event is counted as one of nothing that happened.
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

// isRepeat tells whether an event of a notice is sent a second time because the server now knows
// since when its conditions hold.
func (p *notifyScreen) isRepeat(what noticeEvent, since bool) bool {
	if p.counts == nil {
		p.counts = map[noticeEvent]int{}
	}
	p.counts[what]++
	return since && p.counts[what] == 2
}

package bench

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"
)

// page is a person's open screen that notes when it is told of notices, and of
// the messages about them.
type page struct {
	screen
	tenant int
	began  time.Time // of the run

	heard []telling     // of its goroutine, until the page is closed
	told  map[about]int // how often, by notices
	count atomic.Int64
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
	p.notice = func(data []byte) { p.hear(false, data, time.Since(p.began)) }
	p.message = func(data []byte) { p.hear(true, data, time.Since(p.began)) }
	p.buffer = 8 << 10 // there are many
	_, err := p.screen.open(ctx)
	return err
}

// close ends the stream, if it was opened, and answers why it had ended
// earlier, if it had.
func (p *page) close() error {
	if p.stop == nil {
		return nil
	}
	return p.screen.close()
}

func (p *page) hear(message bool, data []byte, at time.Duration) {
	var e struct {
		ID         int64  `json:"id"`
		NoticeID   int64  `json:"noticeId"`
		EndTime    int64  `json:"endTime"`
		HoldsSince int64  `json:"holdsSince"`
		Event      string `json:"event"`
	}
	// What cannot be read is of nothing that happened, and is counted as such.
	_ = json.Unmarshal(data, &e)
	one := telling{about: about{e.ID, e.EndTime != 0}, at: at}
	if message {
		one = telling{about: about{e.NoticeID, e.Event == "resolved"}, message: true, at: at}
	} else if p.again(one.about, e.HoldsSince != 0) {
		return
	}
	p.heard = append(p.heard, one)
	p.count.Add(1)
}

// again tells whether a notice is one that was told before and is told once more since
// it is known since when it holds.
func (p *page) again(what about, since bool) bool {
	if p.told == nil {
		p.told = map[about]int{}
	}
	p.told[what]++
	return since && p.told[what] == 2
}

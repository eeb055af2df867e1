package bench

import (
	"encoding/json"
	"errors"
	"time"
)

// liveScreen is an open screen that notes when it hears of which reading.
type liveScreen struct {
	tenant int
	screen *screen
	events []receivedEvent // of its goroutine, until the screen is closed
}

type receivedEvent struct {
	reading readingID
	at      time.Duration // since the run began
}

type readingID struct {
	device string
	time   int64 // epoch ms
}

func (w *liveScreen) record(data []byte, at time.Duration) {
	var e struct {
		DeviceName string `json:"deviceName"`
		Time       int64  `json:"time"`
	}
	// What cannot be read is of no reading that was sent, and is counted as such.
	_ = json.Unmarshal(data, &e)
	w.events = append(w.events, receivedEvent{readingID{e.DeviceName, e.Time}, at})
}

// compare closes the screens and compares what they heard with what was
// acknowledged: each of a tenant's screens must have heard each reading once.
func (h *liveRun) compare(r *LiveResult) error {
	var err error
	for _, w := range h.witnesses {
		err = errors.Join(err, w.screen.close())
		r.Cuts += w.screen.cuts.Load()
		r.Resets += w.screen.resets.Load()
	}
	if err != nil {
		return err
	}
	sent := make([]map[readingID]ackedReading, len(h.people))
	for i := range sent {
		sent[i] = map[readingID]ackedReading{}
	}
	for _, p := range h.reporters {
		for _, one := range p.reports {
			sent[p.tenant][readingID{p.device.Name, one.time}] = one
		}
	}
	others, busy := make([]histogram, len(r.Parts)), make([]histogram, len(r.Parts))
	for _, w := range h.witnesses {
		times := others
		if w.tenant == h.busy() {
			times = busy
		}
		heard := w.compare(sent[w.tenant], times, r)
		for id, one := range sent[w.tenant] {
			if !heard[id] {
				r.Parts[one.part].delayOf(w.tenant == h.busy()).Missing++
			}
		}
	}
	for i := range r.Parts {
		r.Parts[i].Others.fill(&others[i])
		r.Parts[i].Busy.fill(&busy[i])
	}
	return nil
}

// compare adds the delays of what a screen has heard to its part's, and answers
// what that is.
func (w *liveScreen) compare(
	sent map[readingID]ackedReading,
	times []histogram,
	r *LiveResult,
) (heard map[readingID]bool) {
	heard = make(map[readingID]bool, len(w.events))
	for _, one := range w.events {
		was, known := sent[one.reading]
		switch {
		case !known:
			r.Unknown++
		case heard[one.reading]:
			r.Duplicates++
		default:
			heard[one.reading] = true
			times[was.part].add(one.at - was.acked) // told before the acknowledgement was read: 0
		}
	}
	return heard
}

func (p *LivePart) delayOf(busy bool) *Delay {
	if busy {
		return &p.Busy
	}
	return &p.Others
}

// fill fills a delay from what was counted.
func (d *Delay) fill(h *histogram) {
	for i := range h.buckets {
		d.Count += int(h.buckets[i].Load())
	}
	d.P50, d.P99, d.Max = h.quantile(0.5), h.quantile(0.99), h.max()
}

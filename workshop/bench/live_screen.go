package bench

import (
	"encoding/json"
	"errors"
	"time"
)

// liveScreen is an open screen that records when the event of each reading arrives.
type liveScreen struct {
	tenant int
	screen *screen
	events []receivedEvent // only its goroutine uses it until the screen is closed
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
	// An unreadable event is counted as one of a reading that was never sent.
	_ = json.Unmarshal(data, &e)
	w.events = append(w.events, receivedEvent{readingID{e.DeviceName, e.Time}, at})
}

// compare closes the screens and checks that each of a tenant's screens received each acknowledged
// reading once.
func (h *liveRun) compare(r *LiveResult) error {
	var err error
	for _, w := range h.screens {
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
	for _, w := range h.screens {
		times := others
		if w.tenant == h.busy() {
			times = busy
		}
		received := w.compare(sent[w.tenant], times, r)
		for id, one := range sent[w.tenant] {
			if !received[id] {
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

// compare adds the delays of the events that a screen received to those of their part, and returns
// the readings that it received.
func (w *liveScreen) compare(
	sent map[readingID]ackedReading,
	times []histogram,
	r *LiveResult,
) (received map[readingID]bool) {
	received = make(map[readingID]bool, len(w.events))
	for _, one := range w.events {
		was, known := sent[one.reading]
		switch {
		case !known:
			r.Unknown++
		case received[one.reading]:
			r.Duplicates++
		default:
			received[one.reading] = true
			times[was.part].add(one.at - was.acked) // 0 if the event arrived before the acknowledgement was read
		}
	}
	return received
}

func (p *LivePart) delayOf(busy bool) *Delay {
	if busy {
		return &p.Busy
	}
	return &p.Others
}

// fill sets a delay from a histogram.
func (d *Delay) fill(h *histogram) {
	for i := range h.buckets {
		d.Count += int(h.buckets[i].Load())
	}
	d.P50, d.P99, d.Max = h.quantile(0.5), h.quantile(0.99), h.max()
}

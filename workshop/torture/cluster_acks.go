package torture

import (
	"sync"
	"time"
)

// ackWatch watches the acknowledgements that devices get.
type ackWatch struct {
	mu      sync.Mutex
	devices []time.Time // the newest acknowledgement of each device
	newest  time.Time   // of all
	count   int
	fault   *faultWatch // nil: no fault is watched
}

// faultWatch is what devices notice of a fault.
type faultWatch struct {
	began time.Time
	first time.Time     // the first acknowledgement of a message that was sent after the fault began
	quiet time.Duration // the longest time without any acknowledgement since the fault began
	over  time.Time     // when that ended
	// silence is the longest time that one device was without an acknowledgement. It ends after the fault
	// began, and may begin before.
	silence time.Duration
	ended   time.Time // when the fault had been made; zero: not yet
	after   []bool    // of each device: a message sent after that was acknowledged
}

func newAckWatch(devices int) *ackWatch { return &ackWatch{devices: make([]time.Time, devices)} }

// start begins to watch devices that have been silent on purpose.
func (w *ackWatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.newest, w.count, w.fault = now, 0, nil
	for i := range w.devices {
		w.devices[i] = now
	}
}

// acked takes an acknowledgement.
func (w *ackWatch) acked(device int, sent, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	if f := w.fault; f != nil {
		f.noteSilences(w, at, device)
		if sent.After(f.began) && f.first.IsZero() {
			f.first = at
		}
		if !f.ended.IsZero() && sent.After(f.ended) {
			f.after[device] = true
		}
	}
	w.devices[device], w.newest = at, at
}

// noteSilences keeps the longest silences: that of all devices since the fault, and that of one.
func (f *faultWatch) noteSilences(w *ackWatch, at time.Time, device int) {
	from := w.newest
	if from.Before(f.began) {
		from = f.began
	}
	if quiet := at.Sub(from); quiet > f.quiet {
		f.quiet, f.over = quiet, at
	}
	f.silence = max(f.silence, at.Sub(w.devices[device]))
}

// begin begins to watch a fault.
func (w *ackWatch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault = &faultWatch{began: time.Now(), after: make([]bool, len(w.devices))}
}

// made says that the fault has been made: from here on, every device must be answered.
func (w *ackWatch) made() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault.ended = time.Now()
}

// end ends watching, and returns what devices noticed. What is silent now counts as long as it has been.
func (w *ackWatch) end() faultWatch {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.fault
	now := time.Now()
	for i := range w.devices {
		f.noteSilences(w, now, i)
	}
	w.fault = nil
	return *f
}

// over returns when the longest silence of all devices since the fault began ended.
func (w *ackWatch) over() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fault.over
}

// total returns how many messages were acknowledged since start.
func (w *ackWatch) total() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// allAfter tells whether every device has sent a message after the fault was made, and got its answer.
func (w *ackWatch) allAfter() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, after := range w.fault.after {
		if !after {
			return false
		}
	}
	return true
}

// again is how long after the fault began a message that was sent since was acknowledged.
func (f *faultWatch) again() time.Duration {
	if f.first.IsZero() {
		return 0
	}
	return f.first.Sub(f.began)
}

package ingest

import (
	"log/slog"
	"sync"
	"time"

	"tilth/internal/domain/device"
)

// faultLogEvery is the time between two log lines about the same fault.
const faultLogEvery = 10 * time.Minute

// noteFault notes a client that is refused before its secret is looked at. It counts as a failed
// sign-in of its address, so that no address can have many devices looked up. The provider sees the
// fault in the figures and in the log, which hold neither name nor secret; the owners of the device,
// if there is one that the client can be, get a hint.
func (g *gate) noteFault(address string, f device.Fault, claim device.Claim) {
	if ref, known := g.claimed(address, f, claim); known {
		g.hints.NoteFault(ref, f, addressOf(address))
	}
}

// notePath notes a request at a path where nothing is taken, as noteFault does.
func (g *gate) notePath(address string, claim device.Claim) {
	if ref, known := g.claimed(address, device.FaultPath, claim); known {
		g.hints.NotePath(ref, "", addressOf(address))
	}
}

// noteUntidyPath notes that a device reports at a path that stands for the right one, and is taken so.
func (g *gate) noteUntidyPath(address string, ref device.Ref, right string) {
	g.countFault(address, device.FaultPath)
	g.hints.NotePath(ref, right, addressOf(address))
}

func (g *gate) claimed(address string, f device.Fault, claim device.Claim) (ref device.Ref, known bool) {
	g.countFault(address, f)
	if g.failures.Add(networkOf(address)) > 0 {
		return device.Ref{}, false
	}
	return g.registry.Claimed(claim)
}

func (g *gate) countFault(address string, f device.Fault) {
	g.stats.faults[f].Add(1)
	g.faultLog.add(g.logger, g.now(), f, address)
}

// faultLog writes a line about each fault from time to time, however often it happens.
type faultLog struct {
	mu      sync.Mutex
	pending map[device.Fault]int // since the last line
	logged  map[device.Fault]time.Time
}

func newFaultLog() *faultLog {
	return &faultLog{pending: map[device.Fault]int{}, logged: map[device.Fault]time.Time{}}
}

func (l *faultLog) add(logger *slog.Logger, now time.Time, f device.Fault, address string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending[f]++
	if last, known := l.logged[f]; known && now.Sub(last) < faultLogEvery {
		return
	}
	logger.Info("a device could not be taken in as it reports (docs/monitoring.md, cause)",
		"cause", string(f), "network", device.MaskAddress(addressOf(address)), "times", l.pending[f])
	l.logged[f], l.pending[f] = now, 0
}

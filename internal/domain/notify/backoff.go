package notify

import (
	"maps"
	"slices"
	"time"
)

const (
	// retryFirst and retryMost are how long a notification waits for a retry: after the first
	// attempt, and at most.
	retryFirst = 15 * time.Second
	retryMost  = 15 * time.Minute
	// retryLongest is how long a notification waits at most if the remote server asks for a wait.
	retryLongest = time.Hour
	// downFirst and downMost are how long a worker waits before it tries a remote server again
	// that accepts nothing: at first, and at most.
	downFirst = 5 * time.Second
	downMost  = 2 * time.Minute
	// failuresBeforePause is how many notifications in a row an address may defer before the others for it
	// wait too.
	failuresBeforePause = 3
)

// exponential doubles first times times, up to most.
func exponential(first, most time.Duration, times int) time.Duration {
	for ; times > 0 && first < most; times-- {
		first *= 2
	}
	return min(first, most)
}

// retryDelay gives how long a notification waits after so many attempts.
func retryDelay(attempts int) time.Duration { return exponential(retryFirst, retryMost, attempts) }

// jitter makes a wait up to a fifth shorter or longer, by a random number of [0, 1), so that
// notifications that failed together are not retried together.
func jitter(wait time.Duration, random float64) time.Duration {
	return wait + time.Duration((random-0.5)*0.4*float64(wait))
}

// backoff tracks the failures of a remote server, or of an address behind it. It is in memory
// only: after a restart every server gets another chance.
type backoff struct {
	failures int   // in a row
	until    int64 // nothing is sent before, epoch ms
}

// markDown records that the remote server accepted nothing, and gives when the worker tries it
// again. Notifications that were in flight together count once.
func (l *worker) markDown(now time.Time, answer string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.until > now.UnixMilli() {
		return l.down.until
	}
	if l.down.failures == 0 {
		l.Logger.Warn("notifications cannot be sent: the remote server accepts nothing; trying again", "mode", l.kind,
			"answer", answer)
	}
	l.down.until = now.Add(jitter(exponential(downFirst, downMost, l.down.failures), l.Random())).UnixMilli()
	l.down.failures++
	return l.down.until
}

// markReachable records that the remote server and an address accept notifications. If its whole host was
// paused, the other addresses there get another chance.
func (l *worker) markReachable(a *attempt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.failures > 0 {
		l.Logger.Info("notifications can be sent again", "mode", l.kind)
	}
	l.down = backoff{}
	if l.allPause(a.neighbours) {
		for _, other := range a.neighbours {
			l.failed[other] = backoff{failures: l.failed[other].failures}
		}
	}
	delete(l.failed, a.to)
}

// markDeferred records that the remote server is reachable but deferred a notification; after is the wait that
// it asked for, or 0.
func (l *worker) markDeferred(a *attempt, now time.Time, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = backoff{}
	p := l.failed[a.to]
	p.failures++
	switch {
	case l.pace != nil && after > 0: // it counts what a destination gets, and has counted more than we
		p.until = max(p.until, now.Add(after).UnixMilli())
	case p.failures >= failuresBeforePause && p.until <= now.UnixMilli():
		p.until = now.Add(max(after, jitter(retryDelay(p.failures-failuresBeforePause), l.Random()))).UnixMilli()
	}
	l.failed[a.to] = p
	if !l.allPause(a.neighbours) {
		return
	}
	for _, other := range a.neighbours { // none of them follows at once
		if p := l.failed[other]; other != a.to {
			p.until = max(p.until, now.Add(retryFirst).UnixMilli())
			l.failed[other] = p
		}
	}
}

// allPause tells whether all addresses of a webhook's host have failed so often in a row that they pause. The
// caller holds mu.
func (l *worker) allPause(host []address) bool {
	return len(host) > 0 && !slices.ContainsFunc(host,
		func(a address) bool { return l.failed[a].failures < failuresBeforePause })
}

// fails tells whether the last notification to an address failed.
func (l *worker) fails(a address) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed[a].failures > 0
}

// forget forgets the failures of some addresses.
func (l *worker) forget(which func(a address) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.failed, func(a address, _ backoff) bool { return which(a) })
}

// downUntil gives when the worker tries a remote server that accepts nothing again, epoch ms; 0:
// it is not known to be down.
func (l *worker) downUntil() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down.until
}

// waiting gives the addresses that are paused or that the pace lets wait, and when the first may have a
// notification, epoch ms; 0: none waits.
func (l *worker) waiting(now int64) (addresses []address, first int64) {
	addresses, first = l.paused(now)
	paced, ready := l.pace.notReady()
	if first == 0 || ready > 0 && ready < first {
		first = ready
	}
	for _, d := range paced {
		addresses = append(addresses, address{destination: d})
	}
	return addresses, first
}

// paused gives the addresses that are paused, and when the first pause ends, epoch ms; 0: none is paused.
func (l *worker) paused(now int64) (addresses []address, first int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for a, p := range l.failed {
		if p.until > now {
			addresses = append(addresses, a)
			if first == 0 || p.until < first {
				first = p.until
			}
		}
	}
	return addresses, first
}

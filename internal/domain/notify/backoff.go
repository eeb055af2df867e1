package notify

import (
	"time"
)

const (
	// retryFirst and retryMost are how long a letter waits that may go through
	// later: at first, and after many attempts.
	retryFirst = 15 * time.Second
	retryMost  = 15 * time.Minute
	// retryLongest is how long one waits at most because the far end says so.
	retryLongest = time.Hour
	// downFirst and downMost are how long a far end is left alone that takes
	// nothing.
	downFirst = 5 * time.Second
	downMost  = 2 * time.Minute
	// failuresBeforePause is how many letters in a row a destination may put off before the
	// others for it wait too.
	failuresBeforePause = 3
)

// exponential is first, twice first, four times ..., at most most.
func exponential(first, most time.Duration, times int) time.Duration {
	for ; times > 0 && first < most; times-- {
		first *= 2
	}
	return min(first, most)
}

// retryDelay is how long a letter waits that was tried so often before.
func retryDelay(attempts int) time.Duration { return exponential(retryFirst, retryMost, attempts) }

// jitter makes a wait up to a fifth shorter or longer, by a random number of
// [0, 1): what failed together does not come again together.
func jitter(wait time.Duration, random float64) time.Duration {
	return wait + time.Duration((random-0.5)*0.4*float64(wait))
}

// backoff is how a far end, or a destination behind it, is doing. It is in
// memory only: after a start everybody gets another chance.
type backoff struct {
	failures int   // in a row
	until    int64 // nothing goes before, epoch ms
}

// markDown takes note that the far end took nothing, and gives when it is tried
// again. Letters that were in flight together count once.
func (l *worker) markDown(now time.Time, answer string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.until > now.UnixMilli() {
		return l.down.until
	}
	if l.down.failures == 0 {
		l.Logger.Warn("people cannot be told: the far end takes nothing; trying again", "mode", l.kind,
			"answer", answer)
	}
	l.down.until = now.Add(jitter(exponential(downFirst, downMost, l.down.failures), l.Random())).UnixMilli()
	l.down.failures++
	return l.down.until
}

// markReachable takes note that the far end is there, and so is a destination.
func (l *worker) markReachable(destination string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down.failures > 0 {
		l.Logger.Info("people can be told again", "mode", l.kind)
	}
	l.down = backoff{}
	delete(l.destinations, destination)
}

// markDeferred takes note that the far end is there, and put off a letter for
// a destination; after is how long it wants to be left alone, where it said so.
func (l *worker) markDeferred(destination string, now time.Time, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = backoff{}
	p := l.destinations[destination]
	p.failures++
	if p.failures >= failuresBeforePause && p.until <= now.UnixMilli() {
		p.until = now.Add(max(after, jitter(retryDelay(p.failures-failuresBeforePause), l.Random()))).UnixMilli()
	}
	l.destinations[destination] = p
}

// downUntil is when a far end that takes nothing is tried again, epoch ms; 0:
// it is not known to be down.
func (l *worker) downUntil() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.down.until
}

// pausedDestinations are the destinations that wait, and when the first of them is over,
// epoch ms; 0: none waits.
func (l *worker) pausedDestinations(now int64) (destinations []string, first int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for d, p := range l.destinations {
		if p.until > now {
			destinations = append(destinations, d)
			if first == 0 || p.until < first {
				first = p.until
			}
		}
	}
	return destinations, first
}

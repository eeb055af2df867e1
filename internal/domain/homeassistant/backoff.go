package homeassistant

import (
	"math/rand/v2"
	"time"
)

// backoff is how long to wait after failures in a row: twice as long after each, ± a fifth, so that the
// tenants of a broker that comes back do not connect all at once.
type backoff struct{ least, most, now time.Duration }

func newBackoff(least, most time.Duration) *backoff { return &backoff{least, most, least} }

func (b *backoff) reset() { b.now = b.least }

func (b *backoff) next() time.Duration {
	wait := b.now
	b.now = min(2*b.now, b.most)
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}

package httpbase

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAfter tells when to try again: whole seconds, rounded up, one at least.
func RetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(max(1, WholeSeconds(wait))))
}

// WholeSeconds is a length of time in seconds, rounded up: whoever waits for so
// long has waited long enough.
func WholeSeconds(d time.Duration) int {
	whole := int(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}

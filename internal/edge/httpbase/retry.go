package httpbase

import (
	"net/http"
	"strconv"
	"time"
)

// SetRetryAfter tells when to try again: whole seconds, rounded up, one at least.
func SetRetryAfter(h http.Header, wait time.Duration) {
	h.Set("Retry-After", strconv.Itoa(max(1, CeilSeconds(wait))))
}

// CeilSeconds is a length of time in seconds, rounded up: whoever waits for so
// long has waited long enough.
func CeilSeconds(d time.Duration) int {
	whole := int(d / time.Second)
	if d%time.Second > 0 {
		whole++
	}
	return whole
}
